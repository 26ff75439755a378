/**
 * Facet counts and filters over columns of numbers: no query, one pass over each column.
 *
 * A finding is selected if each chosen facet has one of its chosen values. The count of a value of a facet says how many
 * findings have it and are selected by all *other* facets, so that it is what a click on it would give.
 */

export type Numbers = Uint8Array | Uint16Array | Uint32Array;

export interface FacetColumn {
  name: string;
  numbers: Numbers;
  totals: Uint32Array; // findings of each value
}

export interface Selection {
  counts: ReadonlyMap<string, Uint32Array>;
  positions: Uint32Array; // of the selected findings, ascending
}

/**
 * Select findings.
 *
 * @param count - number of findings
 * @param columns - the facets that are counted
 * @param chosen - numbers of the chosen values by name of the facet; facets that are missing are not restricted
 * @param allowed - 1 for each finding that may be selected, for a search; null for all
 * @param exact - further columns of which one number of a set is wanted, such as the document
 */
export function selectFindings(
  count: number,
  columns: readonly FacetColumn[],
  chosen: ReadonlyMap<string, readonly number[]>,
  allowed: Uint8Array | null = null,
  exact: readonly { numbers: Numbers; wanted: readonly number[] }[] = [],
): Selection {
  const failed = new Uint32Array(count); // a bit for each chosen facet, bit 0 for what is not a facet
  if (allowed !== null) for (let at = 0; at < count; at++) failed[at] = allowed[at] === 0 ? 1 : 0;
  for (const { numbers, wanted } of exact) markOthers(failed, numbers, wanted);
  const bits = new Map<string, number>();
  for (const column of columns) {
    const values = chosen.get(column.name);
    if (values === undefined) continue;
    const bit = 2 << bits.size;
    bits.set(column.name, bit);
    markFailed(failed, column, values, bit);
  }
  const positions = collectZeros(failed);
  const isMost = bits.size === 0 && positions.length > count / 2;
  const countColumn = (column: FacetColumn) => (isMost ? countKept(failed, column) : countValues(failed, column, bits.get(column.name) ?? 0));
  return { counts: new Map(columns.map((column) => [column.name, countColumn(column)])), positions };
}

function markOthers(failed: Uint32Array, numbers: Numbers, wanted: readonly number[]): void {
  const kept = new Set(wanted);
  const [only] = wanted;
  if (kept.size === 1) {
    for (let at = 0; at < failed.length; at++) if (numbers[at] !== only) failed[at] = 1;
  } else {
    for (let at = 0; at < failed.length; at++) if (!kept.has(numbers[at] as number)) failed[at] = 1;
  }
}

function markFailed(failed: Uint32Array, column: FacetColumn, values: readonly number[], bit: number): void {
  const marks = new Uint32Array(column.totals.length).fill(bit);
  for (const value of values) marks[value] = 0;
  const { numbers } = column;
  for (let at = 0; at < failed.length; at++) {
    failed[at] = (failed[at] as number) | (marks[numbers[at] as number] as number);
  }
}

function countValues(failed: Uint32Array, column: FacetColumn, bit: number): Uint32Array {
  const counts = new Uint32Array(column.totals.length);
  const { numbers } = column;
  const others = ~bit;
  for (let at = 0; at < failed.length; at++) {
    if (((failed[at] as number) & others) === 0) {
      const number = numbers[at] as number;
      counts[number] = (counts[number] as number) + 1;
    }
  }
  return counts;
}

/** Count the same where most findings are kept and no facet is chosen: those that are not kept are fewer. */
function countKept(failed: Uint32Array, { numbers, totals }: FacetColumn): Uint32Array {
  const counts = totals.slice();
  for (let at = 0; at < failed.length; at++) {
    if (failed[at] !== 0) {
      const number = numbers[at] as number;
      counts[number] = (counts[number] as number) - 1;
    }
  }
  return counts;
}

/** Count the findings of each number. */
export function countNumbers(numbers: Numbers, size: number): Uint32Array {
  const counts = new Uint32Array(size);
  for (let at = 0; at < numbers.length; at++) {
    const number = numbers[at] as number;
    counts[number] = (counts[number] as number) + 1;
  }
  return counts;
}

function collectZeros(failed: Uint32Array): Uint32Array {
  const found = new Uint32Array(failed.length);
  let end = 0;
  for (let at = 0; at < failed.length; at++) {
    found[end] = at;
    if (failed[at] === 0) end += 1;
  }
  return found.slice(0, end);
}

export interface Groups {
  numbers: Uint32Array; // surface forms, the most frequent first
  counts: Uint32Array; // findings of each surface form, by its number
  parts: Uint32Array; // findings of each surface form and value: at `number * size + value`
  size: number;
}

/** Group selected findings by surface form, with the count of each value of one column. */
export function groupBySurface(
  positions: Uint32Array | null,
  surfaces: Numbers,
  surfaceCount: number,
  column: FacetColumn,
): Groups {
  const size = column.totals.length;
  const counts = new Uint32Array(surfaceCount);
  const parts = new Uint32Array(surfaceCount * size);
  const total = positions?.length ?? surfaces.length;
  for (let index = 0; index < total; index++) {
    const at = positions === null ? index : (positions[index] as number);
    const surface = surfaces[at] as number;
    const part = surface * size + (column.numbers[at] as number);
    counts[surface] = (counts[surface] as number) + 1;
    parts[part] = (parts[part] as number) + 1;
  }
  return { numbers: sortByCount(counts), counts, parts, size };
}

/** Return the numbers with a count above 0, by descending count, then ascending number. */
export function sortByCount(counts: Uint32Array): Uint32Array {
  const size = 2 ** 32;
  const keys = new Float64Array(counts.length);
  let end = 0;
  counts.forEach((count, number) => {
    if (count > 0) keys[end++] = (2 ** 20 - Math.min(count, 2 ** 20 - 1)) * size + number;
  });
  return Uint32Array.from(keys.subarray(0, end).sort(), (key) => key % size);
}

/** Read a column from bytes, little-endian. */
export function readColumn(bytes: Uint8Array, width: 1 | 2 | 4): Numbers {
  if (width === 1) return bytes;
  const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  const { buffer, byteOffset, byteLength } = aligned;
  return width === 2
    ? new Uint16Array(buffer, byteOffset, byteLength / 2)
    : new Uint32Array(buffer, byteOffset, byteLength / 4);
}

/** Read a bit for each finding, the first in the lowest bit of the first byte, as 0 or 1. */
export function readBits(bytes: Uint8Array, count: number): Uint8Array {
  const bits = new Uint8Array(count);
  for (let at = 0; at < count; at++) bits[at] = ((bytes[at >> 3] ?? 0) >> (at & 7)) & 1;
  return bits;
}
