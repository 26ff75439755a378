/** Slices of a run, the worst first: by the lower end of their interval, then by their size. */

import { formatCount, formatP, formatScore } from "../lib/format";
import { useJson, useLoaded, useSource, useTitle } from "../lib/hooks";
import { makeVisible } from "../lib/text";
import type { Run, Slice, SliceTestList } from "../lib/types";
import { Name } from "../ui/lanes";
import { chooseScale, Heading, IntervalBar, isSome, Problem, Score, Scrolling, Waiting } from "../ui/parts";

const LEVEL = 0.05; // of significance

/** Sort slices, the worst first. Slices without a score come last. */
export function sortSlices(slices: readonly Slice[], isLowerBetter: boolean): Slice[] {
  const badness = (slice: Slice) => {
    const end = isLowerBetter ? (slice.high ?? slice.score) : (slice.low ?? slice.score);
    return end === null ? Infinity : isLowerBetter ? -end : end;
  };
  return [...slices].sort((one, two) => badness(one) - badness(two) || two.n - one.n);
}

export function Slices({ id }: { id: string }) {
  const { value: run, error } = useJson<Run>(`/v1/runs/${id}`);
  useTitle(run === null ? "Slices" : `Slices of ${run.name}`);
  if (error !== null) return <Problem text={error} />;
  if (run === null) return <Waiting />;
  return (
    <>
      <Heading above={[["Runs", ["board"]], [<Name key="run" text={run.name} />, ["run", id]]]}>Slices, the worst first</Heading>
      {run.slices.length === 0 ? <p class="empty">This run was scored without slices. Add --by COLUMN when you score.</p> : <SliceTable run={run} />}
    </>
  );
}

export function SliceTable({ run, most = Infinity }: { run: Run; most?: number }) {
  const slices = sortSlices(run.slices, run.lower_is_better.includes(run.main)).slice(0, most);
  const scale = chooseScale(slices.map(({ score, low = null, high = null }) => ({ value: score, low, high })));
  const { value: list } = useSliceTests(run);
  const tests = new Map(list?.tests.map((test) => [nameSlice(test), test]));
  const hasTests = tests.size > 0;
  return (
    <>
    <Scrolling label="Slices">
      <table class="slices">
        <thead>
          <tr>
            <th scope="col">Slice</th>
            <th class="bar" aria-hidden="true" />
            <th scope="col" class="n">{run.titles?.[run.main] ?? run.main}</th>
            <th scope="col" class="n">Docu&shy;ments</th>
            <th scope="col" class="n">Find&shy;ings</th>
            {hasTests && <th scope="col" class="n">Other docu&shy;ments</th>}
            {hasTests && <th scope="col" class="n">p (Holm)</th>}
          </tr>
        </thead>
        <tbody>
          {slices.map((slice) => (
            <tr key={nameSlice(slice)}>
              <th scope="row">
                <Name text={slice.column} class="quiet" /> <Name text={slice.value} />
              </th>
              <td class="bar">
                <IntervalBar point={{ value: slice.score, low: slice.low ?? null, high: slice.high ?? null }} scale={scale} />
              </td>
              <td class="n">
                <Score point={{ value: slice.score, low: slice.low ?? null, high: slice.high ?? null }} />
              </td>
              <td class="n">{formatCount(slice.n)}</td>
              <td class="n">
                {slice.findings === null ? (
                  "–"
                ) : (
                  <a href={`#/run/${encodeURIComponent(run.id)}/findings?${new URLSearchParams([[`slice:${slice.column}`, slice.value]])}`} aria-label={`${slice.findings} findings of ${makeVisible(slice.value)}`}>
                    {formatCount(slice.findings)}
                  </a>
                )}
              </td>
              {hasTests && <td class="n">{formatScore(tests.get(nameSlice(slice))?.rest ?? null)}</td>}
              {hasTests && <td class="n"><SliceP p={tests.get(nameSlice(slice))?.p_holm} /></td>}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolling>
    {list !== null && (hasTests || isSome(list.note)) && (
      <p class="note">
        {hasTests
          ? "p: the slice against all other documents of this run, corrected by Holm for the values of its column. † below 0.05. Slices of spans are not tested."
          : list.note}
      </p>
    )}
    </>
  );
}

function SliceP({ p }: { p: number | null | undefined }) {
  return (
    <>
      {formatP(p)}
      {(p ?? 1) < LEVEL && <span aria-label="significant"> †</span>}
    </>
  );
}

function nameSlice({ column, value }: { column: string; value: string }): string {
  return `${column}\0${value}`;
}

/** Read the tests of slices; a file or folder may not have them. */
function useSliceTests(run: Run): { value: SliceTestList | null } {
  const source = useSource();
  const url = `/v1/runs/${run.id}/slices`;
  return useLoaded(url, () => (source.has(url) ? source.getJson<SliceTestList>(url) : Promise.resolve({ tests: [] })));
}

