"""Where the results of all commands go."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path

import pytest
from reports import by_hand, written

from isogloss.cli import run
from isogloss.cli.output import ProgressLine

Streams = pytest.CaptureFixture[str]
GOLD = "Ada\tB-PER\nmet\tO\n\nBob\tB-PER\n"
SYSTEM = "Ada\tB-PER\nmet\tO\n\nBob\tO\n"
SCORES = '{"gold": "a", "scores": {"a": 0.7, "b": 0.3}}\n{"gold": "b", "scores": {"a": 0.4, "b": 0.6}}\n'


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    for name, text in (("gold", GOLD), ("system", SYSTEM), ("scores", SCORES)):
        Path(name).write_text(text, encoding="utf-8")
    Path("link").symlink_to("gold")
    written(Path("runs.json"), by_hand("d/x.conll", 0.7))
    assert run(["ner", "gold", "system", "--save=saved", "--store", "runs.db", "-q", "-o", os.devnull]) == 0


@pytest.mark.parametrize(
    ("arguments", "option", "read"),
    [
        (["ner", "gold", "system"], "-o", "gold"),
        (["ner", "gold", "system"], "-o", "system"),
        (["ner", "gold", "system"], "-o", "link"),
        (["ner", "gold", "system", "--fail-under", "strict.f1=0"], "--junit", "gold"),
        (["ner", "system", "system", "--training", "gold", "--by", "seen"], "-o", "gold"),
        (["classification", "scores"], "--curves", "scores"),
        (["segmentation", "gold", "gold", "--vocabulary", "system"], "-o", "system"),
        (["tags", "validate", "gold"], "-o", "link"),
        (["tags", "count", "gold"], "-o", "gold"),
        (["tags", "repair", "gold"], "-o", "link"),
        (["tags", "convert", "gold", "--to", "io"], "-o", "gold"),
        (["lint", "ner", "gold"], "-o", "gold"),
        (["convert", "gold", "--to", "jsonl"], "-o", "link"),
        (["report", "runs.json", "-f", "markdown"], "-o", "runs.json"),
        (["runs", "list", "--store", "runs.db"], "-o", "runs.db"),
        (["runs", "show", "saved", "--store", "runs.db"], "-o", "runs.db"),
        (["runs", "export", "saved", "--store", "runs.db"], "-o", "runs.db"),
    ],
)
def test_a_file_that_is_read_is_not_written_over(arguments: list[str], option: str, read: str, capsys: Streams) -> None:
    before = Path(read).read_bytes()
    assert run([*arguments, option, read]) == 2
    assert f"{option} {read} is an input file: " in capsys.readouterr().err
    assert Path(read).read_bytes() == before


EACH = [
    ["ner", "gold", "system", "-q"],
    ["ner", "gold", "system", "-q", "-f", "json"],
    ["ner", "gold", "system", "-q", "--layout", "conlleval"],
    ["segmentation", "gold", "gold", "-q", "--layout", "thai-benchmark"],
    ["classification", "scores", "-q", "-f", "markdown"],
    ["tags", "validate", "gold", "-q"],
    ["tags", "repair", "gold", "-q"],
    ["tags", "count", "gold", "-q", "-f", "csv"],
    ["lint", "ner", "gold"],
    ["convert", "gold", "--to", "jsonl", "-q"],
    ["report", "runs.json", "-f", "markdown"],
    ["runs", "list", "--store", "runs.db"],
    ["runs", "show", "saved", "--store", "runs.db"],
]


@pytest.mark.parametrize("arguments", EACH)
def test_an_output_file_has_what_is_printed_compressed_by_name(
    arguments: list[str],
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    printed = []
    for more in ([], ["-o", "-"]):
        assert run([*arguments, *more]) == 0
        printed.append(capfdbinary.readouterr().out)
    assert printed[0] == printed[1] != b""
    assert not Path("-").exists()
    assert run([*arguments, "-o", "out"]) == run([*arguments, "-o", "out.gz"]) == 0
    assert gzip.decompress(Path("out.gz").read_bytes()) == Path("out").read_bytes()


@pytest.mark.extra
@pytest.mark.parametrize("arguments", [EACH[0], EACH[6], ["runs", "export", "saved", "--store", "runs.db"]])
def test_a_file_is_compressed_with_zstd_as_its_name_says(arguments: list[str]) -> None:
    zstandard = pytest.importorskip("zstandard", reason="needs isogloss[zstd]")
    assert run([*arguments, "-o", "out"]) == 0
    assert run([*arguments, "-o", "out.zst"]) == 0
    with Path("out.zst").open("rb") as file:
        assert zstandard.ZstdDecompressor().stream_reader(file).read() == Path("out").read_bytes()


def test_runs_are_exported_to_standard_output() -> None:
    command = [sys.executable, "-m", "isogloss", "runs", "export", "saved", "--store", "runs.db", "-o", "-"]
    exported = subprocess.run(command, capture_output=True, check=True).stdout
    assert run(["runs", "export", "saved", "--store", "runs.db", "-o", "exported"]) == 0
    assert exported == Path("exported").read_bytes() != b""


@pytest.mark.parametrize(
    "arguments",
    [["ner", "gold", "system"], ["tags", "validate", "gold"], ["lint", "ner", "gold"]],
)
def test_a_compression_that_is_not_written_is_refused(arguments: list[str], capsys: Streams) -> None:
    assert run([*arguments, "-o", "out.bz2"]) == 2
    assert "isogloss does not write .bz2" in capsys.readouterr().err
    assert not Path("out.bz2").exists()


@pytest.mark.parametrize(
    ("arguments", "option"),
    [
        (["ner", "gold", "system", "-q"], "-o"),
        (["ner", "gold", "system", "-q", "--fail-under", "strict.f1=0"], "--junit"),
        (["classification", "scores", "-q"], "--curves"),
        (["report", "runs.json", "-f", "markdown"], "-o"),
        (["tags", "repair", "gold", "-q"], "-o"),
    ],
)
def test_a_file_that_cannot_be_written_names_its_option(arguments: list[str], option: str, capsys: Streams) -> None:
    assert run([*arguments, option, "missing/out"]) == 3
    said = "isogloss: missing/out: cannot be written: No such file or directory\n"
    assert f"{said}Name a file that can be written, with {option}.\n" in capsys.readouterr().err


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", [["ner", "gold"], ["entity-translation", "names"]])
def test_quiet_lint_writes_its_file(command: list[str], form: str, capsys: Streams) -> None:
    row = {"id": "1", "source": "Kyiv", "targets": [{"translation": "Kiew", "mention": "Kiew"}], "entity_types": ["X"]}
    Path("names").write_text(json.dumps(row | {"source_locale": "en", "target_locale": "de"}) + "\n", encoding="utf-8")
    run(["lint", *command, "-f", form, "-o", "loud"])
    capsys.readouterr()
    run(["lint", *command, "-f", form, "-q", "-o", "quiet"])
    assert capsys.readouterr() == ("", "")
    assert Path("quiet").read_bytes() == Path("loud").read_bytes() != b""


def test_an_earlier_result_stays_where_nothing_was_found_out() -> None:
    Path("out").write_text("earlier", encoding="utf-8")
    assert run(["tags", "validate", "missing", "-o", "out"]) == 3
    assert Path("out").read_text(encoding="utf-8") == "earlier"
    assert run(["tags", "validate", "missing", "gold", "-q", "-o", "out"]) == 3
    assert Path("out").read_text(encoding="utf-8") == "gold: all 3 tags fit IOB2 (2 sentences, 2 spans)\n"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "megabytes", "quiet", "is_shown"),
    [
        (Terminal(), 1, False, False),
        (Terminal(), 3, False, True),
        (Terminal(), 5, True, False),
        (io.StringIO(), 5, False, False),
    ],
    ids=["in the first second", "later", "quiet", "in a pipe"],
)
def test_progress_is_shown_on_a_terminal_after_a_second(
    stream: io.StringIO, megabytes: int, *, quiet: bool, is_shown: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = itertools.count()
    monkeypatch.setattr("time.monotonic", lambda: next(times) / 2)
    with redirect_stderr(stream), ProgressLine("gold.conll", quiet=quiet) as progress:
        for number in range(1, megabytes + 1):
            progress(number * 1_000_000)
    text = stream.getvalue()
    assert ("gold.conll: 3 MB read" in text) is text.endswith("\r\x1b[2K") is is_shown
    assert bool(text) is is_shown
