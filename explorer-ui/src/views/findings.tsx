/** The findings of a run: facets with live counts, a list of any length, and the finding that is open. */

import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { groupBySurface, selectFindings, type FacetColumn, type Groups, type Numbers, type Selection } from "../lib/facets";
import { formatCount, formatThings } from "../lib/format";
import { go, useFindings, useJson, useKeys, useLoaded, useRedraw, useSource, useTitle } from "../lib/hooks";
import { type FindingSource } from "../lib/source";
import { makeVisible } from "../lib/text";
import type { FacetList, FacetValue, Row, Run } from "../lib/types";
import { getOne, toggleValue, withValues, type Query } from "../lib/url";
import { FacetPanel } from "../ui/facets";
import { countLanes, KindName, Labels, Lanes, Name, readKinds } from "../ui/lanes";
import { WindowedList } from "../ui/list";
import { copyLink, Heading, Link, Problem, Waiting } from "../ui/parts";
import { VerdictForm } from "../ui/verdict";

const HEAD_HEIGHT = 50; // pixels of a row without its lanes
const LANE_HEIGHT = 32;
const MOST_LANES = 4; // of a row
const GROUP_HEIGHT = 48;
const FIRST_ROWS = 40; // positions that are read at once with the facets
const SEARCH_WAIT = 250; // milliseconds after the last letter, if the page itself searches
const PREPARE_WAIT = 500; // milliseconds after the columns are read
const MAX_EXPORT = 5000; // positions in an address

interface Props {
  id: string;
  query: Query;
}

export function Findings({ id, query }: Props) {
  const findings = useFindings(id);
  const run = useJson<Run>(`/v1/runs/${id}`);
  const facets = useLoaded(`facets ${id}`, async () => {
    const [list] = await Promise.all([findings.readFacets(), readFirst(findings, query)]);
    return list;
  });
  useTitle(run.value === null ? "Findings" : `Findings of ${run.value.name}`);
  const problem = facets.error ?? run.error;
  if (problem !== null) return <Problem text={problem} />;
  if (facets.value === null) return <Waiting />;
  return <Loaded id={id} query={query} findings={findings} facets={facets.value} run={run.value} />;
}

/** Read the first rows, and the open one, beside the facets. */
async function readFirst(findings: FindingSource, query: Query): Promise<void> {
  await findings.readFirst(FIRST_ROWS);
  const { count } = await findings.readFacets();
  const at = Number(getOne(query, "at"));
  if (at > 0 && at < count) await findings.readRows([at]);
}

interface LoadedProps extends Props {
  findings: FindingSource;
  facets: FacetList;
  run: Run | null;
}

