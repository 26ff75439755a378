from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run
from isogloss.errors import UsageError
from isogloss.tasks.ner.options import parse_columns

# Three names: "Ada Lovelace" is cut short, "Oslo" is right, "Bell" is missed, "may" is made up; one I-LOC does not fit.
GOLD = "Ada\tB-PER\nLovelace\tI-PER\nin\tO\nOslo\tB-LOC\n\nBell\tB-ORG\nmay\tO\n"
SYSTEM = "Ada\tB-PER\nLovelace\tO\nin\tO\nOslo\tI-LOC\n\nBell\tO\nmay\tB-ORG\n"
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(GOLD, encoding="utf-8")
    Path("system").write_text(SYSTEM, encoding="utf-8")
    columns = (f"{a}\t{b.split()[-1]}" if a else "" for a, b in zip(GOLD.split("\n"), SYSTEM.split("\n"), strict=True))
    Path("both").write_text("\n".join(columns), encoding="utf-8")


def output(capsys: Streams, *arguments: str) -> str:
    assert run(["ner", *arguments]) == 0
    return capsys.readouterr().out


def document(capsys: Streams, *arguments: str) -> Any:
    return json.loads(output(capsys, *arguments, "-f", "json"))


def test_one_file_has_columns_for_both_sides(capsys: Streams) -> None:
    assert document(capsys, "both")["scores"] == document(capsys, "gold", "system")["scores"]


def test_columns_choose_what_is_read(capsys: Streams) -> None:
    swapped = document(capsys, "both", "--columns", "1,3,2")
    assert swapped["scores"]["strict"]["precision"] == document(capsys, "both")["scores"]["strict"]["recall"]


def test_options_reach_the_definition(capsys: Streams) -> None:
    options = ("--beta", "2", "--zero-division", "1", "--macro-over", "reference", "--repair", "discard")
    got = document(
        capsys,
        "gold",
        "system",
        *options,
        "--scheme",
        "iob2",
        "--label",
        "PER",
        "--label",
        "LOC",
        "--training",
        "gold",
        "--by",
        "seen",
    )
    wanted = isogloss.ner(
        "gold",
        "system",
        beta=2,
        zero_division=1,
        macro_over="reference",
        repair="discard",
        scheme="iob2",
        labels=["PER", "LOC"],
        training="gold",
        by=["seen"],
    )
    assert got == wanted.to_dict()


def test_different_tokens_are_allowed_with_ignore_tokens(capsys: Streams) -> None:
    Path("other").write_text(SYSTEM.replace("Oslo", "oslo"), encoding="utf-8")
    assert run(["ner", "gold", "other"]) == 3
    assert document(capsys, "gold", "other", "--ignore-tokens")["documents"] == 2


def test_a_format_can_be_named(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--input-format", "jsonl"]) == 3
    assert document(capsys, "gold", "system", "--input-format", "conll")["documents"] == 2


def test_warnings_are_part_of_the_text_unless_it_is_to_be_quiet(capsys: Streams) -> None:
    warning = "Tags of the prediction do not fit IOB2"
    assert warning in output(capsys, "gold", "system")
    assert warning not in output(capsys, "gold", "system", "-q")


@pytest.mark.parametrize("form", ["csv", "latex"])
def test_csv_and_latex_print_warnings_on_stderr(capsys: Streams, form: str) -> None:
    assert run(["ner", "gold", "system", "-f", form]) == 0
    out, err = capsys.readouterr()
    assert "do not fit" not in out
    assert "do not fit" in err
    assert run(["ner", "gold", "system", "-f", form, "-q"]) == 0
    assert capsys.readouterr() == (out, "")


@pytest.mark.parametrize(
    ("text", "columns"),
    [("1,2", (1, 2)), ("1, -1", (1, -1)), ("1,3,-2", (1, 3, -2)), ("tokens,ner_tags", ("tokens", "ner_tags"))],
)
def test_columns_are_numbers_or_names_between_commas(text: str, columns: tuple[int | str, ...]) -> None:
    assert parse_columns(text) == columns


@pytest.mark.parametrize("text", ["", "1,", ",a", "1, ,2"])
def test_other_columns_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="separated by commas"):
        parse_columns(text)


