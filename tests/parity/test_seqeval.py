"""The profiles `seqeval` and `seqeval-strict` against seqeval itself, on random documents and on real files."""

from __future__ import annotations

import math
import random
import warnings
from collections import Counter
from functools import partial
from itertools import product
from typing import Any

import pytest
from peer_comparison import (
    LABELS,
    ODD_TAGS,
    SYSTEMS,
    Documents,
    add_prefixes,
    compare_all,
    corpora,
    load_pairs,
    load_tags,
    needs_systems,
    report_documents,
    score_tags,
)

from isogloss.errors import TagError

metrics = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
schemes = pytest.importorskip("seqeval.scheme")
labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
get_entities, support = labeling.get_entities, labeling.precision_recall_fscore_support

pytestmark = pytest.mark.parity

AVERAGES: dict[str, tuple[str, ...]] = {"micro avg": (), "macro avg": ("macro",), "weighted avg": ("weighted",)}
STRICT_SCHEMES = {"IOB1": "BI", "IOB2": "BI", "IOE2": "IE", "IOBES": "BIES", "BILOU": "BILU"}
CLOSE = {"rel_tol": 0, "abs_tol": 1e-12}


def compare(ours: Any, reference: Documents, prediction: Documents, *, zero: int = 0, **options: Any) -> None:
    """The report of every label and average, its numbers of chunks, and the accuracy."""
    report = quietly(
        metrics.classification_report, reference, prediction, output_dict=True, zero_division=zero, **options
    )
    labels = [name for name in report if name not in AVERAGES]
    assert sorted(key[1] for key in ours if key[0] == "by_label" and key[3] == "possible") == labels
    for name, row in report.items():
        key = AVERAGES.get(name, ("by_label", name))
        for theirs, own in (("precision", "precision"), ("recall", "recall"), ("f1-score", "f1")):
            assert same(ours[(*key, "strict", own)], row[theirs]), (name, own)
    for label in labels:
        assert ours["by_label", label, "strict", "possible"] == report[label]["support"]
    assert ours["strict", "possible"] == report["micro avg"]["support"]
    if any(reference):
        assert same(ours["tokens", "accuracy"], metrics.accuracy_score(reference, prediction))


def compare_functions(ours: Any, beta: float, *arguments: Documents, **options: Any) -> None:
    """What the functions give for each average, and for each label in their order."""
    f = "f1" if beta == 1 else "f"
    for average, key in ((name.split()[0], key) for name, key in AVERAGES.items()):
        theirs = quietly(support, *arguments, average=average, beta=beta, **options)[:3]
        for own, number in zip(("precision", "recall", f), theirs, strict=True):
            assert same(ours[(*key, "strict", own)], number), (average, own)
    labels = sorted({key[1] for key in ours if key[0] == "by_label"})
    theirs = quietly(support, *arguments, average=None, beta=beta, **options)
    for own, numbers in zip(("precision", "recall", f, "possible"), theirs, strict=True):
        assert [ours["by_label", label, "strict", own] for label in labels] == pytest.approx(list(numbers), abs=1e-12)
    if beta == 1:
        for own, function in (("precision", "precision_score"), ("recall", "recall_score"), ("f1", "f1_score")):
            assert same(ours["strict", own], quietly(getattr(metrics, function), *arguments, **options))


def quietly(function: Any, *arguments: Any, **options: Any) -> Any:
    """A call without the warnings of unknown tags and of 0/0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def same(ours: float, theirs: float) -> bool:
    return (math.isnan(ours) and math.isnan(theirs)) or math.isclose(ours, theirs, **CLOSE)


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize("letters", ["BI", "IE", "BIES"])
def test_default_mode_gives_the_same_on_random_documents(letters: str, labels: list[str]) -> None:
    def compare_both(zero: int, beta: float, *sides: Documents) -> None:
        ours = score_tags("seqeval", *sides, beta=beta, zero_division=float(zero))
        compare_functions(ours, beta, *sides, zero_division=zero)
        compare(score_tags("seqeval", *sides, zero_division=float(zero)), *sides, zero=zero)

    for zero, beta in product([0, 1], [1.0, 0.5, 2.0]):
        pairs = corpora(add_prefixes(letters, labels), round(10 * beta) + zero, 4, 120)
        compare_all(f"seqeval, {letters} {labels}", pairs, partial(compare_both, zero, beta))


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
def test_default_mode_reads_odd_tags_of_each_document_the_same(labels: list[str]) -> None:
    pairs = corpora([*add_prefixes("BIESLU", labels), *ODD_TAGS], 2, 40, 120)
    compare_all(f"seqeval, odd tags and {labels}", pairs, compare_chunks)


def compare_chunks(reference: Documents, prediction: Documents) -> None:
    """Compare the chunks of each label with seqeval's own reading of each document alone."""
    theirs: Counter[tuple[str, str]] = Counter()
    for pair in zip(reference, prediction, strict=True):
        gold, found = (set(quietly(get_entities, tags)) for tags in pair)
        for name, chunks in (("possible", gold), ("actual", found), ("correct_reference", gold & found)):
            theirs.update((label, name) for label, _, _ in chunks)
    ours = score_tags("seqeval", reference, prediction)
    assert {key[1] for key in ours if key[0] == "by_label"} == {label for label, _ in theirs}
    for (label, name), number in theirs.items():
        assert ours["by_label", label, "strict", name] == number