function Loaded({ id, query, findings, facets, run }: LoadedProps) {
  const path = ["run", id, "findings"];
  const [message, setMessage] = useState("");
  const search = useRef<HTMLInputElement>(null);
  const { selection, columns, surfaces, error, isReady } = useSelection(findings, facets, query);
  const isGrouped = getOne(query, "group") !== "";
  const positions = selection?.positions ?? null;
  const count = positions?.length ?? facets.count;
  const at = getOne(query, "at") === "" ? null : Number(getOne(query, "at"));
  const kinds = useMemo(() => readKinds(facets.facets), [facets]);

  const open = (position: number | null) =>
    go(path, withValues(query, { at: position === null ? null : String(position) }), true);
  const step = (by: number) => {
    const index = at === null ? -1 : findIndex(positions, at);
    const next = Math.min(Math.max(index + by, 0), count - 1);
    if (count > 0 && isReady) open(positions === null ? next : (positions[next] ?? 0));
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    c: () => void copyLink(setMessage),
    "/": () => search.current?.focus(),
    Escape: () => open(null),
    d: () => {
      const row = at === null ? undefined : findings.getRow(at);
      if (row !== undefined) go(["run", id, "document", String(row.document_number)], new Map([["at", [String(row.position)]]]));
    },
  });

  const toggle = (name: string, value: string) => go(path, toggleValue(withValues(query, { at: null }), name, value));
  return (
    <div class="findings-view">
      <Heading above={[["Runs", ["board"]], [run === null ? "Run" : <Name key="run" text={run.name} />, ["run", id]]]}>
        {run?.view.title ?? "Findings"}
      </Heading>
      <div class="filters">
        <SearchField inputRef={search} query={query} path={path} />
        <label class="check">
          <input
            type="checkbox"
            checked={isGrouped}
            onChange={() => go(path, withValues(query, { group: isGrouped ? null : "1", at: null }))}
          />
          Group equal text
        </label>
        <Export id={id} query={query} positions={positions} facets={facets} say={setMessage} />
      </div>
      <Chosen query={query} facets={facets} path={path} findings={findings} />
      <div class={at === null ? "panes" : "panes opened"}>
        <details class="facet-pane" open={isWide()}>
          <summary>Filter</summary>
          <FacetPanel
            facets={facets.facets}
            counts={selection?.counts ?? null}
            chosen={(name) => query.get(name) ?? []}
            onToggle={toggle}
          />
        </details>
        <section class="list-pane" aria-label="List of findings">
          <p class="count" role="status">
            {error ?? (isReady ? `${formatCount(count)} of ${formatThings(facets.count, "finding")}` : "Looking…")}
          </p>
          {!isReady ? null : count === 0 ? (
            <p class="empty">{facets.count > 0 ? "No finding has all of this. Take a filter away." : run?.findings === null ? "The findings of this run were not kept." : "This run has no findings."}</p>
          ) : isGrouped ? (
            <GroupList path={path} query={query} findings={findings} positions={positions} surfaces={surfaces} kind={columns?.get("kind") ?? null} facets={facets} />
          ) : (
            <RowList findings={findings} positions={positions} count={count} at={at} kinds={kinds} onOpen={open} />
          )}
        </section>
        {at !== null && <Detail findings={findings} at={at} run={run} kinds={kinds} onClose={() => open(null)} path={path} query={query} say={setMessage} />}
      </div>
      <p class="toast" role="status">
        {message}
      </p>
    </div>
  );
}

function isWide(): boolean {
  return matchMedia("(min-width: 60rem)").matches;
}

