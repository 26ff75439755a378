import { describe, expect, it } from "vitest";
import { fromBar, getBarHeight, getLastTop, getVisible, MAX_HEIGHT, moveList, revealRow, toBar, type Extent } from "../src/lib/window";

const small: Extent = { count: 50, rowHeight: 100, viewHeight: 600 };
const million: Extent = { count: 1_000_000, rowHeight: 114, viewHeight: 640 };
const lastBar = getBarHeight(million) - million.viewHeight;

describe("a list of a million rows", () => {
  it("is no higher than browsers allow", () => {
    expect(getBarHeight(million)).toBe(MAX_HEIGHT);
    expect(getBarHeight(small)).toBe(5000);
  });

  it("shows its last row at the end of the bar", () => {
    const top = fromBar(million, lastBar);
    expect(top).toBe(114_000_000 - 640);
    expect(getVisible(million, top, 0)).toEqual({ first: 999_994, end: 1_000_000 });
  });

  it("shows its last row when small steps reach the end of the bar", () => {
    expect(moveList(million, 113_000_000, lastBar - 40, lastBar)).toBe(getLastTop(million));
    expect(moveList(million, 5000, 40, 0)).toBe(0);
  });

  it("moves by the same pixels in small steps, and jumps in large ones", () => {
    expect(moveList(million, 50_000, 4000, 4100)).toBe(50_100);
    expect(moveList(million, 50_000, 4000, lastBar / 2)).toBeCloseTo(getLastTop(million) / 2);
  });

  it("shows every row for some place of the bar", () => {
    for (const row of [0, 1, 4321, 500_000, 958_697, 999_998, 999_999]) {
      const top = revealRow(million, 0, row);
      const again = fromBar(million, toBar(million, top));
      const { first, end } = getVisible(million, again, 0);
      expect(first).toBeLessThanOrEqual(row);
      expect(end).toBeGreaterThan(row);
    }
  });
});

describe("a short list", () => {
  it("stands where the bar stands", () => {
    expect(moveList(small, 0, 0, 730)).toBe(730);
    expect(fromBar({ ...small, count: 2 }, 100)).toBe(0);
  });

  it("moves no further than needed to show a row", () => {
    expect(revealRow(small, 0, 3)).toBe(0);
    expect(revealRow(small, 0, 6)).toBe(100);
    expect(revealRow(small, 900, 2)).toBe(200);
    expect(revealRow(small, 0, 49)).toBe(4400);
  });
});
