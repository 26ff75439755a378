from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path
from uuid import UUID

import pytest
from saved_runs import BETTER, ner_run, with_findings

from isogloss.cli import run
from isogloss.store import Store

Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def ids(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[UUID, UUID]:
    """Two runs in the store that is looked for without a word."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    with Store.open() as store:
        first = store.save(with_findings(5, ner_run(confidence=0.9)), name="first", corpus="toy", tags=["a", "b"])
        return first, store.save(ner_run(BETTER))


def output(capsys: Streams, *arguments: str) -> str:
    assert run(["runs", *arguments]) == 0
    return capsys.readouterr().out


def errors(capsys: Streams, code: int, *arguments: str) -> str:
    assert run(["runs", *arguments]) == code
    said = capsys.readouterr()
    assert said.out == ""
    return said.err


def names(store: str = ".isogloss/runs.db") -> list[str | None]:
    with Store.open(store) as opened:
        return [summary.name for summary in opened.list()]


def test_a_list_has_a_line_for_each_run(capsys: Streams, ids: tuple[UUID, UUID]) -> None:
    text = output(capsys, "list")
    assert text.startswith("2 runs\n")
    lines = {line.split()[0]: line for line in text.splitlines()[2:4]}
    assert list(lines) == [ids[1].hex[:8], ids[0].hex[:8]]
    assert "ner" in lines[ids[0].hex[:8]]
    assert "strict.f1" in text
    assert "toy" in text
    assert "a, b" in text


def test_columns_that_no_run_needs_are_left_out(capsys: Streams) -> None:
    text = output(capsys, "list", "--score", "strict.precision", "--limit", "1")
    assert text.startswith("1 run\n")
    assert "corpus" not in text
    assert "tags" not in text


def test_a_wide_list_is_one_table(capsys: Streams) -> None:
    output(capsys, "tag", "first", "a tag that is long enough", "for a line of more than eighty cells")
    lines = output(capsys, "list").splitlines()
    assert len(lines) == 4
    assert lines[1].split() == [
        "run",
        "saved",
        "task",
        "system",
        "corpus",
        "name",
        "score",
        "value",
        "interval",
        "tags",
    ]


def test_a_wrong_date_is_refused(capsys: Streams) -> None:
    assert "since must be a date such as 2026-11-22" in errors(capsys, 2, "list", "--since", "monday")


def test_an_empty_list_says_so(capsys: Streams) -> None:
    assert output(capsys, "list", "--task", "segmentation") == "0 runs\n"
    rows = output(capsys, "list", "--task", "segmentation", "-f", "csv").splitlines()
    assert len(rows) == 1


def test_a_task_that_there_is_not_is_refused(capsys: Streams) -> None:
    assert "Unknown --task 'nerr'; did you mean ner? Choose from ner, segmentation" in errors(
        capsys, 2, "list", "--task", "nerr"
    )


def test_tags_of_several_words_stay_apart_in_csv(capsys: Streams) -> None:
    output(capsys, "tag", "first", "two words", "--remove")
    output(capsys, "tag", "first", "two words", 'a "comma", too')
    first = list(csv.DictReader(io.StringIO(output(capsys, "list", "-f", "csv"))))[1]
    assert json.loads(first["tags"]) == ["a", 'a "comma", too', "b", "two words"]


@pytest.mark.parametrize("content", [None, "no runs\n"])
def test_no_store_is_made_for_a_file_without_runs(content: str | None, capsys: Streams) -> None:
    if content is not None:
        Path("file").write_text(content, encoding="utf-8")
    errors(capsys, 3, "import", "file", "--store", "new.db")
    assert not Path("new.db").exists()


def test_an_empty_file_is_no_store_until_something_is_saved(capsys: Streams) -> None:
    Path("empty.db").touch()
    assert "there is no store of runs" in errors(capsys, 3, "list", "--store", "empty.db")
    assert Path("empty.db").stat().st_size == 0


def test_a_list_as_json(capsys: Streams) -> None:
    with Store.open() as store:
        wanted = [summary.to_dict() for summary in store.list()]
    assert json.loads(output(capsys, "list", "-f", "json")) == {"runs": wanted}


def test_a_list_as_csv(capsys: Streams, ids: tuple[UUID, UUID]) -> None:
    second, first = csv.DictReader(io.StringIO(output(capsys, "list", "-f", "csv")))
    assert (first["id"], first["name"], first["tags"], first["score"]) == (
        str(ids[0]),
        "first",
        '["a","b"]',
        "strict.f1",
    )
    assert float(first["low"]) <= float(first["value"]) <= float(first["high"])
    assert (second["name"], second["corpus"], second["low"]) == ("", "", "")


def test_a_list_into_a_file(capsys: Streams) -> None:
    assert output(capsys, "list", "-o", "list.txt") == ""
    assert Path("list.txt").read_text().startswith("2 runs\n")


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--tag", "a"], ["first"]),
        (["--corpus", "toy"], ["first"]),
        (["--system", "nobody"], []),
        (["--task", "ner", "-n", "1"], [None]),
        (["--score", "strict.f1"], [None, "first"]),
        (["--score", "nothing"], []),
        (["--name", "first"], ["first"]),
        (["--signature", "ner|scheme:iob2", "--since", "2026-01-01"], [None, "first"]),
        (["--signature", "scheme:iob1"], []),
        (["--until", "2020-01-01"], []),
        (["--reference", "gold.conll"], []),
    ],
)
def test_options_narrow_the_list(capsys: Streams, options: list[str], names: list[str | None]) -> None:
    assert [found["name"] for found in json.loads(output(capsys, "list", "-f", "json", *options))["runs"]] == names


def test_the_next_page_comes_after_a_run(capsys: Streams, ids: tuple[UUID, UUID]) -> None:
    found = json.loads(output(capsys, "list", "-f", "json", "--after", str(ids[1])))["runs"]
    assert [row["id"] for row in found] == [str(ids[0])]


def test_a_run_is_shown_as_it_was(capsys: Streams, ids: tuple[UUID, UUID]) -> None:
    from isogloss.report import text_formats  # noqa: PLC0415

    assert output(capsys, "show", ids[1].hex[:6], "-f", "json") == text_formats.format_runs_json([ner_run(BETTER)])
    assert output(capsys, "show", str(ids[1]), "-f", "markdown") == text_formats.format_runs_markdown([ner_run(BETTER)])
    text = output(capsys, "show", "first")
    assert text.startswith("ner  prediction, 4 documents\n")
    assert "Errors" in text
    assert str(ner_run(confidence=0.9).signature) in text


def test_fewer_errors_are_shown(capsys: Streams) -> None:
    rows = json.loads(output(capsys, "show", "first", "-f", "json", "--errors", "2"))["findings"]["rows"]
    assert [row["where"] for row in rows] == ["system.conll:1", "system.conll:2"]


def test_tags_come_and_go(capsys: Streams) -> None:
    output(capsys, "tag", "first", "b", "c")
    output(capsys, "tag", "first", "a", "--remove")
    with Store.open() as store:
        assert store.get("first").summary.tags == ("b", "c")


def test_delete_without_a_terminal_needs_yes(capsys: Streams) -> None:
    assert "add --yes" in errors(capsys, 2, "delete", "first")
    assert names() == [None, "first"]
    output(capsys, "delete", "first", "--yes")
    assert names() == [None]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "left"), [("y\n", [None]), ("n\n", [None, "first"]), ("\n", [None, "first"])])
def test_on_a_terminal_deleting_asks(
    capsys: Streams,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    left: list[str | None],
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(answer))
    code = run(["runs", "delete", "first"])
    assert code == (0 if answer == "y\n" else 130)
    assert "Delete this run?" in capsys.readouterr().err
    assert names() == left


def test_runs_go_to_another_store(capsys: Streams, ids: tuple[UUID, UUID]) -> None:
    output(capsys, "export", "first", ids[1].hex, "-o", "runs.jsonl.gz")
    assert run(["runs", "import", "runs.jsonl.gz", "--store", "other.db"]) == 0
    assert capsys.readouterr().err == "2 new runs in other.db\n"
    assert names("other.db") == names()
    assert run(["runs", "import", "runs.jsonl.gz", "--store", "other.db", "-q"]) == 0
    assert capsys.readouterr().err == ""


def test_the_variable_says_where_runs_are(capsys: Streams, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISOGLOSS_STORE", str(tmp_path / "elsewhere.db"))
    assert "there is no store of runs" in errors(capsys, 3, "list")
    assert not (tmp_path / "elsewhere.db").exists()


@pytest.mark.parametrize("arguments", [["show", "nothing"], ["tag", "nothing", "a"], ["delete", "nothing", "-y"]])
def test_unknown_run_is_reported(capsys: Streams, arguments: list[str]) -> None:
    said = errors(capsys, 3, *arguments)
    assert said.startswith("isogloss: .isogloss/runs.db: there is no run 'nothing'\n")


def test_help_waits_for_no_database() -> None:
    code = (
        "import sys\nfrom isogloss.cli import run\nrun(['--help'])\nrun(['runs', 'list', '--help'])\n"
        "print(sorted({'sqlalchemy', 'alembic', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
