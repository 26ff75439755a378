/** Two runs side by side: which findings were fixed, which broke, and what both get wrong. */

import { useCallback, useMemo, useState } from "preact/hooks";
import { formatChange, formatCount, formatP, formatScore, formatThings, nameRuns } from "../lib/format";
import { countNumbers, selectFindings, readColumn, type FacetColumn } from "../lib/facets";
import { go, useFindings, useJson, useKeys, useLoaded, useRedraw, useSource, useTitle, type Loaded } from "../lib/hooks";
import type { FindingSource } from "../lib/source";
import type { Comparison, DiffCounts, Facet, FacetList, FacetValue, Lane, Row, SliceDifference } from "../lib/types";
import { getOne, toggleValue, withValues, type Query } from "../lib/url";
import { FacetPanel } from "../ui/facets";
import { KindName, Labels, LaneLine, Name, readKinds } from "../ui/lanes";
import { WindowedList } from "../ui/list";
import { copyLink, Heading, Link, Problem, Scrolling, Waiting } from "../ui/parts";
import { VerdictForm } from "../ui/verdict";

const NONE = 0xffffffff;
const CLASSES = ["fixed", "broken", "changed", "both_wrong"] as const;
const TITLES = { fixed: "fixed", broken: "broken", changed: "wrong in another way", both_wrong: "wrong alike" };
const SIGNS = { fixed: "+", broken: "−", changed: "~", both_wrong: "=" };
const SHARED = new Set(["reference", "source", "accepted"]); // sides that do not depend on the system
const HEAD_HEIGHT = 50;
const LANE_HEIGHT = 32;

interface Props {
  first: string;
  second: string;
  query: Query;
}

interface Columns {
  classes: Uint8Array;
  first: Uint32Array;
  second: Uint32Array;
}

function splitColumns(bytes: Uint8Array): Columns {
  const count = bytes.length / 9;
  const part = (from: number) => readColumn(bytes.slice(from, from + 4 * count), 4) as Uint32Array;
  return { classes: bytes.slice(0, count), first: part(count), second: part(5 * count) };
}

export function Diff({ first, second, query }: Props) {
  const source = useSource();
  const sources: [FindingSource, FindingSource] = [useFindings(first), useFindings(second)];
  const runs = `${first},${second}`;
  const comparison = useJson<Comparison>(`/v1/compare?runs=${runs}`);
  const data = useLoaded(`diff ${runs}`, async () => {
    const [bytes, ...facets] = await Promise.all([source.getBytes(`/v1/compare/columns?runs=${runs}`), sources[0].readFacets(), sources[1].readFacets()]);
    const columns = splitColumns(bytes);
    return { columns, facets, merged: await mergeFacets(columns, sources, facets) };
  });
  useTitle("Compare two runs");
  if (data.error !== null) return <Problem text={data.error} />;
  if (data.value === null) return <Waiting />;
  return <Rows path={["diff", first, second]} query={query} comparison={comparison} sources={sources} {...data.value} />;
}

interface Merged {
  facets: Facet[];
  columns: FacetColumn[];
}

/** Facets of the rows: class, kinds in A and in B, and labels. */
async function mergeFacets(columns: Columns, sources: [FindingSource, FindingSource], facets: FacetList[]): Promise<Merged> {
  const totals = countNumbers(columns.classes, CLASSES.length);
  const classes: Facet = {
    name: "class",
    title: "Change",
    width: 1,
    values: CLASSES.map((name, at) => ({ value: name, title: `${SIGNS[name]} ${TITLES[name]}`, count: totals[at] ?? 0 })),
  };
  const merged: Merged = { facets: [classes], columns: [{ name: "class", numbers: columns.classes, totals }] };
  const sides = [columns.first, columns.second];
  for (const [side, letter] of ["A", "B"].entries()) {
    for (const facet of facets[side]?.facets ?? []) {
      if (facet.name === "label" || (facet.name !== "kind" && side === 1)) continue;
      const own = await sources[side as 0 | 1].readFacetColumn(facet);
      addFacet(merged, facet, letter, own, sides[side] ?? columns.first);
    }
  }
  return merged;
}

function addFacet(merged: Merged, facet: Facet, letter: string, own: FacetColumn, positions: Uint32Array): void {
  const numbers = Uint32Array.from(positions, (at) => (at === NONE ? facet.values.length : (own.numbers[at] ?? 0)));
  const name = `${facet.name}-${letter.toLowerCase()}`;
  const totals = countNumbers(numbers, facet.values.length + 1);
  const right = { value: "-", title: "✓ right", tone: "right" as const, count: 0 };
  const values = [...facet.values, right].map((value, at) => ({ ...value, count: totals[at] ?? 0 }));
  merged.facets.push({ name, title: facet.name === "kind" ? `${facet.title} in ${letter}` : facet.title, width: 4, values });
  merged.columns.push({ name, numbers, totals });
}

