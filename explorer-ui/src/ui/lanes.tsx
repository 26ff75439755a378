/** The text of a finding: a lane for each side, with its marks. A mark takes no room, so that letters join as without it. */

import { chooseDirection, cutBefore, makeVisible } from "../lib/text";
import type { Facet, FacetValue, Lane, Piece, Row, Tone } from "../lib/types";

const PLAIN = new Set(["plain", "more", "cut"]);
const CONTEXT = 28; // clusters before the first mark in a row of a list

export interface Kind {
  title: string;
  tone: Tone;
}

/** Titles of kinds by their value. */
export function readKinds(facets: readonly Facet[] | undefined): Map<string, FacetValue> {
  const kinds = facets?.find((facet) => facet.name === "kind")?.values ?? [];
  return new Map(kinds.map((kind) => [kind.value, kind]));
}

export function KindName({ kind, kinds }: { kind: string; kinds: ReadonlyMap<string, FacetValue> }) {
  const known = kinds.get(kind);
  return <span class={`kind ${known?.tone ?? "wrong"}`}>{makeVisible(known?.title ?? kind.replaceAll("_", " "))}</span>;
}

/** A name from data, which cannot act on the text around it. */
export function Name({ text, class: className }: { text: string; class?: string }) {
  return <bdi {...(className === undefined ? {} : { class: className })}>{makeVisible(text)}</bdi>;
}

/** Labels of both sides, such as `LOC → PER`. */
export function Labels({ row }: { row: Row }) {
  const labels = [...new Set(row.lanes.map((lane) => lane.label).filter((label) => label !== ""))];
  if (labels.length === 0) return null;
  return (
    <span class="labels">
      {labels.map((label, at) => (
        <span key={label}>
          {at > 0 && <span class="arrow"> → </span>}
          <Name text={label} class="label" />
        </span>
      ))}
    </span>
  );
}

const OTHER_SIDE: Record<string, string> = { reference: "predicted", predicted: "reference" };

/** Find the side that marks nothing, if the other side has the only lane. */
function findAbsent(row: Row): string | undefined {
  const [only, second] = row.lanes;
  return only !== undefined && second === undefined ? OTHER_SIDE[only.side] : undefined;
}

/** Number of lines that the lanes of a row take if each is cut to one. */
export function countLanes(row: Row | undefined): number {
  return row === undefined ? 0 : row.lanes.length + (findAbsent(row) === undefined ? 0 : 1);
}

export function Lanes({ row, short = false }: { row: Row; short?: boolean }) {
  const absent = findAbsent(row);
  return (
    <div class={short ? "lanes short" : "lanes"}>
      {absent === "reference" && <AbsentLine side={absent} />}
      {row.lanes.map((lane, at) => (
        <LaneLine key={at} lane={lane} language={row.language} short={short} />
      ))}
      {absent === "predicted" && <AbsentLine side={absent} />}
    </div>
  );
}

function AbsentLine({ side }: { side: string }) {
  return (
    <div class="lane">
      <span class="side">{side}</span>
      <p class="absent">nothing</p>
    </div>
  );
}

interface LineProps {
  lane: Lane;
  language?: string;
  short?: boolean;
  title?: string;
}

export function LaneLine({ lane, language = "", short = false, title = lane.side }: LineProps) {
  const pieces = short ? shorten(lane.pieces) : lane.pieces;
  const text = lane.pieces.map((piece) => (piece.role === "more" ? "" : piece.text)).join("");
  const given = language !== "" && lane.side !== "source" ? lane.dir : "auto";
  return (
    <div class={`lane lane-${lane.side === "reference" || lane.side === "predicted" ? lane.side : "other"}`}>
      <span class="side">
        <Name text={title} />
        {!short && lane.label !== "" && <Name text={lane.label} class="label" />}
      </span>
      <div class="lane-text">
        <p class="text" dir={chooseDirection(text, "", given)} {...(language === "" ? {} : { lang: language })}>
          {pieces.length === 0 ? <span class="quiet">no text</span> : pieces.map((piece, at) => <Part key={at} piece={piece} />)}
        </p>
        {!short && lane.remarks.map((remark) => <p key={remark} class="note">{makeVisible(remark)}</p>)}
      </div>
    </div>
  );
}

function Part({ piece }: { piece: Piece }) {
  const text = makeVisible(piece.text);
  if (piece.role === "plain") return <>{text}</>;
  if (PLAIN.has(piece.role)) return <span class={piece.role}>{text}</span>;
  return <mark class={piece.role.replace(/[^\w -]/g, "")}>{text}</mark>;
}

/** Shorten the text before the first mark, so that a line shows the mark. */
function shorten(pieces: readonly Piece[]): readonly Piece[] {
  const marked = pieces.findIndex((piece) => !PLAIN.has(piece.role));
  if (marked <= 0) return pieces;
  const before = pieces.slice(0, marked);
  if (before.every((piece) => piece.role !== "cut")) {
    const text = before.map((piece) => piece.text).join("");
    return [{ text: cutBefore(text, CONTEXT), role: "plain" }, ...pieces.slice(marked)];
  }
  const kept = before.slice(-8);
  return [...(kept.length < before.length ? [{ text: "…", role: "more" }] : []), ...kept, ...pieces.slice(marked)];
}
