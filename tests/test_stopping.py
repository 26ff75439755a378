"""A signal ends a command in one line, and leaves no unfinished file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
SLOW = """
import sys, time
from isogloss.cli import run
import isogloss.formats.conversion as conversion
from isogloss.records.destinations import open_text_output
def stop(*given, **named):
    with open_text_output("out.jsonl") as file:
        file.write("half")
        print("writes", flush=True)
        time.sleep(60)
import isogloss.cli.lint
import isogloss.tasks.ner.scoring as scoring
scoring.count = stop
scoring.open_systems = stop
sys.exit(run(["ner", "gold", "gold", "-q"]))
"""
EARLY = """
import sys
class Interrupt:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupt())
from isogloss.__main__ import main
main()
"""
ENDING = """
import atexit, os, sys
number = sys.argv.pop()
atexit.register(lambda: (os.kill(os.getpid(), int(number)), print("ends in peace", flush=True)))
from isogloss.__main__ import main
main()
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_while_writing_leaves_no_part_of_a_file(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "gold").write_text("Ada\tB-PER\n", encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-c", SLOW], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "writes\n"
        child.send_signal(number)
        _, said = child.communicate(timeout=30)
    assert (child.returncode, said) == (130, "isogloss: interrupted\n")
    assert [entry.name for entry in tmp_path.iterdir()] == ["gold"]


@pytest.mark.parametrize("module", ["isogloss.cli", "isogloss.cli.app", "typer", "isogloss.tasks.registry"])
def test_interrupt_during_an_import_prints_one_line(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", EARLY.format(module=module), "--help"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "isogloss: interrupted\n")


@pytest.mark.parametrize(
    ("number", "code", "ends"), [(signal.SIGTERM, 0, ["ends in peace"]), (signal.SIGINT, -signal.SIGINT, [])]
)
def test_signal_while_a_command_ends_prints_nothing(number: signal.Signals, code: int, ends: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDING, "--version", str(int(number))], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout.splitlines()[1:], done.stderr) == (code, ends, "")
