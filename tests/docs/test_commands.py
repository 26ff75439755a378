"""Each command of each page works as pasted, on the files of `isogloss demo --write` and those that the page makes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import DOCS, ROOT

import isogloss
from isogloss.cli import run
from isogloss.demo import write_samples
from isogloss.errors import MissingExtraError

PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
BLOCK = re.compile(r"^(?:`([^`\n]+)`(?: \([^\n]*\))?:\n\n)?^(`{3,4})(\w+)\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
SHELLS = ("sh", "console")
SAMPLES = re.compile(r"(?:\. \.venv/bin/activate && )?isogloss demo --write (samples) && cd (samples\S*)")
EXCEPTIONS = {  # what is not run, by the beginning of the command, and why
    "python3 -m venv": "installs packages; .ci/run runs it",
    "pip install": "installs packages",
    "isogloss --install-completion": "changes the start files of a shell; tests/cli/test_completion.py runs it",
    "isogloss serve": "a server that stays; tests/service starts it",
    "curl": "needs that server",
    "docker": "needs Docker and a network",
    "#": "a line of a script for Slurm",
    'isogloss count ner gold/ system/ --part "$SLURM': "needs Slurm",
    "job=$(sbatch": "needs Slurm",
    "sbatch": "needs Slurm",
    "isogloss ner gold/ system/ --engine ray": "needs a Ray cluster; tests/distributed starts one",
    "isogloss benchmark run": "downloads tokenizers",
    "isogloss benchmark report": "needs the results of that run",
    "isogloss benchmark verify results": "needs the results of that run",
    "isogloss benchmark merge results": "needs the results of two such runs",
    "isogloss runs list --score speed.ratio": "needs the results of that run",
    "isogloss segmentation gold/th.label results": "needs the results of that run",
    "isogloss code-switching code-switching/answers.jsonl --language uk --identifier lingua": "needs an extra",
    "isogloss code-mixing answers.txt --identifier 'lingua": "needs an extra",
    "isogloss code-switching outputs/command-r.csv": "needs a model and published outputs",
    "isogloss code-switching code-switching/answers.jsonl --language uk --recogniser spacy": "needs a model",
    ".venv/bin/python benchmarks/null_tests.py": "computes for minutes",
}
CODES = {  # exit codes other than 0, as the pages say
    "isogloss ner gold pred --strict-spans": 3,
    "isogloss ner old.json": 3,
    "isogloss runs list --store 'postgresql://ada:secret@127.0.0.1:1/runs?sslmode=require'": 3,
    "isogloss runs show monday-1": 3,
    "isogloss tags validate system.conll": 3,
    "isogloss tags validate both.conll --columns 1,-2,-1": 3,
}
RUN_ELSEWHERE = ("tutorials/", "hugging-face.md", "test-set-size.md", "different-score.md")  # test_tutorials.py
PYTHON_EXCEPTIONS = {  # pages whose Python is not run here, and why
    "formats/recognisers.md": "a file stands below a longer sentence; tests/golden runs it",
    "service.md": "needs a server",
    "switch-precision.md": "needs natasha and its models",
}


BLOCK_EXCEPTIONS = (
    "import json\nfrom contextlib import ExitStack",
)  # needs another corpus; test_scale_page.py runs it


def split_commands(language: str, content: str) -> Iterator[str]:
    """The commands of a block: lines after `$ ` of a console, all lines of a script, joined where one goes on."""
    lines = content.splitlines() if language == "sh" else re.findall(r"^\$ (.*)$", content, re.MULTILINE)
    if any(line.startswith("for ") for line in lines):
        lines = [content]
    command = ""
    for line in lines:
        command += line
        if command.endswith("\\"):
            command = command.removesuffix("\\")
        elif command.split("#")[0].count("'") % 2:
            command += "\n"
        else:
            yield command
            command = ""


class Pasting:
    """A terminal into which the commands of a page are pasted."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._folder = folder
        self._monkeypatch = monkeypatch

    def works(self, command: str) -> bool:
        """Whether a command ends as the page says; a gate may fail."""
        code = self.paste(command)
        return code == CODES.get(command, 0) or (code == 1 and "--fail-" in command)

    def paste(self, command: str) -> int:
        """Run a command; return its exit code."""
        words = shlex.split(command, comments=True)
        samples = SAMPLES.match(command)
        if samples is not None:
            self._monkeypatch.chdir(self._folder / samples[2])
            return 0
        if words[0] == "cd" and len(words) == 2:
            self._monkeypatch.chdir(words[1])
            return 0
        is_plain = words[0] == "isogloss" and not re.search(r"[|<>&;$*]", re.sub(r"'[^']*'|#.*", "", command))
        return run(words[1:]) if is_plain else self._run_shell(command)

    def _run_shell(self, command: str) -> int:
        path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
        words = ["bash", "-c", f"set -o pipefail; {command}"]
        return subprocess.run(words, env={**os.environ, "PATH": path}, check=False, timeout=60).returncode


