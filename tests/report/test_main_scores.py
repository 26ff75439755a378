from __future__ import annotations

from pathlib import Path

import pytest
from reports import by_hand, corpora, demo_runs

from isogloss.errors import UsageError
from isogloss.runs.main_scores import (
    is_higher_better,
    main_score,
    score_of_labels,
    score_title,
    scores_beside,
    value_of,
)
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.registry import TASKS as REGISTRY
from isogloss.tasks.registry import get_task

TASKS = tuple(REGISTRY.builtin)

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
    catalogues = {name: get_task(name).scores for name in TASKS}
    shown = {(task, name) for task, own in catalogues.items() for name in (*own.main, *own.secondary)}
    lower = {(task, name) for task, name in shown if not catalogues[task].is_higher_better(name.rpartition(".")[2])}
    assert lower == {(task, name) for task, name in shown if name.endswith("_rate")}
    assert {task for task, _ in lower} == {"code-switching"}


def test_the_indices_of_code_switching_are_better_when_they_are_lower(tmp_path: Path) -> None:
    (run, *_) = runs(tmp_path, *demo_runs("code-switching"))
    for name in ("strict_rate", "excused_rate", "cmi", "m_index", "i_index"):
        assert not is_higher_better(run, f"words.{name}")
        assert not is_higher_better(run, f"per_document.words.{name}.mean")
    assert is_higher_better(run, "words.pass_rate")


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
    ("task", "path", "expected"),
    [
        ("ner", "strict.f1", "Strict F1"),
        ("segmentation", "oov.recall", "OOV recall"),
        ("segmentation", "iv.recall", "IV recall"),
        ("entity-translation", "m_eta.accuracy", "m-ETA accuracy"),
        ("entity-translation", "comet.score", "COMET"),
        ("entity-translation", "chrf.score", "chrF"),
        ("entity-translation", "bleu.score", "BLEU"),
        ("code-switching", "words.excused_rate", "Words excused rate"),
        ("code-switching", "words.cmi", "Words CMI"),
        ("classification", "label.f1", "F1"),
        ("classification", "roc_auc.macro", "ROC-AUC macro"),
        ("ner", 'x."a.b"', "X a.b"),
    ],
)
def test_a_path_has_a_title_that_people_read(task: str, path: str, expected: str, tmp_path: Path) -> None:
    assert score_title(runs(tmp_path, *demo_runs(task))[0], path) == expected


def test_runs_of_fair_are_ranked_by_its_own_score_and_beside_others_by_the_one_they_share() -> None:
    gold, system = [["B-A", "I-A"], ["B-A", "O"]], [["B-A", "O"], ["B-A", "O"]]
    fair, plain = ner(gold, system, profile="fair"), ner(gold, system)
    assert main_score([fair, fair]) == "fair.f1"
    assert value_of(fair, "fair.f1") == pytest.approx(2 / 3)  # 1 / (1 + 1/2) on both sides
    assert scores_beside([fair], "fair.f1")[:3] == ["fair.precision", "fair.recall", "strict.f1"]
    assert score_of_labels([fair]) == ("fair", "f1")
    assert main_score([fair, plain]) == main_score([plain, fair]) == "strict.f1"
