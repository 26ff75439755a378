/**
 * A whole document with the spans of both sides.
 *
 * The text is one text node, so that letters join and wrap as they do without spans. Bars above each line are spans of
 * the reference, bars below those of the prediction; they lie over the text at rectangles of its ranges.
 */

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { formatThings } from "../lib/format";
import { go, useJson, useKeys, useLoaded, useFindings, useTitle } from "../lib/hooks";
import { mergeSpans, stackSpans } from "../lib/spans";
import { chooseDirection, makeVisible, Utf16Offsets } from "../lib/text";
import type { DocumentView, FacetValue, Run, Span } from "../lib/types";
import { getOne, withValues, type Query } from "../lib/url";
import { KindName, Labels, Lanes, Name, readKinds } from "../ui/lanes";
import { copyLink, Heading, Problem, Waiting } from "../ui/parts";
import { FindingDetail } from "./findings";

const OPEN = "isogloss-open"; // highlight of the open finding
const LEVEL = 15; // pixels of a bar with its label
const MOST_LEVELS = 3;
const BAND = 600; // pixels of a part of the overlay
const NARROW = 30; // pixels of a span that a short label may exceed
const SHORT_LABEL = 4; // letters
const GAP = 1.5; // pixels at both ends of a correct span, so that words which touch are told apart

interface Props {
  id: string;
  number: string;
  query: Query;
}

export function Document({ id, number, query }: Props) {
  const run = useJson<Run>(`/v1/runs/${id}`);
  const shown = useJson<DocumentView>(`/v1/runs/${id}/documents/${number}`);
  const findings = useFindings(id);
  const facets = useLoaded(`facets ${id}`, () => findings.readFacets());
  const kinds = useMemo(() => readKinds(facets.value?.facets), [facets.value]);
  useTitle(shown.value === null ? "Document" : `Document ${shown.value.document}`);
  const problem = run.error ?? shown.error;
  if (problem !== null) return <Problem text={problem} />;
  if (run.value === null || shown.value === null) return <Waiting />;
  return <Whole id={id} number={number} query={query} run={run.value} shown={shown.value} kinds={kinds} />;
}

interface WholeProps extends Props {
  run: Run;
  shown: DocumentView;
  kinds: ReadonlyMap<string, FacetValue>;
}

function Whole({ id, number, query, run, shown, kinds }: WholeProps) {
  const [message, setMessage] = useState("");
  const path = ["run", id, "document", number];
  const at = getOne(query, "at") === "" ? null : Number(getOne(query, "at"));
  const index = shown.rows.findIndex((row) => row.position === at);
  const open = (position: number | null) => go(path, withValues(query, { at: position === null ? null : String(position) }), true);
  const step = (by: number) => {
    const next = shown.rows[Math.min(Math.max(index + by, 0), shown.rows.length - 1)];
    if (next !== undefined) open(next.position);
  };
  useKeys({ j: () => step(1), k: () => step(-1), c: () => void copyLink(setMessage), Escape: () => open(null) });
  const list = useRef<HTMLOListElement>(null);
  useEffect(() => showItem(list.current), [at]);
  return (
    <div class="document-view">
      <Heading above={[["Runs", ["board"]], [<Name key="run" text={run.name} />, ["run", id]], ["Findings", ["run", id, "findings"]]]}>
        Document <Name text={shown.document} />
      </Heading>
      <div class={shown.text === null ? "document-panes no-text" : "document-panes"}>
        {shown.text !== null && <Text shown={shown} at={at} onOpen={open} kinds={kinds} />}
        <section class="document-list" aria-label="Findings of this document">
          <p class="count">
            {formatThings(shown.count, "finding")}
            {shown.text === null && ". The text of this document is not kept: it was scored without a text, has more than a million characters, or was saved by an older isogloss."}
          </p>
          <ol ref={list} tabIndex={0}>
            {shown.rows.map((row) => (
              <li key={row.position} {...(row.position === at ? { "aria-current": "true" as const } : {})}>
                <button type="button" class="row-head" onClick={() => open(row.position)}>
                  <KindName kind={row.kind} kinds={kinds} />
                  <Labels row={row} />
                </button>
                {row.position === at && shown.text !== null ? <FindingDetail row={row} /> : <Lanes row={row} short={shown.text !== null} />}
              </li>
            ))}
          </ol>
        </section>
      </div>
      <p class="toast" role="status">
        {message}
      </p>
    </div>
  );
}

