"""Named entities: isogloss beside the installed peers, on the same corpus in the same run.

    python benchmarks/ner.py                 # all parts: some five minutes
    python benchmarks/ner.py --largest       # also 5 million sentences: 1.4 GB of disk
    python benchmarks/ner.py --part lists    # one part: lists, files, documents, start

Prints a Markdown table. Every figure is the CPU time of a process of its own.
"""

from __future__ import annotations

import pickle
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measure import Work, interleave
from ner_corpus import LABELS, TOKENS, sentences
from rows import Amount, Row
from script import ISOGLOSS, Bench, Script, installed_command, run_script

SMALL, LARGE, TIMES = 50_000, 500_000, 10
SIZES, BOTH = (1_000, 2_000, 4_000, 8_000), 2  # entities of a document; nervaluate scores the first two sizes
KINDS = ("both", "reference", "predicted")
PEER = "seqscore, two files"
HARD = {
    "few": "4 labels, all right",
    "many": "200 labels, all right",
    "covered": "200 labels, all right, under one mismatched covering span",
    "shifted": "200 labels, all bounds wrong, under one mismatched covering span",
}


def measure_lists(bench: Bench) -> list[Row]:
    """All tools from the same Python lists of tags."""
    number, path = SMALL // bench.share, bench.folder / "lists.pickle"
    bench.program("write-lists", number, path)()
    tools = {
        "isogloss.ner": bench.function("isogloss", path),
        "seqeval `f1_score`": bench.function("seqeval-f1", path, needs="seqeval"),
        "seqeval `classification_report`": bench.function("seqeval-report", path, needs="seqeval"),
        "nervaluate, four schemas": bench.function("nervaluate", path, needs="nervaluate"),
        "seqscore, label sequences": bench.function("seqscore", path, needs="seqscore"),
    }
    return bench.compare(f"Python lists, {number:,} sentences", tools, Amount(number * TOKENS, "tokens"))


def measure_files(bench: Bench) -> list[Row]:
    """The command lines, and the peak memory at growing sizes."""
    small, large = SMALL // bench.share, LARGE // bench.share
    for number in (small, large):
        bench.program("write-files", number, bench.folder / str(number))()
    corpus, command = _paths(bench.folder / str(small)), (installed_command("seqscore"), "score", "--labels", "BIO")
    reference = ("--repair-method", "conlleval", "--reference", corpus["reference"])
    peer = bench.command(*command, *reference, corpus["predicted"], needs="seqscore")
    costs = interleave(
        {
            "both": _score(bench, small, "both"),
            "two": _score(bench, small, "reference", "predicted"),
            PEER: peer,
        },
    )
    rows = []
    for title, ours, kinds in (("one file of two columns", "both", KINDS[:1]), ("two files", "two", KINDS[1:])):
        for number in (small, large):
            cost = costs[ours] if number == small else interleave({ours: _score(bench, number, *kinds)})[ours]
            amounts = {"isogloss ner": Amount(number, "sentences"), PEER: Amount(small, "sentences")}
            found = {"isogloss ner": cost, PEER: costs[PEER]}
            rows += bench.rows(f"command line, {title}, {number:,} sentences", found, amounts)
    return [*rows, *_measure_largest(bench, large)] if bench.largest else rows


def _measure_largest(bench: Bench, large: int) -> list[Row]:
    path = bench.folder / "largest.conll"
    with path.open("wb") as out:
        for _ in range(TIMES):
            with _paths(bench.folder / str(large))["both"].open("rb") as part:
                shutil.copyfileobj(part, out)
    tools = {"isogloss ner": bench.command(*ISOGLOSS, "ner", path)}
    number = large * TIMES
    return bench.compare(f"command line, one file of two columns, {number:,}", tools, Amount(number, "sentences"))


def _score(bench: Bench, number: int, *kinds: str) -> Any:
    paths = _paths(bench.folder / str(number))
    return bench.command(*ISOGLOSS, "ner", *(paths[kind] for kind in kinds))


def measure_documents(bench: Bench) -> list[Row]:
    """One document that is hard for tools that are quadratic in its entities or linear in their types."""
    rows = []
    for case, title in HARD.items():
        for k, whole in enumerate(SIZES):
            size = whole // bench.share
            tools = {"isogloss.ner": bench.function("document-isogloss", case, size)}
            if k < BOTH:
                tools["nervaluate"] = bench.function("document-nervaluate", case, size, needs="nervaluate")
            rows += bench.compare(f"one document of {size:,} entities: {title}", tools)
    return rows


