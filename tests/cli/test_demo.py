from __future__ import annotations

import io
import re
import shlex
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.demo import SCENES, files, format_next_steps

Streams = pytest.CaptureFixture[str]
README = Path(__file__).parents[2] / "README.md"
EXPECTED_CODES = {"isogloss ner gold.conll b.conll --fail-if-worse-than monday-1": 1}  # b is significantly worse


@pytest.fixture(scope="module")
def shown() -> str:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert run(["demo"]) == 0
    assert err.getvalue() == ""
    return out.getvalue()


def test_it_has_five_scenes_with_a_sentence_before_each_in_under_80_lines(shown: str) -> None:
    assert len(shown.splitlines()) < 80
    assert re.findall(r"^(\d)\. [A-Z].*[?.]\n\$ isogloss ", shown, re.MULTILINE) == ["1", "2", "3", "4", "5"]


def test_every_part_of_a_scene_is_shown(shown: str) -> None:
    scenes = re.split(r"^\d\. ", shown, flags=re.MULTILINE)[1:]
    for scene, text in zip(SCENES, scenes, strict=True):
        assert [block for block in scene.blocks if f"\n{block}" not in text] == []


def test_what_it_says_its_commands_print_is_in_what_they_print(
    shown: str, capsys: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    for scene, text in zip(SCENES, re.split(r"^\d\. ", shown, flags=re.MULTILINE)[1:], strict=True):
        monkeypatch.chdir(files().folder / scene.folder)
        assert run(scene.command.split()) == 0
        printed = capsys.readouterr().out
        parts = text.partition("\nNext:")[0].split("\n\n")[1:]
        assert [part for part in parts if part.strip("\n") not in printed] == []


@pytest.mark.extra
@pytest.mark.parametrize("installed", [("sqlalchemy", "alembic", "starlette", "uvicorn"), ()])
def test_what_it_says_to_try_next_works_on_the_files_it_writes(
    installed: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("isogloss.demo.find_spec", lambda name: name in installed or None)
    shown = format_next_steps()
    assert ("pip install" in shown, "isogloss demo --view" in shown) == (not installed, bool(installed))
    lines = re.findall(r"^  isogloss ((?!demo --view)[^#\n]*)", shown, re.MULTILINE)
    assert len(lines) == 6
    if not installed:
        monkeypatch.setitem(sys.modules, "isogloss.store", None)  # importing it fails
    for line in lines:
        words = shlex.split(line.partition("&&")[0])
        assert run(words if "--install" not in line else [*words, "bash"]) == 0, capsys.readouterr().err
        if "&& cd " in line:
            monkeypatch.chdir(tmp_path / "samples")


def test_files_that_exist_are_not_written_over(tmp_path: Path, capsys: Streams) -> None:
    (tmp_path / "gold.conll").write_text("mine", encoding="utf-8")
    assert run(["demo", "--write", str(tmp_path)]) == 2
    assert "gold.conll exists: name another folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["gold.conll"]


@pytest.mark.extra
@pytest.mark.skipif(not README.exists(), reason="needs the checkout")
def test_every_command_of_the_readme_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    text = README.read_text(encoding="utf-8")
    blocks = "".join(re.findall(r"^```(?:sh|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))
    commands = re.findall(r"^(?:\$ )?(isogloss (?!demo)[^#\n]*?) *(?:#.*)?$", blocks, re.MULTILINE)
    assert len(commands) >= 10
    assert run(["demo", "--write", str(tmp_path / "samples")]) == 0
    monkeypatch.chdir(tmp_path / "samples")
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    for command in commands:
        assert run(shlex.split(command)[1:]) == EXPECTED_CODES.get(command, 0), (command, capsys.readouterr().err)
    assert Path("gold.conll").read_bytes() == files().reference.read_bytes()  # a command can be pasted after all others
