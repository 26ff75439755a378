from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import run

Streams = pytest.CaptureFixture[str]
GOOD = "Ada\tB-PER\nLovelace\tI-PER\nsaw\tO\n\nสมหญิง\tB-PER\n"
BAD = "Ada\tB-PER\nLovelace\tI-ORG\nsaw\tO\n\nสมหญิง\tB-PER\nليلى\tI-LOC\n"
MENDED = BAD.replace("I-ORG", "B-ORG").replace("I-LOC", "B-LOC")
DECIDED = (
    "Column 2 of bad is read as IOB2 (4 spans, tags with B-, I-; 2 of its tags do not fit).\n"
    "The tags of column 2 of bad could as well be IOB1, which read them alike.\n"
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good").write_text(GOOD, encoding="utf-8")
    Path("bad").write_text(BAD, encoding="utf-8")
    Path("both").write_text("Ada B-PER S-PER\nran O O\nRome B-LOC I-LOC\n", encoding="utf-8")


def text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")


def tags(*arguments: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    """The program as a process of its own, fed with these bytes."""
    command = [sys.executable, "-m", "isogloss", "tags", *arguments]
    return subprocess.run(command, input=data, capture_output=True, check=False)


# validate


def test_tags_that_all_fit_leave_with_0(capsys: Streams) -> None:
    assert run(["tags", "validate", "good"]) == 0
    out, err = capsys.readouterr()
    assert out == "good: all 4 tags fit IOB2 (2 sentences, 2 spans)\n"
    assert err == "Column 2 of good is read as IOB2 (2 spans, tags with B-, I-; every tag fits).\n"


def test_files_of_folders_and_patterns_are_read_one_by_one(capsys: Streams) -> None:
    for number in (10, 9):
        Path("d").mkdir(exist_ok=True)
        Path(f"d/part-{number}").write_text(GOOD, encoding="utf-8")
    for given in ("d", "d/part-*"):
        assert run(["tags", "validate", given, "-q"]) == 0
        out = [line.split(":")[0] for line in capsys.readouterr().out.splitlines()[:2]]
        assert out == ["d/part-9", "d/part-10"]
    assert run(["tags", "repair", "d"]) == 2
    assert "--in-place" in capsys.readouterr().err


def test_tags_that_do_not_fit_are_located_and_leave_with_3(capsys: Streams) -> None:
    assert run(["tags", "validate", "bad"]) == 3
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "bad:2: 'I-ORG' after 'B-PER' does not fit IOB2: a span begins with B-; 'B-ORG' would fit [Lovelace]",
        "bad:6: 'I-LOC' after 'B-PER' does not fit IOB2: a span begins with B-; 'B-LOC' would fit [\u2067ليلى\u2069]",
        "bad: 2 of 5 tags do not fit IOB2 (2 sentences, 4 spans)",
    ]
    assert err == DECIDED


def test_an_unreadable_file_counts_as_bad_and_others_are_read(capsys: Streams) -> None:
    Path("broken").write_text("Ada B-PER\nran\n", encoding="utf-8")
    assert run(["tags", "validate", "broken", "absent", "good", "-q"]) == 3
    out, err = capsys.readouterr()
    assert out == "good: all 4 tags fit IOB2 (2 sentences, 2 spans)\n"
    assert "broken:2: 1 column, but line 1 has 2" in err
    assert "absent: no such file" in err


def test_a_named_scheme_holds_for_all_columns(capsys: Streams) -> None:
    assert run(["tags", "validate", "both", "--columns", "1,2,3", "--scheme", "iobes"]) == 3
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "both:1: column 2: 'B-PER' before 'O' does not fit IOBES: a span ends with E- or S-; 'S-PER' would fit [Ada]",
        (
            "both:3: column 2: 'B-LOC' at the end of its sentence does not fit IOBES: "
            "a span ends with E- or S-; 'S-LOC' would fit [Rome]"
        ),
        (
            "both:3: column 3: 'I-LOC' after 'O' does not fit IOBES: "
            "a span begins with B- or S-; 'S-LOC' would fit [Rome]"
        ),
        "both, column 2: 2 of 3 tags do not fit IOBES (1 sentence, 2 spans)",
        "both, column 3: 1 of 3 tags do not fit IOBES (1 sentence, 2 spans)",
    ]
    assert err == ""