interface LoadedProps {
  path: string[];
  query: Query;
  comparison: Loaded<Comparison>; // slower than the rows: its tests resample
  sources: [FindingSource, FindingSource];
  columns: Columns;
  facets: FacetList[];
  merged: Merged;
}

function Rows({ path, query, comparison, sources, columns, facets, merged }: LoadedProps) {
  const redraw = useRedraw();
  const [message, setMessage] = useState("");
  const runs = comparison.value?.runs ?? [];
  const names = nameRuns(runs);
  const [nameA = path[1] ?? "", nameB = path[2] ?? ""] = runs.map((run) => names.get(run.id) ?? run.name);
  const kinds = useMemo(() => new Map(facets.flatMap((list) => [...readKinds(list.facets)])), [facets]);
  const key = merged.facets.map((facet) => (query.get(facet.name) ?? []).join("\0")).join("\n");
  const selection = useMemo(() => {
    const chosen = merged.facets.flatMap((facet): [string, number[]][] => {
      const wanted = query.get(facet.name) ?? [];
      return wanted.length === 0 ? [] : [[facet.name, facet.values.flatMap((value, at) => (wanted.includes(value.value) ? [at] : []))]];
    });
    return chosen.length === 0 ? null : selectFindings(columns.classes.length, merged.columns, new Map(chosen));
     
  }, [key, merged, columns]);
  const positions = selection?.positions ?? null;
  const count = positions?.length ?? columns.classes.length;
  const toRow = (index: number) => (positions === null ? index : (positions[index] ?? 0));
  const at = getOne(query, "at") === "" ? null : Number(getOne(query, "at"));
  const active = at === null ? -1 : positions === null ? at : positions.indexOf(at);
  const open = (row: number | null) => go(path, withValues(query, { at: row === null ? null : String(row) }), true);
  const step = (by: number) => {
    if (count > 0) open(toRow(Math.min(Math.max(active + by, 0), count - 1)));
  };
  useKeys({ j: () => step(1), k: () => step(-1), c: () => void copyLink(setMessage), Escape: () => open(null) });
  const toggle = (name: string, value: string) => go(path, toggleValue(withValues(query, { at: null }), name, value));
  const read = (row: number): Pair => ({
    change: CLASSES[columns.classes[row] ?? 0] ?? "fixed",
    a: columns.first[row] === NONE ? null : sources[0].getRow(columns.first[row] ?? 0),
    b: columns.second[row] === NONE ? null : sources[1].getRow(columns.second[row] ?? 0),
  });
  const see = useCallback(
    (first: number, end: number) => {
      const rows = Array.from({ length: Math.max(0, end - first) }, (_, offset) => toRow(first + offset));
      const wanted = [columns.first, columns.second].map((own) => rows.map((row) => own[row] ?? NONE).filter((position) => position !== NONE));
      const missing = wanted.some((list, side) => list.some((position) => sources[side as 0 | 1].getRow(position) === undefined));
      if (missing) Promise.all(wanted.map((list, side) => sources[side as 0 | 1].readRows(list))).then(redraw, redraw);
    },
     
    [columns, positions],
  );
  return (
    <div class="findings-view diff-view">
      <Heading above={[["Runs", ["board"]]]}>
        <span class="side-a">A</span> <Name text={nameA} /> <span class="quiet">against</span> <span class="side-b">B</span> <Name text={nameB} />
      </Heading>
      <div class="diff-head">
        <Square classes={comparison.value?.classes ?? countClasses(columns)} query={query} path={path} />
        {comparison.error !== null ? (
          <Problem text={comparison.error} />
        ) : comparison.value === null ? (
          <p class="quiet" role="status">
            Testing the differences…
          </p>
        ) : (
          <Changes comparison={comparison.value} query={query} path={path} />
        )}
      </div>
      <div class={at === null ? "panes" : "panes opened"}>
        <details class="facet-pane" open={matchMedia("(min-width: 60rem)").matches}>
          <summary>Filter</summary>
          <FacetPanel facets={merged.facets} counts={selection?.counts ?? null} chosen={(name) => query.get(name) ?? []} onToggle={toggle} />
        </details>
        <section class="list-pane" aria-label="List of differences">
          <p class="count" role="status">
            {`${formatCount(count)} of ${formatThings(columns.classes.length, "difference")} and shared errors`}
          </p>
          {count === 0 ? (
            <p class="empty">Nothing has all of this. Take a filter away.</p>
          ) : (
            <WindowedList
              label="Findings of both runs"
              count={count}
              rowHeight={HEAD_HEIGHT + 3 * LANE_HEIGHT}
              active={active}
              onActive={(index) => open(toRow(index))}
              onVisible={see}
              renderRow={(index) => <PairLine pair={read(toRow(index))} kinds={kinds} short />}
            />
          )}
        </section>
        {at !== null && at < columns.classes.length && (
          <aside class="detail" aria-label="Open finding">
            <OpenPair pair={read(at)} kinds={kinds} ids={path.slice(1)} corpus={runs[0]?.corpus_key ?? ""} onClose={() => open(null)} />
          </aside>
        )}
      </div>
      <p class="toast" role="status">
        {message}
      </p>
    </div>
  );
}