@pytest.fixture
def pasting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pasting:
    """A terminal in the folder of the samples."""
    pytest.importorskip("sqlalchemy")
    write_samples(tmp_path / "samples")
    monkeypatch.chdir(tmp_path / "samples")
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    monkeypatch.setattr("isogloss.cli.view._serve", load_page)
    return Pasting(tmp_path, monkeypatch)


def load_page(load: Any, _: Any) -> None:
    """Load the page that `--view` would serve until Ctrl-C."""
    from isogloss.explorer.routes import answer_url  # noqa: PLC0415  needs extras

    assert answer_url(load(lambda: None), "/v1/runs").body


def run_python(content: str, names: dict[str, Any]) -> None:
    """Run a block of Python; skip the test if it needs a package that is not installed."""
    try:
        exec(content, names)
    except (ImportError, MissingExtraError) as error:
        pytest.skip(str(error))


def list_blocks(path: Path) -> list[tuple[str, str, str]]:
    """The file, the language and the content of each block of a page."""
    found = BLOCK.findall(path.read_text(encoding="utf-8"))
    return [(file, language, content) for file, _, language, content in found]


def name_page(path: Path) -> str:
    """The path of a page in the documentation, or `README.md`."""
    return path.relative_to(DOCS if path.is_relative_to(DOCS) else ROOT).as_posix()


def has_commands(path: Path) -> bool:
    """Whether commands of a page are run here."""
    blocks = list_blocks(path)
    return not name_page(path).startswith(RUN_ELSEWHERE) and any(language in SHELLS for _, language, _ in blocks)


@pytest.mark.extra
@pytest.mark.parametrize("path", [path for path in PAGES if has_commands(path)], ids=name_page)
def test_commands_of_a_page_work_as_pasted(path: Path, pasting: Pasting, capsys: pytest.CaptureFixture[str]) -> None:
    runs_python = name_page(path) not in PYTHON_EXCEPTIONS
    names: dict[str, Any] = {"isogloss": isogloss}
    failed = []
    for file, language, content in list_blocks(path):
        if file:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
            Path(file).write_text(content, encoding="utf-8")
        elif language == "python" and runs_python and not content.startswith(BLOCK_EXCEPTIONS):
            run_python(content, names)
        elif language in SHELLS:
            commands = [one for one in split_commands(language, content) if not one.startswith(tuple(EXCEPTIONS))]
            failed += [(one, capsys.readouterr().err) for one in commands if not pasting.works(one)]
    assert failed == []


def test_every_exception_is_a_command_of_a_page() -> None:
    found = [
        command
        for path in PAGES
        for _, language, content in list_blocks(path)
        if language in SHELLS
        for command in split_commands(language, content)
    ]
    assert [each for each in (*EXCEPTIONS, *CODES) if not any(one.startswith(each) for one in found)] == []
