import { describe, expect, it } from "vitest";
import { mergeSpans, stackSpans } from "../src/lib/spans";
import { chooseScale } from "../src/ui/parts";
import { sortSlices } from "../src/views/slices";

describe("merged spans", () => {
  it("cover the same code points, apart and ascending", () => {
    const spans = [[5, 9], [0, 2], [2, 4], [6, 7], [8, 12], [20, 20]].map(([start = 0, end = 0]) => ({ start, end }));
    expect(mergeSpans(spans)).toEqual([{ start: 0, end: 4 }, { start: 5, end: 12 }]);
  });
});

describe("levels", () => {
  it("put inner spans nearer to the text", () => {
    const spans = [[0, 10], [2, 4], [3, 8], [10, 12]].map(([start = 0, end = 0]) => ({ start, end }));
    expect(stackSpans(spans)).toEqual([2, 0, 1, 0]);
  });

  it("never hold two spans that meet", () => {
    const spans = Array.from({ length: 60 }, (_, at) => ({ start: (at * 37) % 90, end: ((at * 37) % 90) + 1 + ((at * 13) % 20) }));
    const levels = stackSpans(spans);
    spans.forEach((one, at) => {
      spans.forEach((two, other) => {
        const meet = at !== other && levels[at] === levels[other] && one.start < two.end && two.start < one.end;
        expect(meet).toBe(false);
      });
    });
  });
});

describe("scales and slices", () => {
  it("hold all values and intervals", () => {
    expect(chooseScale([{ value: 0.4, low: 0.3, high: 0.6 }])).toEqual({ low: 0, high: 1 });
    const narrow = chooseScale([{ value: 31.2 }, { value: 38.9 }]);
    expect(narrow).toEqual({ low: 31, high: 39 });
    expect(chooseScale([])).toEqual({ low: 0, high: 1 });
  });

  it("have the worst first by the lower end, then by size", () => {
    const slice = (value: string, n: number, score: number | null, low: number | null) => ({ column: "c", value, n, findings: 0, score, low });
    const slices = [slice("a", 5, 0.5, 0.4), slice("b", 9, 0.6, 0.1), slice("c", 50, 0.5, 0.4), slice("d", 1, null, null)];
    expect(sortSlices(slices, false).map((one) => one.value)).toEqual(["b", "c", "a", "d"]);
  });
});
