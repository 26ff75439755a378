"""Code-switching: isogloss beside the logic of PNaCoS-NER without its models, on answers of language models.

    python benchmarks/code_switching.py                  # all parts, 20 million characters: some six minutes
    python benchmarks/code_switching.py --part call --quick    # one part, a tenth of it
    python benchmarks/code_switching.py --part memory --largest    # also 80 million characters

Prints a Markdown table. Every figure is the CPU time of a process of its own, with one thread. The answers are
repeated as they are, or *varied* (see `code_switching_corpus`), because isogloss keeps what it found in a stretch of
letters, and holds texts with equal counts once. They are in `code-switching/llm_outputs_sample.jsonl` in the folder
of `--data`.
"""

from __future__ import annotations

import importlib
import json
import re
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pnacos_plain
from code_switching_corpus import LANGUAGES, answers, blocks, long_texts, repeated, varied
from measure import Work, interleave
from rows import Amount, Row
from script import ISOGLOSS, Bench, Part, Script, run_script

SCRIPT = Path(__file__)
CHARACTERS = 20_000_000
PLAIN, RECOGNISED = 300_000, 600_000  # characters for the plain program; for a recogniser
BLOCK = 2**20  # characters that are looked at together
SENTENCE = 1_250  # characters measured, for each sentence of the texts of growing length
LENGTHS, AT_MOST = (10, 64, 100, 1_000, 2_048, 10_000), 2_048  # sentences of a text; the plain program's longest
KINDS = {"repeated": repeated, "varied": varied}
RECOGNISER = 10e-6  # CPU seconds a character of a simulated recogniser, about what a small spaCy pipeline takes
CAPITALISED = re.compile("[A-Z][A-Za-z]+")
OURS, PEER, LEAST = "isogloss.code_switching", "plain program", "least program"
PLAIN_TEXT, SHARE = 2_000_000, 20  # characters without a foreign letter; the plain program gets a share
STEPS = {
    "check": "isogloss: script check (code points, their flags, flags of each token)",
    "points": "isogloss: code points of the joined texts",
    "tokens": "isogloss: where tokens begin and end",
}


def measure_check(bench: Bench, data: Path) -> list[Row]:
    """The look at every character, in all languages together."""
    number = CHARACTERS // bench.share
    tools = {title: bench.function(name, data, number) for name, title in STEPS.items()}
    title = f"{number / 1e6:g} M characters in {len(LANGUAGES)} languages, in blocks of {BLOCK:,}"
    return bench.compare(title, tools, Amount(number, "characters"))


