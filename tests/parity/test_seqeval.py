"""The profiles `seqeval` and `seqeval-strict` against seqeval itself, on random documents and on real files."""

from __future__ import annotations

import math
import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from compared import compared, corpora, tags_of, with_prefixes

from isogloss.errors import TagError
from isogloss.formats.python_lists import batch_tag_lists
from isogloss.kernel.counting import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.tasks.ner.options import PROFILES

metrics = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
schemes = pytest.importorskip("seqeval.scheme")
labeling = pytest.importorskip("seqeval.metrics.sequence_labeling")
get_entities, support = labeling.get_entities, labeling.precision_recall_fscore_support

pytestmark = pytest.mark.parity

Documents = list[list[str]]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(DATA.glob("*/*.test.conll")) if DATA.is_dir() else []
LABELS = (["P"], ["PER", "LOC", "ORG"], ["A-B", "A", "B", "-", "a_b", "_"], ["é", "人", "0", "U.S."])
ODD = [
    "ADJ",
    "B",
    "I",
    "E",
    "S",
    "X",
    "B-",
    "I-",
    "X-P",
    "L-P",
    "U-P",
    "M-A",
    "O-P",
    "OTHER",
    ".",
    ".-P",
    "BPER",
    "-",
    "I--P",
]
AVERAGES: dict[str, tuple[str, ...]] = {"micro avg": (), "macro avg": ("macro",), "weighted avg": ("weighted",)}
CLOSE = {"rel_tol": 0, "abs_tol": 1e-12}


def scored(profile: str, reference: Documents, prediction: Documents, scheme: str | None = None, **options: Any) -> Any:
    tool = PROFILES.load(profile)
    metric, decode = tool.configure_metric(**options), tool.build_decoder(scheme)
    return TallyEvidence(
        metric, count_batches(map(decode, batch_tag_lists(reference, prediction)), metric).tally
    ).numbers


