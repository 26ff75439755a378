from __future__ import annotations

from pathlib import Path

import pytest
from reports import by_hand, corpora, demo_runs

from isogloss.errors import UsageError
from isogloss.runs.main_scores import (
    choose_label_score,
    choose_main_score,
    format_score_title,
    get_score_value,
    is_higher_better,
    list_side_scores,
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


@pytest.mark.parametrize("task", EXPECTED)  # the tasks with demo data
def test_main_score_of_each_task_is_the_declared_one(task: str, tmp_path: Path) -> None:
    found = runs(tmp_path, *demo_runs(task))
    name, value = EXPECTED[task]
    assert choose_main_score(found) == name
    assert get_score_value(found[-1], name) == pytest.approx(value)


@pytest.mark.parametrize("task", TASKS)
def test_side_scores_exclude_the_main_score_and_exist(task: str, tmp_path: Path) -> None:
    found = runs(tmp_path, *demo_runs(task))
    beside = list_side_scores(found, choose_main_score(found))
    assert beside
    assert choose_main_score(found) not in beside
    assert all(get_score_value(found[0], name) is not None for name in beside)


def test_lower_is_better_only_for_code_switching_rates() -> None:
    catalogues = {name: get_task(name).scores for name in TASKS}
    shown = {(task, name) for task, own in catalogues.items() for name in (*own.main, *own.secondary)}
    lower = {(task, name) for task, name in shown if not catalogues[task].is_higher_better(name.rpartition(".")[2])}
    assert lower == {(task, name) for task, name in shown if name.endswith("_rate")}
    assert {task for task, _ in lower} == {"code-switching"}


def test_code_switching_indices_are_better_when_lower(tmp_path: Path) -> None:
    (run, *_) = runs(tmp_path, *demo_runs("code-switching"))
    for name in ("strict_rate", "excused_rate", "cmi", "m_index", "i_index"):
        assert not is_higher_better(run, f"words.{name}")
        assert not is_higher_better(run, f"per_document.words.{name}.mean")
    assert is_higher_better(run, "words.pass_rate")


def test_requested_main_score_takes_precedence(tmp_path: Path) -> None:
    found = runs(tmp_path, by_hand())
    assert choose_main_score(found, "strict.recall") == "strict.recall"
    assert list_side_scores(found, "strict.recall")[0] == "strict.f1"
    with pytest.raises(UsageError, match="No run has the score"):
        choose_main_score(found, "strict.f3")


def test_first_ratio_replaces_a_missing_main_score(tmp_path: Path) -> None:
    other = by_hand(scores={"ents": {"total": 4, "ents_p": 0.25, "ents_f": 0.5}})
    assert choose_main_score(runs(tmp_path, other)) == "ents.ents_p"


def test_runs_without_a_common_ratio_need_a_score_path(tmp_path: Path) -> None:
    counts = by_hand(scores={"ents": {"total": 4}})
    with pytest.raises(UsageError, match="--score PATH"):
        choose_main_score(runs(tmp_path, counts))


def test_label_score_is_one_that_labels_have(tmp_path: Path) -> None:
    assert choose_label_score(runs(tmp_path, *demo_runs("ner"))) == ("strict", "f1")
    assert choose_label_score(runs(tmp_path, by_hand())) is None


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
def test_score_titles_are_readable(task: str, path: str, expected: str, tmp_path: Path) -> None:
    assert format_score_title(runs(tmp_path, *demo_runs(task))[0], path) == expected


def test_fair_profile_has_its_own_main_score() -> None:
    gold, system = [["B-A", "I-A"], ["B-A", "O"]], [["B-A", "O"], ["B-A", "O"]]
    fair, plain = ner(gold, system, profile="fair"), ner(gold, system)
    assert choose_main_score([fair, fair]) == "fair.f1"
    assert get_score_value(fair, "fair.f1") == pytest.approx(2 / 3)  # 1 / (1 + 1/2) on both sides
    assert list_side_scores([fair], "fair.f1")[:3] == ["fair.precision", "fair.recall", "strict.f1"]
    assert choose_label_score([fair]) == ("fair", "f1")
    assert choose_main_score([fair, plain]) == choose_main_score([plain, fair]) == "strict.f1"
