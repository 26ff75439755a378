/** Up to twenty runs by document: where they disagree most, and who alone gets a document right. */

import { formatCount, nameRuns, nameScore } from "../lib/format";
import { useJson, useTitle } from "../lib/hooks";
import type { Comparison, Matrix } from "../lib/types";
import { Name } from "../ui/lanes";
import { Heading, Link, Problem, Score, Scrolling, Waiting } from "../ui/parts";

const SHADES = 5;

export function MatrixView({ ids }: { ids: string[] }) {
  const runs = ids.join(",");
  const matrix = useJson<Matrix>(`/v1/compare/matrix?runs=${runs}`);
  const comparison = useJson<Comparison>(`/v1/compare?runs=${runs}`);
  useTitle(`Compare ${ids.length} runs`);
  const problem = matrix.error ?? comparison.error;
  if (problem !== null) return <Problem text={problem} />;
  if (matrix.value === null || comparison.value === null) return <Waiting />;
  const { documents, alone } = matrix.value;
  const systems = comparison.value.runs;
  const names = nameRuns(systems);
  const most = Math.max(1, ...documents.flatMap((row) => row.errors));
  return (
    <div class="matrix-view">
      <Heading above={[["Runs", ["board"]]]}>{`${ids.length} runs by document`}</Heading>
      <p class="note">Errors of each run, documents with the most disagreement first. ✓ is a document without errors. Alone right: documents that no other run gets right.</p>
      <Scrolling label="Errors by document and run">
        <table class="matrix documents">
          <thead>
            <tr>
              <th scope="col">Document</th>
              {systems.map((run) => (
                <th key={run.id} scope="col" class="n">
                  <Link path={["run", run.id]}>
                    <Name text={names.get(run.id) ?? run.name} />
                  </Link>
                </th>
              ))}
            </tr>
            <tr class="summary">
              <th scope="row">{nameScore(systems[0]?.main ?? "", systems)}</th>
              {systems.map((run) => (
                <td key={run.id} class="n">
                  <Score point={{ value: run.scores[run.main]?.value ?? null }} />
                </td>
              ))}
            </tr>
            <tr class="summary">
              <th scope="row">Alone right</th>
              {systems.map((run, at) => (
                <td key={run.id} class="n">
                  {formatCount(alone[at] ?? 0)}
                </td>
              ))}
            </tr>
          </thead>
          <tbody>
            {documents.map((row) => (
              <tr key={row.document}>
                <th scope="row">
                  <Name text={row.document} />
                </th>
                {row.errors.map((errors, at) => {
                  const number = row.numbers[at];
                  const shade = errors === 0 ? 0 : Math.ceil((SHADES * errors) / most);
                  return (
                    <td key={at} class={`n shade-${shade}`}>
                      {errors === 0 || typeof number !== "number" ? (
                        <span class="kind right">✓</span>
                      ) : (
                        <Link path={["run", systems[at]?.id ?? "", "document", String(number)]}>{formatCount(errors)}</Link>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </div>
  );
}