def compare(ours: Any, reference: Documents, prediction: Documents, zero: int = 0, **options: Any) -> None:
    """The report of every label and average, its numbers of chunks, and the accuracy."""
    report = quietly(
        metrics.classification_report,
        reference,
        prediction,
        output_dict=True,
        zero_division=zero,
        **options,
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
    documents = 0
    for seed, (reference, prediction) in enumerate(corpora(with_prefixes(letters, labels), 1, 24, 120)):
        beta, zero = [1.0, 0.5, 2.0][seed % 3], seed % 2
        ours = scored("seqeval", reference, prediction, beta=beta, zero_division=float(zero))
        compare_functions(ours, beta, reference, prediction, zero_division=zero)
        ours = scored("seqeval", reference, prediction, zero_division=float(zero))
        compare(ours, reference, prediction, zero=zero)
        documents += len(reference)
    compared(f"seqeval, {letters} {labels}", documents)


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
def test_default_mode_reads_odd_tags_of_each_document_the_same(labels: list[str]) -> None:
    documents = 0
    for reference, prediction in corpora([*with_prefixes("BIESLU", labels), *ODD], 2, 40, 120):
        ours, theirs = scored("seqeval", reference, prediction), chunks_one_by_one(reference, prediction)
        assert {key[1] for key in ours if key[0] == "by_label"} == {label for label, _ in theirs}
        for (label, name), number in theirs.items():
            assert ours["by_label", label, "strict", name] == number
        documents += len(reference)
    compared(f"seqeval, odd tags and {labels}", documents)


def test_default_mode_differs_where_a_chunk_reaches_back_into_an_earlier_document() -> None:
    reference, prediction = [["O", "B-P"], ["X", "B-P"]], [["O", "O"], ["X", "B-P"]]
    ours = scored("seqeval", reference, prediction)
    assert (ours["strict", "correct"], ours["strict", "actual"]) == (2, 2)
    assert quietly(metrics.precision_score, reference, prediction) == 0.5


def chunks_one_by_one(reference: Documents, prediction: Documents) -> Counter[tuple[str, str]]:
    """Numbers of chunks by label, from seqeval's own reading of each document alone."""
    numbers: Counter[tuple[str, str]] = Counter()
    for pair in zip(reference, prediction, strict=True):
        gold, found = (set(quietly(get_entities, tags)) for tags in pair)
        for name, chunks in (("possible", gold), ("actual", found), ("correct_reference", gold & found)):
            numbers.update((label, name) for label, _, _ in chunks)
    return numbers


def test_default_mode_scores_odd_tags_of_single_documents_the_same() -> None:
    documents = 0
    for reference, prediction in corpora([*with_prefixes("BIES", ["P", "DJ"]), *ODD], 3, 1000, 1):
        compare(scored("seqeval", reference, prediction), reference, prediction)
        documents += len(reference)
    compared("seqeval, single documents", documents)


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize(
    ("scheme", "letters"),
    [("IOB1", "BI"), ("IOB2", "BI"), ("IOE2", "IE"), ("IOBES", "BIES"), ("BILOU", "BILU")],
)
def test_strict_mode_gives_the_same_on_random_documents(scheme: str, letters: str, labels: list[str]) -> None:
    documents = 0
    tags = with_prefixes(letters, labels)
    tags += [*letters, *(f"{letter}-" for letter in letters), "OTHER", "O-P", f"{letters[0]}--P-", f"{letters[1]}P"]
    for seed, (reference, prediction) in enumerate(corpora(tags, 4, 24, 120)):
        zero = seed % 2
        ours = scored("seqeval-strict", reference, prediction, scheme.lower(), zero_division=float(zero))
        compare(ours, reference, prediction, zero=zero, mode="strict", scheme=getattr(schemes, scheme))
        documents += len(reference)
    compared(f"seqeval-strict, {scheme} {labels}", documents)


@pytest.mark.parametrize(
    ("scheme", "letters"),
    [("IOB1", "BI"), ("IOB2", "BI"), ("IOE2", "IE"), ("IOBES", "BIES"), ("BILOU", "BILU")],
)
def test_strict_mode_refuses_the_same_documents(scheme: str, letters: str) -> None:
    draw = random.Random(5)
    refused = documents = 0
    tags = (
        ["O"] * 20
        + with_prefixes(letters, ["P", "L"]) * 3
        + ["ADJ", "X-P", "E-P", "U-L", "B-P", "S", "M-P", "-P", "b-P"]
    )
    for _ in range(400):
        pair = [[draw.choice(tags) for _ in range(4)]], [[draw.choice(tags) for _ in range(4)]]
        try:
            options = {"scheme": getattr(schemes, scheme), "mode": "strict", "output_dict": True, "zero_division": 0}
            quietly(metrics.classification_report, *pair, **options)
        except (KeyError, ValueError):
            refused += 1
            with pytest.raises(TagError):
                scored("seqeval-strict", *pair, scheme.lower())
        else:
            scored("seqeval-strict", *pair, scheme.lower())
        documents += 1
    compared(f"seqeval-strict, {scheme}, {refused} of them refused by both", documents)
    assert 0 < refused < documents


@pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
@pytest.mark.parametrize("profile", ["seqeval", "seqeval-strict"])
def test_real_files_give_the_same(profile: str) -> None:
    documents = 0
    strict: dict[str, Any] = {} if profile == "seqeval" else {"mode": "strict", "scheme": schemes.IOB2}
    for path in SYSTEMS:
        if path.name.startswith("gold"):
            continue
        reference, prediction = tags_of(path.parent / f"gold.{path.name.split('.', 1)[1]}"), tags_of(path)
        ours = scored(profile, reference, prediction, "iob2" if strict else None)
        compare(ours, reference, prediction, **strict)
        documents += len(reference)
    compared(f"{profile}, real files", documents)
