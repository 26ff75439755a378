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
from importlib.util import find_spec
from pathlib import Path

import pytest
from reports import by_hand, written

from isogloss.cli import run
from isogloss.cli.output import ProgressLine, measure_input

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
    if find_spec("sqlalchemy") is not None:
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
        pytest.param(*(["runs", "list", "--store", "runs.db"], "-o", "runs.db"), marks=pytest.mark.extra),
        pytest.param(*(["runs", "show", "saved", "--store", "runs.db"], "-o", "runs.db"), marks=pytest.mark.extra),
        pytest.param(*(["runs", "export", "saved", "--store", "runs.db"], "-o", "runs.db"), marks=pytest.mark.extra),
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
    pytest.param(["runs", "list", "--store", "runs.db"], marks=pytest.mark.extra),
    pytest.param(["runs", "show", "saved", "--store", "runs.db"], marks=pytest.mark.extra),
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


@pytest.mark.extra
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


@pytest.mark.parametrize("columns", [200, 80, 20])
def test_progress_fits_one_row_of_the_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count(step=2)
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    monkeypatch.setattr("os.get_terminal_size", lambda _: os.terminal_size((columns, 24)))
    stream = Terminal()
    monkeypatch.setattr(stream, "fileno", lambda: 2)
    with redirect_stderr(stream), ProgressLine("isogloss ner: ", quiet=False) as progress:
        progress.plan([f"{'folder/' * 20}a.conll"], lambda: [40_000_000])
        progress.begin_system(0)
        progress(20_000_000)
        line = stream.getvalue().rpartition("\x1b[2K")[2]
    assert len(line) < columns
    assert line.startswith("isogloss ner: ")
    assert ("a.conll: 50%, 20 MB read" in line) is (columns > 20)


