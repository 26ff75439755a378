"""`Seqeval` against what evaluate's metric is made of: seqeval's own report and accuracy, put together naively."""

from __future__ import annotations

import random
import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import UsageError
from isogloss.integrations import Seqeval

metrics = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
schemes = pytest.importorskip("seqeval.scheme")

pytestmark = pytest.mark.parity

Documents = list[list[str]]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(path for path in DATA.glob("*/*.conll") if not path.name.startswith("gold"))
LABELS = (["PER", "LOC", "ORG"], ["A-B", "A", "B", "-", "_"], ["ผู้คน", "مكان", "U.S."])
LETTERS = {"IOB1": "BI", "IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}


def naive(predictions: Documents, references: Documents, scheme: str | None = None, **options: Any) -> dict[str, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = None if scheme is None else getattr(schemes, scheme)
        rows = metrics.classification_report(references, predictions, output_dict=True, scheme=chosen, **options)
    averages = {name: rows.pop(f"{name} avg") for name in ("micro", "macro", "weighted")}
    found: dict[str, Any] = {
        label: {
            "precision": row["precision"],
            "recall": row["recall"],
            "f1": row["f1-score"],
            "number": row["support"],
        }
        for label, row in rows.items()
    }
    for name, own in (("precision", "precision"), ("recall", "recall"), ("f1", "f1-score")):
        found[f"overall_{name}"] = averages["micro"][own]
    return found | {"overall_accuracy": metrics.accuracy_score(references, predictions)}


def compare(predictions: Documents, references: Documents, **options: Any) -> None:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="scheme=", category=UserWarning)
        ours = Seqeval().compute(predictions=predictions, references=references, **options)
    theirs = naive(predictions, references, **options)
    assert list(ours) == list(theirs)
    for name, value in theirs.items():
        if not isinstance(value, dict):
            same(name, ours[name], value)
            continue
        assert list(ours[name]) == list(value)
        for own, number in value.items():
            same(own, ours[name][own], number)


def same(name: str, ours: float, theirs: float) -> None:
    """F is made of counts here, of precision and recall there, so that its last bits may differ; all else is equal."""
    assert ours == (pytest.approx(theirs, rel=4e-16, abs=0) if name.endswith("f1") else theirs), name


def corpora(tags: list[str], seed: int, number: int) -> Iterator[tuple[Documents, Documents]]:
    """Predictions and references with tokens; some documents are empty, some all O."""
    draw = random.Random(seed)
    for _ in range(number):
        quiet, change = draw.choice([0.3, 0.7, 1.0]), draw.choice([0.0, 0.1, 0.4, 1.0])

        def tag(quiet: float = quiet) -> str:
            return "O" if draw.random() < quiet else draw.choice(tags)

        references = [[tag() for _ in range(draw.choice([0, 1, 2, 5, 9]))] for _ in range(draw.randint(1, 100))]
        references.append([tag()])
        yield [[tag(0.5) if draw.random() < change else t for t in document] for document in references], references


def tags_of(letters: str, labels: list[str], *, suffix: bool = False) -> list[str]:
    pairs = [(letter, label) for letter in letters for label in labels]
    return ["O", *(f"{label}-{letter}" if suffix else f"{letter}-{label}" for letter, label in pairs)]


def test_default_mode_gives_the_same() -> None:
    for labels in LABELS:
        for suffix in [False, True]:
            for letters in ["BI", "BIES"]:
                for seed, (predictions, references) in enumerate(
                    corpora(tags_of(letters, labels, suffix=suffix), 1, 16),
                ):
                    zero: Any = ("warn", 0, 1)[seed % 3]
                    scheme = (None, "IOB2")[seed % 2]
                    compare(predictions, references, suffix=suffix, zero_division=zero, scheme=scheme)


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("scheme", LETTERS)
def test_strict_mode_gives_the_same(scheme: str, *, suffix: bool, labels: list[str]) -> None:
    tags = tags_of(LETTERS[scheme], labels, suffix=suffix)
    for seed, (predictions, references) in enumerate(corpora(tags, 2, 12)):
        zero: Any = ("warn", 0, 1)[seed % 3]
        compare(predictions, references, mode="strict", scheme=scheme, suffix=suffix, zero_division=zero)


@pytest.mark.parametrize("suffix", [False, True])
@pytest.mark.parametrize("letters", ["BI", "IE", "BIES", "BILU"])
def test_strict_mode_without_a_scheme_gives_the_same(letters: str, *, suffix: bool) -> None:
    told = 0
    for predictions, references in corpora(tags_of(letters, ["PER", "LOC"], suffix=suffix), 3, 20):
        try:
            theirs = schemes.auto_detect(references, suffix)
        except ValueError:
            with pytest.raises(UsageError, match="detects no scheme"):
                Seqeval().compute(predictions=predictions, references=references, mode="strict", suffix=suffix)
            continue
        if theirs is not schemes.IOE1:
            compare(predictions, references, mode="strict", suffix=suffix)
            told += 1
    assert told > 5


def test_any_letters_tell_the_scheme_that_they_tell_seqeval() -> None:
    told = dict.fromkeys(("IOB2", "IOE2", "IOBES", "BILOU"), 0)
    refused_there_alone = []
    for letters in (set(chosen) for size in range(1, 8) for chosen in combinations("OBIESLU", size)):
        tags = [["O" if letter == "O" else f"{letter}-P" for letter in sorted(letters)]]
        given: dict[str, Any] = {"predictions": tags, "references": tags, "mode": "strict"}
        try:
            scheme = schemes.auto_detect(tags).__name__
        except ValueError:
            try:
                Seqeval().compute(**given)
            except UsageError:
                continue
            refused_there_alone.append(letters)
        else:
            assert Seqeval().compute(**given) == Seqeval().compute(**given, scheme=scheme)
            told[scheme] += 1
    assert told == {"IOB2": 4, "IOE2": 4, "IOBES": 9, "BILOU": 9}
    assert refused_there_alone == [{"O", "S"}, {"O", "U"}]


@pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
def test_real_systems_have_the_same() -> None:
    for path in SYSTEMS:
        references, predictions = (_tags(p) for p in (path.parent / f"gold.{path.name.split('.', 1)[1]}", path))
        assert sum(map(len, references)) > 1000
        compare(predictions, references)


def _tags(path: Path) -> Documents:
    documents: Documents = [[]]
    for line in path.read_text("utf-8").splitlines():
        if not line.strip():
            documents.append([])
        elif not line.startswith(("# ", "-DOCSTART-")):
            documents[-1].append(line.split("\t" if "\t" in line else None)[-1])
    return [tags for tags in documents if tags]
