from __future__ import annotations

import gzip
import io
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import run

Streams = pytest.CaptureFixture[str]
ROW = '{"id": "s", "text": "Ada met Bob", "entities": [[0, 3, "PER"], [8, 11, "PER"]]}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.jsonl").write_text(ROW, encoding="utf-8")


def test_documents_go_to_stdout_and_messages_to_stderr(capsys: Streams) -> None:
    assert run(["convert", "gold.jsonl", "--to", "conll"]) == 0
    streams = capsys.readouterr()
    assert streams.out == "Ada\tB-PER\nmet\tO\nBob\tB-PER\n\n"
    assert streams.err == "isogloss: 1 document with 2 spans, from jsonl to conll\n"


def test_quiet_option_writes_the_file_without_messages(capsys: Streams) -> None:
    assert run(["convert", "gold.jsonl", "--to", "conll", "--to-scheme", "bilou", "-o", "gold.conll", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert Path("gold.conll").read_text(encoding="utf-8") == "Ada\tU-PER\nmet\tO\nBob\tU-PER\n\n"


def test_messages_report_detection_repairs_and_totals(capsys: Streams) -> None:
    Path("tags").write_text("a\tB-X\nb\tI-Y\n", encoding="utf-8")
    assert run(["convert", "tags", "--to", "jsonl"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("tags: The file is read as")
    assert lines[-1] == "isogloss: 1 document with 2 spans, from conll to jsonl"
    assert run(["convert", "tags", "--to", "jsonl", "--scheme", "iob2"]) == 0
    assert ": 1 (tags:2)\n" in capsys.readouterr().err


def test_every_option_reaches_the_file(capsys: Streams) -> None:
    Path("both").write_text("a\tB-X\tI-Y\n", encoding="utf-8")
    options = ["--input-format", "conll", "--columns", "1,3", "--scheme", "iob2", "--repair", "discard"]
    assert run(["convert", "both", "--to", "conll", "-q", *options]) == 0
    assert capsys.readouterr().out == "a\tO\n\n"
    Path("sides").write_text('{"tokens": ["a"], "ner_tags": ["B-X"], "predicted": ["B-Y"]}\n', encoding="utf-8")
    assert run(["convert", "sides", "--to", "conll", "-q", "--side", "prediction"]) == 0
    assert capsys.readouterr().out == "a\tB-Y\n\n"
    Path("answers").write_text('{"text": "a b", "said": "[{\\"text\\": \\"b\\", \\"label\\": \\"X\\"}]"}\n', "utf-8")
    assert run(["convert", "answers", "--to", "conll", "-q", "--answers", "said"]) == 0
    assert capsys.readouterr().out == "a\tO\nb\tB-X\n\n"
    Path("slipped").write_text('{"text": "a b", "entities": [[1, 3, "X"]]}\n', encoding="utf-8")
    assert run(["convert", "slipped", "--to", "conll", "-q", "--repair-offsets"]) == 0
    assert capsys.readouterr().out == "a\tO\nb\tB-X\n\n"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["gold.jsonl"], 2, "--to"),
        (["gold.jsonl", "--to", "xml"], 2, "Unknown input format 'xml'"),
        (["gold.jsonl", "--to", "conll", "--strict-spans"], 2, "jsonl has no --strict-spans"),
        (["gold.jsonl", "--to", "conll", "--columns", "1,,2"], 2, "a column is empty"),
        (["nowhere", "--to", "conll"], 3, "nowhere: no such file"),
        (["nested", "--to", "conll"], 3, "nested:1: the document has overlapping spans"),
        (["gold.jsonl", "--to", "conll", "-o", "missing/out"], 3, "missing/out: cannot be written: No such file"),
    ],
)
def test_a_fault_has_its_exit_code_and_writes_nothing(
    arguments: list[str],
    code: int,
    says: str,
    capsys: Streams,
) -> None:
    Path("nested").write_text('{"text": "a b", "entities": [[0, 3, "X"], [0, 1, "Y"]]}\n', encoding="utf-8")
    assert run(["convert", *arguments]) == code
    streams = capsys.readouterr()
    assert says in streams.err
    assert streams.out == ""
    assert sorted(path.name for path in Path().iterdir()) == ["gold.jsonl", "nested"]


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    Path("many").write_text(ROW.replace('"id": "s", ', "") * 50_000, encoding="utf-8")
    command = [sys.executable, "-m", "isogloss", "convert", "many", "--to", "conll", "-q"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        assert child.stdout.readline() == b"Ada\tB-PER\n"
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 141


def test_pipes_go_through() -> None:
    command = [sys.executable, "-m", "isogloss", "convert", "-", "--to"]
    first = subprocess.run([*command, "conllu", "-q"], input=ROW.encode(), capture_output=True, check=True)
    second = subprocess.run([*command, "jsonl", "-q"], input=first.stdout, capture_output=True, check=True)
    assert b'"text":"Ada met Bob"' in second.stdout
    assert second.stderr == b""


def test_text_is_compressed_where_its_name_says_so() -> None:
    Path("plain.jsonl").write_text('{"id": "1", "text": "สมชาย", "entities": [[0, 5, "PER"]]}\n', "utf-8")
    assert run(["convert", "plain.jsonl", "--to", "doccano", "-o", "plain.out", "-q"]) == 0
    assert run(["convert", "plain.jsonl", "--to", "doccano", "-o", "out.gz", "-q"]) == 0
    assert gzip.decompress(Path("out.gz").read_bytes()) == Path("plain.out").read_bytes()
    assert isogloss.ner("plain.jsonl", "out.gz").scores["strict"].correct == 1


def test_messages_name_standard_input(capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Ulm\tB-LOC\n"), encoding="utf-8"))
    assert run(["convert", "-", "--to", "jsonl"]) == 0
    assert "<stdin>: The file is read as IOB2" in capsys.readouterr().err
