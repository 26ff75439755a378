"""Word segmentation: isogloss beside the installed peers, on the same corpus in the same run.

    python benchmarks/segmentation.py                  # all parts: about five minutes
    python benchmarks/segmentation.py --part files     # one part: files, lists, memory

Prints Markdown tables. Every figure is the CPU time of a process of its own. Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import gc
import importlib.util
import io
import os
import pickle
import platform
import sys
import tempfile
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any

from measure import Cost, child, of_command, of_function, table
from segmentation_corpus import samples

SCRIPT = Path(__file__)
SAMPLES = 20_000
GROWING = (20_000, 80_000, 320_000)
Work = Callable[[], Any]
Sides = tuple[list[list[str]], list[list[str]]]


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("files", "lists", "memory"), action="append")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        CHILDREN[asked.child[0]](*asked.child[1:])
        return
    parts = asked.part or ["files", "lists", "memory"]
    print(f"{os.cpu_count()} cores shared with other work, Python {platform.python_version()}\n")
    with tempfile.TemporaryDirectory() as folder:
        if "files" in parts:
            files(Path(folder))
        if "lists" in parts:
            lists(Path(folder))
        if "memory" in parts:
            memory(Path(folder))


def files(folder: Path) -> None:
    """All tools from two files of words between `|`; conll18 from CoNLL-U."""
    sides = _written(folder, SAMPLES)
    titles = {
        "isogloss-files": "**isogloss.segmentation**: characters, words, boundaries, kinds",
        "isogloss_means-files": "the same, and means over samples",
        "pythainlp-files": "pythainlp.benchmarks",
        "sets-files": "plain Python sets of spans, words only",
        "conll18-files": "conll18_ud_eval (udtools), from CoNLL-U",
    }
    _compare("From files", titles, ("udtools", "pythainlp"), [str(path) for path in sides])


def lists(folder: Path) -> None:
    """All tools from Python lists of words."""
    path = folder / "lists.pickle"
    path.write_bytes(pickle.dumps(tuple(map(list, zip(*samples(SAMPLES), strict=True))), protocol=5))
    titles = {
        "isogloss-lists": "**isogloss.segmentation**: characters, words, boundaries, kinds",
        "isogloss_means-lists": "the same, and means over samples",
        "pythainlp-lists": "pythainlp.benchmarks, words joined by `|`",
        "sets-lists": "plain Python sets of spans, words only",
        "spacy-lists": "spaCy `Scorer.score_tokenization`, documents made on the way",
    }
    _compare("From Python lists", titles, ("pythainlp", "spacy"), [str(path)])


def _compare(title: str, titles: dict[str, str], optional: tuple[str, ...], arguments: list[str]) -> None:
    absent = [name for name in optional if importlib.util.find_spec(name) is None]
    absent = ["conll18" if name == "udtools" else name for name in absent]
    names = [name for name in titles if name.split("-", 1)[0] not in absent]
    costs = {name: of_function(SCRIPT, name, *arguments, processes=_processes(name)) for name in names}
    characters = _characters()
    print(f"{title}: {SAMPLES:,} samples, {characters / 1e6:.2f} M characters.\n")
    own = costs[names[0]]
    rows = [_row(titles[name], cost, own, characters) for name, cost in costs.items()]
    print(table(("tool", "CPU s", "M characters / s", "isogloss is faster by", "peak over input"), rows))
    if absent:
        print(f"Not installed: {', '.join(absent)}.\n")


def _processes(name: str) -> int:
    return 1 if name.startswith("conll18") else 3


def _row(title: str, cost: Cost, own: Cost, characters: int) -> tuple[str, ...]:
    rate = characters / cost.seconds / 1e6
    times = f"{cost.seconds / own.seconds:.1f}x"
    return title, f"{cost.seconds:.3f}", f"{rate:.2f}", times, f"{cost.megabytes:.0f} MB"


def memory(folder: Path) -> None:
    """The command line at growing sizes."""
    rows = []
    for number in GROWING:
        reference, predicted = _written(folder, number)
        cost = of_command([sys.executable, "-m", "isogloss", "segmentation", str(reference), str(predicted)])
        size = (reference.stat().st_size + predicted.stat().st_size) / 1e6
        each = f"{cost.seconds / number * 1e6:.1f}"
        rows.append((f"{number:,}", f"{size:.0f}", f"{cost.seconds:.2f}", each, f"{cost.megabytes:.0f} MB"))
    print("The command line at growing sizes.\n")
    print(table(("samples", "MB", "CPU s", "µs / sample", "peak memory"), rows))


def _characters() -> int:
    return sum(len(word) for reference, _ in samples(SAMPLES) for word in reference if word != " ")


def _written(folder: Path, number: int) -> tuple[Path, Path]:
    paths = folder / f"reference-{number}.txt", folder / f"predicted-{number}.txt"
    streams = [path.open("w", encoding="utf-8") for path in paths]
    for both in samples(number):
        for stream, words in zip(streams, both, strict=True):
            stream.write("|".join(words) + "\n")
    for stream in streams:
        stream.close()
    return paths


# What is measured


def _from_files(prepared: Callable[[str, str], Work]) -> Callable[[str, str], None]:
    return lambda reference, predicted: child(lambda: prepared(reference, predicted), repeats=_repeats())


def _from_lists(tool: Callable[[Sides], Work]) -> Callable[[str], None]:
    def measured(path: str) -> None:
        def prepare() -> Work:
            sides = pickle.loads(Path(path).read_bytes())
            work = tool(sides)
            gc.collect()
            gc.freeze()  # the input is no garbage; looking through it is not the tool's work
            return work

        child(prepare, repeats=_repeats())

    return measured


def _repeats() -> int:
    slow = sys.argv[2].startswith("conll18")  # a minute
    return 7 if sys.argv[2].startswith("isogloss") else 1 if slow else 2


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


CHILDREN: dict[str, Callable[..., None]] = {
    "isogloss-files": _from_files(_isogloss),
    "isogloss-lists": _from_lists(lambda sides: _isogloss(*sides)),
    "isogloss_means-files": _from_files(_isogloss_means),
    "isogloss_means-lists": _from_lists(lambda sides: _isogloss_means(*sides)),
    "pythainlp-files": _from_files(_pythainlp_files),
    "pythainlp-lists": _from_lists(_pythainlp_lists),
    "sets-files": _from_files(_sets_files),
    "sets-lists": _from_lists(lambda sides: lambda: _sets(sides)),
    "conll18-files": _from_files(_conll18_files),
    "spacy-lists": _from_lists(_spacy_lists),
}

if __name__ == "__main__":
    main()
