"""Plans that `init` writes can be read, and group the bundled sentences by language."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from isogloss.benchmark.plan import load_plan, parse_plan
from isogloss.benchmark.plan_writing import group_by_language, write_plan, write_task_plan
from isogloss.errors import UsageError


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    path = tmp_path / "samples.label"
    path.write_text("แมว|นอน\n春天|来\n駅|の|前\nខ្ញុំ|ទៅ\n", encoding="utf-8")
    return path


def test_lines_are_grouped_by_their_script() -> None:
    assert group_by_language(["แมว", "春天", "駅の前", "abc"]) == {"th": ["แมว"], "zh": ["春天"], "ja": ["駅の前"]}


def test_the_demo_pins_at_least_four_tokenizers(tmp_path: Path, samples: Path) -> None:
    written = write_plan(tmp_path / "bench.toml", samples, demo=True)
    plan = load_plan(written[-1])
    assert [corpus.name for corpus in plan.corpus] == ["th", "zh", "ja"]
    assert len(plan.system) >= 4
    assert all("==" in package for system in plan.system for package in system.requires)
    assert all(system.requires for system in plan.system)
    assert (tmp_path / "gold" / "zh.label").read_text(encoding="utf-8") == "春天|来\n"


def test_without_demo_systems_run_here(tmp_path: Path, samples: Path) -> None:
    plan = load_plan(write_plan(tmp_path / "bench.toml", samples, demo=False)[-1])
    assert "whitespace" in [system.name for system in plan.system]
    assert not any(system.requires for system in plan.system)
    assert len(plan.corpus) == 4


def test_a_plan_is_never_overwritten(tmp_path: Path, samples: Path) -> None:
    (tmp_path / "bench.toml").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        write_plan(tmp_path / "bench.toml", samples, demo=True)


@pytest.mark.parametrize("task", ["ner", "classification", "entity-translation", "code-switching"])
def test_a_plan_of_another_task_runs_a_function(task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [EntryPoint("xx_names", "xx_names", "spacy_models")]
    monkeypatch.setattr("isogloss.benchmark.plan_writing.entry_points", lambda group: found if group else [])
    samples = '{"text": "Ada", "spans": [{"start": 0, "end": 3, "label": "PER"}]}\n' if task == "ner" else ""
    written = write_task_plan(tmp_path / "bench.toml", task, samples)
    text = written[-1].read_text(encoding="utf-8")
    assert "# predictions = " in text
    # Without its first #, each commented line belongs to a plan.
    plan = parse_plan(tomllib.loads(re.sub(r"(?m)^# (?=[\w\[])(?!Plan|Systems|Other|Add)", "", text)), "plan")
    kinds = {system.kind for system in plan.system}
    assert {"function", "command", "url", "predictions"} <= kinds
    assert ("recogniser" in kinds) is (task == "ner")
    assert {system.task for system in plan.system} == {task} == {corpus.task for corpus in plan.corpus}
    assert (tmp_path / "systems.py").is_file()