@pytest.mark.parametrize("columns", ["0,1", "1", "1,2,3"])
def test_columns_of_conll_files_are_two_numbers(columns: str, capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--columns", columns]) == 2
    assert f"columns {columns} cannot be read: give 2 numbers" in capsys.readouterr().err


@pytest.mark.parametrize("columns", ["a,b", "1;2", "1.5,2"])
def test_names_of_columns_need_a_line_of_names(columns: str, capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--columns", columns]) == 2
    assert "gold:1 has no names of columns in its first line" in capsys.readouterr().err


@pytest.fixture
def mixed() -> list[str]:
    """A reference in spans, and systems as columns, as offsets and as what a model answered."""
    text = "Ada met Bob."
    files = {
        "gold.jsonl": f'{{"text": "{text}", "entities": [[0, 3, "PER"], [8, 11, "PER"]]}}\n',
        "a.conll": "Ada\tNNP\tB-PER\tx\nmet\tVBD\tO\tx\nBob\tNNP\tB-LOC\tx\n.\t.\tO\tx\n",
        "b.jsonl": f'{{"text": "{text}", "entities": [[0, 3, "PER"]]}}\n',
        "c.jsonl": '{"answer": "[[\\"Ada\\", \\"PER\\"], [\\"Bob\\", \\"PER\\"]]"}\n',
        "d.jsonl": '{"error": "timeout"}\n',
    }
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    return [*files][:4]


def test_an_option_applies_to_the_systems_that_support_it(capsys: Streams, mixed: list[str]) -> None:
    found = document(capsys, *mixed, "--answers", "answer", "--columns", "1,3")["runs"]
    assert [run["scores"]["strict"]["correct"] for run in found] == [1, 1, 2]


def test_stdin_is_read_once_beside_a_system_with_an_option(
    capsys: Streams,
    mixed: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path("b.jsonl").read_bytes()), encoding="utf-8"))
    found = document(capsys, mixed[0], "-", mixed[3], "--answers", "answer")["runs"]
    assert [run["scores"]["strict"]["correct"] for run in found] == [1, 2]


@pytest.mark.parametrize(
    ("systems", "options", "code", "words"),
    [
        (("a.conll", "b.jsonl"), ("--answers", "answer", "--columns", "1,3"), 2, "has no --answers"),
        (("b.jsonl",), ("--answers", "answer"), 3, "the first row has no field 'answer'"),
        (("c.jsonl",), ("--answers", "answr"), 3, "the first row has no field 'answr'; it has 'answer'"),
        (("c.jsonl", "d.jsonl"), ("--answers", "answer"), 3, "d.jsonl: the first row has no field 'answer'"),
        (("b.jsonl", "b.jsonl"), ("--columns", "1,3"), 2, "jsonl has no --columns"),
        (("b.jsonl",), ("--ignore-tokens",), 2, "--ignore-tokens has no effect"),
        (("a.conll",), ("--ignore-tokens", "--columns", "1,3"), 2, "--ignore-tokens has no effect"),
    ],
)
def test_an_option_that_no_system_has_is_refused(
    capsys: Streams,
    mixed: list[str],
    systems: tuple[str, ...],
    options: tuple[str, ...],
    code: int,
    words: str,
) -> None:
    assert run(["ner", mixed[0], *systems, *options]) == code
    assert words in capsys.readouterr().err


@pytest.mark.usefixtures("mixed")
def test_a_reference_without_spans_is_named_with_answers(capsys: Streams) -> None:
    assert run(["ner", "d.jsonl", "b.jsonl", "--answers", "answer"]) == 3
    assert "d.jsonl:1: the row has neither" in capsys.readouterr().err


def test_documents_of_one_system_alone_are_drawn_if_an_error_is_of_the_chosen_kind(capsys: Streams) -> None:
    printed = output(capsys, "gold", "gold", "system", "--errors", "3", "--kind", "missed")
    assert "in 2 documents: 1, 2" in printed
    assert "Ada Lovelace" not in printed
    assert "[ORG Bell]" in printed
