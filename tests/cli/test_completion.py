"""Completion, driven through the shells themselves where they are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.cli.completion import select_names

GOLD = "Ada\tB-PER\nmet\tO\nIBM\tB-ORG\n"
COMPLETED = [  # words before the cursor, and what they may go on with
    (["comp"], {"compare"}),
    (["compare", ""], {"monday"}),
    (["runs", "show", "mon"], {"monday"}),
    (["ner", "gold", "--label", ""], {"ORG", "PER"}),
    (["ner", "gold", "--profile", "seq"], {"seqeval", "seqeval-strict", "seqscore"}),
    (["ner", "gold", "--input-format", "con"], {"conll", "conllu"}),
    (["ner", "gold", "--format", "j"], {"json"}),
    (["tags", "convert", "gold", "--to", "bm"], {"bmes", "bmewo"}),
]
BASH = """
source "$HOME/.bash_completions/isogloss.sh"
COMP_WORDS=(isogloss "$@"); COMP_CWORD=$#
_isogloss_completion isogloss
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
words=(isogloss "$@"); CURRENT=$(( $# + 1 ))
compdef() { : }
_arguments() { print -r -- "$1" }
_files() { : }
source ~/.zfunc/_isogloss
_isogloss_completion
"""


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ISOGLOSS_STORE", "XDG_CONFIG_HOME", "ZDOTDIR"):
        monkeypatch.delenv(name, raising=False)
    Path("gold").write_text(GOLD, encoding="utf-8")
    program = tmp_path / "bin" / "isogloss"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m isogloss "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    assert run(["ner", "gold", "gold", "--save=monday", "-q", "-o", os.devnull]) == 0
    return tmp_path


def ask(shell: str, *arguments: str) -> str:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    return subprocess.run([shell, *arguments], capture_output=True, encoding="utf-8", check=True).stdout


@pytest.mark.parametrize(("words", "expected"), COMPLETED)
def test_bash_completes(words: list[str], expected: set[str]) -> None:
    assert run(["--install-completion", "bash"]) == 0
    assert {*ask("bash", "--norc", "-c", BASH, "bash", *words).split()} == expected


@pytest.mark.parametrize(("words", "expected"), COMPLETED[:4])
def test_zsh_completes(words: list[str], expected: set[str]) -> None:
    assert run(["--install-completion=zsh"]) == 0
    answer = ask("zsh", "-f", "-c", ZSH, "zsh", *words)
    found = {*re.findall(r'"([^"]*)"(?::"[^"]*")?', answer)}  # a name, and its help after a colon
    assert found == expected


@pytest.mark.parametrize(("words", "expected"), COMPLETED[:4])
def test_fish_completes(words: list[str], expected: set[str]) -> None:
    assert run(["--install-completion=fish"]) == 0
    answer = ask("fish", "-c", 'complete -C "$argv"', " ".join(["isogloss", *words]))
    assert {line.partition("\t")[0] for line in answer.splitlines()} == expected


def test_names_that_a_shell_would_run_or_cut_are_not_suggested() -> None:
    names = ["PER", "$(touch x)", "a b", "`id`", "คน", "it's", "PER", 'x"y', "a\\b"]
    assert select_names(names, "") == ["PER", "คน"]


def test_a_word_that_cannot_be_completed_has_no_suggestion_and_no_message(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in ("isogloss nosuch x", "isogloss runs show --store missing.db x", "isogloss ner missing --label x"):
        monkeypatch.setenv("_ISOGLOSS_COMPLETE", "complete_bash")
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        with suppress(SystemExit):  # how typer ends a completion
            run([])
        said = capfd.readouterr()
        assert (said.out.strip(), said.err) == ("", "")
