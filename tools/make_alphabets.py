"""Write `src/isogloss/text/data/alphabets.json`: the letters of each language, from CLDR's exemplar characters.

    apt-get install libicu-dev && pip install PyICU==2.17
    python tools/make_alphabets.py > src/isogloss/text/data/alphabets.json

ICU 72 carries CLDR 42. Languages with more than 400 letters (Chinese, Japanese, Korean, Yi) have their script only.
What CLDR has elsewhere than people would look for it is moved here, in `CORRECTIONS`.
"""

import json
import sys

import icu

MOST = 400  # letters of a language that is written with an alphabet
CORRECTIONS = {"hy": "և"}  # CLDR 42 has the Armenian letter ew among the auxiliary characters
KINDS = {"main": icu.ULocaleDataExemplarSetType.ES_STANDARD, "auxiliary": icu.ULocaleDataExemplarSetType.ES_AUXILIARY}


def exemplars(locale: str, kind: int) -> tuple[str, list[str]]:
    """Letters of one code point, and of several."""
    letters = list(icu.LocaleData(locale).getExemplarSet(0, kind))
    single = sorted(letter for letter in letters if len(letter) == 1)
    return "".join(single), sorted(letter for letter in letters if len(letter) > 1)


def language(name: str) -> dict[str, object]:
    """The entry of one language."""
    likely = icu.Locale(name)
    likely.addLikelySubtags()
    entry: dict[str, object] = {"script": likely.getScript(), "name": icu.Locale(name).getDisplayName(icu.Locale("en"))}
    for kind, code in KINDS.items():
        single, several = exemplars(name, code)
        if kind == "main":
            single = "".join(sorted({*single, *CORRECTIONS.get(name, "")}))
            if len(single) > MOST:
                return entry
        entry[kind] = single
        if several:
            entry[f"{kind}_multi"] = several
    return entry


def locales() -> list[str]:
    """Languages, and languages in one of their scripts; no regions."""
    names = [str(name) for name in icu.Locale.getAvailableLocales()]
    return sorted(name for name in names if not icu.Locale(name).getCountry() and not icu.Locale(name).getVariant())


if __name__ == "__main__":
    rows = (f"{json.dumps(name)}: {json.dumps(language(name), ensure_ascii=False)}" for name in locales())
    sys.stdout.write("{\n" + ",\n".join(rows) + "\n}\n")
