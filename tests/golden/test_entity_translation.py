"""The sentences of `entity_translation`, whose figures its `README.md` works out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

import isogloss
from isogloss import Run

FOLDER = Path(__file__).parent / "entity_translation"
KINDS = {
    "correct": 5,
    "missing": 1,
    "punctuation": 1,
    "diacritics": 2,
    "sibling_alias": 1,
    "source_name_kept": 1,
    "other_spelling": 0,
    "answered": 1,
    "other": 0,
}


@pytest.fixture(scope="module")
def run() -> Run:
    return isogloss.entity_translation(FOLDER / "references", FOLDER / "predictions", hits=True)


def test_languages_and_their_means(run: Run) -> None:
    right = {language: group["m_eta"].correct for language, group in run.slices["language"].items()}
    assert right == {"ar_AE": 1, "it_IT": 1, "ko_KR": 1, "th_TH": 1, "tr_TR": 1}
    assert run.scores["m_eta"] == {"accuracy": 5 / 12, "correct": 5, "total": 12, "missing": 1}
    assert run.scores["languages"].accuracy == pytest.approx(31 / 60, abs=1e-15)


def test_entity_types(run: Run) -> None:
    found = {kind: (group["m_eta"].correct, group["m_eta"].total) for kind, group in run.by_label.items()}
    assert found == {
        "Artwork": (0, 2),
        "Book": (1, 2),
        "Food": (1, 3),
        "Landmark": (1, 2),
        "Movie": (0, 2),
        "Place of worship": (1, 2),
    }


def test_kinds_of_names_boundaries_and_entities(run: Run) -> None:
    assert run.kinds == KINDS
    assert run.scores["boundary"] == {"clear": 3, "attached": 1, "unspaced": 1}
    assert run.scores["consistency"] == {"all_right": 1, "mixed": 4, "all_wrong": 1, "entities": 6}


def test_each_sentence_has_its_kind(run: Run) -> None:
    kinds = {finding.document: finding.kind for finding in run.findings}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|") for line in readme.splitlines() if "| Q9" in line]
    assert kinds == {row[2].strip(): row[3].strip() for row in rows}


def test_what_was_done_about_the_input(run: Run) -> None:
    assert {notice.code: notice.count for notice in run.warnings} == {"missing-predictions": 1, "extra-predictions": 1}


def test_normalisation_to_letters_accepts_hyphens() -> None:
    run = isogloss.entity_translation(FOLDER / "references", FOLDER / "predictions", normalize="letters")
    assert run.scores["m_eta"].correct == 6
