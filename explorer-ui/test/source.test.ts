import { describe, expect, it } from "vitest";
import { findPack } from "../src/lib/source";

describe("findPack", () => {
  const packs = { "/v1/runs/run-1/documents": [0, 3, 10] };

  it("finds the pack and the place of a document", () => {
    const found = [0, 2, 3, 9, 10, 500].map((number) => findPack(packs, `/v1/runs/run-1/documents/${number}`));
    expect(found.map((pack) => [pack?.url.split("#")[1], pack?.at])).toEqual([["0", 0], ["0", 2], ["1", 0], ["1", 6], ["2", 0], ["2", 490]]);
  });

  it("leaves other URLs alone", () => {
    expect(findPack(packs, "/v1/runs/run-1/facets")).toBeNull();
    expect(findPack(packs, "/v1/runs/run-2/documents/1")).toBeNull();
    expect(findPack(undefined, "/v1/runs/run-1/documents/1")).toBeNull();
  });
});