function countClasses({ classes }: Columns): DiffCounts {
  const [fixed = 0, broken = 0, changed = 0, both_wrong = 0] = countNumbers(classes, CLASSES.length);
  return { fixed, broken, changed, both_wrong };
}

/** The table of right and wrong in both runs; each count filters. */
function Square({ classes, query, path }: { classes: DiffCounts; query: Query; path: string[] }) {
  const chosen = query.get("class") ?? [];
  const cell = (names: readonly (typeof CLASSES)[number][]) => (
    <td>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          class={`square ${name}`}
          aria-pressed={chosen.includes(name)}
          onClick={() => go(path, toggleValue(withValues(query, { at: null }), "class", name))}
        >
          <span class="square-count">{formatCount(classes[name])}</span>
          <span class="square-name">
            {SIGNS[name]} {TITLES[name]}
          </span>
        </button>
      ))}
    </td>
  );
  return (
    <table class="two-by-two">
      <caption class="hidden">Findings that are right or wrong in both runs</caption>
      <thead>
        <tr>
          <td />
          <th scope="col">B right</th>
          <th scope="col">B wrong</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">A right</th>
          <td class="quiet">no finding</td>
          {cell(["broken"])}
        </tr>
        <tr>
          <th scope="row">A wrong</th>
          {cell(["fixed"])}
          {cell(["changed", "both_wrong"])}
        </tr>
      </tbody>
    </table>
  );
}

const FIRST_SCORES = 5;