/** Scroll a list, and nothing else, to its current item. */
function showItem(list: HTMLElement | null): void {
  const item = list?.querySelector("[aria-current]");
  if (list === null || !(item instanceof HTMLElement)) return;
  const above = item.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (above < 0 || above + item.offsetHeight > list.clientHeight) list.scrollTop += above;
}

interface TextProps {
  shown: DocumentView;
  at: number | null;
  onOpen: (position: number) => void;
  kinds: ReadonlyMap<string, FacetValue>;
}

function Text({ shown, at, onOpen, kinds }: TextProps) {
  const place = useRef<HTMLDivElement>(null);
  const paragraph = useRef<HTMLParagraphElement>(null);
  const [width, setWidth] = useState(0);
  const text = shown.text ?? "";
  const lanes = useMemo(() => shown.lanes.map((lane) => ({ ...lane, levels: stackSpans(lane.spans) })), [shown]);
  const levels = lanes.map((lane) => Math.min(MOST_LEVELS, Math.max(0, ...lane.levels.map((level) => level + 1))));
  const lineRoom = levels.reduce((total, level) => total + level, 0) * LEVEL;

  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    const node = paragraph.current?.firstChild;
    if (!(node instanceof window.Text) || place.current === null) return;
    return drawSpans(place.current, node, text, lanes);
  }, [text, lanes, width]);
  useLayoutEffect(() => {
    const node = paragraph.current?.firstChild;
    if (node instanceof window.Text) markOpen(node, text, lanes.flatMap((lane) => lane.spans), at);
  }, [at, text, lanes]);

  const click = (event: MouseEvent) => {
    const bar = event.target instanceof Element ? event.target.closest("[data-position]") : null;
    if (bar instanceof HTMLElement) onOpen(Number(bar.dataset["position"]));
  };
  return (
    <section class="document-text" aria-label="Text of the document">
      <p class="legend">
        {shown.lanes.map((lane) => (
          <span key={lane.side} class={`legend-${lane.side === "predicted" ? "below" : "above"}`}>
            <Name text={lane.side} /> {lane.side === "predicted" ? "below the line" : "above the line"}
          </span>
        ))}
        {shown.lanes.some((lane) => lane.spans.some(isCorrect)) ? (
          <span class="legend-correct">correct: both sides have it</span>
        ) : (
          ![...kinds.values()].some((kind) => kind.tone === "right") && <span class="quiet">Spans that both sides have alike are not drawn.</span>
        )}
        <span class="hidden">{[...kinds.keys()].join(", ")}</span>
      </p>
      <div class="spread" ref={place} onClick={click}>
        <p
          ref={paragraph}
          class="whole"
          dir={chooseDirection(text, shown.language, shown.dir)}
          {...(shown.language === "" ? {} : { lang: shown.language })}
          style={{ lineHeight: `${32 + lineRoom}px` }}
        >
          {makeVisible(text)}
        </p>
      </div>
    </section>
  );
}

function isCorrect(span: Span): boolean {
  return span.position === null;
}

interface LaneLevels {
  side: string;
  spans: Span[];
  levels: number[];
}

