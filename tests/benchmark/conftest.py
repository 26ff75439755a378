"""Systems that misbehave, as functions of a module in the folder of a plan."""

from __future__ import annotations

from pathlib import Path

import pytest

SYSTEMS = """
import os, random, signal, subprocess, sys, time

def pairs(text):
    return [text[at:at + 2] for at in range(0, len(text), 2)]

def letters(text):
    return list(text)

def loops(text):
    while "x" in text:
        pass
    return [text]

def is_killed(text):
    if "x" in text:
        os.kill(os.getpid(), signal.SIGKILL)
    return [text]

def eats_memory(text):
    if "x" in text:
        return [bytearray(1 << 40)]
    return [text]

def prints(text):
    print('{"answer": ["wrong"]}')
    os.write(1, b"raw bytes\\n")
    subprocess.run([sys.executable, "-c", "print('child')"])
    return [text, *sys.stdin.read()]

def is_random(text):
    return list(text) if hash(text) % 2 else [text]

def changes(text):
    return [text.replace("x", "y")]

def fails(text):
    if "x" in text:
        raise ValueError("no x")
    return [text]

def leaves(text):
    sys.exit(3)

def names(text):
    return [(0, 3, "PER")] if text.startswith("Ada") else []
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the module `systems`."""
    (tmp_path / "systems.py").write_text(SYSTEMS, encoding="utf-8")
    return tmp_path
