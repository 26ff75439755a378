from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.report.latex import (
    COLUMN_GAP,
    LINE_WIDTH,
    NAME_WIDTH,
    PAGE_LINES,
    LatexCell,
    escape_latex,
    format_document,
    format_tabular,
    list_preamble,
)

LABELS = ["คน_50%", "شخص المكان", "व्यक्ति", "人&#", "{~^\\", "[x]", "*star", "a--b", "'q'", "я", "한국어", "ひらがな"]
LABELS += ["བོད", "<b>", "|", '"q"', "$1", "\u202ex", "ข้อความยาวมากที่ไม่มีช่องว่างเลยแม้แต่ที่เดียวในบรรทัดนี้", "a" * 70]
LABELS += ["a/long_path-with.parts/" * 3]


def cells(*texts: str) -> list[LatexCell]:
    return [LatexCell.from_text(text) for text in texts]


def tables(text: str) -> list[list[list[str]]]:
    """The rows of each table, with the header first, as lists of cells."""
    return [
        [line.removesuffix(r" \\").split(" & ") for line in body.splitlines() if line.endswith(r"\\")]
        for body in re.findall(r"\\begin\{tabular\}(.*?)\\end\{tabular\}", text, re.DOTALL)
    ]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("a_1 50% & # $x", r"a\_1 50\% \& \# \$x"),
        ("{~^\\", r"\{\textasciitilde{}\textasciicircum{}\textbackslash{}"),
        ("a---b", r"a-\kern0pt-\kern0pt-b"),
        ("1–2", "1--2"),
        ("a-–b", r"a-\kern0pt--b"),
        ("a\nb", "a␊b"),
        ("شخص المكان", r"\RL{شخص المكان}"),
        ("x شخص y", r"x \RL{شخص} y"),
        ("คน", "คน"),
    ],
)
def test_special_characters_are_escaped(text: str, escaped: str) -> None:
    assert escape_latex(text) == escaped


@pytest.mark.parametrize(("text", "code"), [("[x]", "{[}x]"), ("*", "{*}"), ("x[*", "x[*")])
def test_cell_does_not_begin_with_an_option(text: str, code: str) -> None:
    assert LatexCell.from_text(text).code == code


def test_wide_table_is_split_by_columns() -> None:
    head, rows = cells("system", *(f"score {at:02d}" for at in range(20))), [cells("x", *["0.5000"] * 20)]
    parts = tables(format_tabular("Wide\ntable", "l" + "r" * 20, head, rows))
    assert len(parts) > 1
    assert all(part[0][0] == "system" and part[1][0] == "x" for part in parts)
    assert [name for part in parts for name in part[0][1:]] == [f"score {at:02d}" for at in range(20)]
    for part in parts:
        widths = [max(LatexCell.from_text(row[at]).width for row in part) for at in range(len(part[0]))]
        assert sum(widths) + COLUMN_GAP * len(widths) <= LINE_WIDTH


def test_interval_stays_beside_its_score() -> None:
    head = cells("x", *(name for at in range(9) for name in (f"score {at}", f"interval {at}")))
    text = format_tabular("t", "l" + "r" * 18, head, [cells("x", *["0.5"] * 18)], range(2, 19, 2))
    assert all(len(part[0]) % 2 == 1 and part[0][1].startswith("score") for part in tables(text))


def test_long_table_is_split_by_rows() -> None:
    names = [f"label {at}" for at in range(2 * PAGE_LINES + 1)]
    text = format_tabular("t", "lr", cells("label", "f1"), [cells(name, "1") for name in names])
    parts = tables(text)
    assert [len(part) - 1 for part in parts] == [PAGE_LINES, PAGE_LINES, 1]
    assert [row[0] for part in parts for row in part[1:]] == names
    assert text.startswith("% t (part 1 of 3)\n")


def test_table_without_rows_is_one_table() -> None:
    assert tables(format_tabular("t", "lr", cells("label", "f1"), [])) == [[["label", "f1"]]]


def test_long_name_gets_several_lines() -> None:
    cell = LatexCell.from_text("corpus/system_with_a-very.long/name/of/a/file")
    assert cell.width == NAME_WIDTH
    assert cell.lines > 1
    assert cell.code.startswith(rf"\parbox[t]{{{NAME_WIDTH:g}pt}}")
    assert r"corpus/\allowbreak{}system\_\allowbreak{}with" in cell.code


@given(st.text("ab_/%é人 "))
def test_breaks_lose_no_character(text: str) -> None:
    text = "w" * 30 + text
    code = LatexCell.from_text(text).code.replace(r"\allowbreak{}", "")
    assert rf"\hspace{{0pt}}{escape_latex(text)}\strut" in code