def test_progress_counts_all_passes_over_all_files(monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count(step=2)
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    lines: list[str] = []
    stream = Terminal()
    with redirect_stderr(stream), ProgressLine("isogloss ner:", quiet=False) as progress:
        progress.plan(["a.conll", "b.conll"], lambda: [40_000_000, 60_000_000])
        for system, passes in enumerate((2, 2)):
            progress.begin_system(system)
            for _ in range(passes):
                for megabytes in (10, 20 + 10 * system):
                    progress(megabytes * 1_000_000)
                    lines.append(stream.getvalue().rpartition("\x1b[2K")[2])
    assert [line.partition("%")[0] for line in lines] == [
        *(f"isogloss ner: a.conll (1 of 2): {percent}" for percent in (10, 20, 30, 40)),
        *(f"isogloss ner: b.conll (2 of 2): {percent}" for percent in (50, 70, 80, 99)),  # 99 until all is computed
    ]
    assert " MB/s, about 0:" in lines[0]
    assert lines[0].endswith(" left")


@pytest.mark.parametrize("sizes", [[None], []])
def test_progress_of_unknown_size_has_no_percent(sizes: list[int | None], monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count(step=2)
    monkeypatch.setattr("time.monotonic", lambda: next(now))
    stream = Terminal()
    with redirect_stderr(stream), ProgressLine("isogloss ner:", quiet=False) as progress:
        progress.plan(["-"] * len(sizes), lambda: sizes)
        progress(5_000_000)
        assert "5 MB read" in stream.getvalue()
    assert "%" not in stream.getvalue()
    assert "left" not in stream.getvalue()


def test_work_is_the_bytes_of_files_and_folders() -> None:
    Path("folder/below").mkdir(parents=True)
    Path("folder/below/file").write_text("12345", encoding="utf-8")
    assert measure_input(["gold", "folder", None]) == len(GOLD) + 5
    assert measure_input(["gold", "missing"]) is None


@pytest.mark.parametrize(("columns", "is_cut"), [(None, False), ("80", True)])
def test_output_that_is_no_terminal_is_cut_at_columns_only(
    columns: str | None, *, is_cut: bool, monkeypatch: pytest.MonkeyPatch, capsys: Streams
) -> None:
    names = ["x" * 50 + str(number) for number in range(2)]
    for name in names:
        Path(name).write_text(SYSTEM, encoding="utf-8")
    monkeypatch.delenv("COLUMNS")
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert run(["ner", "gold", *names, "-q"]) == 0
    table = capsys.readouterr().out.partition("Systems")[2].partition("\n\n")[0]
    assert all((name in table) is not is_cut for name in names)


@pytest.mark.extra
def test_save_prints_the_names_it_gave(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "gold", "--save=day", "--store", "names.db", "-o", os.devnull]) == 0
    err = capsys.readouterr().err
    assert "isogloss: saved system as day-1 (" in err
    assert "isogloss: saved gold as day-2 (" in err


def test_a_label_that_no_span_has_is_an_error_unless_several_are_given(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--label", "PRE"]) == 2
    assert "No span has the label 'PRE'; did you mean PER? Its labels are PER." in capsys.readouterr().err
    assert run(["ner", "gold", "system", "--label", "PRE", "--label", "PER"]) == 0
    assert "No span has the label 'PRE'." in capsys.readouterr().out


def test_a_gate_on_a_name_without_group_suggests_the_paths(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--fail-under", "f1=0.5"]) == 2
    assert "Did you mean strict.f1, " in capsys.readouterr().err


def test_errors_are_selected_by_kind_label_and_column(capsys: Streams) -> None:
    Path("rows").write_text(
        '{"id": "1", "gold": "a", "scores": {"a": 0.2, "b": 0.8}, "genre": "news"}\n'
        '{"id": "2", "gold": "b", "scores": {"a": 0.9, "b": 0.1}, "genre": "chat"}\n',
        encoding="utf-8",
    )
    for options, documents in (
        (["--label", "a"], ["1", "2"]),
        (["--where", "genre=chat"], ["2"]),
        (["--kind", "wrong_label", "--where", "genre=news"], ["1"]),
    ):
        assert run(["classification", "rows", "--errors", "5", *options, "-f", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["findings"]["rows"]
        assert [row["document"] for row in rows] == documents


def test_a_selection_of_errors_needs_errors(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--sample"]) == 2
    assert "--sample selects errors to show: add --errors 10." in capsys.readouterr().err


STRANGE = "a\x1b[31m\r\u202eb"  # colours what follows, begins the line anew, and turns its direction
SHOWN = "a␛[31m␍<U+202E>b"


@pytest.mark.parametrize(
    "arguments",
    [
        ["ner", "gold", "STRANGE", "system", "--fail-under", "strict.f1=0.99"],
        ["ner", "gold", "system", "STRANGE", "--errors", "3"],
        ["ner", "gold", "STRANGE.none"],
        ["ner", "gold", "STRANGE", "--labels", "STRANGE.json"],
        ["ner", "gold", "STRANGE", "-o", "STRANGE/none"],
        ["ner", "gold", "STRANGE", "--fail-under", "STRANGE=1"],
        ["tags", "validate", "STRANGE", "STRANGE.none"],
        ["tags", "count", "STRANGE"],
        ["tags", "repair", "STRANGE", "-o", "out"],
        ["lint", "ner", "STRANGE"],
        ["convert", "STRANGE", "--to", "jsonl", "-o", "out"],
        ["convert", "STRANGE.json", "--to", "conll", "-o", "out"],
    ],
    ids=" ".join,
)
def test_control_characters_of_file_names_are_made_visible(arguments: list[str], capfd: Streams) -> None:
    Path(STRANGE).write_text("Ada\tI-PER\nmet\tO\n\nBob\tO\n", encoding="utf-8")
    Path(f"{STRANGE}.json").write_text('[{"text": "Ada", "entities": [[0, 9, "PER"]]}]', encoding="utf-8")
    run([word.replace("STRANGE", STRANGE) for word in arguments])
    out, err = capfd.readouterr()
    assert SHOWN in out + err
    assert not {*STRANGE}.difference("a[31mb") & {*(out + err)}


def test_line_feed_in_a_file_name_does_not_begin_a_line(capfd: Streams) -> None:
    Path("x\n::error::y").write_text("Ada\n", encoding="utf-8")
    run(["ner", "gold", "x\n::error::y"])
    assert capfd.readouterr().err.startswith("isogloss: x␊::error::y")
    Path("x\n::error::y").write_text(SYSTEM, encoding="utf-8")
    run(["ner", "gold", "x\n::error::y", "system", "--fail-under", "strict.f1=0.99"])
    assert "\n::error::" not in capfd.readouterr().err
