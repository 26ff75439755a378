/** One run: scores with intervals, tables, confusion matrix and curves. Each number with findings leads to them. */

import { formatCount, formatDay, formatScore, formatThings, nameScore, nameTask } from "../lib/format";
import { go, useFindings, useJson, useLoaded, useSource, useTitle } from "../lib/hooks";
import { makeVisible } from "../lib/text";
import type { Confusion, Filter, LabelCurves, NoteList, Run, ScorePoint, Table, TableCell, Undisputed as UndisputedScores } from "../lib/types";
import { getOne, withValues, type Query } from "../lib/url";
import { Name } from "../ui/lanes";
import { chooseScale, Heading, IntervalBar, isSome, type Scale, Link, Problem, Scrolling, toQuery, Waiting } from "../ui/parts";
import { CurveRow } from "../ui/curves";
import { SliceTable } from "./slices";

const SHADES = 5;
const MOST_LABELS = 30; // of a confusion matrix
const FIRST_ROWS = 60; // of a table
const FIRST_SLICES = 8;
const MOST_CURVES = 3; // labels whose curves are all drawn

export function RunView({ id, query }: { id: string; query: Query }) {
  const { value: run, error } = useJson<Run>(`/v1/runs/${id}`);
  useTitle(run?.name ?? "Run");
  if (error !== null) return <Problem text={error} />;
  if (run === null) return <Waiting />;
  return (
    <div class="run-view">
      <Heading
        above={[["Runs", ["board"]]]}
        aside={
          run.findings === null ? (
            <span class="note">Findings were not kept</span>
          ) : (
            <Link path={["run", id, "findings"]} class="button">
              {`Read ${formatThings(run.findings, "finding")}`}
            </Link>
          )
        }
      >
        <Name text={run.name} />
      </Heading>
      <p class="about">
        {nameTask(run.task)} on <Name text={run.corpus} /> · {formatThings(run.documents, "document")}
        {run.created !== "" && ` · ${formatDay(run.created)}`}
      </p>
      <MainScores run={run} />
      <Undisputed run={run} />
      <div class="overview">
        <Kinds id={id} />
        {run.confusion !== null && run.confusion.labels.length > 0 && <ConfusionMatrix confusion={run.confusion} id={id} />}
      </div>
      {run.slices.length > 0 && (
        <section>
          <h2>Slices, the worst first</h2>
          <SliceTable run={run} most={FIRST_SLICES} />
          {run.slices.length > FIRST_SLICES && (
            <p>
              <Link path={["run", id, "slices"]}>All {formatCount(run.slices.length)} slices</Link>
            </p>
          )}
        </section>
      )}
      {run.curves !== null && <Curves curves={run.curves} id={id} query={query} />}
      {run.tables.map((table) => (
        <ScoreTable key={table.title} table={table} id={id} />
      ))}
      <About run={run} />
    </div>
  );
}

function MainScores({ run }: { run: Run }) {
  const paths = [run.main, ...Object.keys(run.scores).filter((path) => path !== run.main)].filter((path) => isSome(run.scores[path]));
  const scale = chooseScale(paths.map((path) => run.scores[path]));
  return (
    <ul class="main-scores">
      {paths.map((path, at) => {
        const point = run.scores[path] ?? { value: null };
        return (
          <li key={path} class={at === 0 ? "first" : ""}>
            <span class="score-name">{nameScore(path, [run])}</span>
            <span class="score-value">{formatScore(point.value)}</span>
            <IntervalBar point={point} scale={scale} />
            <span class="ends">
              {isSome(point.low) && isSome(point.high) ? `${formatScore(point.low)}–${formatScore(point.high)}` : ""}
              {run.lower_is_better.includes(path) && " lower is better"}
            </span>
          </li>
        );
      })}
    </ul>
  );
}

function formatEnds(point: ScorePoint): string {
  return isSome(point.low) && isSome(point.high) ? ` (${formatScore(point.low)}–${formatScore(point.high)})` : "";
}

