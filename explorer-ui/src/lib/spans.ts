/** Spans of a document: which are flat, and on which level the nested ones are drawn. */

export interface Bounds {
  start: number;
  end: number;
}

/** Merge spans into apart stretches, ascending: what a highlight of all of them covers. */
export function mergeSpans(spans: readonly Bounds[]): Bounds[] {
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((one, two) => one.start - two.start)) {
    const last = merged.at(-1);
    if (start >= end) continue;
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/**
 * Give each span the lowest level on which it meets no other.
 *
 * Inner spans are on lower levels than the spans around them, so that they are drawn nearer to the text.
 *
 * @returns the level of each span, from 0
 */
export function stackSpans(spans: readonly Bounds[]): number[] {
  const levels: number[] = new Array<number>(spans.length).fill(0);
  const order = spans.map((_, at) => at).sort((one, two) => length(spans[one]) - length(spans[two]));
  const taken: Bounds[][] = [];
  for (const at of order) {
    const own = spans[at] as Bounds;
    let level = 0;
    while (taken[level]?.some((other) => other.start < own.end && own.start < other.end)) level += 1;
    (taken[level] ??= []).push(own);
    levels[at] = level;
  }
  return levels;
}

function length(span: Bounds | undefined): number {
  return span === undefined ? 0 : span.end - span.start;
}
