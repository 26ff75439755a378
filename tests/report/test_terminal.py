from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest

from isogloss.report.terminal import open_console, print_runs
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner
from isogloss.text.display import measure_width

GOLD = [["B-PER", "O", "B-ORG", "I-ORG"], ["B-PER", "O"]]
SYSTEM = [["B-PER", "O", "B-ORG", "O"], ["O", "I-LOC"]]
ANSI = re.compile(r"\x1b\[[0-9;]*m")
NUMBER = re.compile(r"\d\.\d{4}")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*runs: Run, quiet: bool = False) -> str:
    stream = io.StringIO()
    print_runs(runs, open_console(stream), quiet=quiet)
    return stream.getvalue()


def encoded(encoding: str, *runs: Run) -> str:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding=encoding, newline="\n")
    print_runs(runs, open_console(stream))
    stream.flush()
    return raw.getvalue().decode(encoding)


def tables_of(text: str) -> list[str]:
    """The lines between the heading and what follows the tables: findings, warnings, signature."""
    return re.split(r"\n\n(?:Errors \(|The |ner\|)", text, maxsplit=1)[0].splitlines()[1:]


def labelled(*labels: str) -> Run:
    tags = [[f"B-{label}" for label in labels]]
    return ner(tags, tags)


def test_heading_has_task_system_documents_and_profile() -> None:
    for runs, heading in [
        ([ner(GOLD, SYSTEM)], "ner  prediction, 2 documents"),
        ([ner([["O"]], [["O"]])], "ner  prediction, 1 document"),
        ([ner(GOLD, SYSTEM)] * 3, "ner  3 systems, 2 documents"),
        ([ner(GOLD, SYSTEM, profile="seqeval")], "ner  prediction, 2 documents, profile seqeval"),
    ]:
        assert printed(*runs).splitlines()[0] == heading


@pytest.mark.parametrize(("encoding", "dash"), [("utf-8", "–"), ("ascii", "-")])
def test_undefined_is_a_dash_that_the_encoding_has(encoding: str, dash: str) -> None:
    text = encoded(encoding, ner([["O"]], [["O"]]))
    strict = next(line for line in text.splitlines() if line.startswith("strict"))
    assert strict.split() == ["strict", dash, dash, dash, "0", "0", "0"]


LABELS = {
    "many and long": tuple(f"a_label_with_a_long_name_{number}" for number in range(30)),
    "longer than the line": ("x" * 300, "y" * 79),
    "double width": ("组织机构名称" * 10, "人名"),
    "right to left": ("منظمة", "شخص" * 30),
    "marks": ("องค์กรที่ไม่แสวงหาผลกำไร", "क्षत्रिय"),
    "emoji": ("👩‍👩‍👧‍👦" * 20, "🏳️‍🌈"),
}


def test_table_lines_fit_80_cells() -> None:
    for labels in LABELS.values():
        run = labelled(*labels)
        intervals = ner([[f"B-{labels[0]}"]], [["O"]], confidence=0.9, resamples=5)
        systems = [replace(run, system=f"{'folder/' * 20}{name * 30}") for name in labels[:5]]
        for text in (printed(run), printed(intervals), printed(run, *systems)):
            assert max(map(measure_width, tables_of(text))) <= 80


def test_numbers_align_in_any_script() -> None:
    for labels in LABELS.values():
        lines = printed(labelled(*labels)).splitlines()
        begin = next(at for at, line in enumerate(lines) if line.startswith("By label"))
        rows = lines[begin + 2 : lines.index("", begin)]
        ends = {tuple(measure_width(row[: found.end()]) for found in NUMBER.finditer(row)) for row in rows}
        assert len(ends) == 1


def test_wide_table_is_split_between_columns() -> None:
    run = ner(GOLD, SYSTEM)
    runs = [replace(run, system=f"a_system_with_a_long_name_{number}") for number in range(7)]
    text = printed(*runs)
    for number in range(7):
        assert text.count(f"name_{number}\n") + text.count(f"name_{number} ") >= 3  # systems, labels, kinds


def test_long_system_names_keep_the_differing_folder() -> None:
    run = ner(GOLD, SYSTEM)
    tail = "gpt-4o-2024-08-06/validation/it_IT.jsonl"
    lines = tables_of(printed(*(replace(run, system=f"out/{own}/{tail}") for own in ("large", "small"))))
    for own in ("large/…", "small/…"):
        assert len([line for line in lines if own in line]) == 4  # rows of two tables, heads of two
    assert "gpt-4o" not in "".join(lines)


