from __future__ import annotations

from pathlib import Path

import pytest
from reports import by_hand, corpora, demo_runs

from isogloss.errors import UsageError
from isogloss.runs.main_scores import (
    BESIDE,
    MAIN,
    TASKS,
    higher_is_better,
    main_score,
    score_of_labels,
    scores_beside,
    title,
    value_of,
)
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner

EXPECTED = {
    "ner": ("strict.f1", 0.5685279187817259),
    "segmentation": ("word.f1", 0.6564102564102564),
    "entity-translation": ("m_eta.accuracy", 3 / 9),
    "code-switching": ("words.excused_rate", 12 / 164),
    "classification": ("overall.accuracy", 26 / 30),
}


def runs(path: Path, *documents: dict[str, object]) -> list[Run]:
    return [entry.run for corpus in corpora(path / "runs.json", *documents) for entry in corpus.entries]


@pytest.mark.parametrize("task", TASKS)
def test_each_task_has_the_main_score_of_its_definition(task: str, tmp_path: Path) -> None:
    found = runs(tmp_path, *demo_runs(task))
    name, value = EXPECTED[task]
    assert main_score(found) == name
    assert value_of(found[-1], name) == pytest.approx(value)


@pytest.mark.parametrize("task", TASKS)
def test_what_stands_beside_the_main_score_is_another_score_that_runs_have(task: str, tmp_path: Path) -> None:
    found = runs(tmp_path, *demo_runs(task))
    beside = scores_beside(found, main_score(found))
    assert beside
    assert main_score(found) not in beside
    assert all(value_of(found[0], name) is not None for name in beside)


def test_only_rates_of_code_switching_are_better_when_they_are_lower() -> None:
    names = [name for table in (MAIN, BESIDE) for own in table.values() for name in own]
    lower = {name for name in names if not higher_is_better(name)}
    assert lower == {name for name in names if name.endswith("_rate")}


def test_the_score_that_was_asked_for_comes_before_that_of_the_task(tmp_path: Path) -> None:
    found = runs(tmp_path, by_hand())
    assert main_score(found, "strict.recall") == "strict.recall"
    assert scores_beside(found, "strict.recall")[0] == "strict.f1"
    with pytest.raises(UsageError, match="No run has the score"):
        main_score(found, "strict.f3")


def test_a_profile_without_the_main_score_is_stood_for_by_its_first_ratio(tmp_path: Path) -> None:
    other = by_hand(scores={"ents": {"total": 4, "ents_p": 0.25, "ents_f": 0.5}})
    assert main_score(runs(tmp_path, other)) == "ents.ents_p"


def test_runs_without_a_score_in_common_need_one_by_name(tmp_path: Path) -> None:
    counts = by_hand(scores={"ents": {"total": 4}})
    with pytest.raises(UsageError, match="--score PATH"):
        main_score(runs(tmp_path, counts))


def test_labels_are_stood_for_by_a_score_that_they_have(tmp_path: Path) -> None:
    assert score_of_labels(runs(tmp_path, *demo_runs("ner"))) == ("strict", "f1")
    assert score_of_labels(runs(tmp_path, by_hand())) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("strict.f1", "Strict F1"),
        ("m_eta.accuracy", "m-ETA accuracy"),
        ("words.excused_rate", "Words excused rate"),
        ("label.f1", "F1"),
        ("comet.score", "COMET"),
        ('x."a.b"', "X a.b"),
    ],
)
def test_a_path_has_a_title_that_people_read(path: str, expected: str) -> None:
    assert title(path) == expected


def test_runs_of_fair_are_ranked_by_its_own_score_and_beside_others_by_the_one_they_share() -> None:
    gold, system = [["B-A", "I-A"], ["B-A", "O"]], [["B-A", "O"], ["B-A", "O"]]
    fair, plain = ner(gold, system, profile="fair"), ner(gold, system)
    assert main_score([fair, fair]) == "fair.f1"
    assert value_of(fair, "fair.f1") == pytest.approx(2 / 3)  # 1 / (1 + 1/2) on both sides
    assert scores_beside([fair], "fair.f1")[:3] == ["fair.precision", "fair.recall", "strict.f1"]
    assert score_of_labels([fair]) == ("fair", "f1")
    assert main_score([fair, plain]) == main_score([plain, fair]) == "strict.f1"
