"""The profile `ea-mt` beside the algorithm of the shared task, on its own data and on random rows."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translations import official

import isogloss
from isogloss.tasks.entity_translation.options import EA_MT

DATA = Path(__file__).parents[3] / "shared" / "data" / "entity-translation"
real = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data is not beside the repository")
SYSTEM = "gpt-4o-2024-08-06"
PUBLISHED = {  # the shared task's figures on its validation split
    "ar_AE": (278, 722),
    "de_DE": (308, 731),
    "es_ES": (384, 739),
    "fr_FR": (313, 724),
    "it_IT": (334, 730),
    "ja_JP": (321, 723),
    "ko_KR": (360, 745),
    "th_TH": (108, 710),
    "tr_TR": (288, 732),
    "zh_TW": (266, 722),
}


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@real
@pytest.mark.parametrize("profile", ["ea-mt", None])
def test_figures_are_the_published_ones(profile: str | None) -> None:
    run = isogloss.entity_translation(DATA / "references", DATA / "predictions" / SYSTEM, profile=profile)
    groups = {language: group["m_eta"] for language, group in run.slices["language"].items()}
    assert {language: (group.correct, group.total) for language, group in groups.items()} == PUBLISHED
    assert round(100 * run.scores["languages"].accuracy, 2) == 40.57
    assert round(100 * run.scores["m_eta"].accuracy, 2) == 40.67


@real
@pytest.mark.parametrize("path", sorted(DATA.glob("predictions/*/*.jsonl")), ids=lambda path: "/".join(path.parts[-2:]))
def test_every_file_has_the_figures_of_the_algorithm(path: Path) -> None:
    reference = DATA / "references" / path.name
    found = isogloss.entity_translation(reference, path, profile="ea-mt").scores["m_eta"]
    assert (found.correct, found.total) == official(rows(reference), rows(path), sorted(EA_MT.types or ()))


@real
def test_language_without_predictions_scores_zero_in_ea_mt() -> None:
    run = isogloss.entity_translation(
        DATA / "references", DATA / "predictions" / "gpt-4o-mini-2024-07-18", profile="ea-mt"
    )
    groups = {language: group["m_eta"].correct for language, group in run.slices["language"].items()}
    assert sorted(language for language, correct in groups.items() if correct) == ["ar_AE", "it_IT", "th_TH"]
    assert run.scores["languages"].number == 10


@real
def test_the_harmonic_mean_is_the_published_one(tmp_path: Path) -> None:
    (tmp_path / "comet.json").write_text('{"ar_AE": 89.79}', encoding="utf-8")
    files = (DATA / "references" / "ar_AE.jsonl", DATA / "predictions" / SYSTEM / "ar_AE.jsonl")
    run = isogloss.entity_translation(*files, comet=tmp_path / "comet.json", comet_scale="0-100")
    assert round(run.scores["harmonic_mean"].score, 2) == 53.90


@real
def test_normalisation_changes_little_and_only_for_the_better() -> None:
    def right(form: Any) -> set[str]:
        run = isogloss.entity_translation(
            DATA / "references" / "ko_KR.jsonl",
            DATA / "predictions" / SYSTEM / "ko_KR.jsonl",
            normalize=form,
            hits=True,
        )
        return {finding.document for finding in run.findings if finding.kind == "correct"}

    ladder = [right(form) for form in ("none", "nfc", "nfkc", "nfkc-quotes", "no-space", "letters")]
    assert all(fewer <= more for fewer, more in pairwise(ladder))
    assert ladder[0] == ladder[1]
    assert len(ladder[0]) < len(ladder[4])


keys = st.sampled_from([f"Q{k}_{n}" for k in (1, 22) for n in (0, 1, 10, 12)])
names = st.sampled_from(["", "Duna", "duna", "STRASSE", "Straße", "ดูน", "x"])
texts = st.sampled_from(["", "la DUNA", "strasse", "Straße", "ภาพยนตร์ดูนเป็น", "y"])
kinds = st.lists(st.sampled_from(["Book", "Movie", "Ship"]), max_size=2)


@given(
    tasks=st.lists(st.tuples(keys, st.lists(names, max_size=2), kinds), unique_by=lambda row: row[0], max_size=6),
    answers=st.lists(st.tuples(keys, texts), max_size=8),
)
def test_random_rows_have_the_figures_of_the_algorithm(tasks: Any, answers: Any) -> None:
    references = [
        {"id": key, "entity_types": types, "targets": [{"mention": name} for name in mentions]}
        for key, mentions, types in [*tasks, ("Q9_9", ["x"], ["Book"])]
    ]
    predictions = [{"id": key, "prediction": text} for key, text in answers]
    found = isogloss.entity_translation(references, predictions, profile="ea-mt").scores["m_eta"]
    assert (found.correct, found.total) == official(references, predictions, sorted(EA_MT.types or ()))
