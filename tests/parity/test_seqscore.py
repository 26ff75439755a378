"""The profile `seqscore` against seqscore's own function, with every encoding and repair."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from compared import compared, corpora, tags_of, with_prefixes

from isogloss.errors import TagError
from isogloss.formats.python_lists import batch_span_lists, batch_tag_lists
from isogloss.kernel.counting import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.spans.schemes import TagRepair
from isogloss.tasks.ner.options import PROFILES

scoring = pytest.importorskip("seqscore.scoring", reason="seqscore is not installed")
encodings = pytest.importorskip("seqscore.encoding")

pytestmark = pytest.mark.parity

Documents = list[list[str]]
Span = tuple[int, int, str]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(DATA.glob("*/*.test.conll")) if DATA.is_dir() else []
SPAN_FILES = sorted(path for path in DATA.glob("*/*.test.jsonl") if not path.name.startswith("gold"))
LABELS = (["P"], ["PER", "LOC", "ORG"], ["A-B", "A", "B", "-", "a_b", "_"], ["é", "人", "0", "U.S."])
ENCODINGS = {  # seqscore's name and prefixes by the name of the scheme
    "iob2": ("BIO", "BI"),
    "iob1": ("IOB", "BI"),
    "io": ("IO", "I"),
    "iobes": ("BIOES", "BIES"),
    "bilou": ("BILOU", "BILU"),
    "bmes": ("BMES", "BMES"),
    "bmewo": ("BMEOW", "BMEW"),
}
REPAIRS: dict[TagRepair, str | None] = {"error": None, "begin": "conlleval", "discard": "discard"}
REFUSED = (encodings.EncodingError, AssertionError, NotImplementedError, ValueError)
ODD = ["ADJ", "B", "I", "B-", "I-", "X-P", "X-", "O-P", "E-P", "S-P", "-P", "-", "BI-P", "M-P", "L-P"]


def scored(scheme: str, repair: TagRepair, reference: Documents, prediction: Documents) -> Any:
    tool = PROFILES.load("seqscore")
    metric, decode = tool.configure_metric(), tool.build_decoder(scheme, repair)
    return TallyEvidence(
        metric, count_batches(map(decode, batch_tag_lists(reference, prediction)), metric).tally
    ).numbers


def compare(scheme: str, repair: TagRepair, reference: Documents, prediction: Documents) -> None:
    name, options = ENCODINGS[scheme][0], {"repair": REPAIRS[repair]}
    theirs, accuracy = scoring.score_label_sequences(prediction, reference, name, **options)
    ours = scored(scheme, repair, reference, prediction)
    assert (ours["tokens", "correct"], ours["tokens", "total"]) == (accuracy.hits, accuracy.total)
    assert ours["tokens", "accuracy"] == accuracy.accuracy
    assert sorted({key[1] for key in ours if key[0] == "by_label"}) == sorted(theirs.type_scores)
    assert ours["strict", "correct"] == theirs.true_pos
    for label, score in theirs.type_scores.items():
        assert ours["by_label", label, "strict", "correct_reference"] == score.true_pos
        compare_row(ours, ("by_label", label), score)
    compare_row(ours, (), theirs)


def compare_row(ours: Any, key: tuple[str, ...], theirs: Any) -> None:
    named = {name: ours[(*key, "strict", name)] for name in ("missed", "spurious", "possible", "actual")}
    assert list(named.values()) == [theirs.false_neg, theirs.false_pos, theirs.total_ref, theirs.total_pos]
    for name in ("precision", "recall", "f1"):
        assert math.isclose(ours[(*key, "strict", name)], getattr(theirs, name), rel_tol=0, abs_tol=1e-12)


def valid(name: str, labels: list[str], seed: int, number: int, size: int) -> Iterator[tuple[Documents, Documents]]:
    """Pairs of corpora without an invalid tag, written by seqscore itself."""
    encoding = encodings.get_encoding(name)
    mention, span = encodings.Mention, encodings.Span
    draw = random.Random(seed)
    for _ in range(number):
        sides: tuple[Documents, Documents] = ([], [])
        for _ in range(draw.randint(1, size)):
            length = draw.choice([0, 1, 3, 8])
            edges = sorted(draw.sample(range(length + 1), draw.randint(0, length)))
            spans = [span(a, b) for a, b in pairwise(edges)]
            for side in sides:
                kept = [mention(s, draw.choice(labels)) for s in spans if draw.random() < 0.7]
                side.append(list(encoding.encode_mentions(kept, length)))
        yield sides


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize("scheme", ENCODINGS)
def test_valid_documents_give_the_same(scheme: str, labels: list[str]) -> None:
    documents = 0
    for reference, prediction in valid(ENCODINGS[scheme][0], labels, 1, 8, 120):
        compare(scheme, "error", reference, prediction)
        documents += len(reference)
    compared(f"seqscore, valid {scheme} {labels}", documents)


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize(("scheme", "repair"), [("iob2", "begin"), ("iob2", "discard"), ("iob1", "begin")])
def test_invalid_documents_give_the_same_after_repair(scheme: str, repair: TagRepair, labels: list[str]) -> None:
    documents = 0
    tags = with_prefixes("BI" if scheme == "iob1" else "BIESX", labels)
    for reference, prediction in corpora(tags, 2, 20, 120):
        compare(scheme, repair, reference, prediction)
        documents += len(reference)
    compared(f"seqscore, invalid {scheme} {repair} {labels}", documents)


@pytest.mark.parametrize(
    ("scheme", "repair"),
    [*((scheme, "error") for scheme in ENCODINGS), ("iob2", "begin"), ("iob2", "discard"), ("iob1", "begin")],
)
def test_the_same_documents_are_refused(scheme: str, repair: TagRepair) -> None:
    draw = random.Random(3)
    tags = ["O"] * 12 + with_prefixes(ENCODINGS[scheme][1], ["P", "Q"]) * 4 + ODD
    refused, number = 0, 1000
    for _ in range(number):
        length = draw.choice([1, 2, 3])
        reference, prediction = ([[draw.choice(tags) for _ in range(length)]] for _ in range(2))
        try:
            scoring.score_label_sequences(prediction, reference, ENCODINGS[scheme][0], repair=REPAIRS[repair])
        except REFUSED:
            refused += 1
            with pytest.raises(TagError):
                scored(scheme, repair, reference, prediction)
        else:
            compare(scheme, repair, reference, prediction)
    compared(f"seqscore, {scheme} {repair}, {refused} of them refused by both", number)
    assert 0 < refused < number


def test_spans_that_nest_and_repeat_give_the_same() -> None:
    draw = random.Random(4)
    documents = 0
    for _ in range(20):
        sides: list[list[list[Span]]] = [[], []]
        for side in sides * 100:
            side.append([span(draw) for _ in range(draw.randint(0, 5))])
        compare_spans(*sides)
        documents += len(sides[0])
    compared("seqscore, spans", documents)


def compare_spans(reference: list[list[Span]], prediction: list[list[Span]]) -> None:
    theirs = scoring.ClassificationScore()
    for own, found in zip(reference, prediction, strict=True):
        scoring.score_sequence_mentions(mentions(found), mentions(own), theirs)
    metric = PROFILES.load("seqscore").configure_metric()
    ours: Any = TallyEvidence(metric, count_batches(batch_span_lists(reference, prediction), metric).tally).numbers
    compare_row(ours, (), theirs)
    for label, score in theirs.type_scores.items():
        compare_row(ours, ("by_label", label), score)


@pytest.mark.skipif(not SPAN_FILES, reason="the corpora of ../shared/data/ner are not here")
def test_real_character_spans_give_the_same() -> None:
    documents = 0
    for path in SPAN_FILES:
        sides = [spans_in(path.with_name(f"gold.{path.name.split('.', 1)[1]}")), spans_in(path)]
        compare_spans(*sides)
        documents += len(sides[0])
    compared("seqscore, real spans", documents)


def spans_in(path: Path) -> list[list[Span]]:
    rows = map(json.loads, path.read_text("utf-8").splitlines())
    return [[(e["start"], e["end"], e["label"]) for e in row["entities"]] for row in rows]


def span(draw: random.Random) -> Span:
    start = draw.randint(0, 2)
    return start, start + draw.randint(1, 2), draw.choice("PQ")


def mentions(document: list[Span]) -> list[Any]:
    return [encodings.Mention(encodings.Span(start, end), label) for start, end, label in document]


def of_command_line(path: Path, tags: list[str]) -> Any:
    """The documents of a file as seqscore's command line reads them with the repair `conlleval`."""
    conll = pytest.importorskip("seqscore.conll")
    path.write_text("".join(f"w {tag}\n" for tag in tags), "utf-8")
    options = {"ignore_document_boundaries": True, "allow_comment_lines": False, "quiet": True}
    return conll.ingest_conll_file(path, "BIO", "utf-8", conll.LineSpec(0, 1), repair="conlleval", **options)


def test_the_command_line_alone_refuses_unknown_prefixes_under_repair(tmp_path: Path) -> None:
    with pytest.raises(encodings.EncodingError, match="Invalid state"):
        of_command_line(tmp_path / "unknown.conll", ["X-P"])
    assert scored("iob2", "begin", [["X-P"]], [["B-P"]])["strict", "correct"] == 1


def test_the_command_line_alone_has_the_accuracy_of_repaired_tags(tmp_path: Path) -> None:
    sides = (
        of_command_line(tmp_path / "reference.conll", ["I-P"]),
        of_command_line(tmp_path / "predicted.conll", ["B-P"]),
    )
    assert scoring.compute_scores(*reversed(sides))[1].hits == 1
    assert scored("iob2", "begin", [["I-P"]], [["B-P"]])["tokens", "correct"] == 0


@pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
@pytest.mark.parametrize("repair", ["begin", "discard"])
def test_real_files_give_the_same(repair: TagRepair) -> None:
    documents = 0
    for path in SYSTEMS:
        reference, prediction = tags_of(path.parent / f"gold.{path.name.split('.', 1)[1]}"), tags_of(path)
        compare("iob2", repair, reference, prediction)
        documents += len(reference)
    compared(f"seqscore, real files, {repair}", documents)