/** Find the place of a position in ascending positions, or where it would stand. */
export function findIndex(positions: Uint32Array | null, position: number): number {
  if (positions === null) return position;
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((positions[middle] as number) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Chosen {
  selection: Selection | null; // null: nothing is filtered
  columns: ReadonlyMap<string, FacetColumn> | null;
  surfaces: Numbers | null;
  error: string | null;
  isReady: boolean; // whether all that the filter needs is read
}

/** Read the columns, and select the findings that the URL asks for. */
function useSelection(findings: FindingSource, facets: FacetList, query: Query): Chosen {
  const words = getOne(query, "q");
  const columns = useLoaded(`columns ${findings.id}`, async () => {
    const all = await Promise.all(facets.facets.map((facet) => findings.readFacetColumn(facet)));
    return new Map(all.map((column) => [column.name, column]));
  });
  const documents = query.get("document") ?? [];
  const forms = query.get("surface") ?? [];
  const needsForms = forms.length > 0 || getOne(query, "group") !== "";
  const byDocument = useLoaded(`document ${findings.id} ${documents.length > 0}`, async () =>
    documents.length > 0 ? findings.readColumn("document", 4) : null,
  );
  const bySurface = useLoaded(`surface ${findings.id} ${needsForms}`, async () =>
    needsForms ? findings.readColumn("surface", 4) : null,
  );
  const found = useLoaded(`search ${findings.id} ${words}`, async () =>
    words === "" ? null : findings.search(words, facets.count),
  );
  useEffect(() => {
    if (columns.value === null) return;
    const timer = window.setTimeout(() => void findings.prepareSearch().catch(() => undefined), PREPARE_WAIT);
    return () => window.clearTimeout(timer);
  }, [columns.value, findings]);
  const chosen = facets.facets.filter((facet) => (query.get(facet.name) ?? []).length > 0);
  const key = [...chosen, ...["document", "surface"].map((name) => ({ name }))]
    .map(({ name }) => `${name}=${(query.get(name) ?? []).join("\0")}`)
    .join("&");
  const isFiltered = chosen.length > 0 || documents.length > 0 || forms.length > 0 || words !== "";
  const isReady =
    !isFiltered ||
    (columns.value !== null &&
      (documents.length === 0 || byDocument.value !== null) &&
      (forms.length === 0 || bySurface.value !== null) &&
      (words === "" || found.value !== null));
  const selection = useMemo(() => {
    if (!isFiltered || !isReady || columns.value === null) return null;
    const exact = [
      { numbers: byDocument.value, wanted: documents },
      { numbers: bySurface.value, wanted: forms },
    ].flatMap(({ numbers, wanted }) => (numbers !== null && wanted.length > 0 ? [{ numbers, wanted: wanted.map(Number) }] : []));
    const begin = performance.now();
    const numbers = new Map(chosen.map((facet) => [facet.name, listNumbers(facet.values, query.get(facet.name) ?? [])]));
    const result = selectFindings(facets.count, [...columns.value.values()], numbers, found.value, exact);
    performance.measure("isogloss:filter", { start: begin, end: performance.now() });
    return result;
     
  }, [key, words, isReady, columns.value, byDocument.value, bySurface.value, found.value, facets]);
  const error = columns.error ?? byDocument.error ?? bySurface.error ?? found.error;
  return { selection, columns: columns.value, surfaces: bySurface.value, error, isReady };
}

function listNumbers(values: readonly FacetValue[], wanted: readonly string[]): number[] {
  return values.flatMap((value, at) => (wanted.includes(value.value) ? [at] : []));
}

function SearchField({ inputRef, query, path }: { inputRef: { current: HTMLInputElement | null }; query: Query; path: string[] }) {
  const { isLive } = useSource();
  const words = getOne(query, "q");
  const timer = useRef(0);
  const latest = useRef(query);
  latest.current = query;
  useEffect(() => {
    if (inputRef.current !== null && document.activeElement !== inputRef.current) inputRef.current.value = words;
  }, [words, inputRef]);
  const type = (event: Event & { currentTarget: HTMLInputElement }) => {
    const text = event.currentTarget.value;
    window.clearTimeout(timer.current);
    const search = () => go(path, withValues(latest.current, { q: text, at: null }), getOne(latest.current, "q") !== "" && text !== "");
    if (isLive) search();
    else timer.current = window.setTimeout(search, SEARCH_WAIT);
  };
  return (
    <label class="search">
      <span class="hidden">Search text and documents</span>
      <input
        ref={inputRef}
        type="search"
        dir="auto"
        placeholder="Search text and documents  ( / )"
        defaultValue={words}
        onInput={type}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
        }}
      />
    </label>
  );
}

/** What is chosen beside the facets, each with a button that takes it away. */
function Chosen({ query, facets, path, findings }: { query: Query; facets: FacetList; path: string[]; findings: FindingSource }) {
  const redraw = useRedraw();
  const forms = query.get("surface") ?? [];
  useEffect(() => {
    if (forms.length > 0) findings.readSurfaces(forms.map(Number)).then(redraw, redraw);
     
  }, [forms.join()]);
  const names = ["surface", "document", ...facets.facets.map((facet) => facet.name)];
  const chosen = names.flatMap((name) => (query.get(name) ?? []).map((value) => ({ name, value })));
  if (chosen.length === 0) return null;
  const describe = (name: string, value: string) => {
    if (name === "surface") return `“${findings.getSurface(Number(value))?.text ?? "…"}”`;
    if (name === "document") return `document ${value}`;
    const title = facets.facets.find((facet) => facet.name === name)?.values.find((one) => one.value === value)?.title;
    return title === undefined || title === "" ? value || "none" : title;
  };
  return (
    <ul class="chosen" aria-label="Chosen filters">
      {chosen.map(({ name, value }) => (
        <li key={`${name} ${value}`}>
          <button type="button" onClick={() => go(path, toggleValue(withValues(query, { at: null }), name, value))}>
            <bdi>{makeVisible(describe(name, value))}</bdi> <span aria-hidden="true">×</span>
            <span class="hidden">, take away</span>
          </button>
        </li>
      ))}
      <li>
        <button type="button" class="plain" onClick={() => go(path, withValues(query, Object.fromEntries([...names, "at", "q"].map((name) => [name, null]))))}>
          Clear all
        </button>
      </li>
    </ul>
  );
}

interface RowListProps {
  findings: FindingSource;
  positions: Uint32Array | null;
  count: number;
  at: number | null;
  kinds: ReadonlyMap<string, FacetValue>;
  onOpen: (position: number) => void;
}