def test_json_has_the_messages_and_the_counts(capsys: Streams) -> None:
    assert run(["tags", "validate", "bad", "absent", "-f", "json", "--max", "1"]) == 3
    document = json.loads(capsys.readouterr().out)
    assert (document["fits"], document["misfits"]) == (False, 2)
    bad, absent = document["files"]
    assert bad["columns"] == [
        {"column": 2, "scheme": "iob2", "notation": "prefix", "spans": 4, "misfits": 2, "kinds": {"begin": 2}},
    ]
    (row,) = bad["rows"]
    message = row.pop("message")
    assert message == "'I-ORG' after 'B-PER' does not fit IOB2: a span begins with B-; 'B-ORG' would fit"
    assert row == {"line": 2, "column": 2, "token": "Lovelace", "tag": "I-ORG", "kind": "begin", "fits": "B-ORG"}
    assert absent["error"]["message"] == "no such file"


def test_results_may_go_to_a_file(capsys: Streams) -> None:
    assert run(["tags", "validate", "bad", "-o", "found"]) == 3
    assert run(["tags", "validate", "good", "-f", "json", "-o", "found.json"]) == 0
    assert capsys.readouterr().out == ""
    assert text("found").count("\n") == 3
    assert json.loads(text("found.json"))["fits"] is True


# repair


def test_a_repaired_file_goes_to_stdout_and_messages_to_stderr(capsys: Streams) -> None:
    assert run(["tags", "repair", "bad"]) == 0
    assert capsys.readouterr() == (MENDED, DECIDED + "bad: 2 of 5 tags changed (first: bad:2)\n")


def test_discard_removes_the_spans(capsys: Streams) -> None:
    assert run(["tags", "repair", "bad", "--repair", "discard", "-q"]) == 0
    assert capsys.readouterr() == (BAD.replace("I-ORG", "O").replace("I-LOC", "O"), "")


def test_a_file_is_repaired_in_place(capsys: Streams) -> None:
    assert run(["tags", "repair", "bad", "good", "--in-place"]) == 0
    out, err = capsys.readouterr()
    assert (text("bad"), text("good"), out) == (MENDED, GOOD, "")
    assert "bad: 2 of 5 tags changed (first: bad:2)\n" in err
    assert "good: 0 of 4 tags changed\n" in err


def test_standard_input_goes_to_standard_output() -> None:
    done = tags("repair", "-", "--scheme", "iob2", data=b"\xef\xbb\xbfa I-A\r\n\r\n# b c d\r\ne  I-B")
    assert (done.returncode, done.stdout) == (0, b"\xef\xbb\xbfa B-A\r\n\r\n# b c d\r\ne  B-B")
    assert done.stderr == b"<stdin>: 2 of 2 tags changed (first: <stdin>:1)\n"


def test_compressed_input_is_read_and_compressed_output_written() -> None:
    Path("bad.gz").write_bytes(gzip.compress(BAD.encode()))
    assert run(["tags", "repair", "bad.gz", "-o", "mended.gz"]) == 0
    assert gzip.decompress(Path("mended.gz").read_bytes()).decode() == MENDED
    assert run(["tags", "repair", "bad.gz", "--in-place"]) == 0
    assert gzip.decompress(Path("bad.gz").read_bytes()).decode() == MENDED


def test_each_column_is_reported(capsys: Streams) -> None:
    assert run(["tags", "repair", "both", "--columns", "1,2,3", "--scheme", "iobes"]) == 0
    out, err = capsys.readouterr()
    assert out == "Ada S-PER S-PER\nran O O\nRome S-LOC S-LOC\n"
    assert err.splitlines() == [
        "both, column 2: 2 of 3 tags changed (first: both:1)",
        "both, column 3: 1 of 3 tags changed (first: both:3)",
    ]


@pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
def test_an_interrupted_repair_in_place_keeps_the_file() -> None:
    slow = (
        "import sys, time, isogloss.tasks.ner.tag_rewriting as r\n"
        "from isogloss.cli import run\n"
        "whole = r.rewrite_tags\n"
        "def rewrite_tags(*given):\n"
        "    print('writes', flush=True)\n"
        "    time.sleep(60)\n"
        "    return whole(*given)\n"
        "r.rewrite_tags = rewrite_tags\n"
        "sys.exit(run(['tags', 'repair', 'bad', '--in-place', '-q']))\n"
    )
    with subprocess.Popen([sys.executable, "-c", slow], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"writes\n"
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
    assert (child.returncode, err) == (130, b"isogloss: interrupted\n")
    assert text("bad") == BAD
    assert sorted(entry.name for entry in Path().iterdir()) == ["bad", "both", "good"]


# convert


def test_underscores_stay_unless_another_notation_is_named(tmp_path: Path, capsys: Streams) -> None:
    path = tmp_path / "lst20.txt"
    path.write_text("Ada\tI_PER\nruns\tO\nOslo\tB_LOC\nFjord\tI_LOC\n")
    for arguments, expected in [
        (["repair"], "Ada\tB_PER\nruns\tO\nOslo\tB_LOC\nFjord\tI_LOC\n"),
        (["convert", "--to", "iobes", "--repair", "begin"], "Ada\tS_PER\nruns\tO\nOslo\tB_LOC\nFjord\tE_LOC\n"),
        (
            ["convert", "--to", "iob2", "--repair", "begin", "--notation", "prefix"],
            "Ada\tB-PER\nruns\tO\nOslo\tB-LOC\nFjord\tI-LOC\n",
        ),
    ]:
        assert run(["tags", *arguments, str(path)]) == 0
        assert capsys.readouterr().out == expected


def test_a_file_is_written_in_another_scheme(capsys: Streams) -> None:
    assert run(["tags", "convert", "good", "--to", "bilou", "-q"]) == 0
    expected = "Ada\tB-PER\nLovelace\tL-PER\nsaw\tO\n\nสมหญิง\tU-PER\n"
    assert capsys.readouterr() == (expected, "")


def test_a_conversion_refuses_invalid_tags(capsys: Streams) -> None:
    assert run(["tags", "convert", "bad", "--to", "bilou", "--in-place"]) == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert "isogloss: bad:2: 'I-ORG' after 'B-PER' does not fit IOB2" in err
    assert "--repair begin" in err
    assert text("bad") == BAD


def test_a_conversion_may_repair(capsys: Streams) -> None:
    assert run(["tags", "convert", "bad", "--to", "iob2", "--repair", "begin"]) == 0
    out, err = capsys.readouterr()
    assert out == MENDED
    assert "bad: Tags did not fit IOB2 and were repaired by 'begin': 2 (first: bad:2)\n" in err


def test_tags_may_end_with_their_letter(capsys: Streams) -> None:
    assert run(["tags", "convert", "good", "--to", "iobes", "--notation", "suffix", "-q"]) == 0
    assert capsys.readouterr().out == "Ada\tPER-B\nLovelace\tPER-E\nsaw\tO\n\nสมหญิง\tPER-S\n"


# count


def test_counts_are_shown_in_tables(capsys: Streams) -> None:
    assert run(["tags", "count", "good", "bad", "--names", "1"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("2 files  4 sentences, 9 tokens\n\nFiles\n")
    assert [line.split() for line in out.splitlines() if line.startswith(("good", "bad", "LOC", "all", "สม"))] == [
        ["good", "2", "4", "2"],
        ["bad", "2", "5", "4"],
        ["LOC", "1", "1", "0", "0", "0", "0"],
        ["all", "6", "5", "1", "0", "0", "0"],
        ["สมหญิง", "PER", "2"],
    ]
    assert "bad: 2 invalid tags, handled by --repair begin\n" in err


def test_counts_as_json(capsys: Streams) -> None:
    assert run(["tags", "count", "good", "bad", "-f", "json", "--names", "9", "-q"]) == 0
    out, err = capsys.readouterr()
    document: Any = json.loads(out)
    assert [(file["file"], file["tokens"]) for file in document["files"]] == [("good", 4), ("bad", 5)]
    (column,) = document["total"]["columns"]
    assert column["by_label"] == {"LOC": 1, "ORG": 1, "PER": 4}
    assert column["by_length"] == {"1": 5, "2": 1}
    assert column["names"][0] == {"label": "PER", "text": "สมหญิง", "count": 2}
    assert column["misfits"] == 2
    assert err == ""


def test_each_column_has_its_tables(capsys: Streams) -> None:
    assert run(["tags", "count", "both", "--columns", "1,2,3", "-q"]) == 0
    titles = [line for line in capsys.readouterr().out.splitlines() if "(" in line]
    assert titles == [
        f"{what} (column {column}, {scheme})"
        for column, scheme in ((2, "IOB2"), (3, "IOBES"))
        for what in ("Spans", "Tags")
    ]


def test_a_count_of_discarded_spans(capsys: Streams) -> None:
    assert run(["tags", "count", "bad", "--repair", "discard", "-f", "json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["columns"][0]["by_label"] == {"PER": 2}


@pytest.mark.parametrize(
    ("data", "said"),
    [("a I-X\n", "1 invalid tag"), ("a I-X\n\nb I-X\n", "2 invalid tags")],
)
def test_what_does_not_fit_is_counted_too(data: str, said: str, capsys: Streams) -> None:
    Path("few").write_text(data, encoding="utf-8")
    assert run(["tags", "count", "few", "--scheme", "iob2"]) == 0
    assert capsys.readouterr().err == f"few: {said}, handled by --repair begin\n"


# Calls and streams


WRONG_CALLS = {
    "no command": [],
    "no file": ["validate"],
    "unknown scheme": ["validate", "good", "--scheme", "iob"],
    "unknown target": ["convert", "good", "--to", "iob"],
    "no target": ["convert", "good"],
    "bare labels in another scheme than IO": ["convert", "good", "--to", "iob2", "--notation", "bare"],
    "columns without numbers": ["validate", "good", "--columns", "token,tag"],
    "an empty column": ["validate", "good", "--columns", "1,,2"],
    "no scheme to write": ["convert", "good", "--to", "auto"],
    "one column": ["validate", "good", "--columns", "1"],
    "column 0": ["repair", "good", "--columns", "0,1"],
    "a column twice": ["count", "good", "--columns", "1,2,2"],
    "a negative number": ["validate", "good", "--max", "-1"],
    "an unknown repair": ["repair", "good", "--repair", "error"],
    "standard input in place": ["repair", "-", "--in-place"],
    "two places": ["repair", "good", "--in-place", "-o", "new"],
    "several files for one place": ["repair", "good", "bad", "-o", "new"],
    "several files for standard output": ["convert", "good", "bad", "--to", "io"],
    "the file itself": ["repair", "good", "-o", "good"],
    "standard input twice": ["count", "-", "-"],
}


@pytest.mark.parametrize("arguments", WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_a_wrong_call_leaves_with_2_and_a_message(capsys: Streams, arguments: list[str]) -> None:
    assert run(["tags", *arguments]) == 2
    out, err = capsys.readouterr()
    assert (out == "") or arguments == []
    assert err.strip() or arguments == []
    assert "Traceback" not in err
    assert (text("good"), text("bad")) == (GOOD, BAD)


BAD_DATA = {
    "absent": (None, "no such file"),
    "a folder": (b"", "the folder holds no files"),
    "empty": (b"", "holds no documents"),
    "binary": (b"\0\1\2", "is binary"),
    "UTF-16": ("a B-A".encode("utf-16"), "UTF-16"),
    "Latin-1": ("Jürgen B-PER\n".encode("latin-1"), "is not UTF-8"),
    "cut short": (gzip.compress(GOOD.encode())[:-9], "damaged or cut short"),
    "JSON": (b'{"id": "1"}\n', "holds JSON"),
    "ragged": (b"a B-A\nb\n", "1 column, but line 1 has 2"),
    "other values": (b"a NN\nb VB\n", "does not look like a column of tags"),
    "letters of no scheme": (b"a U-A\nb E-A\n", "no tag scheme has all of"),
}


@pytest.mark.parametrize("name", BAD_DATA)
def test_bad_data_leaves_with_3_and_says_what_is_wrong(capsys: Streams, name: str) -> None:
    data, said = BAD_DATA[name]
    if name == "a folder":
        Path("input").mkdir()
    elif data is not None:
        Path("input").write_bytes(data)
    for command in (["validate"], ["repair"], ["convert", "--to", "io"], ["count"]):
        assert run(["tags", *command, "input"]) == 3
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("isogloss: input")
        assert said in err


@pytest.mark.parametrize("command", ["validate", "repair", "count"])
def test_a_reader_that_has_seen_enough_is_no_error(command: str) -> None:
    Path("long").write_text("a I-A\n\n" * 100_000, encoding="utf-8")
    names = ["--names", "9"] if command == "count" else []
    arguments = [sys.executable, "-m", "isogloss", "tags", command, "long", "--scheme", "iob2", *names]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        said = child.stderr.read()
    assert child.returncode == 141
    assert b"Traceback" not in said


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["validate", "bad"], ["repair", "bad"], ["repair", "bad", "-o", "/dev/full"]])
def test_a_full_disk_leaves_with_3(arguments: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "isogloss", "tags", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 3
    assert b"cannot be written: No space left on device" in done.stderr


@pytest.mark.parametrize("command", ["", "validate", "repair", "convert", "count"])
def test_help_waits_for_no_package_that_only_work_needs(command: str) -> None:
    arguments = ["tags", *command.split(), "--help"]
    code = f"import sys; from isogloss.cli import run; run({arguments}); sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert {"numpy", "rich", "msgspec"}.isdisjoint(done.stderr.split())
