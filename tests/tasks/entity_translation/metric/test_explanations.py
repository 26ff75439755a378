from __future__ import annotations

from typing import Any

import pytest
from translations import task

from isogloss.tasks.entity_translation.findings import build_translation_findings
from isogloss.tasks.entity_translation.inputs import convert_lists_by_language
from isogloss.tasks.entity_translation.options import Rules
from isogloss.tasks.entity_translation.pairing import read_language
from isogloss.tasks.entity_translation.verdicts import (
    ConsistencyCounter,
    JudgedTranslations,
    TranslationJudge,
)

TASKS = [
    task("a", "Duna", "La Duna", wikidata_id="Q1", source="Who wrote Dune?", entity_types=["Book"]),
    task("b", "Duna", wikidata_id="Q1"),
    task("c", "Roma", wikidata_id="Q2"),
    task("d", "Osu", wikidata_id="Q3"),
    task("e", "x"),
]
ANSWERS = ["Ma chi ha scritto La Duna, e quando?", "Dune?", "roma", None, "x"]


def judged(answers: list[Any], *, explained: bool = True) -> JudgedTranslations:
    [part] = convert_lists_by_language({"it": TASKS}, {"it": answers})
    return TranslationJudge(aliases={} if explained else None)(next(read_language(part, Rules(), 0)))


def test_wrong_translation_is_shown_beside_accepted_names() -> None:
    wrong, missing = build_translation_findings(judged(ANSWERS), 10, 2, hits=False)
    assert wrong.to_dict() == {
        "kind": "other_spelling",
        "document": "b",
        "where": "predictions['it'][1]",
        "predicted": {"start": 0, "end": 5, "label": None, "in_text": [0, 5]},
        "text": "Dune?",
        "before": False,
        "after": False,
        "language": "it",
        "entity": "Q1",
        "accepted": ["Duna"],
    }
    assert (missing.kind, missing.document, missing.text) == ("missing", "d", "")


def test_a_name_that_was_found_is_shown_in_its_context() -> None:
    first = build_translation_findings(judged(ANSWERS), 1, 1, hits=True)[0].to_dict()
    assert (first["kind"], first["mention"], first["boundary"]) == ("correct", "La Duna", "clear")
    assert (first["text"], first["before"], first["after"]) == ("scritto La Duna,", True, True)
    begin, end = first["predicted"]["in_text"]
    assert first["text"][begin:end] == "La Duna"
    assert (first["source"], first["entity_types"]) == ("Who wrote Dune?", ["Book"])


def test_there_are_at_most_so_many() -> None:
    assert [len(build_translation_findings(judged(ANSWERS), limit, 3, hits=True)) for limit in (0, 3, 9)] == [0, 3, 5]


def test_verdicts_that_were_not_explained_have_no_findings() -> None:
    with pytest.raises(ValueError, match="not explained"):
        build_translation_findings(judged(ANSWERS, explained=False), 1, 3, hits=False)


def test_entity_is_all_right_mixed_or_all_wrong() -> None:
    consistency = ConsistencyCounter()
    watched = list(consistency.count_batches([judged(ANSWERS)]))
    assert len(watched) == 1
    assert consistency.to_scores() == {
        ("consistency", "all_right"): 1,
        ("consistency", "mixed"): 1,
        ("consistency", "all_wrong"): 1,
        ("consistency", "entities"): 3,
    }
