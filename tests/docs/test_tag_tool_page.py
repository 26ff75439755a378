"""What docs/tag-tool.md shows and names is what the program does."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import quoted, read_page, rows

from isogloss.cli import run
from isogloss.spans.invalid_tags import INVALID_KINDS

COMMANDS = ("validate", "repair", "convert", "count")
TEXT = read_page("tag-tool.md")
FILES = re.findall(r"^`(\S+)`:\n\n```text\n(.*?)```\n", TEXT, re.DOTALL | re.MULTILINE)
SESSIONS = re.findall(r"```console\n(.*?)```\n", TEXT, re.DOTALL)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES:
        Path(name).write_text(content, encoding="utf-8")


def calls(session: str) -> Iterator[tuple[str, str]]:
    """The commands of a session and what each prints."""
    for call in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        command, _, printed = call.partition("\n")
        yield command, printed


def printed_by(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command prints on both streams, in its order."""
    both = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdout", both)
        patch.setattr("sys.stderr", both)
        run(shlex.split(command)[1:])
    both.flush()
    both.buffer.seek(0)
    return both.buffer.read().decode()


def test_every_example_prints_what_the_page_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [call for session in SESSIONS for call in calls(session)]
    assert len(shown) > len(COMMANDS)
    for command, printed in shown:
        assert printed_by(command, monkeypatch) == printed, command


def test_the_commands_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    run(["tags", "--help"])
    shown = re.findall(r"^  ([a-z]+)  ", capsys.readouterr().out, re.MULTILINE)
    assert shown == list(COMMANDS) == [row[0].split()[2] for row in rows(TEXT, "# The tag tool")]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_options_are_those_of_the_page(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(["tags", command, "--help"])
    offered = set(re.findall(r"^  (-\w, --[\w-]+|--[\w-]+)", capsys.readouterr().out, re.MULTILINE)) - {"-h, --help"}
    told = set()
    for names, of, _ in rows(TEXT, "## Options"):
        if not of or command in quoted(of):
            told.add(", ".join(re.findall(r"--?[a-z][\w-]*", names)))
    assert told == offered


def test_the_kinds_are_those_of_the_page() -> None:
    assert [row[0].strip("`") for row in rows(TEXT, "A tag can be invalid in four ways")] == list(INVALID_KINDS)


@pytest.mark.parametrize(
    "row",
    rows(TEXT, "A tag can be invalid in four ways") if TEXT else [],
    ids=lambda row: row[0],
)
def test_the_example_of_a_kind_is_of_that_kind(row: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    *tags, scheme = re.findall("`([^`]+)`", row[2])
    around = tags if "before" in row[2] else tags[::-1]
    Path("tags.conll").write_text("".join(f"w {tag}\n" for tag in around), encoding="utf-8")
    assert run(["tags", "validate", "tags.conll", "--scheme", scheme, "-f", "json"]) == 3
    (found,) = json.loads(capsys.readouterr().out)["files"][0]["rows"]
    assert (found["tag"], found["kind"]) == (tags[0], row[0].strip("`"))


@pytest.fixture
def validated(capsys: pytest.CaptureFixture[str]) -> Any:
    run(["tags", "validate", "system.conll", "absent", "-f", "json"])
    return json.loads(capsys.readouterr().out)


def test_the_keys_of_a_validation_are_those_of_the_page(validated: Any) -> None:
    told = {row[0].strip("`"): set(quoted(row[1])) for row in rows(TEXT, "`-f json` prints one object")}
    assert validated.keys() == told.keys() - {"columns", "rows"}
    read, absent = validated["files"]
    error = {"message", "where", "detail", "remedy"}
    assert absent["error"].keys() <= error
    assert read.keys() | absent.keys() | error == told["files"]
    assert set().union(*read["columns"]) == told["columns"]
    assert set().union(*read["rows"]) == told["rows"]


def test_the_keys_of_counts_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    run(["tags", "count", "system.conll", "--names", "3", "-f", "json"])
    counted = json.loads(capsys.readouterr().out)
    told = {name for row in rows(TEXT, "`-f json` prints `files`") for name in quoted(row[0])}
    assert counted.keys() == {"files", "total"}
    assert counted["files"][0].keys() == counted["total"].keys() | {"file"}
    assert counted["total"].keys() | counted["total"]["columns"][0].keys() == told
    assert counted["total"]["columns"][0]["names"][0].keys() == {"label", "text", "count"}


def test_the_columns_of_the_csv_are_those_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    run(["tags", "count", "system.conll", "--names", "3", "-f", "csv"])
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    sentence = TEXT[TEXT.index("`-f csv` prints one count a line") :].split("## ")[0]
    columns, values = sentence.split("`what` is")
    assert list(rows[0]) == re.findall("`(\\w+)`", columns)
    assert {row["what"] for row in rows} == set(quoted(values)) - {"label", "value"}


def test_the_exit_codes_of_the_page_are_those_of_the_program() -> None:
    assert [run(["tags", "validate", name, "-q"]) for name in ("touching.conll", "system.conll", "absent")] == [0, 3, 3]
    assert run(["tags", "repair", "system.conll", "touching.conll"]) == 2
    assert [row[0] for row in rows(TEXT, "| exit code |")] == ["0", "2", "3"]
