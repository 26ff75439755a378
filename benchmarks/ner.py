"""Named entities: isogloss beside the installed peers, on the same corpus in the same run.

    python benchmarks/ner.py                 # all parts but the largest file: about ten minutes
    python benchmarks/ner.py --largest       # also 5 million sentences: 1.1 GB of disk
    python benchmarks/ner.py --part lists    # one part: lists, files, documents, start

Prints Markdown tables. Every figure is the CPU time of a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import os
import pickle
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Any

from measure import Cost, child, of_command, of_function, table
from ner_corpus import LABELS, sentences

SCRIPT = Path(__file__)
SMALL, LARGE, TIMES = 50_000, 500_000, 10
SIZES = (1_000, 2_000, 4_000, 8_000)
PEERS = ("nervaluate", "seqeval", "seqscore")
Work = Callable[[], Any]


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("lists", "files", "documents", "start"), action="append")
    parser.add_argument("--largest", action="store_true", help="also score 5 million sentences")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        CHILDREN[asked.child[0]](*asked.child[1:])
        return
    parts = asked.part or ["lists", "files", "documents", "start"]
    print(_machine())
    with tempfile.TemporaryDirectory() as folder:
        if "lists" in parts:
            lists(Path(folder))
        if "files" in parts:
            files(Path(folder), largest=asked.largest)
        if "documents" in parts:
            documents()
        if "start" in parts:
            start(Path(folder))


def _machine() -> str:
    cpu = next((line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")), "?")
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", *PEERS))
    return f"{cpu}, {os.cpu_count()} cores shared with other work, Python {platform.python_version()}, {packages}\n"


def _lines(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


# From Python lists


def lists(folder: Path) -> None:
    """All tools from the same Python lists of tags."""
    path = folder / "lists.pickle"
    corpus = list(sentences(SMALL))
    path.write_bytes(pickle.dumps(([s.reference for s in corpus], [s.predicted for s in corpus]), protocol=5))
    names = ("isogloss", "seqeval-f1", "seqeval-report", "nervaluate", "seqscore")
    costs = {name: of_function(SCRIPT, name, str(path), processes=3) for name in names}
    print(f"From Python lists: {SMALL:,} sentences, {SMALL * 20:,} tokens.\n")
    titles = {
        "isogloss": "**isogloss.ner**, four schemas, by label, six error kinds",
        "seqeval-f1": "seqeval `f1_score`",
        "seqeval-report": "seqeval `classification_report`",
        "nervaluate": "nervaluate, four schemas",
        "seqscore": "seqscore, label sequences",
    }
    print(_against(costs, titles, SMALL * 20, "tokens / s"))


def _against(costs: dict[str, Cost], titles: dict[str, str], units: int, rate: str) -> str:
    own = costs["isogloss"]
    rows = [
        (
            titles[name],
            f"{cost.seconds:.3f}",
            f"{units / cost.seconds / 1e6:.2f} M",
            f"{cost.seconds / own.seconds:.1f}x",
            f"{cost.megabytes:.0f} MB",
        )
        for name, cost in costs.items()
    ]
    return table(("tool", "CPU s", rate, "isogloss is faster by", "peak over input"), rows)


def _from_lists(tool: Callable[[Any, Any], Any]) -> Callable[[str], None]:
    def measured(path: str) -> None:
        def prepare() -> Work:
            reference, predicted = pickle.loads(Path(path).read_bytes())
            tool(reference[:10], predicted[:10])
            gc.collect()
            gc.freeze()  # the input is no garbage; looking through it is not the tool's work
            return lambda: tool(reference, predicted)

        child(prepare)

    return measured


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


# From files


def files(folder: Path, *, largest: bool) -> None:
    """The command lines, and the peak memory at growing sizes."""
    print(f"The command line. Files of {SMALL:,} and {LARGE:,} sentences of 20 tokens.\n")
    small, large = _written(folder, "small", SMALL), _written(folder, "large", LARGE)
    own = [sys.executable, "-m", "isogloss", "ner"]
    peer = [str(Path(sys.executable).parent / "seqscore"), "score", "--labels", "BIO", "--repair-method", "conlleval"]
    peer_cost = of_command([*peer, "--reference", str(small["reference"]), str(small["predicted"])])
    rows = [_line("seqscore, two files", SMALL, peer_cost, peer_cost, small["reference"], small["predicted"])]
    shapes = {"one file of two columns": ("both",), "two files, tokens compared": ("reference", "predicted")}
    for corpus, number in ((small, SMALL), (large, LARGE)):
        for title, names in shapes.items():
            paths = [corpus[name] for name in names]
            cost = of_command([*own, *map(str, paths)], repeats=3)
            rows.append(_line(f"**isogloss**, {title}", number, cost, peer_cost, *paths))
    if largest:
        path = _repeated(large["both"], folder / "largest.conll")
        cost = of_command([*own, str(path)])
        rows.append(_line("**isogloss**, one file of two columns", LARGE * TIMES, cost, peer_cost, path))
    head = ("tool", "sentences", "MB", "CPU s", "µs / sentence", "faster than seqscore by", "peak memory")
    print(table(head, rows))


def _line(title: str, number: int, cost: Cost, peer: Cost, *paths: Path) -> tuple[str, ...]:
    each, peer_each = cost.seconds / number, peer.seconds / SMALL
    size = sum(path.stat().st_size for path in paths) / 1e6
    return (
        title,
        f"{number:,}",
        f"{size:.0f}",
        f"{cost.seconds:.2f}",
        f"{each * 1e6:.2f}",
        f"{peer_each / each:.1f}x",
        f"{cost.megabytes:.0f} MB",
    )


def _written(folder: Path, name: str, number: int) -> dict[str, Path]:
    paths = {kind: folder / f"{name}-{kind}.conll" for kind in ("both", "reference", "predicted")}
    streams = {kind: path.open("w") for kind, path in paths.items()}
    for s in sentences(number):
        triples = list(zip(s.words, s.reference, s.predicted, strict=True))
        streams["both"].write("".join(f"{w} {r} {p}\n" for w, r, p in triples) + "\n")
        streams["reference"].write("".join(f"{w} {r}\n" for w, r, _ in triples) + "\n")
        streams["predicted"].write("".join(f"{w} {p}\n" for w, _, p in triples) + "\n")
    for stream in streams.values():
        stream.close()
    return paths


def _repeated(path: Path, target: Path) -> Path:
    with target.open("wb") as out:
        for _ in range(TIMES):
            with path.open("rb") as part:
                shutil.copyfileobj(part, out)
    return target


# One large document


def documents() -> None:
    """One document that is hard for tools that are quadratic in its entities or linear in their types."""
    print("One document, CPU milliseconds by its number of entities.\n")
    rows = []
    for title, case in (
        ("4 labels, all right", "few"),
        ("200 labels, all right", "many"),
        ("200 labels, all right, under one mismatched covering span", "covered"),
        ("200 labels, all bounds wrong, under one mismatched covering span", "shifted"),
    ):
        for tool in ("isogloss", "nervaluate"):
            sizes = SIZES if tool == "isogloss" else SIZES[:2]
            costs = [of_function(SCRIPT, "document", tool, case, str(size)).seconds * 1e3 for size in sizes]
            cells = [f"{cost:.1f}" for cost in costs] + ["not run"] * (len(SIZES) - len(sizes))
            rows.append((f"{title}: {tool}", *cells))
    print(table(("document", *(f"{size:,}" for size in SIZES)), rows))


def _document(tool: str, case: str, size: str) -> None:
    reference, predicted = _hard(case, int(size))
    labels = sorted({label for _, _, label in reference})

    def nervaluate() -> Any:
        from nervaluate import Evaluator

        sides = [[[{"start": s, "end": e - 1, "label": n} for s, e, n in side]] for side in (reference, predicted)]
        return Evaluator(*sides, tags=labels, loader="dict").evaluate()

    def isogloss() -> Any:
        from isogloss import ner

        return ner([reference], [predicted]).scores

    child(lambda: {"nervaluate": nervaluate, "isogloss": isogloss}[tool], repeats=3 if tool == "isogloss" else 1)


def _hard(case: str, size: int) -> tuple[list[Any], list[Any]]:
    labels = 4 if case == "few" else 200
    reference = [(4 * k, 4 * k + 2, f"L{k % labels}") for k in range(size)]
    predicted = list(reference)
    if case == "shifted":
        predicted = [(start + 1, end + 1, label) for start, end, label in reference]
    if case in {"covered", "shifted"}:
        reference, predicted = [*reference, (0, 4 * size, "L0")], [*predicted, (0, 4 * size + 1, "L1")]
    return reference, predicted


# Start


def start(folder: Path) -> None:
    """What a command costs before it does anything."""
    path = folder / "short.conll"
    with path.open("w") as out:
        for s in islice(sentences(5), 5):
            out.write("".join(f"{w} {r} {p}\n" for w, r, p in zip(s.words, s.reference, s.predicted, strict=True)))
            out.write("\n")
    commands = {
        "`python -c pass`": [sys.executable, "-c", "pass"],
        "`python -c 'import numpy'`": [sys.executable, "-c", "import numpy"],
        "`isogloss --help`": [sys.executable, "-m", "isogloss", "--help"],
        "`isogloss ner` on 100 lines": [sys.executable, "-m", "isogloss", "ner", str(path)],
    }
    costs = {title: of_command(command, repeats=7) for title, command in commands.items()}
    print("Start-up.\n")
    print(table(("command", "CPU s", "wall s"), [(t, f"{c.seconds:.3f}", f"{c.wall:.3f}") for t, c in costs.items()]))


CHILDREN: dict[str, Callable[..., None]] = {
    "isogloss": _from_lists(_isogloss),
    "seqeval-f1": _from_lists(_seqeval_f1),
    "seqeval-report": _from_lists(_seqeval_report),
    "nervaluate": _from_lists(_nervaluate),
    "seqscore": _from_lists(_seqscore),
    "document": _document,
}

if __name__ == "__main__":
    main()
