import { describe, expect, it } from "vitest";
import { chooseDirection, cutBefore, findFirstStrong, makeVisible, Utf16Offsets } from "../src/lib/text";

describe("offsets", () => {
  it("counts the units before each code point", () => {
    const texts = ["", "abc", "ก😀ข", "😀😀", "a\ud800b😀c", "𐤀𐤁 ab 𝒳"];
    for (const text of texts) {
      const offsets = new Utf16Offsets(text);
      const parts = Array.from(text);
      for (let at = 0; at <= parts.length; at++) expect(offsets.convert(at)).toBe(parts.slice(0, at).join("").length);
    }
  });
});

describe("direction", () => {
  it("is that of the first strong character", () => {
    expect(findFirstStrong('ما نوع فيلم "Rescued by Ruby"؟')).toBe("rtl");
    expect(findFirstStrong('"Rescued by Ruby" ما نوع فيلم')).toBe("ltr");
    expect(findFirstStrong("12 (٣) …")).toBe("auto");
    expect(findFirstStrong("42 שלום")).toBe("rtl");
    expect(findFirstStrong("\u200f abc")).toBe("rtl");
  });

  it("skips what isolates hold", () => {
    expect(findFirstStrong("\u2067שלום\u2069 abc")).toBe("ltr");
  });

  it("follows the language before the text", () => {
    expect(chooseDirection("Rescued by Ruby", "ar-AE")).toBe("rtl");
    expect(chooseDirection("abc", "ar-Latn")).toBe("ltr");
    expect(chooseDirection("abc", "ar", "ltr")).toBe("ltr");
    expect(chooseDirection("שלום", "", "auto")).toBe("rtl");
  });
});

describe("visible text", () => {
  it("shows what would act on the text around it, in the same length", () => {
    const text = "a\0b\u202ec\u202cd\ud800e\x1b[31m\n";
    const shown = makeVisible(text);
    expect(shown).toBe("a␀b⧼c⧽d�e␛[31m\n");
    expect(shown.length).toBe(text.length);
  });

  it("keeps joiners and characters of two units", () => {
    expect(makeVisible("می\u200cخواهم 👩\u200d👧")).toBe("می\u200cخواهم 👩\u200d👧");
  });

  it("is cut between clusters", () => {
    expect(cutBefore("น้ำน้ำน้ำ", 2)).toBe("…น้ำน้ำ");
    expect(cutBefore("short", 10)).toBe("short");
    expect(cutBefore("one two three four", 9)).toBe("…four");
  });
});
