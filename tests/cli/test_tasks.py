"""What the commands of all tasks do alike, on the bundled examples."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run
from isogloss.demo import files
from isogloss.tasks.registry import get_task
from isogloss.text.display import measure_width

FILES = {
    "ner": ("ner/reference.conll", "ner/system-b.conll"),
    "segmentation": ("segmentation/reference.label", "segmentation/system-b.label"),
    "entity-translation": ("entity-translation/references", "entity-translation/system-b"),
    "code-switching": ("code-switching/answers.jsonl",),
    "classification": ("classification/scores.jsonl",),
}
OPTIONS = {"code-switching": ["--language", "uk"]}
INTERVALS = ["--confidence", "0.9", "--resamples", "20", "--seed", "7", "--unit", "document"]
FORMS = ["text", "json", "markdown", "latex", "csv"]
TASKS = pytest.mark.parametrize("task", FILES)
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(files().folder)


def command(task: str, *more: str) -> list[str]:
    return [task, *FILES[task], *OPTIONS.get(task, []), *more]


def output(capsys: Streams, *arguments: str) -> str:
    assert run(arguments) == 0
    return capsys.readouterr().out


def score(task: str, **options: Any) -> dict[str, Any]:
    language = {"language": "uk"} if task == "code-switching" else {}
    return getattr(isogloss, get_task(task).call)(*FILES[task], **language, **options).to_dict()  # type: ignore[no-any-return]


@TASKS
def test_scores_are_those_of_the_python_call(task: str, capsys: Streams) -> None:
    assert json.loads(output(capsys, *command(task, "-f", "json"))) == score(task)


@TASKS
@pytest.mark.parametrize("interval", ["bootstrap", "wilson"])
def test_scoring_options_are_those_of_the_python_call(task: str, interval: str, capsys: Streams) -> None:
    context = get_task(task).shows_context
    options = [*INTERVALS, "--interval", interval, "--by", "file", "--errors", "3"] + ["--context", "1"] * context
    found = json.loads(output(capsys, *command(task, *options, "-f", "json")))
    assert found == score(
        task,
        confidence=0.9,
        resamples=20,
        seed=7,
        unit="document",
        interval=interval,
        by=["file"],
        findings=3,
        **({"context": 1} if context else {}),
    )
    assert len(found["findings"]["rows"]) == 3
    assert {each["level"] for each in found["intervals"].values()} == {0.9}


@TASKS
def test_systems_come_in_their_order(task: str, capsys: Streams) -> None:
    first, *_ = FILES[task][-1:]
    second = first.replace("system-b", "system-a")
    systems = [first, first] if task == "code-switching" else [FILES[task][0], first, second, first]
    runs = json.loads(output(capsys, task, *systems, *OPTIONS.get(task, []), "-f", "json", "--test", "none"))["runs"]
    assert [each["system"] for each in runs] == systems[-len(runs) :]
    assert runs[0] == runs[-1]


@TASKS
@pytest.mark.parametrize("form", FORMS)
def test_a_file_has_what_is_printed(task: str, form: str, tmp_path: Path, capsys: Streams) -> None:
    arguments = command(task, "-f", form, "-q", "--confidence", "0.9", "--resamples", "9")
    printed = output(capsys, *arguments)
    assert printed
    assert output(capsys, *arguments, "-o", str(tmp_path / "result")) == ""
    assert (tmp_path / "result").read_text(encoding="utf-8") == printed


@TASKS
def test_tables_fit_into_80_columns(task: str, capsys: Streams) -> None:
    text = output(capsys, *command(task, "-q", *INTERVALS, "--by", "file"))
    assert "By file" in text
    assert max(map(measure_width, text.rpartition(f"\n\n{task}|")[0].splitlines()[1:])) <= 80


@TASKS
def test_help_names_what_follows_scoring(task: str, capsys: Streams) -> None:
    printed = output(capsys, task, "--help")
    flags = ("--save", "--store", "--fail-under", "--fail-over", "--junit", "--test", "--fail-if-worse-than")
    assert [name for name in flags if name not in printed] == []


@TASKS
@pytest.mark.parametrize(
    "wrong",
    [
        ["--profile", "oxam"],
        ["--input-format", "xml"],
        ["--no-such-option"],
        ["-f", "xml"],
        ["--confidence", "95"],
        ["--confidence", "0.9", "--resamples", "0"],
        ["--confidence", "0.9", "--seed", "-1"],
        ["--interval", "wilson"],
        ["--by", "fiel"],
        ["--unit", "author", "--confidence", "0.9"],
        ["--fail-under", "nothing=1"],
    ],
    ids=" ".join,
)
def test_a_wrong_option_ends_with_2(task: str, wrong: list[str], capsys: Streams) -> None:
    assert run(command(task, *wrong)) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip()
    assert "Traceback" not in err


@TASKS
def test_standard_input_can_stand_for_one_file(task: str, capsys: Streams) -> None:
    assert run([task, "-", "-", *OPTIONS.get(task, [])]) == 2
    assert "one file only" in capsys.readouterr().err


@TASKS
def test_a_missing_file_ends_with_3(task: str, capsys: Streams) -> None:
    assert run([task, *FILES[task][:-1], "absent", *OPTIONS.get(task, [])]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("isogloss: absent: no such file")
