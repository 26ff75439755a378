"""Corpora for comparisons with other tools, scores of profiles, and how much was compared."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from isogloss.formats.python_lists import batch_tag_lists
from isogloss.kernel.counted_corpus import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.spans.batches import SpanPairs
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.options import PROFILES

Documents = list[list[str]]
Span = tuple[int, int, str]
T = TypeVar("T", bound=list[Any])
NER_DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(path for path in NER_DATA.glob("*/*.test.conll") if not path.name.startswith("gold"))
SPAN_FILES = sorted(path for path in NER_DATA.glob("*/*.test.jsonl") if not path.name.startswith("gold"))
needs_systems = pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
ODD_TAGS = [
    *("ADJ", "BPER", "OTHER", "B", "I", "E", "S", "X", "B-", "I-", "O-", "X-P", "L-P", "U-P", "M-A", "O-P", "I--P"),
    *(".", ".-P", ".-Q", "-", "-P"),
]
LABELS = (["P"], ["PER", "LOC", "ORG"], ["A-B", "A", "B", "-", "a_b", "_"], ["é", "人", "0", "U.S."])


def read_tags(profile: str, *sides: Documents, scheme: str | None = None, repair: Any = None) -> list[SpanPairs]:
    """Read tags as a profile does."""
    return list(map(PROFILES.load(profile).build_decoder(scheme, repair), batch_tag_lists(*sides)))


def score_batches(profile: str, batches: Iterable[SpanPairs], **options: Any) -> Any:
    """Score spans by a profile; `options` are those of its metric."""
    metric = PROFILES.load(profile).configure_metric(**options)
    return TallyEvidence(metric, count_batches(batches, metric).tally).numbers


def score_tags(
    profile: str, *sides: Documents, scheme: str | None = None, repair: TagRepair | None = None, **options: Any
) -> Any:
    """Score tags by a profile."""
    return score_batches(profile, read_tags(profile, *sides, scheme=scheme, repair=repair), **options)


def corpora(tags: list[str], seed: int, number: int, size: int) -> Iterator[tuple[Documents, Documents]]:
    """Pairs of corpora: predictions are references with changes, some documents are empty, some all O."""
    draw = random.Random(seed)
    for _ in range(number):
        quiet, change = draw.choice([0.0, 0.3, 0.7, 1.0]), draw.choice([0.0, 0.1, 0.4, 1.0])

        def tag(quiet: float = quiet) -> str:
            return "O" if draw.random() < quiet else draw.choice(tags)

        reference = [[tag() for _ in range(draw.choice([0, 1, 2, 5, 9]))] for _ in range(draw.randint(1, size))]
        prediction = [[tag(0.5) if draw.random() < change else t for t in document] for document in reference]
        yield reference, prediction


def add_prefixes(letters: str, labels: list[str]) -> list[str]:
    """Return O, and each letter before each label."""
    return ["O", *(f"{letter}-{label}" for letter in letters for label in labels)]


def load_tags(path: Path) -> Documents:
    """Load the tags of each sentence of a file of tokens and tags."""
    sentences = path.read_text("utf-8").strip("\n").split("\n\n")
    return [[line.split("\t")[1] for line in sentence.split("\n")] for sentence in sentences]


def load_spans(path: Path) -> list[list[Span]]:
    """Load the spans of each document of JSON lines, in order."""
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [sorted((e["start"], e["end"], e["label"]) for e in row["entities"]) for row in rows]


def find_gold(path: Path) -> Path:
    """Return the reference of a file of predictions."""
    return path.with_name(f"gold.{path.name.split('.', 1)[1]}")


def load_pairs(paths: Iterable[Path], load: Callable[[Path], T]) -> Iterator[tuple[T, T]]:
    """Load the reference and the prediction of each file."""
    return ((load(find_gold(path)), load(path)) for path in paths)


def compare_all(what: str, pairs: Iterable[tuple[T, T]], compare: Callable[[T, T], object]) -> None:
    """Compare pairs of corpora, and print how many documents were compared."""
    documents = 0
    for reference, prediction in pairs:
        compare(reference, prediction)
        documents += len(reference)
    report_documents(what, documents)


def report_documents(what: str, documents: int) -> None:
    """Print how much was compared."""
    print(f"{what}: {documents} documents")  # noqa: T201 - how much was compared is part of the result
    assert documents > 0
