import { describe, expect, it } from "vitest";
import { countNumbers, groupBySurface, readColumn, selectFindings, sortByCount, type FacetColumn } from "../src/lib/facets";

/** Numbers that are the same in every run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

const random = makeRandom(7);
const COUNT = 400;
function fill(numbers: Uint8Array | Uint16Array, size: number): Uint8Array | Uint16Array {
  for (let at = 0; at < numbers.length; at++) numbers[at] = random(size);
  return numbers;
}

const SIZES = [5, 300, 2];
const columns: FacetColumn[] = SIZES.map((size, at) => {
  const numbers = fill(size > 256 ? new Uint16Array(COUNT) : new Uint8Array(COUNT), size);
  return { name: `facet ${at}`, numbers, totals: countNumbers(numbers, size) };
});

/** Count and select by the definition: one question per finding, value and facet. */
function selectPlainly(chosen: Map<string, number[]>, isAllowed: (at: number) => boolean) {
  const passes = (at: number, except: string) =>
    isAllowed(at) &&
    columns.every(({ name, numbers }) => name === except || (chosen.get(name)?.includes(numbers[at] ?? -1) ?? true));
  const all = Array.from({ length: COUNT }, (_, at) => at);
  const counts = columns.map(({ name, numbers, totals }) =>
    Array.from({ length: totals.length }, (_, value) => all.filter((at) => numbers[at] === value && passes(at, name)).length),
  );
  return { counts, positions: all.filter((at) => passes(at, "")) };
}

describe("selection", () => {
  it("equals a plain count for any choice, search and further column", () => {
    for (let trial = 0; trial < 80; trial++) {
      const chosen = new Map<string, number[]>();
      for (const { name, totals } of columns) {
        const size = totals.length;
        if (random(2) === 0) chosen.set(name, Array.from({ length: 1 + random(size) }, () => random(size)));
      }
      const mask = random(2) === 0 ? Uint8Array.from({ length: COUNT }, () => Number(random(4) <= trial % 4)) : null;
      const documents = Uint32Array.from({ length: COUNT }, () => random(6));
      const wanted = trial % 3 === 0 ? [] : trial % 3 === 1 ? [2] : [1, 4];
      const exact = wanted.length === 0 ? [] : [{ numbers: documents, wanted }];
      const found = selectFindings(COUNT, columns, chosen, mask, exact);
      const plain = selectPlainly(chosen, (at) => mask?.[at] !== 0 && (wanted.length === 0 || wanted.includes(documents[at] ?? -1)));
      expect([...found.positions]).toEqual(plain.positions);
      expect(columns.map(({ name }) => [...(found.counts.get(name) ?? [])])).toEqual(plain.counts);
    }
  });
});

describe("groups", () => {
  it("count findings by surface form and kind, the most frequent first", () => {
    const surfaces = Uint32Array.from([0, 1, 1, 2, 1, 2]);
    const kinds = { name: "kind", numbers: Uint8Array.from([0, 1, 0, 1, 1, 1]), totals: Uint32Array.from([2, 4]) };
    const groups = groupBySurface(Uint32Array.from([0, 1, 2, 4, 5]), surfaces, 3, kinds);
    expect([...groups.numbers]).toEqual([1, 0, 2]);
    expect([...groups.counts]).toEqual([1, 3, 1]);
    expect([...groups.parts]).toEqual([1, 0, 1, 2, 0, 1]);
  });

  it("are ordered by count, then number", () => {
    const counts = Uint32Array.from({ length: 500 }, () => random(5) * random(4000));
    const plain = [...counts.keys()].filter((at) => (counts[at] ?? 0) > 0);
    plain.sort((one, two) => (counts[two] ?? 0) - (counts[one] ?? 0) || one - two);
    expect([...sortByCount(counts)]).toEqual(plain);
  });
});

describe("columns", () => {
  it("are read little-endian at any offset", () => {
    const bytes = Uint8Array.from([9, 1, 0, 0, 2, 0, 0, 0]).subarray(1);
    expect([...readColumn(bytes.subarray(0, 4), 2)]).toEqual([1, 512]);
    expect([...readColumn(bytes.subarray(0, 4), 4)]).toEqual([0x02000001]);
  });
});