def test_preamble_names_a_font_for_each_script() -> None:
    assert list_preamble("a é – \n% คน") == [r"Preamble: \usepackage{booktabs}"]
    text = "\n".join(list_preamble("คน व्यक्ति شخص 人 ひ 한"))
    fonts = ["Thai:mode=harf;script=thai;", "Devanagari:mode=harf;script=dev2;", "Arabic:mode=harf;script=arab;"]
    fonts += ["CJK SC:mode=harf;script=hani;", "CJK JP:mode=harf;script=kana;", "CJK KR:mode=harf;script=hang;"]
    assert all(f'"Noto Sans {font}"' in text for font in fonts)
    assert text.startswith("Compile with lualatex.")


def test_notes_and_preamble_are_comments() -> None:
    lines = format_document(["a\nb"], "คน\n").splitlines()
    assert lines[-2:] == ["% a␊b", "คน"]
    assert all(line.startswith("% ") for line in lines[:-1])


def list_missing(engine: str, fonts: Sequence[str]) -> list[str]:
    """What a test that compiles needs and the machine does not have."""
    missing = [name for name in (engine, "fc-list", "kpsewhich") if not shutil.which(name)]
    if missing:
        return missing
    if subprocess.run(["kpsewhich", "booktabs.sty", "fontspec.sty"], capture_output=True, check=False).returncode:
        return ["booktabs and fontspec"]
    listed = subprocess.run(["fc-list", ":", "family"], capture_output=True, check=False).stdout.decode()
    return [font for font in fonts if font not in listed]


def run_engine(engine: str, preamble: str, text: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    document = f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{text}\\end{{document}}\n"
    (folder / "t.tex").write_text(document, encoding="utf-8")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "t.tex"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False)


def compile_tables(engine: str, preamble: str, labels: Sequence[str], folder: Path) -> str:
    """The log of a document with 20 systems and intervals by labels."""
    names = [f"system_{at:02d}" for at in range(20)]
    body = [cells(label, *["1.0000"] * 20) for label in labels]
    text = format_document(["note"], format_tabular("t", "l" + "r" * 20, cells("label", *names), body))
    preamble = preamble or "\n".join(line[4:] for line in text.splitlines() if line.startswith("%   \\"))
    done = run_engine(engine, preamble, text, folder)
    assert done.returncode == 0, done.stdout.decode(errors="replace")[-2000:]
    return (folder / "t.log").read_text(encoding="utf-8", errors="replace")


def skip_without(engine: str, fonts: Sequence[str]) -> None:
    if missing := list_missing(engine, fonts):
        pytest.skip(f"needs {', '.join(missing)}")


def test_labels_in_any_script_compile_with_lualatex(tmp_path: Path) -> None:
    skip_without("lualatex", re.findall(r'"([^":]+):', "\n".join(list_preamble("".join(LABELS)))))
    log = compile_tables("lualatex", "", LABELS, tmp_path)
    assert "Overfull" not in log
    assert "Missing character" not in log


@pytest.mark.parametrize(
    ("font", "options", "labels"),
    [
        ("Noto Sans CJK SC", "", ["人物", "地点&50%", "ひと", "조직", "место"]),
        ("Norasi", "[Script=Thai]", ["ผู้คน", "สถานที่_1", "a--b"]),
        ("DejaVu Sans", "[Script=Arabic]", ["شخص المكان", "x شخص y", "ארגון", "Ελλάδα"]),
    ],
)
def test_labels_that_one_font_has_compile_with_xelatex(
    font: str, options: str, labels: list[str], tmp_path: Path
) -> None:
    skip_without("xelatex", [font])
    preamble = rf"\usepackage{{booktabs,fontspec}}\setmainfont{{{font}}}{options}"
    assert "Missing character" not in compile_tables("xelatex", preamble, labels, tmp_path)


@pytest.mark.parametrize("engine", ["xelatex", "pdflatex"])
def test_fallback_fonts_without_lualatex_stop_with_the_way_out(engine: str, tmp_path: Path) -> None:
    skip_without(engine, [])
    preamble = "\n".join(line.strip() for line in list_preamble("คน व्यक्ति")[1:])
    done = run_engine(engine, preamble, "x\n", tmp_path)
    output = " ".join(done.stdout.decode().replace("\n", "").split())
    assert done.returncode
    assert "compile with lualatex" in output
    assert "Undefined control sequence" not in output


def test_text_from_right_to_left_is_defined_for_both_engines() -> None:
    text = format_document([], r"\RL{שלום}" + "\n")
    assert r"\textdir TRT" in text
    assert r"\beginR" in text