/** How many findings of each kind there are, the most frequent first; each leads to them. */
function Kinds({ id }: { id: string }) {
  const findings = useFindings(id);
  const { value } = useLoaded(`facets ${id}`, () => findings.readFacets());
  const kinds = [...(value?.facets.find((facet) => facet.name === "kind")?.values ?? [])].sort((one, two) => two.count - one.count);
  if (kinds.length === 0) return null;
  const most = kinds[0]?.count ?? 1;
  return (
    <section>
      <h2>Findings by kind</h2>
      <ul class="kinds">
        {kinds.map((kind) => (
          <li key={kind.value}>
            <FilterLink id={id} filter={{ kind: [kind.value] }}>
              <span class={`kind ${kind.tone ?? "wrong"}`}>{makeVisible(kind.title)}</span>
            </FilterLink>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
              <rect class={kind.tone ?? "wrong"} width={(100 * kind.count) / most} height="8" />
            </svg>
            <span class="n">{formatCount(kind.count)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Scores without documents whose gold a reader marked as wrong. */
function Undisputed({ run }: { run: Run }) {
  const source = useSource();
  const { value: list } = useLoaded(`notes ${run.id}`, () => (source.isLive ? source.getJson<NoteList>("/v1/notes", true) : Promise.resolve({ notes: [] })));
  const disputed = list?.notes.filter((note) => note.corpus_key === run.corpus_key && note.verdict === "gold error").length ?? 0;
  const url = `/v1/runs/${run.id}/undisputed`;
  const { value, error } = useLoaded(`${url} ${disputed}`, () => (disputed === 0 ? Promise.resolve(null) : source.getJson<UndisputedScores>(url, true)));
  if (error !== null) return <Problem text={error} />;
  if (value === null) return null;
  if (value.note !== "") return <p class="note">The gold of {formatThings(disputed, "finding")} is disputed. {value.note}</p>;
  const points = Object.entries(value.scores);
  return (
    <p class="note undisputed">
      Without the {formatThings(value.left_out.length, "document")} of {formatThings(disputed, "gold error")}:{" "}
      {points.map(([path, point], at) => `${at > 0 ? ", " : ""}${nameScore(path, [run])} ${formatScore(point.value)}${formatEnds(point)}`)}. Whole documents are left out.
      {points.every(([, point]) => !isSome(point.low)) && " There are no intervals, because the run was scored without them."}
    </p>
  );
}

export function ScoreTable({ table, id }: { table: Table; id: string }) {
  const rows = table.rows.slice(0, FIRST_ROWS);
  const scales = table.columns.map((_, at) => chooseScale(table.rows.map((row) => toPoint(row.cells[at]))));
  return (
    <section>
      <h2>
        <Name text={table.title} />
      </h2>
      <Scrolling label={makeVisible(table.title)}>
        <table>
          <thead>
            <tr>
              {table.columns.map((column, at) => (
                <th key={at} scope="col" class={column.numeric ? "n" : ""}>
                  <Name text={column.title} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, number) => (
              <tr key={number}>
                {row.cells.map((cell, at) => {
                  const className = table.columns[at]?.numeric === true ? "n" : "";
                  const before = row.cells[at - 1]?.value ?? null;
                  const content = <Cell cell={cell} id={id} scale={scales[at] ?? { low: 0, high: 1 }} before={before} />;
                  return at === 0 ? (
                    <th key={at} scope="row" class={className}>
                      {content}
                    </th>
                  ) : (
                    <td key={at} class={className}>
                      {content}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {table.rows.length > rows.length && <p class="note">{formatCount(table.rows.length - rows.length)} more rows are not shown.</p>}
      {table.notes?.map((note) => (
        <p key={note} class="note">
          {makeVisible(note)}
        </p>
      ))}
    </section>
  );
}

function toPoint(cell: TableCell | undefined) {
  return { value: cell?.value ?? null, low: cell?.low ?? null, high: cell?.high ?? null };
}

interface CellProps {
  cell: TableCell;
  id: string;
  scale: Scale;
  before: number | null; // value of the cell before, which an interval in a column of its own belongs to
}

function Cell({ cell, id, scale, before }: CellProps) {
  const text = <Name text={cell.text} />;
  const shown = isSome(cell.filter) ? <FilterLink id={id} filter={cell.filter}>{text}</FilterLink> : text;
  if (!isSome(cell.low) || !isSome(cell.high)) return shown;
  const point = toPoint(cell);
  return (
    <span class="with-interval">
      <IntervalBar point={{ ...point, value: point.value ?? before }} scale={scale} />
      <span>
        {shown}
        {point.value !== null && <span class="ends">{`${formatScore(cell.low)}–${formatScore(cell.high)}`}</span>}
      </span>
    </span>
  );
}

export function FilterLink({ id, filter, children }: { id: string; filter: Filter; children: preact.ComponentChildren }) {
  return (
    <Link path={["run", id, "findings"]} query={toQuery(filter)}>
      {children}
    </Link>
  );
}

function ConfusionMatrix({ confusion, id }: { confusion: Confusion; id: string }) {
  const order = confusion.labels
    .map((label, at) => ({ label, at, total: sum(confusion.rows[at]) }))
    .sort((one, two) => Number(one.label === "") - Number(two.label === "") || two.total - one.total)
    .slice(0, MOST_LABELS);
  return (
    <section>
      <h2>Confusion</h2>
      <p class="note">Rows: reference. Columns: prediction. Shade: share of the row. A number leads to its findings.</p>
      <Scrolling label="Confusion matrix">
        <table class="matrix">
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">reference</span>
              </th>
              {order.map(({ label, at }) => (
                <th key={at} scope="col" class="n">
                  {label === "" ? "none" : <Name text={label} />}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {order.map(({ label, at, total }) => (
              <tr key={at}>
                <th scope="row">{label === "" ? "none" : <Name text={label} />}</th>
                {order.map(({ at: other }) => {
                  const count = confusion.rows[at]?.[other] ?? 0;
                  const filter = confusion.filters?.[at]?.[other];
                  const shade = count === 0 ? 0 : Math.ceil((SHADES * count) / Math.max(total, 1));
                  return (
                    <td key={other} class={`n shade-${shade}${at === other && label !== "" ? " agrees" : ""}`}>
                      {count === 0 ? "" : isSome(filter) ? <FilterLink id={id} filter={filter}>{formatCount(count)}</FilterLink> : formatCount(count)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
    </section>
  );
}

function sum(values: readonly number[] | undefined): number {
  return (values ?? []).reduce((total, value) => total + value, 0);
}

/** The curves of all labels, or, if there are many, of the label that the URL names. */
function Curves({ curves, id, query }: { curves: Record<string, LabelCurves>; id: string; query: Query }) {
  const labels = Object.keys(curves);
  const [first = ""] = labels;
  const label = getOne(query, "curve") in curves ? getOne(query, "curve") : first;
  const isLong = labels.length > MOST_CURVES;
  return (
    <section class="curves">
      <h2>Curves</h2>
      {isLong && (
        <label class="field">
          Label
          <select value={label} onChange={(event) => go(["run", id], withValues(query, { curve: event.currentTarget.value }), true)}>
            {labels.map((one) => (
              <option key={one} value={one}>
                {makeVisible(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      {(isLong ? [label] : labels).map((one) => curves[one] !== undefined && <CurveRow key={one} label={one} curves={curves[one]} named={!isLong} />)}
    </section>
  );
}

function About({ run }: { run: Run }) {
  const facts: [string, string][] = [
    ["System", run.system],
    ["Signature", run.signature],
    ["Version", run.version],
    ["Profile", run.profile ?? "default"],
    ["Hash of the reference", run.corpus_key],
  ];
  return (
    <section class="about-run">
      <h2>How it was scored</h2>
      {run.warnings.length > 0 && (
        <ul class="warnings">
          {run.warnings.map((warning, at) => (
            <li key={at}>
              <Name text={warning.message} />
            </li>
          ))}
        </ul>
      )}
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd class="path">
              <Name text={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