def test_note_is_below_its_table_and_wrapped() -> None:
    gold = [[f"B-LABEL-{k}" for k in range(9)]]
    lines = printed(ner(gold, [["O"] * 9])).splitlines()
    at = next(k for k, line in enumerate(lines) if line.startswith("weighted"))
    assert lines[at + 1 : at + 4] == [
        "macro and weighted precision over 0 of 9 labels: undefined for LABEL-0, LABEL-1,",
        "  LABEL-2, LABEL-3, LABEL-4, LABEL-5, LABEL-6, LABEL-7, LABEL-8",
        "",
    ]


def test_right_to_left_label_is_isolated() -> None:
    row = next(line for line in printed(labelled("منظمة")).splitlines() if "منظمة" in line)
    assert row.startswith("\u2067منظمة\u2069 ")


def test_control_characters_are_made_visible() -> None:
    text = printed(labelled("a\x1b[31mb", "c\u202ed"), replace(labelled("x"), system="bad\x1bname"))
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_every_encoding_can_print_a_run() -> None:
    for encoding in ["ascii", "latin-1", "cp1252", "utf-8"]:
        run = ner(
            [["B-人", "B-é"], ["O", "O"]],
            [["B-人", "O"], ["O", "O"]],
            findings=True,
            confidence=0.9,
            resamples=5,
        )
        text = encoded(encoding, run)
        assert "<U+4EBA>" in text or encoding == "utf-8"
        assert NUMBER.search(text)


def test_pipe_has_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert "\x1b" not in printed(ner(GOLD, SYSTEM, findings=True))


def test_forced_colour_does_not_change_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    run = ner(GOLD, SYSTEM, findings=True)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    without = printed(run)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    coloured = printed(run)
    assert ANSI.search(coloured)
    assert ANSI.sub("", coloured) == without


def test_no_color_variable_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("NO_COLOR", "1")
    stream = Terminal()
    print_runs([ner(GOLD, SYSTEM, findings=True)], open_console(stream))
    assert not re.search(r"\x1b\[[0-9;]*(3[0-7]|38;5;\d+)m", stream.getvalue())


@pytest.mark.parametrize("columns", [60, 100, 500])
@pytest.mark.parametrize("kind", [Terminal, io.StringIO])
def test_lines_are_as_wide_as_columns_says(
    columns: int, kind: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert open_console(kind()).width == columns


def test_without_columns_lines_are_cut_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS")
    long = "w" * 300
    run = replace(ner(GOLD, SYSTEM), system=long)
    written = {}
    for kind in (Terminal, io.StringIO):
        print_runs([run, replace(run, system=long[1:])], open_console(stream := kind()))
        written[kind] = stream.getvalue()
    assert f"\n{long}  " in written[io.StringIO]
    assert long not in written[Terminal]
    assert open_console(Terminal()).width <= 160


def test_heading_of_findings_states_how_many_there_are() -> None:
    run = ner(GOLD, SYSTEM, findings=True)
    for runs, headings in [
        ([run], ["Errors (3)"]),
        ([replace(run, findings=run.findings[:1])], ["Errors (the first 1 of 3)"]),
        ([ner(GOLD, SYSTEM, findings=True, profile="conlleval")], ["Errors (the first 3)"]),
        ([ner(GOLD, GOLD, findings=True)], ["Errors (0)"]),
        ([replace(run, system="out/a"), replace(run, system="out/b")], ["Errors (3), a", "Errors (3), b"]),
    ]:
        assert [line for line in printed(*runs).splitlines() if line.startswith("Errors")] == headings
    assert "\nwrong_boundary   prediction[0][2]\n" in printed(run)


def test_quiet_omits_warnings() -> None:
    run = ner(GOLD, SYSTEM)
    assert "do not fit" in printed(run)
    assert "do not fit" not in printed(run, quiet=True)
    assert str(run.signature) in printed(run, quiet=True)


def test_shared_warning_is_printed_once() -> None:
    runs = replace(ner(GOLD, SYSTEM), system="out/a"), replace(ner(GOLD, GOLD), system="out/b")
    text = printed(*runs)
    assert text.count("The reference is read as") == 1
    assert "\na: The prediction is read as" in text
    assert "\nb: The prediction is read as" in text


def test_warnings_and_signature_are_not_cut() -> None:
    run = ner(GOLD, SYSTEM, labels=[f"label-{number}" for number in range(40)])
    assert str(run.signature) in printed(run).splitlines()