function RowList({ findings, positions, count, at, kinds, onOpen }: RowListProps) {
  const redraw = useRedraw();
  const toPosition = (index: number) => (positions === null ? index : (positions[index] ?? 0));
  const lanes = useMemo(() => chooseLanes(findings), [findings]);
  const index = at === null ? -1 : findIndex(positions, at);
  const active = index >= 0 && index < count && toPosition(index) === at ? index : -1;
  const see = useCallback(
    (first: number, end: number) => {
      const wanted = Array.from({ length: Math.max(0, end - first) }, (_, offset) => toPosition(first + offset));
      if (wanted.some((position) => findings.getRow(position) === undefined)) findings.readRows(wanted).then(redraw, redraw);
    },
     
    [findings, positions],
  );
  return (
    <WindowedList
      label="Findings"
      count={count}
      rowHeight={HEAD_HEIGHT + lanes * LANE_HEIGHT}
      active={active}
      onActive={(next) => onOpen(toPosition(next))}
      onVisible={see}
      renderRow={(row) => <FindingLine row={findings.getRow(toPosition(row))} kinds={kinds} lanes={lanes} />}
    />
  );
}

/** Choose the lines that rows have room for: as many as the first findings need. */
function chooseLanes(findings: FindingSource): number {
  const needed = Array.from({ length: FIRST_ROWS }, (_, at) => countLanes(findings.getRow(at)));
  return Math.min(Math.max(...needed, 1), MOST_LANES);
}

export function FindingLine({ row, kinds, lanes }: { row: Row | undefined; kinds: ReadonlyMap<string, FacetValue>; lanes: number }) {
  if (row === undefined) return <p class="quiet waiting">…</p>;
  const shown = row.lanes.length > lanes ? { ...row, lanes: row.lanes.slice(0, lanes) } : row;
  return (
    <>
      <p class="row-head">
        <KindName kind={row.kind} kinds={kinds} />
        <Labels row={row} />
        <Name text={row.document} class="where" />
      </p>
      <Lanes row={shown} short />
    </>
  );
}

interface GroupProps {
  path: string[];
  query: Query;
  findings: FindingSource;
  positions: Uint32Array | null;
  surfaces: Numbers | null;
  kind: FacetColumn | null;
  facets: FacetList;
}

function GroupList({ path, query, findings, positions, surfaces, kind, facets }: GroupProps) {
  const redraw = useRedraw();
  const [active, setActive] = useState(-1);
  const groups = useMemo(
    () => (surfaces === null || kind === null ? null : groupBySurface(positions, surfaces, facets.surfaces.count, kind)),
    [positions, surfaces, kind, facets],
  );
  const see = useCallback(
    (first: number, end: number) => {
      const wanted = [...(groups?.numbers.subarray(first, end) ?? [])];
      if (wanted.some((number) => findings.getSurface(number) === undefined)) findings.readSurfaces(wanted).then(redraw, redraw);
    },
    [groups, findings, redraw],
  );
  if (groups === null) return <Waiting />;
  const kinds = facets.facets.find((facet) => facet.name === "kind")?.values ?? [];
  const open = (index: number, isOpened: boolean) => {
    setActive(index);
    if (isOpened) go(path, withValues(query, { group: null, surface: String(groups.numbers[index] ?? 0) }));
  };
  return (
    <WindowedList
      label="Groups of findings with equal text"
      count={groups.numbers.length}
      rowHeight={GROUP_HEIGHT}
      active={active}
      onActive={open}
      onVisible={see}
      renderRow={(index) => <GroupLine groups={groups} index={index} findings={findings} kinds={kinds} />}
    />
  );
}

function GroupLine({ groups, index, findings, kinds }: { groups: Groups; index: number; findings: FindingSource; kinds: readonly FacetValue[] }) {
  const number = groups.numbers[index] ?? 0;
  const surface = findings.getSurface(number);
  const parts = kinds
    .map((kind, at) => ({ kind, count: groups.parts[number * groups.size + at] ?? 0 }))
    .filter((part) => part.count > 0)
    .sort((one, two) => two.count - one.count);
  const text = surface?.text ?? "…";
  return (
    <div class="group">
      <Name text={text === "" ? "no text" : text} class="group-text" />
      <span class="n">×{formatCount(groups.counts[number] ?? 0)}</span>
      <span class="group-kinds">
        {parts.map(({ kind, count }) => (
          <span key={kind.value} class={`kind ${kind.tone ?? "wrong"}`}>
            {formatCount(count)} {makeVisible(kind.title)}
          </span>
        ))}
      </span>
    </div>
  );
}

