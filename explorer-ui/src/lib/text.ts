/**
 * Text of any script: offsets, direction, and characters that are made visible.
 *
 * Offsets of payloads count code points; those of the DOM count UTF-16 units. They are converted here and nowhere else.
 */

import type { Direction } from "./types";

const RIGHT_TO_LEFT = new Set("ar arc ckb dv fa he iw khw ks ku mzd nqo pnb ps sd syr ug ur yi".split(" "));
const STRONG = /\p{L}|[\u200e\u200f\u061c\u2066-\u2069]/gu;
const RTL_LETTER = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u200f\u061c\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;
const PICTURES = 0x2400;

/** Converts offsets of a text from code points to UTF-16 units. */
export class Utf16Offsets {
  private readonly wide: number[] = []; // code points that take two units, ascending

  constructor(text: string) {
    if (!/[\ud800-\udbff]/.test(text)) return;
    let at = 0;
    for (const character of text) {
      if (character.length === 2) this.wide.push(at);
      at += 1;
    }
  }

  convert(codePoint: number): number {
    let low = 0;
    let high = this.wide.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.wide[middle] ?? 0) < codePoint) low = middle + 1;
      else high = middle;
    }
    return codePoint + low;
  }
}

/** Return the direction of the first strong character outside of isolates, as in rule P2 of UAX 9. */
export function findFirstStrong(text: string): Direction {
  let depth = 0;
  for (const [character] of text.matchAll(STRONG)) {
    if (character === "\u2069") depth = Math.max(0, depth - 1);
    else if (character >= "\u2066" && character < "\u2069") depth += 1;
    else if (depth === 0) return RTL_LETTER.test(character) ? "rtl" : "ltr";
  }
  return "auto";
}

/** Choose the direction of a field: what the payload says, else its language, else its first strong character. */
export function chooseDirection(text: string, language = "", given: Direction = "auto"): Direction {
  if (given !== "auto") return given;
  const [code = "", ...parts] = language.toLowerCase().split("-");
  if (code !== "") return RIGHT_TO_LEFT.has(code) && !parts.includes("latn") ? "rtl" : "ltr";
  return findFirstStrong(text);
}

/**
 * Replace characters that cannot be seen, or that would act on the text around them, by visible ones of the same length.
 *
 * Control characters become pictures; overrides, embeddings and isolates become ⧼ and ⧽; lone surrogates become �.
 * Offsets into the text stay right.
 */
export function makeVisible(text: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is looked for
  if (!/[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]/.test(text)) return text;
  // eslint-disable-next-line no-control-regex -- as above
  const shown = text.replace(/[\0-\x08\x0b-\x1f\x7f-\x9f]/g, (found) => {
    const code = found.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(PICTURES + code) : code === 0x7f ? "\u2421" : "\ufffd";
  });
  return shown
    .replace(/[\u202c\u2069]/g, "\u29fd")
    .replace(/[\u202a\u202b\u202d\u202e\u2066-\u2068]/g, "\u29fc")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Cut the beginning of a text so that at most so many clusters stay; cut at a space if one is near. */
export function cutBefore(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = text.slice(-(most * 4));
  const starts = [...segmenter.segment(tail)].map((part) => part.index);
  if (tail.length === text.length && starts.length <= most) return text;
  let from = starts[Math.max(0, starts.length - most)] ?? 0;
  const space = tail.slice(from, from + 12).search(/\s/);
  if (space >= 0) from += space + 1;
  return "…" + tail.slice(from);
}