/** Draw the bars of all spans over the text, and return what removes them. */
function drawSpans(place: HTMLElement, node: globalThis.Text, text: string, lanes: readonly LaneLevels[]): () => void {
  const overlay = document.createElement("div");
  overlay.className = "overlay";
  overlay.setAttribute("aria-hidden", "true");
  overlay.dir = node.parentElement?.dir ?? "auto";
  const origin = place.getBoundingClientRect();
  const offsets = new Utf16Offsets(text);
  for (const lane of lanes) {
    const isBelow = lane.side === "predicted";
    const ranges = lane.spans.map((span) => makeRange(node, offsets, span.start, span.end));
    const boxes = ranges.map((range) => [...range.getClientRects()]); // read all before anything is written
    boxes.forEach((rects, index) => {
      const span = lane.spans[index];
      const level = Math.min(lane.levels[index] ?? 0, MOST_LEVELS - 1);
      if (span !== undefined) addBars(overlay, rects, origin, span, level, isBelow);
    });
    const highlight = (name: string, spans: readonly Span[]) => setHighlight(name, mergeSpans(spans).map((part) => makeRange(node, offsets, part.start, part.end)));
    highlight(`isogloss-${isBelow ? "predicted" : "reference"}`, lane.spans.filter((span) => !isCorrect(span)));
    if (isBelow) highlight("isogloss-correct", lane.spans.filter(isCorrect));
  }
  place.append(overlay);
  return () => {
    overlay.remove();
    setHighlight("isogloss-predicted", []);
    setHighlight("isogloss-reference", []);
    setHighlight("isogloss-correct", []);
  };
}

function addBars(overlay: HTMLElement, rects: readonly DOMRect[], origin: DOMRect, span: Span, level: number, isBelow: boolean): void {
  const widest = Math.max(...rects.map((rect) => rect.width));
  for (const rect of rects) {
    if (rect.width === 0) continue;
    const bar = document.createElement("div");
    const top = isBelow ? rect.bottom + level * LEVEL : rect.top - (level + 1) * LEVEL;
    bar.className = isBelow ? "bar-below" : "bar-above";
    if (rect.width < NARROW && span.label.length <= SHORT_LABEL) bar.className += " narrow";
    if (isCorrect(span)) bar.className += " correct";
    else bar.dataset["position"] = String(span.position);
    const inBand = top - origin.top - BAND * Math.max(0, Math.floor((top - origin.top) / BAND));
    const gap = isCorrect(span) ? Math.min(GAP, rect.width / 4) : 0;
    const place = { left: rect.left - origin.left + gap, top: inBand, width: rect.width - 2 * gap, height: LEVEL };
    for (const [name, value] of Object.entries(place)) bar.style.setProperty(name, `${value.toFixed(1)}px`);
    if (rect.width === widest && !(isBelow && isCorrect(span))) bar.textContent = makeVisible(span.label);
    findBand(overlay, top - origin.top).append(bar);
  }
}

/** Find the part of the overlay for a height, so that the browser skips the parts that are not in view. */
function findBand(overlay: HTMLElement, top: number): HTMLElement {
  const number = Math.max(0, Math.floor(top / BAND));
  for (let at = overlay.children.length; at <= number; at++) {
    const band = document.createElement("div");
    band.className = "band";
    band.style.setProperty("top", `${at * BAND}px`);
    band.style.setProperty("height", `${BAND + LEVEL}px`);
    overlay.append(band);
  }
  return overlay.children[number] as HTMLElement;
}

/** Mark the finding that is open, and bring it into view. */
function markOpen(node: globalThis.Text, text: string, spans: readonly Span[], at: number | null): void {
  const own = at === null ? [] : spans.filter((span) => span.position === at);
  const offsets = new Utf16Offsets(text);
  const ranges = own.map((span) => makeRange(node, offsets, span.start, span.end));
  setHighlight(OPEN, ranges);
  const rect = ranges[0]?.getBoundingClientRect();
  if (rect === undefined) return;
  const isSeen = rect.top > 80 && rect.bottom < window.innerHeight - 60;
  if (!isSeen) window.scrollTo({ top: window.scrollY + rect.top - window.innerHeight / 3 });
}

function makeRange(node: globalThis.Text, offsets: Utf16Offsets, start: number, end: number): Range {
  const range = document.createRange();
  range.setStart(node, Math.min(offsets.convert(start), node.length));
  range.setEnd(node, Math.min(offsets.convert(end), node.length));
  return range;
}

function setHighlight(name: string, ranges: Range[]): void {
  if (!("highlights" in CSS)) return; // the bars say the same
  if (ranges.length === 0) CSS.highlights.delete(name);
  else CSS.highlights.set(name, Object.assign(new Highlight(...ranges), { priority: name === OPEN ? 2 : name === "isogloss-correct" ? 0 : 1 }));
}
