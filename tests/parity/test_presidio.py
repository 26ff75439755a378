"""The profile `presidio` against presidio-evaluator, where it is installed: pip install presidio-evaluator==0.3.2."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from peer_comparison import compare_all

import isogloss
from isogloss.tasks.ner.profiles.presidio import is_skip_word

pytestmark = pytest.mark.parity

PARENTS = {"NAME": "PERSON", "TITLE": "PERSON", "CITY": "LOCATION", "PERSON": "PII", "LOCATION": "PII", "AGE": "PII"}
LEVELS = {"binary": "0", "branch": "1", "detailed": "2"}
LABELS = ("NAME", "TITLE", "CITY", "PERSON", "AGE")
WORDS = ("Ada", "of", "Lovelace", ",", "the", "Street", "Rome", "İİ", "34", "ΑΣ", "-", "mr.", "Wolverhampton", "x")
CORPORA = 25
DOCUMENTS = 400  # of each
COUNTS = {
    "true_positives": "correct",
    "num_annotated": "possible",
    "num_predicted": "actual",
    "false_negatives": "missed",
    "false_positives": "spurious",
}
GOLDEN = Path(__file__).parent.parent / "golden" / "presidio" / "cases.json"
Labels = list[str]
Document = tuple[list[str], Labels, Labels]


@pytest.fixture(scope="module")
def presidio() -> Any:
    return pytest.importorskip(
        "presidio_evaluator.evaluation", reason="presidio-evaluator is not installed: pip install presidio-evaluator"
    )


def draw_labels(draw: random.Random, size: int) -> Labels:
    found: Labels = []
    while len(found) < size:
        found += [draw.choice(("O", "O", *LABELS))] * draw.choice((1, 1, 2, 3, 5))
    return found[:size]


def change_some(draw: random.Random, labels: Labels) -> Labels:
    own = list(labels)
    for _ in range(draw.randint(0, 3)):
        at = draw.randrange(len(own))
        own[at] = draw.choice(("O", *LABELS, own[at - 1]))
    return own


def corpus(seed: int) -> list[Document]:
    draw = random.Random(seed)
    found = []
    for _ in range(DOCUMENTS):
        words = draw.choices(WORDS, k=draw.randint(1, 12))
        reference = draw_labels(draw, len(words))
        predicted = change_some(draw, reference) if draw.random() < 0.7 else draw_labels(draw, len(words))
        found.append((words, reference, predicted))
    return found


def raise_to(label: str, level: str) -> str:
    path = [label]
    while path[-1] in PARENTS:
        path.append(PARENTS[path[-1]])
    return label if label == "O" else path[::-1][min(int(LEVELS[level]), len(path) - 1)]


def to_frame(documents: Sequence[Document], level: str) -> Any:
    import pandas as pd  # noqa: PLC0415  only the tool needs it

    rows = []
    for number, (words, *sides) in enumerate(documents):
        start = 0
        for word, *labels in zip(words, *sides, strict=True):
            rows.append((number, word, *(raise_to(label, level) for label in labels), start))
            start += len(word) + 1
    return pd.DataFrame(rows, columns=["sentence_id", "token", "annotation", "prediction", "start_indices"])


def to_tags(labels: Labels) -> list[str]:
    return ["O" if label == "O" else f"I-{label}" for label in labels]


def score(documents: Sequence[Document]) -> isogloss.Run:
    sides = ([to_tags(document[side]) for document in documents] for side in (1, 2))
    words = [document[0] for document in documents]
    labels = {"parents": PARENTS}
    return isogloss.ner(*sides, tokens=words, scheme="io", profile="presidio", labels=labels)


def same(ours: Any, theirs: float | None) -> bool:
    theirs = math.nan if theirs is None else theirs
    return (math.isnan(ours) and math.isnan(theirs)) or ours == pytest.approx(theirs, abs=1e-12)


def to_json(scored: Mapping[str, Any]) -> dict[str, Any]:
    """The numbers of the tool as in the golden cases, undefined as None."""
    found: dict[str, Any] = {}
    for level, own in scored.items():
        names = {name: name.replace("num_", "") for name in COUNTS}
        pii = {ours: getattr(own, f"pii_{names[name]}") for name, ours in COUNTS.items()}
        pii |= {"precision": own.pii_precision, "recall": own.pii_recall, "f": own.pii_f}
        found[LEVELS[level]] = {"pii": pii, "by_label": {}}
        for label, each in sorted(own.per_type.items()):
            if any(vars(each).values()):
                entity = {ours: getattr(each, name) for name, ours in COUNTS.items()}
                entity |= {"precision": each.precision, "recall": each.recall, "f": each.f_beta}
                found[LEVELS[level]]["by_label"][label] = {"entity": entity}
    whole: dict[str, Any] = json.loads(json.dumps(found).replace("NaN", "null"))
    return whole


def check_group(ours: Mapping[str, Any], theirs: Any, prefix: str = "") -> None:
    names = {name: name.replace("num_", "") if prefix else name for name in COUNTS}
    assert {n: ours[own] for n, own in COUNTS.items()} == {n: getattr(theirs, prefix + names[n]) for n in COUNTS}
    f_name = "pii_f" if prefix else "f_beta"
    for own, name in (("precision", f"{prefix}precision"), ("recall", f"{prefix}recall"), ("f", f_name)):
        assert same(ours[own], getattr(theirs, name)), (own, ours, theirs)


def list_levels(evaluator: Any, documents: Sequence[Document]) -> Any:
    """The hierarchical scores of the tool, by the name of the level."""
    from presidio_evaluator.entity_mapping import MappedResults  # noqa: PLC0415  may not be installed

    frames = {level: to_frame(documents, level) for level in LEVELS}
    return evaluator.calculate_hierarchical_scores(MappedResults(original=frames["detailed"], **frames))


def check(presidio: Any, documents: Sequence[Document]) -> None:
    run = score(documents)
    evaluator = presidio.SpanEvaluator()
    scored = list_levels(evaluator, documents)
    for level, number in LEVELS.items():
        theirs, ours = scored[level], run.by_level[number]
        check_group(ours["pii"], theirs, "pii_")
        assert set(ours["by_label"]) == {label for label, own in theirs.per_type.items() if any(vars(own).values())}
        for label, own in ours["by_label"].items():
            check_group(own["entity"], theirs.per_type[label])
    check_group(run.scores["pii"], theirs, "pii_")
    pairs = evaluator.calculate_score_on_df(to_frame(documents, "detailed"), level="entity").results
    assert Counter({(r or "O", p or "O"): n for (r, p), n in run.confusion.items()}) == +pairs


def test_random_documents_give_the_hierarchical_scores_of_the_tool(presidio: Any) -> None:
    def compare(reference: list[Document], predicted: list[Document]) -> None:
        del predicted
        check(presidio, reference)

    compare_all("presidio", ((documents, documents) for documents in map(corpus, range(CORPORA))), compare)


def test_the_golden_cases_have_the_numbers_of_the_tool(presidio: Any) -> None:
    for case in json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]:
        documents = [tuple(document) for document in case["documents"]]
        assert to_json(list_levels(presidio.SpanEvaluator(), documents)) == case["levels"], case["name"]


def test_the_words_that_do_not_count_are_those_of_the_tool(presidio: Any) -> None:
    words = presidio.SpanEvaluator().skip_words
    assert len(words) > 400
    assert all(is_skip_word(word) for word in words)
    assert not any(is_skip_word(word) for word in ("ada", "rome", "", "\u00a0")[:2])