function Changes({ comparison, query, path }: { comparison: Comparison; query: Query; path: string[] }) {
  const [all, setAll] = useState(false);
  const scores = all ? comparison.scores : comparison.scores.slice(0, FIRST_SCORES);
  const hasTests = scores.some((score) => typeof score.p === "number");
  return (
    <div class="changes">
      <Scrolling label="Scores of both runs">
        <table>
          <thead>
            <tr>
              <th scope="col">Score</th>
              <th scope="col" class="n">A</th>
              <th scope="col" class="n">B</th>
              <th scope="col" class="n">
                B − A{scores.some((score) => typeof score.low === "number") && ", interval"}
              </th>
              {hasTests && <th scope="col" class="n">p (Holm)</th>}
            </tr>
          </thead>
          <tbody>
            {scores.map((score) => (
              <tr key={score.path}>
                <th scope="row">
                  <Name text={score.title} />
                </th>
                <td class="n">{formatScore(score.values[0])}</td>
                <td class="n">{formatScore(score.values[1])}</td>
                <td class="n">
                  {formatChange(score.difference)}
                  {typeof score.low === "number" && typeof score.high === "number" && (
                    <span class="ends">{`${formatChange(score.low)} to ${formatChange(score.high)}`}</span>
                  )}
                </td>
                {hasTests && (
                  <td class="n">
                    {formatP(score.p_holm ?? score.p)}
                    {(score.p_holm ?? score.p ?? 1) < 0.05 && <span aria-label="significant"> †</span>}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {comparison.scores.length > FIRST_SCORES && (
        <button type="button" class="plain" onClick={() => setAll(!all)}>
          {all ? "Show fewer scores" : `Show all ${formatCount(comparison.scores.length)} scores`}
        </button>
      )}
      <SliceChanges comparison={comparison} query={query} path={path} />
      <p class="note">{comparison.note !== undefined && comparison.note !== "" ? comparison.note : hasTests ? "† p < 0.05 after Holm’s correction." : ""}</p>
    </div>
  );
}

const FIRST_SLICES = 6;

/** The paired tests of the main score by slice: of the chosen slices, else of those with the smallest p-values. */
function SliceChanges({ comparison, query, path }: { comparison: Comparison; query: Query; path: string[] }) {
  const slices = comparison.slices ?? [];
  if (slices.length === 0) return null;
  const isChosen = (slice: SliceDifference) => (query.get(`slice:${slice.column}-a`) ?? []).includes(slice.value);
  const chosen = slices.filter(isChosen);
  const shown = chosen.length > 0 ? chosen : slices.slice(0, FIRST_SLICES);
  const title = comparison.scores[0]?.title ?? "";
  return (
    <details class="slice-changes" open={chosen.length > 0}>
      <summary>
        {chosen.length > 0 ? `${title} in the chosen ${chosen.length === 1 ? "slice" : "slices"}` : `${title} by slice`}
      </summary>
      <Scrolling label="Slices of both runs">
        <table>
          <thead>
            <tr>
              <th scope="col">Slice</th>
              <th scope="col" class="n">A</th>
              <th scope="col" class="n">B</th>
              <th scope="col" class="n">B − A, interval</th>
              <th scope="col" class="n">p (Holm)</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((slice) => (
              <tr key={`${slice.column}\0${slice.value}`}>
                <th scope="row">
                  <Link path={path} query={withValues(query, { [`slice:${slice.column}-a`]: slice.value, at: null })}>
                    <Name text={slice.column} class="quiet" /> <Name text={slice.value} />
                  </Link>
                </th>
                <td class="n">{formatScore(slice.values[0])}</td>
                <td class="n">{formatScore(slice.values[1])}</td>
                <td class="n">
                  {formatChange(slice.difference)}
                  {typeof slice.low === "number" && typeof slice.high === "number" && <span class="ends">{`${formatChange(slice.low)} to ${formatChange(slice.high)}`}</span>}
                </td>
                <td class="n">{formatP(slice.p_holm)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {chosen.length === 0 && slices.length > FIRST_SLICES && <p class="note">The {FIRST_SLICES} of {slices.length} slices with the smallest p-values. Filter by a slice to see its test.</p>}
    </details>
  );
}

interface Pair {
  change: (typeof CLASSES)[number];
  a: Row | undefined | null; // null: right, undefined: not read yet
  b: Row | undefined | null;
}

function PairLine({ pair, kinds, short = false }: { pair: Pair; kinds: ReadonlyMap<string, FacetValue>; short?: boolean }) {
  const { a, b } = pair;
  const row = a ?? b;
  if (row === undefined || row === null) return <p class="quiet waiting">…</p>;
  return (
    <>
      <p class="row-head">
        <span class={`change ${pair.change}`}>
          {SIGNS[pair.change]} {TITLES[pair.change]}
        </span>
        {[a, b].flatMap((own, side) =>
          own === null || own === undefined || (side === 1 && a !== null && a?.kind === own.kind) ? [] : [<KindName key={side} kind={own.kind} kinds={kinds} />],
        )}
        {a !== null && a !== undefined ? <Labels row={a} /> : <Labels row={row} />}
        <Name text={row.document} class="where" />
      </p>
      <div class={short ? "lanes short" : "lanes"}>
        {listShared(pair, short).map((lane, at) => (
          <LaneLine key={at} lane={lane} language={row.language} short={short} />
        ))}
        <SideLanes letter="A" own={a} short={short} />
        <SideLanes letter="B" own={b} short={short} />
      </div>
    </>
  );
}

/** Lanes that do not depend on the system, if the task names sides. A row of the list has room for one. */
function listShared({ a, b }: Pair, short: boolean): Lane[] {
  const shared = [a, b].map((row) => row?.lanes.filter((lane) => SHARED.has(lane.side)) ?? []);
  const found = shared.find((lanes) => lanes.length > 0) ?? [];
  return short ? found.slice(0, 1) : found;
}

function SideLanes({ letter, own, short }: { letter: string; own: Row | null | undefined; short: boolean }) {
  if (own === undefined) return null;
  const lanes = own?.lanes.filter((lane) => !SHARED.has(lane.side)) ?? [];
  const [lane] = lanes;
  if (own !== null && lane !== undefined) return <LaneLine lane={lane} language={own.language} short={short} title={letter} />;
  return (
    <div class="lane">
      <span class="side">{letter}</span>
      <p class={own === null ? "kind right" : "quiet"}>{own === null ? "✓ right" : "nothing predicted"}</p>
    </div>
  );
}

interface OpenProps {
  pair: Pair;
  kinds: ReadonlyMap<string, FacetValue>;
  ids: string[];
  corpus: string;
  onClose: () => void;
}

function OpenPair({ pair, kinds, ids, corpus, onClose }: OpenProps) {
  const row = pair.a ?? pair.b;
  return (
    <>
      <div class="detail-head">
        <h2>{TITLES[pair.change]}</h2>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </div>
      <PairLine pair={pair} kinds={kinds} />
      <div class="actions">
        {[pair.a, pair.b].map((own, side) =>
          own === null || own === undefined ? null : (
            <Link key={side} path={["run", ids[side] ?? "", "document", String(own.document_number)]} query={new Map([["at", [String(own.position)]]])}>
              Document in {side === 0 ? "A" : "B"}
            </Link>
          ),
        )}
      </div>
      {row !== null && row !== undefined && corpus !== "" && <VerdictForm corpus={corpus} code={row.key} />}
    </>
  );
}