def measure_start(bench: Bench) -> list[Row]:
    """What a command costs before it does anything, beside the start of Python with numpy."""
    bench.program("write-files", 5, bench.folder / "short")()
    short = _paths(bench.folder / "short")["both"]
    peer = "Python, `import numpy`"
    costs = interleave(
        {
            "isogloss --help": bench.command(*ISOGLOSS, "--help"),
            "isogloss ner": bench.command(*ISOGLOSS, "ner", short),
            "isogloss ner -f json": bench.command(*ISOGLOSS, "ner", short, "-f", "json"),
            peer: bench.command(sys.executable, "-c", "import numpy"),
        },
    )
    ours = [name for name in costs if name != peer]
    return [row for name in ours for row in bench.rows(f"start: {name}", {name: costs[name], peer: costs[peer]})]


# Input


def _paths(stem: Path) -> dict[str, Path]:
    return {kind: stem.with_name(f"{stem.name}-{kind}.conll") for kind in KINDS}


def _write_lists(number: str, path: str) -> None:
    corpus = list(sentences(int(number)))
    sides = [s.reference for s in corpus], [s.predicted for s in corpus]
    Path(path).write_bytes(pickle.dumps(sides, protocol=5))


def _write_files(number: str, stem: str) -> None:
    streams = {kind: path.open("w") for kind, path in _paths(Path(stem)).items()}
    for s in sentences(int(number)):
        triples = list(zip(s.words, s.reference, s.predicted, strict=True))
        streams["both"].write("".join(f"{w} {r} {p}\n" for w, r, p in triples) + "\n")
        streams["reference"].write("".join(f"{w} {r}\n" for w, r, _ in triples) + "\n")
        streams["predicted"].write("".join(f"{w} {p}\n" for w, _, p in triples) + "\n")
    for stream in streams.values():
        stream.close()


def _hard(case: str, size: int) -> tuple[list[Any], list[Any]]:
    labels = 4 if case == "few" else 200
    reference = [(4 * k, 4 * k + 2, f"L{k % labels}") for k in range(size)]
    predicted = list(reference)
    if case == "shifted":
        predicted = [(start + 1, end + 1, label) for start, end, label in reference]
    if case in {"covered", "shifted"}:
        reference, predicted = [*reference, (0, 4 * size, "L0")], [*predicted, (0, 4 * size + 1, "L1")]
    return reference, predicted


# What is measured


def _from_lists(tool: Callable[[Any, Any], Any]) -> Callable[[str], Work]:
    def prepare(path: str) -> Work:
        reference, predicted = pickle.loads(Path(path).read_bytes())
        tool(reference[:10], predicted[:10])
        return lambda: tool(reference, predicted)

    return prepare


def _isogloss(reference: Any, predicted: Any) -> Any:
    import isogloss

    run = isogloss.ner(reference, predicted)
    return run.scores, run.by_label, run.macro, run.confusion


def _seqeval_f1(reference: Any, predicted: Any) -> Any:
    from seqeval.metrics import f1_score

    return f1_score(reference, predicted)


def _seqeval_report(reference: Any, predicted: Any) -> Any:
    from seqeval.metrics import classification_report

    return classification_report(reference, predicted)


def _nervaluate(reference: Any, predicted: Any) -> Any:
    from nervaluate import Evaluator

    return Evaluator(reference, predicted, tags=list(LABELS), loader="list").evaluate()


def _seqscore(reference: Any, predicted: Any) -> Any:
    from seqscore.scoring import score_label_sequences

    return score_label_sequences(predicted, reference, "BIO", repair="conlleval")


def _document_isogloss(case: str, size: str) -> Work:
    from isogloss import ner

    reference, predicted = _hard(case, int(size))
    return lambda: ner([reference], [predicted]).scores


def _document_nervaluate(case: str, size: str) -> Work:
    from nervaluate import Evaluator

    both = _hard(case, int(size))
    labels = sorted({label for _, _, label in both[0]})

    def work() -> Any:
        sides = [[[{"start": s, "end": e - 1, "label": n} for s, e, n in side]] for side in both]
        return Evaluator(*sides, tags=labels, loader="dict").evaluate()

    return work


PARTS = {
    "lists": measure_lists,
    "files": measure_files,
    "documents": measure_documents,
    "start": measure_start,
}
WORKS = {
    "isogloss": _from_lists(_isogloss),
    "seqeval-f1": _from_lists(_seqeval_f1),
    "seqeval-report": _from_lists(_seqeval_report),
    "nervaluate": _from_lists(_nervaluate),
    "seqscore": _from_lists(_seqscore),
    "document-isogloss": _document_isogloss,
    "document-nervaluate": _document_nervaluate,
}
PROGRAMS = {"write-lists": _write_lists, "write-files": _write_files}

if __name__ == "__main__":
    run_script(Script(Path(__file__), PARTS, WORKS, PROGRAMS), __doc__)
