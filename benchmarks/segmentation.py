"""Word segmentation: isogloss beside the installed peers, on the same corpus in the same run.

    python benchmarks/segmentation.py                  # all parts: about five minutes
    python benchmarks/segmentation.py --part files     # one part: files, lists, memory

Prints a Markdown table. Every figure is the CPU time of a process of its own.
"""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path
from typing import Any

from measure import Work
from rows import Amount, Row
from script import ISOGLOSS, Bench, Script, run_script
from segmentation_corpus import samples

SAMPLES = 20_000
FEWER = 10  # conll18_ud_eval takes a minute for all samples, and is given so many times fewer
GROWING = (20_000, 80_000, 320_000)
Sides = tuple[list[list[str]], list[list[str]]]
OURS, MEANS = "isogloss.segmentation", "isogloss.segmentation, and means over samples"
PYTHAINLP, SETS = "pythainlp.benchmarks", "plain Python sets of spans, words only"
CONLL18, SPACY = (
    "conll18_ud_eval (udtools), from CoNLL-U",
    "spaCy `Scorer.score_tokenization`, documents made on the way",
)


def measure_files(bench: Bench) -> list[Row]:
    """All tools from two files of words between `|`; conll18 from CoNLL-U."""
    number = SAMPLES // bench.share
    sides, fewer = _write(bench, number), _write(bench, number // FEWER)
    tools = {
        OURS: bench.function("isogloss-files", *sides),
        MEANS: bench.function("isogloss_means-files", *sides),
        PYTHAINLP: bench.function("pythainlp-files", *sides, needs="pythainlp"),
        SETS: bench.function("sets-files", *sides),
        CONLL18: bench.function("conll18-files", *fewer, needs="udtools"),
    }
    amounts = dict.fromkeys(tools, Amount(_characters(number), "characters"))
    amounts[CONLL18] = Amount(_characters(number // FEWER), "characters")
    return bench.compare(f"files of words between bars, {number:,} samples", tools, amounts)


def measure_lists(bench: Bench) -> list[Row]:
    """All tools from Python lists of words."""
    number, path = SAMPLES // bench.share, bench.folder / "lists.pickle"
    bench.program("write-lists", number, path)()
    tools = {
        OURS: bench.function("isogloss-lists", path),
        MEANS: bench.function("isogloss_means-lists", path),
        PYTHAINLP: bench.function("pythainlp-lists", path, needs="pythainlp"),
        SETS: bench.function("sets-lists", path),
        SPACY: bench.function("spacy-lists", path, needs="spacy"),
    }
    return bench.compare(f"Python lists, {number:,} samples", tools, Amount(_characters(number), "characters"))


def measure_memory(bench: Bench) -> list[Row]:
    """The command line at growing sizes."""
    rows = []
    for whole in GROWING:
        number = whole // bench.share
        tools = {"isogloss segmentation": bench.command(*ISOGLOSS, "segmentation", *_write(bench, number))}
        rows += bench.compare(f"command line, {number:,} samples", tools, Amount(number, "samples"))
    return rows


# Input


def _characters(number: int) -> int:
    return sum(len(word) for reference, _ in samples(number) for word in reference if word != " ")


def _write(bench: Bench, number: int) -> tuple[Path, Path]:
    paths = bench.folder / f"reference-{number}.txt", bench.folder / f"predicted-{number}.txt"
    bench.program("write-files", number, *paths)()
    return paths


def _write_files(number: str, *paths: str) -> None:
    with ExitStack() as stack:
        streams = [stack.enter_context(Path(path).open("w", encoding="utf-8")) for path in paths]
        for both in samples(int(number)):
            for stream, words in zip(streams, both, strict=True):
                stream.write("|".join(words) + "\n")


def _write_lists(number: str, path: str) -> None:
    Path(path).write_bytes(pickle.dumps(tuple(map(list, zip(*samples(int(number)), strict=True))), protocol=5))


# What is measured


def _from_lists(tool: Callable[[Sides], Work]) -> Callable[[str], Work]:
    return lambda path: tool(pickle.loads(Path(path).read_bytes()))


def _isogloss(reference: Any, predicted: Any) -> Work:
    import isogloss

    def work() -> Any:
        run = isogloss.segmentation(reference, predicted)
        return run.scores, run.kinds

    return work


def _isogloss_means(reference: Any, predicted: Any) -> Work:
    import isogloss

    def work() -> Any:
        run = isogloss.segmentation(reference, predicted)
        return run.scores, run.kinds, run.per_document

    return work


def _pythainlp_files(reference: str, predicted: str) -> Work:
    from pythainlp.benchmarks import word_tokenization

    return lambda: word_tokenization.benchmark(_lines(reference), _lines(predicted))


def _pythainlp_lists(sides: Sides) -> Work:
    from pythainlp.benchmarks import word_tokenization

    return lambda: word_tokenization.benchmark(*([("|".join(words)) for words in side] for side in sides))


def _sets(sides: Sides) -> Any:
    correct = predicted = reference = 0
    for pair in zip(*sides, strict=True):
        ours, theirs = (_spans([word for word in words if word.strip()]) for words in pair)
        correct, reference, predicted = correct + len(ours & theirs), reference + len(ours), predicted + len(theirs)
    return correct, predicted, reference


def _spans(words: list[str]) -> set[tuple[int, int]]:
    ends = list(accumulate(map(len, words)))
    return set(zip([0, *ends], ends, strict=False))


def _sets_files(reference: str, predicted: str) -> Work:
    return lambda: _sets(tuple([line.split("|") for line in _lines(path)] for path in (reference, predicted)))  # type: ignore[arg-type]


def _conll18_files(reference: str, predicted: str) -> Work:
    from udtools import udeval

    names = ("no_gapping", "no_shared_parents_in_coordination", "no_shared_dependents_in_coordination", "no_control")
    names = (*names, "no_external_arguments_of_relative_clauses", "no_case_info", "no_empty_nodes")
    treebank = dict.fromkeys(names, 0) | {"multiple_roots_okay": 1}
    contents = [_conllu(path) for path in (reference, predicted)]
    return lambda: udeval.evaluate(*(udeval.load_conllu(io.StringIO(c), "file", treebank) for c in contents))


def _conllu(path: str) -> str:
    rows = []
    for line in _lines(path):
        for number, word in enumerate([word for word in line.split("|") if word.strip()], 1):
            rows.append(f"{number}\t{word}\t_\t_\t_\t_\t{int(number > 1)}\tdep\t_\t_")
        rows.append("")
    return "\n".join(rows) + "\n"


def _spacy_lists(sides: Sides) -> Work:
    import spacy
    from spacy.scorer import Scorer
    from spacy.tokens import Doc
    from spacy.training import Example

    vocab = spacy.blank("xx").vocab

    def work() -> Any:
        pairs = zip(*sides, strict=True)
        docs = ((Doc(vocab, words=w, spaces=[False] * len(w)) for w in (p, r)) for r, p in pairs)
        return Scorer.score_tokenization(Example(*both) for both in docs)

    return work


def _lines(path: str) -> list[str]:
    with Path(path).open(encoding="utf-8") as stream:
        return [line.strip() for line in stream]


WORKS: dict[str, Callable[..., Work]] = {
    "isogloss-files": _isogloss,
    "isogloss-lists": _from_lists(lambda sides: _isogloss(*sides)),
    "isogloss_means-files": _isogloss_means,
    "isogloss_means-lists": _from_lists(lambda sides: _isogloss_means(*sides)),
    "pythainlp-files": _pythainlp_files,
    "pythainlp-lists": _from_lists(_pythainlp_lists),
    "sets-files": _sets_files,
    "sets-lists": _from_lists(lambda sides: lambda: _sets(sides)),
    "conll18-files": _conll18_files,
    "spacy-lists": _from_lists(_spacy_lists),
}
PARTS = {"files": measure_files, "lists": measure_lists, "memory": measure_memory}
PROGRAMS = {"write-files": _write_files, "write-lists": _write_lists}

if __name__ == "__main__":
    run_script(Script(Path(__file__), PARTS, WORKS, PROGRAMS), __doc__)