def test_default_mode_differs_if_a_chunk_spans_documents() -> None:
    reference, prediction = [["O", "B-P"], ["X", "B-P"]], [["O", "O"], ["X", "B-P"]]
    ours = score_tags("seqeval", reference, prediction)
    assert (ours["strict", "correct"], ours["strict", "actual"]) == (2, 2)
    assert quietly(metrics.precision_score, reference, prediction) == 0.5


def test_default_mode_scores_odd_tags_of_documents_the_same() -> None:
    pairs = corpora([*add_prefixes("BIES", ["P", "DJ"]), *ODD_TAGS], 3, 1000, 1)
    compare_all("seqeval, single documents", pairs, lambda *sides: compare(score_tags("seqeval", *sides), *sides))


def compare_strict(scheme: str, zero: int, *sides: Documents) -> None:
    ours = score_tags("seqeval-strict", *sides, scheme=scheme.lower(), zero_division=float(zero))
    compare(ours, *sides, zero=zero, mode="strict", scheme=getattr(schemes, scheme))


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize(("scheme", "letters"), STRICT_SCHEMES.items())
def test_strict_mode_gives_the_same_on_random_documents(scheme: str, letters: str, labels: list[str]) -> None:
    tags = add_prefixes(letters, labels)
    tags += [*letters, *(f"{letter}-" for letter in letters), "OTHER", "O-P", f"{letters[0]}--P-", f"{letters[1]}P"]
    for zero in (0, 1):
        pairs = corpora(tags, 4 + zero, 12, 120)
        compare_all(f"seqeval-strict, {scheme} {labels}", pairs, partial(compare_strict, scheme, zero))


@pytest.mark.parametrize(("scheme", "letters"), STRICT_SCHEMES.items())
def test_strict_mode_refuses_the_same_documents(scheme: str, letters: str) -> None:
    draw = random.Random(5)
    odd = ["ADJ", "X-P", "E-P", "U-L", "B-P", "S", "M-P", "-P", "b-P"]
    tags = ["O"] * 20 + add_prefixes(letters, ["P", "L"]) * 3 + odd
    refused, documents = 0, 400
    options = {"scheme": getattr(schemes, scheme), "mode": "strict", "output_dict": True, "zero_division": 0}
    for _ in range(documents):
        pair = [[draw.choice(tags) for _ in range(4)]], [[draw.choice(tags) for _ in range(4)]]
        try:
            quietly(metrics.classification_report, *pair, **options)
        except (KeyError, ValueError):
            refused += 1
            with pytest.raises(TagError):
                score_tags("seqeval-strict", *pair, scheme=scheme.lower())
        else:
            score_tags("seqeval-strict", *pair, scheme=scheme.lower())
    report_documents(f"seqeval-strict, {scheme}, {refused} of them refused by both", documents)
    assert 0 < refused < documents


def test_ioe1_of_seqeval_loses_spans_that_end_with_e_before_o() -> None:
    assert schemes.Entities([["I-P", "E-P", "O"]], schemes.IOE1).entities == [[]]


@needs_systems
def test_real_files_give_the_same() -> None:
    pairs = list(load_pairs(SYSTEMS, load_tags))
    compare_all("seqeval, real files", pairs, lambda *sides: compare(score_tags("seqeval", *sides), *sides))
    compare_all("seqeval-strict, real files", pairs, partial(compare_strict, "IOB2", 0))