def measure_call(bench: Bench, data: Path) -> list[Row]:
    """The whole call, and the plain program on less of the same, each language by itself."""
    number = CHARACTERS // bench.share // len(LANGUAGES)
    sizes = {"repeated": number, "varied": number, "plain": PLAIN // len(LANGUAGES)}
    amounts = {name: Amount(size, "characters") for name, size in sizes.items()}
    rows = []
    for language in LANGUAGES:
        works = {name: bench.function(name, data, size, language) for name, size in sizes.items()}
        costs = interleave(works)
        for kind in KINDS:
            found = {OURS: costs[kind], PEER: costs["plain"]}
            each = {OURS: amounts[kind], PEER: amounts["plain"]}
            rows += bench.rows(f"{number / 1e6:.3g} M characters in {language}, {kind}", found, each)
    return rows


def measure_plain(bench: Bench, data: Path) -> list[Row]:
    """Texts without a foreign letter, beside the least program that counts their sentences and words."""
    number, rows = PLAIN_TEXT // bench.share, []
    amounts = {OURS: Amount(number, "characters"), LEAST: Amount(number, "characters")}
    amounts[PEER] = Amount(number // SHARE, "characters")
    for language in LANGUAGES:
        tools = {OURS: bench.function("native", data, number, language)}
        tools[LEAST] = bench.function("least", data, number, language)
        tools[PEER] = bench.function("native_plain", data, number // SHARE, language)
        rows += bench.compare(f"{number / 1e6:g} M characters in {language}, no foreign letter", tools, amounts)
    return rows


def measure_length(bench: Bench, data: Path) -> list[Row]:
    """Texts of more and more sentences, of the same number of characters together."""
    rows, total = [], max(CHARACTERS // bench.share // SENTENCE, LENGTHS[-1])
    for sentences in LENGTHS:
        tools = {OURS: bench.function("long", data, total, sentences)}
        tools[f"{OURS}, splitter `terminators`"] = bench.function("long_terminators", data, total, sentences)
        amounts = dict.fromkeys(tools, Amount(_tokens_of(data, total, sentences), "tokens"))
        if sentences <= AT_MOST:
            tools[PEER] = bench.function("long_plain", data, AT_MOST, sentences)
            amounts[PEER] = Amount(_tokens_of(data, AT_MOST, sentences), "tokens")
        rows += bench.compare(f"texts of {sentences:,} sentences in ru", tools, amounts)
    return rows


def _tokens_of(data: Path, total: int, sentences: int) -> int:
    texts = long_texts(answers(str(data), "ru"), total, sentences)
    return sum(len(pnacos_plain.TOKEN.findall(text)) for text in texts)


def measure_memory(bench: Bench, data: Path) -> list[Row]:
    """The command line at growing sizes."""
    whole, path, rows = CHARACTERS // bench.share, bench.folder / "texts.jsonl", []
    for number in (whole // 10, whole, *([4 * whole] if bench.largest else [])):
        for kind in KINDS:
            bench.program("write", data, number, kind, path)()
            command = bench.command(*ISOGLOSS, "code-switching", path, "--language", "ru", "-f", "json")
            title = f"command line, {number / 1e6:g} M characters in ru, {kind}"
            rows += bench.compare(title, {"isogloss code-switching": command}, Amount(number, "characters"))
    return rows


def measure_recogniser(bench: Bench, data: Path) -> list[Row]:
    """The whole call with a recogniser, beside the recogniser alone on the sentences that the call gives it."""
    number, rows = RECOGNISED // bench.share, []
    for kind in KINDS:
        alone, callable_, spec = "the recogniser alone", f"{OURS}, as a callable", f"{OURS}, as a spec"
        tools = {
            callable_: bench.function("recognised", data, number, kind, "callable"),
            spec: bench.function("recognised", data, number, kind, "spec"),
            alone: bench.function("alone", data, number, kind),
        }
        rows += bench.compare(f"recogniser of 10 µs a character, {number:,} characters in ru, {kind}", tools)
    return rows


def _with_data(name: str, part: Callable[[Bench, Path], list[Row]]) -> Part:
    def measure(bench: Bench) -> list[Row]:
        data = bench.data / "code-switching" / "llm_outputs_sample.jsonl"
        return part(bench, data) if data.exists() else bench.missing(name, data)

    return measure


# What is measured


def _blocks(data: str, characters: str) -> list[tuple[str, str]]:
    """Language and text of each block, a sixth of the characters in each language."""
    each = int(characters) // len(LANGUAGES)
    return [
        (language, block) for language in LANGUAGES for block in blocks(repeated(answers(data, language), each), BLOCK)
    ]


def _points(data: str, characters: str) -> Work:
    from internals import to_code_points

    texts = [text for _, text in _blocks(data, characters)]
    return lambda: [len(to_code_points(text)) for text in texts]


def _tokens(data: str, characters: str) -> Work:
    from internals import find_tokens, load_character_table, to_code_points

    classes = [load_character_table().classes[to_code_points(text)] for _, text in _blocks(data, characters)]
    return lambda: [len(find_tokens(each)[0]) for each in classes]


def _check(data: str, characters: str) -> Work:
    import numpy as np
    from internals import (
        CLASS_MASK,
        FOREIGN,
        collect_span_flags,
        find_tokens,
        flag_characters,
        load_alphabet,
        to_code_points,
    )

    prepared = []
    for language, text in _blocks(data, characters):
        letters = load_alphabet(language)
        prepared.append(
            (letters, text, find_tokens(flag_characters(letters, to_code_points(text)) & np.uint8(CLASS_MASK)))
        )

    def work() -> int:
        held = (
            collect_span_flags(flag_characters(letters, to_code_points(text)), *spans)
            for letters, text, spans in prepared
        )
        return sum(int(((each & FOREIGN) > 0).sum()) for each in held)

    return work


def _called(texts: list[str], language: str, **more: Any) -> Work:
    import isogloss

    return lambda: isogloss.code_switching(texts, language=language, **more).scores


def _plain(texts: list[str], language: str) -> Work:
    letters = _pattern(language)
    return lambda: pnacos_plain.calculate(texts, letters)


def _native(data: str, size: str, language: str) -> list[str]:
    """Varied answers without a foreign letter."""
    import isogloss

    every = answers(data, language)
    own = [
        text for text in every if not isogloss.code_switching([text], language=language).scores["words"].strict_count
    ]
    return list(varied(own, int(size)))


def _least(data: str, size: str, language: str) -> Work:
    """Sentences, words and texts with a foreign letter, and nothing else: no options, places or excuses."""
    import numpy as np
    from internals import CLASS_MASK, FOREIGN, NATIVE, find_tokens, load_alphabet, to_code_points
    from sentencex import segment

    texts, flags = _native(data, size, language), load_alphabet(language).flags

    def work() -> tuple[int, int, int]:
        sentences = sum(len(segment(language, text)) for text in texts)
        words = foreign = 0
        for block in blocks(texts, BLOCK):
            held = flags[to_code_points(block)]
            start, _ = find_tokens(held & np.uint8(CLASS_MASK))
            tokens = np.bitwise_or.reduceat(held, start)
            words += np.count_nonzero(tokens & (NATIVE | FOREIGN))
            foreign += np.count_nonzero(tokens & FOREIGN)
        return sentences, words, foreign

    return work


def _pattern(language: str) -> str:
    """The letters of a language, as what stands between the brackets of a pattern."""
    import numpy as np
    from internals import NATIVE, load_alphabet

    codes = np.flatnonzero(load_alphabet(language).flags & NATIVE)
    breaks = np.flatnonzero(np.diff(codes) > 1) + 1
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in np.split(codes, breaks))


def _long(data: str, total: str, sentences: str) -> list[str]:
    return long_texts(answers(data, "ru"), int(total), int(sentences))


def simulated(texts: list[str]) -> list[list[tuple[int, int]]]:
    """A recogniser that takes its time: words of Latin letters with a capital are names."""
    until = time.thread_time() + RECOGNISER * sum(map(len, texts))
    names = [[match.span() for match in CAPITALISED.finditer(text)] for text in texts]
    while time.thread_time() < until:
        pass
    return names


def _recognised(data: str, characters: str, kind: str, way: str) -> Work:
    module = importlib.import_module(SCRIPT.stem)  # as the spec will: not the script that runs
    wanted = f"python:{SCRIPT.stem}:simulated" if way == "spec" else module.simulated
    texts = list(KINDS[kind](answers(data, "ru"), int(characters)))
    return _called(texts, "ru", recognisers=[wanted])


def _alone(data: str, characters: str, kind: str) -> Work:
    """The recogniser on what the call gives it."""
    given: list[list[str]] = []

    def caught(texts: list[str]) -> list[list[tuple[int, int]]]:
        given.append(texts)
        return [[] for _ in texts]

    _called(list(KINDS[kind](answers(data, "ru"), int(characters))), "ru", recognisers=[caught])()
    return lambda: [simulated(texts) for texts in given]


def _write(data: str, characters: str, kind: str, path: str) -> None:
    rows = (
        json.dumps({"text": text}, ensure_ascii=False) for text in KINDS[kind](answers(data, "ru"), int(characters))
    )
    with Path(path).open("w", encoding="utf-8") as stream:
        stream.writelines(f"{row}\n" for row in rows)


def _call(data: str, size: str, language: str, *, kind: str) -> Work:
    return _called(list(KINDS[kind](answers(data, language), int(size))), language)


PARTS = {
    "check": measure_check,
    "call": measure_call,
    "plain": measure_plain,
    "length": measure_length,
    "memory": measure_memory,
    "recogniser": measure_recogniser,
}
WORKS: dict[str, Callable[..., Work]] = {
    "points": _points,
    "tokens": _tokens,
    "check": _check,
    "repeated": partial(_call, kind="repeated"),
    "varied": partial(_call, kind="varied"),
    "plain": lambda data, size, language: _plain(list(repeated(answers(data, language), int(size))), language),
    "native": lambda data, size, language: _called(_native(data, size, language), language),
    "least": _least,
    "native_plain": lambda data, size, language: _plain(_native(data, size, language), language),
    "long": lambda data, total, sentences: _called(_long(data, total, sentences), "ru"),
    "long_terminators": lambda data, total, sentences: _called(
        _long(data, total, sentences),
        "ru",
        splitter="terminators",
    ),
    "long_plain": lambda data, total, sentences: _plain(_long(data, total, sentences), "ru"),
    "recognised": _recognised,
    "alone": _alone,
}

if __name__ == "__main__":
    PARTS_WITH_DATA = {name: _with_data(name, part) for name, part in PARTS.items()}
    run_script(Script(SCRIPT, PARTS_WITH_DATA, WORKS, {"write": _write}), __doc__)
