import { describe, expect, it } from "vitest";
import { formatHash, parseHash, toggleValue, withValues } from "../src/lib/url";

describe("the hash", () => {
  it("keeps paths and values of any script", () => {
    const query = new Map([
      ["kind", ["missed", "wrong_type"]],
      ["label", ["PER → LOC", "a&b=c", "100%"]],
      ["slice:genre", ["новини +1"]],
      ["q", ["สมชาย #1?"]],
    ]);
    const path = ["run", "a/b ç", "findings"];
    expect(parseHash(formatHash(path, query))).toEqual({ path, query });
  });

  it("survives addresses that are cut or damaged", () => {
    expect(parseHash("")).toEqual({ path: [], query: new Map() });
    expect(parseHash("#/run/%E0%A4%A/findings").path).toEqual(["run", "%E0%A4%A", "findings"]);
    expect(() => formatHash(["run", "\ud800"])).not.toThrow();
  });

  it("is readable", () => {
    const query = new Map([["slice:genre", ["news"]]]);
    expect(formatHash(["matrix", "a,b"], query)).toBe("#/matrix/a,b?slice:genre=news");
  });
});

describe("a change of values", () => {
  it("adds and removes one of several", () => {
    const one = toggleValue(new Map(), "kind", "missed");
    const two = toggleValue(one, "kind", "spurious");
    expect([...two]).toEqual([["kind", ["missed", "spurious"]]]);
    expect([...toggleValue(two, "kind", "missed")]).toEqual([["kind", ["spurious"]]]);
  });

  it("removes names without values", () => {
    expect([...withValues(new Map([["q", ["x"]], ["at", ["1"]]]), { q: "", at: null })]).toEqual([]);
  });
});
