"""How runs, comparisons and findings draw themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from report_pages import parse, unpack

import isogloss
from isogloss.cli import run as run_command
from isogloss.demo import files
from isogloss.errors import UsageError
from isogloss.runs.run import Run

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"]]
PREDICTED = [["B-PER", "O", "O"], ["O", "B-LOC", "B-PER"]]
TOKENS = [["نجيب", "محفوظ", "كاتب"], ["<i>in</i>", "Paris", "&\x1b[31m"]]
VOID = {"br", "hr", "img", "meta", "link", "input"}


def score(**options: Any) -> Run:
    shared: dict[str, Any] = {"tokens": TOKENS, "findings": True, "system": "mine"}
    return isogloss.ner(GOLD, PREDICTED, **shared | options)


class Checker(HTMLParser):
    """Collect the tags of a page, and check that they are balanced."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def draw(value: Any) -> str:
    html: str = value._repr_html_()
    return html


def read_text(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)))


def list_values(html: str) -> list[str]:
    return [read_text(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", html)]


RUN = score(confidence=0.9, resamples=20)
VALUES: dict[str, Any] = {
    "run": RUN,
    "comparison": isogloss.compare(score(), isogloss.ner(GOLD, GOLD, system="other")),
    "finding": score().findings[0],
    "findings": score().findings,
}


@pytest.mark.parametrize("name", VALUES)
def test_html_is_one_safe_element(name: str) -> None:
    html = draw(VALUES[name])
    found = Checker(html)
    assert html.startswith('<div class="isogloss">')
    assert found.tags.isdisjoint({"script", "link", "img", "iframe", "i", "object"})
    assert found.attributes <= {"class", "dir", "lang", "scope"}
    assert "url(" not in html
    assert "@import" not in html
    assert "://" not in html
    assert "\x1b" not in html


@pytest.mark.parametrize("name", VALUES)
def test_rules_apply_to_this_element_only(name: str) -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", draw(VALUES[name]), re.DOTALL)
    selectors = [each.strip() for block in re.findall(r"([^{}]+){", style) for each in block.split(",")]
    assert selectors
    assert all(each.startswith(".isogloss") for each in selectors)


def test_colours_are_those_of_the_notebook_or_transparent() -> None:
    (style,) = re.findall(r"<style>(.*?)</style>", draw(VALUES["run"]), re.DOTALL)
    colours = re.findall(r"(?:^|[ {])(?:color|background): ([^;]+);", style)
    assert colours
    assert all(each in ("inherit", "none") or re.fullmatch(r"rgba\(.*, 0\.\d+\)", each) for each in colours)


def test_html_of_a_run_has_scores_labels_intervals_warnings_and_findings() -> None:
    run = VALUES["run"]
    html = draw(run)
    values = list_values(html)
    assert {"strict", "LOC", "PER", "macro (2)", "0.4000", "wrong boundary"} <= {*values}  # 2 * 1 / (2 + 3)
    assert "90%: –" in read_text(html)  # two documents are too few for an interval
    assert len(run.warnings) == html.count("<li>") == 5
    assert "The reference is read as IOB2" in read_text(html)
    assert html.count('class="lane"') == 3  # both sides of a wrong boundary, and a spurious span


def test_html_of_a_run_has_its_interval() -> None:
    run = isogloss.ner([["B-PER"]] * 9 + [["O"]], [["B-PER"]] * 6 + [["O"]] * 4, confidence=0.9)
    low, high = run.intervals["strict.f1"].low, run.intervals["strict.f1"].high
    assert 0 < low < high < 1
    assert f"90%: {low:.3f}–{high:.3f}" in read_text(draw(run))


def test_html_of_a_comparison_has_differences_in_view() -> None:
    html = draw(VALUES["comparison"])
    assert "<details>" not in html
    assert "other against mine" in read_text(html)
    assert {"0.4000", "1.0000", "0.6000"} <= {*list_values(html)}  # strict F1 of both, and the difference
    assert "Only other has strict.f1 = 1 in 2 documents: 1, 2" in read_text(html)


def test_html_of_a_comparison_draws_documents_that_only_one_system_gets_right() -> None:
    html = draw(VALUES["comparison"])
    assert read_text(html).count("wrong boundary") == 2  # the row of the table, and the finding of "mine"
    assert '<mark class="side-predicted">نجيب</mark> محفوظ كاتب' in html


def test_html_of_a_comparison_has_each_warning_once() -> None:
    assert read_text(draw(VALUES["comparison"])).count("The reference is read as") == 1


def test_a_finding_stands_in_its_sentence_if_that_is_short() -> None:
    words = [f"w{at}" for at in range(40)]
    tags = ["B-A", *["O"] * 39]
    short, long = (
        isogloss.ner([tags], [["O"] * 40], tokens=[words], findings=True) for words in (words, ["x" * 9] * 40)
    )
    assert "…" not in read_text(draw(short.findings))
    assert "…" in read_text(draw(long.findings))


def test_text_stands_in_its_own_direction_with_marks() -> None:
    html = draw(VALUES["finding"])
    lanes = re.findall(r'<p class="text" dir="(\w+)">(.*?)</p>', html)
    assert lanes == [
        ("rtl", '<mark class="side-reference">نجيب محفوظ</mark> كاتب'),
        ("rtl", '<mark class="side-predicted">نجيب</mark> محفوظ كاتب'),
    ]
    assert '<p class="text" dir="ltr">&lt;i&gt;in&lt;/i&gt; Paris <mark' in draw(VALUES["findings"])


def test_names_are_escaped() -> None:
    html = draw(isogloss.ner([["B-<b>"]], [["O"]], system="<b>&"))
    assert "<b>&" not in html
    assert "&lt;b&gt;&amp;" in html


def test_first_findings_are_drawn_and_the_rest_is_counted() -> None:
    run = isogloss.ner([["B-PER"]] * 30, [["O"]] * 30, findings=True)
    assert "Errors (the first 5 of 30)" in read_text(draw(run))
    assert draw(run).count('class="finding"') == 5
    assert "10 more findings are not shown." in read_text(draw(run.findings))
    assert str(run.findings).endswith("10 more findings are not shown.")


def test_run_without_findings_draws_none() -> None:
    run = isogloss.ner(GOLD, PREDICTED)
    assert "Errors" not in draw(run)
    assert read_text(draw(run.findings)) == str(run.findings) == "No findings."


@pytest.mark.parametrize("errors", [0, 3])
def test_text_of_a_run_is_what_the_command_prints(errors: int, capsys: pytest.CaptureFixture[str]) -> None:
    reference, prediction = map(str, (files().reference, files().systems[1]))
    assert run_command(["ner", reference, prediction, *(["--errors", str(errors)] if errors else [])]) == 0
    printed = capsys.readouterr().out
    run = isogloss.ner(reference, prediction, findings=True)
    if errors:
        run.show(errors)
    else:
        print(run)  # noqa: T201  what is tested
    assert capsys.readouterr().out == printed


def test_text_of_a_comparison_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    reference, prediction = map(str, (files().reference, files().systems[1]))
    assert run_command(["ner", reference, prediction, reference]) == 0
    printed = capsys.readouterr().out.replace(" (--errors 3 shows some)", "")  # an option of the command
    runs = [isogloss.ner(reference, system) for system in (prediction, reference)]
    print(isogloss.compare(*runs))  # noqa: T201  what is tested
    assert capsys.readouterr().out == printed


def test_show_draws_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    display = SimpleNamespace(HTML=lambda html: html, display=drawn.append)
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    score().show(errors=1)
    assert [html.count('class="finding"') for html in drawn] == [1]


def test_show_without_findings_names_the_option() -> None:
    run = isogloss.ner(GOLD, PREDICTED)
    with pytest.raises(UsageError, match="findings=True"):
        run.show()
    with pytest.raises(UsageError, match="errors must be a whole number"):
        run.show(errors=-1)


def test_report_is_written_as_a_file(tmp_path: Path) -> None:
    path = tmp_path / "run.html"
    score().report(path)
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "mine" in page
    assert json.loads(unpack(parse(page))["/v1/runs/run-1/facets"])["count"] == 2


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("segmentation", ([["ab", "c"]], [["a", "bc"]])),
        ("classification", (["a", "b"], ["a", "a"])),
    ],
)
def test_runs_of_other_tasks_draw_themselves(call: str, arguments: tuple[Any, ...]) -> None:
    run = getattr(isogloss, call)(*arguments, findings=True, system="mine")
    Checker(draw(run))
    Checker(draw(run.findings))
    assert "mine" in str(run)


def test_start_of_the_command_imports_nothing_that_draws_for_notebooks() -> None:
    code = "import sys, isogloss\nisogloss.ner([['O']], [['O']])\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded.isdisjoint({"isogloss.report.notebook", "isogloss.runs.frames"})


def test_a_run_prints_in_a_notebook_as_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    run = isogloss.ner([["B-PER"]], [["B-PER"]], system="a" * 100)
    elsewhere = str(run)
    shell = type("ZMQInteractiveShell", (), {})()  # the shell of Jupyter, in which rich draws HTML and writes nothing
    monkeypatch.setattr("builtins.get_ipython", lambda: shell, raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")  # as in its kernel: bold, and not cut
    assert "strict" in elsewhere
    assert re.sub(r"\x1b\[\d*m", "", str(run)) == elsewhere
