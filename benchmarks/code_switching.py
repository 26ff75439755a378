"""Code-switching: isogloss beside the logic of PNaCoS-NER without its models, on answers of language models.

    python benchmarks/code_switching.py                        # all parts, 50 million characters: some ten minutes
    python benchmarks/code_switching.py --part call --quick    # one part, a twentieth of it
    python benchmarks/code_switching.py --part memory --largest    # also 200 million characters: 0.7 GB of disk

Prints Markdown tables, and what was aimed at beside what was measured. Every figure is the CPU time of a process of
its own, with one thread. The answers are repeated as they are, or *varied* (see `code_switching_corpus`), because what
is found in a stretch of letters is kept, and texts with equal counts are held once.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import platform
import re
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pnacos_plain
from code_switching_corpus import LANGUAGES, answers, blocks, long_texts, repeated, varied
from measure import Cost, child, of_command, of_function, table

SCRIPT = Path(__file__)
DATA = SCRIPT.parents[2] / "shared" / "data" / "code-switching" / "llm_outputs_sample.jsonl"
PARTS = ("check", "call", "length", "memory", "recogniser")
CHARACTERS, QUICK = 50_000_000, 20
PLAIN, RECOGNISED = 300_000, 2_000_000  # characters for the plain program; for a recogniser
BLOCK = 2**20  # characters that are looked at together
SENTENCE = 1_250  # characters measured, for each sentence of the texts of growing length
LENGTHS, AT_MOST = (10, 64, 100, 1_000, 2_048, 10_000), 2_048  # sentences of a text; the plain program's longest
ORIGINAL = 0.065  # million characters/s of the original without its models, as measured once, elsewhere
ORIGINAL_TOKEN = {64: 13, 2_048: 185}  # likewise, µs a token by the sentences of the text
KINDS = {"repeated": repeated, "varied": varied}
RECOGNISER = 10e-6  # CPU seconds a character of a simulated recogniser, about what a small spaCy pipeline takes
GOALS = {"check": 60.0, "call": 5.0, "plain": 80.0, "recogniser": 0.05}
CAPITALISED = re.compile("[A-Z][A-Za-z]+")
Work = Callable[[], Any]
Summary = list[tuple[str, str, str]]


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--characters", type=int, default=CHARACTERS)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        CHILDREN[asked.child[0]](*asked.child[1:])
        return
    print(_machine())
    number = asked.characters // (QUICK if asked.quick else 1)
    summary: Summary = []
    for part in asked.part or PARTS:
        if part == "memory":
            memory(asked.data, [number // 10, number, *([4 * number] if asked.largest else [])], summary)
        else:
            MEASURED[part](str(asked.data), number, summary)
    print(table(("what", "aimed at", "measured"), summary))


def check(data: str, number: int, summary: Summary) -> None:
    """The look at every character, in all languages together."""
    titles = {
        "points": "code points of the joined texts",
        "tokens": "where tokens begin and end",
        "check": "**script check**: code points, their flags, flags of each token",
    }
    costs = {name: of_function(SCRIPT, name, data, str(number)) for name in titles}
    rows = [(titles[name], f"{cost.seconds:.3f}", f"{_rate(number, cost):.0f}") for name, cost in costs.items()]
    print(f"{number / 1e6:g} M characters in {len(LANGUAGES)} languages, in blocks of {BLOCK:,}.\n")
    print(table(("step", "CPU s", "M characters / s"), rows))
    rate = _rate(number, costs["check"])
    summary.append(("script check, M characters / s", f"at least {GOALS['check']:g}", f"{rate:.0f}"))


def call(data: str, number: int, summary: Summary) -> None:
    """The whole call, and the plain program on less of the same, each language by itself."""
    each, less = number // len(LANGUAGES), PLAIN // len(LANGUAGES)
    rows, sums = [], {"call": 0.0, "varied": 0.0, "plain": 0.0}
    for language in LANGUAGES:
        costs = {name: of_function(SCRIPT, name, data, str(each), language) for name in ("call", "varied")}
        costs["plain"] = of_function(SCRIPT, "plain", data, str(less), language)
        rates = [_rate(less if name == "plain" else each, cost) for name, cost in costs.items()]
        sums = {name: total + 1 / rate for (name, total), rate in zip(sums.items(), rates, strict=True)}
        rows.append(_compared(language, rates))
    rates = [len(LANGUAGES) / total for total in sums.values()]
    print(f"The whole call from lists of strings: {number / 1e6:g} M characters; of the plain program {PLAIN:,}.\n")
    head = ("M characters / s", "isogloss", "isogloss, varied", "plain program", "faster by", "varied: faster by")
    print(table(head, [*rows, _compared("all", rates)]))
    summary += [
        ("whole call, M characters / s", f"at least {GOALS['call']:g}", f"{rates[0]:.1f}; varied {rates[1]:.1f}"),
        ("faster than the plain program", f"{GOALS['plain']:g}x", f"{rates[0] / rates[2]:.0f}x"),
        (f"faster than the original's {ORIGINAL} M", f"{GOALS['plain']:g}x", f"{rates[0] / ORIGINAL:.0f}x"),
    ]


def _compared(title: str, rates: Sequence[float]) -> tuple[str, ...]:
    own, varied, plain = rates
    return title, f"{own:.2f}", f"{varied:.2f}", f"{plain:.3f}", f"{own / plain:.1f}x", f"{varied / plain:.1f}x"


def length(data: str, number: int, summary: Summary) -> None:
    """Texts of more and more sentences, of the same number of characters together."""
    rows, own, total = [], [], max(number // SENTENCE, LENGTHS[-1])
    for sentences in LENGTHS:
        size, tokens = _size(data, total, sentences)
        costs = [of_function(SCRIPT, name, data, str(total), str(sentences)) for name in ("long", "long_terminators")]
        own.append([cost.seconds / size * 1e9 for cost in costs])
        ours = costs[0].seconds / tokens * 1e6
        plain = _plain_token(data, sentences) if sentences <= AT_MOST else None
        compared = (_beside(other, ours) for other in (plain, ORIGINAL_TOKEN.get(sentences)))
        rows.append((f"{sentences:,}", *(f"{each:.0f}" for each in own[-1]), f"{ours:.2f}", *compared))
    print("Texts of so many Russian sentences; in all columns the same sentences.\n")
    of_isogloss = ("isogloss: ns / character", "with splitter `terminators`", "isogloss: µs / token")
    head = ("sentences", *of_isogloss, "plain: µs / token", "original, measured once: µs / token")
    print(table(head, rows))
    lengths = "; ".join(map(str, LENGTHS))
    for title, each in zip(("", ", splitter `terminators`"), zip(*own, strict=True), strict=True):
        steps = "; ".join(f"{nanoseconds:.0f}" for nanoseconds in each)
        summary.append((f"ns / character at {lengths} sentences{title}", "constant", steps))


def _plain_token(data: str, sentences: int) -> float:
    """Microseconds a token that the plain program takes."""
    cost = of_function(SCRIPT, "long_plain", data, str(AT_MOST), str(sentences))
    return cost.seconds / _size(data, AT_MOST, sentences)[1] * 1e6


def _size(data: str, total: int, sentences: int) -> tuple[int, int]:
    """Characters and tokens of the texts."""
    texts = long_texts(answers(data, "ru"), total, sentences)
    return sum(map(len, texts)), sum(len(pnacos_plain.TOKEN.findall(text)) for text in texts)


def _beside(other: float | None, ours: float) -> str:
    return "" if other is None else f"{other:.1f} ({other / ours:.0f}x)"


def memory(data: Path, sizes: Sequence[int], summary: Summary) -> None:
    """The command line at growing sizes."""
    rows, peaks = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.jsonl"
        for number in sizes:
            for kind in ("repeated", "varied"):
                command = [sys.executable, str(SCRIPT), "--child", "write", str(data), str(number), kind, str(path)]
                of_command(command)  # whose memory is not measured
                command = [sys.executable, "-m", "isogloss", "code-switching", str(path), "--language", "ru"]
                cost = of_command([*command, "-f", "json"])
                size, rate = f"{path.stat().st_size / 1e6:.0f}", f"{_rate(number, cost):.2f}"
                rows.append(
                    (f"{number / 1e6:g} M, {kind}", size, f"{cost.seconds:.2f}", rate, f"{cost.megabytes:.0f} MB")
                )
                peaks.append(f"{cost.megabytes:.0f}")
    print("The command line on JSON lines in Russian.\n")
    print(table(("characters", "MB", "CPU s", "M characters / s", "peak memory"), rows))
    millions = "; ".join(f"{number / 1e6:g}" for number in sizes)
    summary.append((f"peak MB at {millions} M characters, each repeated and varied", "flat", "; ".join(peaks)))


def recogniser(data: str, number: int, summary: Summary) -> None:
    """The whole call with a recogniser, beside the recogniser alone on the sentences that the call gives it."""
    number = min(number, RECOGNISED)
    rows = []
    for kind in ("repeated", "varied"):
        alone = of_function(SCRIPT, "alone", data, str(number), kind)
        rows.append((f"the recogniser alone, {kind}", f"{alone.seconds:.3f}", ""))
        for way in ("callable", "spec"):
            cost = of_function(SCRIPT, "recognised", data, str(number), kind, way)
            over = f"{cost.seconds / alone.seconds - 1:.1%}"
            rows.append((f"isogloss with it, as a {way}", f"{cost.seconds:.3f}", over))
            summary.append((f"over the recogniser's time, {kind}, a {way}", f"at most {GOALS['recogniser']:.0%}", over))
        share = alone.seconds / RECOGNISER / number
    print(f"{number / 1e6:g} M characters in Russian, {share:.0%} of them in sentences that the recogniser is given;")
    print(f"it takes {RECOGNISER * 1e6:g} µs a character.\n")
    print(table(("", "CPU s", "more by"), rows))


MEASURED = {"check": check, "call": call, "length": length, "recogniser": recogniser}


def _rate(characters: int, cost: Cost) -> float:
    """Million characters a second."""
    return characters / cost.seconds / 1e6


def _machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    cpu = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "?")
    packages = f"numpy {version('numpy')}, sentencex {version('sentencex')}"
    return f"{cpu}, {os.cpu_count()} cores shared with other work, Python {platform.python_version()}, {packages}\n"


# What is measured


def _prepared(prepare: Callable[..., Work]) -> Callable[..., None]:
    """A child that measures what `prepare` makes of its arguments."""

    def measured(*arguments: str) -> None:
        def ready() -> Work:
            work = prepare(*arguments)
            gc.collect()
            gc.freeze()  # the input is no garbage; looking through it is not the tool's work
            return work

        child(ready, repeats=REPEATS.get(sys.argv[2], 2))

    return measured


def _blocks(data: str, characters: str) -> list[tuple[str, str]]:
    """Language and text of each block, a sixth of the characters in each language."""
    each = int(characters) // len(LANGUAGES)
    return [
        (language, block) for language in LANGUAGES for block in blocks(repeated(answers(data, language), each), BLOCK)
    ]


def _points(data: str, characters: str) -> Work:
    from isogloss.text.scripts import code_points

    texts = [text for _, text in _blocks(data, characters)]
    return lambda: [len(code_points(text)) for text in texts]


def _tokens(data: str, characters: str) -> Work:
    from isogloss.text.scripts import characters as table_of
    from isogloss.text.scripts import code_points
    from isogloss.text.words import tokens

    classes = [table_of().classes[code_points(text)] for _, text in _blocks(data, characters)]
    return lambda: [len(tokens(each)[0]) for each in classes]


def _check(data: str, characters: str) -> Work:
    import numpy as np

    from isogloss.text.alphabets import CLASS, FOREIGN, alphabet, any_of, flags_of
    from isogloss.text.scripts import code_points
    from isogloss.text.words import tokens

    prepared = []
    for language, text in _blocks(data, characters):
        letters = alphabet(language)
        prepared.append((letters, text, tokens(flags_of(letters, code_points(text)) & np.uint8(CLASS))))

    def work() -> int:
        held = (any_of(flags_of(letters, code_points(text)), *spans) for letters, text, spans in prepared)
        return sum(int(((each & FOREIGN) > 0).sum()) for each in held)

    return work


def _called(texts: list[str], language: str, **more: Any) -> Work:
    import isogloss

    return lambda: isogloss.code_switching(texts, language=language, **more).scores


def _plain(texts: list[str], language: str) -> Work:
    letters = _pattern(language)
    return lambda: pnacos_plain.calculate(texts, letters)


def _pattern(language: str) -> str:
    """The letters of a language, as what stands between the brackets of a pattern."""
    import numpy as np

    from isogloss.text.alphabets import NATIVE, alphabet

    codes = np.flatnonzero(alphabet(language).flags & NATIVE)
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


REPEATS = {"points": 5, "tokens": 3, "check": 5, "recognised": 3}
CHILDREN: dict[str, Callable[..., None]] = {
    "points": _prepared(_points),
    "tokens": _prepared(_tokens),
    "check": _prepared(_check),
    "call": _prepared(
        lambda data, size, language: _called(list(repeated(answers(data, language), int(size))), language)
    ),
    "varied": _prepared(
        lambda data, size, language: _called(list(varied(answers(data, language), int(size))), language)
    ),
    "plain": _prepared(
        lambda data, size, language: _plain(list(repeated(answers(data, language), int(size))), language)
    ),
    "long": _prepared(lambda data, total, sentences: _called(_long(data, total, sentences), "ru")),
    "long_terminators": _prepared(
        lambda data, total, sentences: _called(_long(data, total, sentences), "ru", splitter="terminators")
    ),
    "long_plain": _prepared(lambda data, total, sentences: _plain(_long(data, total, sentences), "ru")),
    "recognised": _prepared(_recognised),
    "alone": _prepared(_alone),
    "write": _write,
}

if __name__ == "__main__":
    main()