interface DetailProps {
  findings: FindingSource;
  at: number;
  run: Run | null;
  kinds: ReadonlyMap<string, FacetValue>;
  path: string[];
  query: Query;
  onClose: () => void;
  say: (text: string) => void;
}

function Detail({ findings, at, run, kinds, path, query, onClose, say }: DetailProps) {
  const redraw = useRedraw();
  const row = findings.getRow(at);
  useEffect(() => {
    if (findings.getRow(at) === undefined) findings.readRows([at]).then(redraw, redraw);
  }, [at, findings, redraw]);
  return (
    <aside class="detail" aria-label="Open finding">
      <div class="detail-head">
        <h2>{row === undefined ? "…" : <KindName kind={row.kind} kinds={kinds} />}</h2>
        <button type="button" class="plain" onClick={onClose}>
          Close
        </button>
      </div>
      {row === undefined ? <Waiting /> : <FindingDetail row={row} />}
      {row !== undefined && (
        <>
          <div class="actions">
            <Link path={["run", findings.id, "document", String(row.document_number)]} query={new Map([["at", [String(at)]]])}>
              Whole document
            </Link>
            <Link path={path} query={withValues(query, { surface: String(row.surface), group: null })}>
              Same text
            </Link>
            <button type="button" class="plain" onClick={() => void copyLink(say)}>
              Copy link
            </button>
          </div>
          {run !== null && <VerdictForm corpus={run.corpus_key} code={row.key} />}
        </>
      )}
    </aside>
  );
}

export function FindingDetail({ row }: { row: Row }) {
  return (
    <>
      <Lanes row={row} />
      <dl class="facts">
        <div>
          <dt>document</dt>
          <dd>
            <Name text={row.document} />
          </dd>
        </div>
        {row.facts.map(([name, values]) => (
          <div key={name}>
            <dt>
              <Name text={name} />
            </dt>
            <dd>
              {values.map((value, at) => (
                <span key={at}>
                  {at > 0 && ", "}
                  <Name text={value} />
                </span>
              ))}
            </dd>
          </div>
        ))}
        <div>
          <dt>read from</dt>
          <dd class="path">
            <Name text={row.where} />
          </dd>
        </div>
      </dl>
    </>
  );
}

/** Links that give the selection as a file. */
function Export({ id, query, positions, facets, say }: { id: string; query: Query; positions: Uint32Array | null; facets: FacetList; say: (text: string) => void }) {
  const source = useSource();
  if (!source.isLive) return null;
  const parts = new URLSearchParams({ run: id });
  const isExact = ["q", "surface"].some((name) => getOne(query, name) !== "");
  const isLong = isExact && (positions?.length ?? 0) > MAX_EXPORT;
  if (isExact && positions !== null) parts.set("positions", positions.subarray(0, MAX_EXPORT).join(","));
  else for (const name of ["document", ...facets.facets.map((facet) => facet.name)]) for (const value of query.get(name) ?? []) parts.append(name, value);
  return (
    <details class="menu">
      <summary>Export</summary>
      <div class="menu-body">
        {isLong && <p class="note">The first {formatCount(MAX_EXPORT)} of the selection.</p>}
        {[["jsonl", "JSONL"], ["parquet", "Parquet"], ["label-studio", "Label Studio"], ["prodigy", "Prodigy"]].map(([format = "", title]) => (
          <a
            key={format}
            href={`./v1/export?${parts}&format=${format}`}
            download
            onClick={(event) => {
              event.preventDefault();
              const name = `findings-${format}.${format === "parquet" ? "parquet" : "jsonl"}`;
              source.download(`/v1/export?${parts}&format=${format}`, name).catch((problem: unknown) => say(String(problem instanceof Error ? problem.message : problem)));
            }}
          >
            {title}
          </a>
        ))}
      </div>
    </details>
  );
}
