from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from reports import HOSTILE, by_hand, corpora, demo_runs, rank_by_hand, written

from isogloss.errors import UsageError
from isogloss.report.html.page import PageOptions, detect_direction, render_report_page
from isogloss.report.report_runs import group_by_corpus, load_run_file
from isogloss.runs.main_scores import choose_main_score
from isogloss.runs.score_tables import UNDEFINED_CELL
from isogloss.tasks.ner.scoring import ner
from isogloss.text.display import make_visible

TASKS = ("ner", "segmentation", "entity-translation", "code-switching", "classification")
EMPTY = {"meta", "link", "br", "img", "hr", "input"}
ACTIVE = {
    *("script", "iframe", "object", "embed", "link", "base", "form"),
    *("img", "video", "audio", "source", "foreignobject"),
}
REFERRING = {"href", "src", "srcset", "action", "data", "poster", "formaction", "xlink:href", "background"}


class Structure(HTMLParser):
    """What a page is made of; an element that is not closed where it should be is an error."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: Counter[str] = Counter()
        self.attributes: list[tuple[str, str, str]] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags[tag] += 1
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        assert len({name for name, _ in attrs}) == len(attrs), (tag, attrs)
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def values(self, name: str) -> list[str]:
        return [value for _, own, value in self.attributes if own == name]


def structure(html: str) -> Structure:
    parsed = Structure()
    parsed.feed(html)
    parsed.close()
    assert parsed.open == []
    return parsed


def hostile(value: Any) -> Any:
    """A hostile text in front of each text in a value."""
    if isinstance(value, dict):
        return {name: hostile(own) for name, own in value.items()}
    if isinstance(value, list):
        return [hostile(own) for own in value]
    return HOSTILE + value if isinstance(value, str) else value


def poisoned(run: dict[str, Any]) -> dict[str, Any]:
    """The same run with hostile labels, systems, places, texts, warnings and so on; what is checked stays as it is."""
    kept = {name: run[name] for name in ("task", "version", "documents", "scores")}
    labels = {label + HOSTILE: groups for label, groups in run.get("by_label", {}).items()}
    return kept | {
        "system": f"{HOSTILE}/{run['system']}",
        "signature": f"{run['task']}|language:{HOSTILE.replace('|', '')}|version:{HOSTILE}",
        "profile": HOSTILE,
        "by_label": labels,
        "curves": {label + HOSTILE: own for label, own in run.get("curves", {}).items()},
        "slices": {HOSTILE: {HOSTILE: {"documents": 1, "scores": run["scores"]}}},
        "per_document": run.get("per_document", {}),
        "confusion": [hostile(row) for row in run.get("confusion", [])],
        "findings": {"counts": {"correct": 1}, "rows": [hostile_finding(row) for row in run["findings"]["rows"]]},
        "warnings": [{"code": HOSTILE, "message": HOSTILE, "where": HOSTILE, "count": 3}],
        "inputs": [{"role": "reference" + HOSTILE, "path": HOSTILE, "sha256": HOSTILE}],
    }


def hostile_finding(row: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = hostile(row)
    for side in ("reference", "predicted"):
        if side in row:
            found[side] = row[side] | {"label": HOSTILE}
    return found | {"scores": {HOSTILE: 0.5}, "unknown" + HOSTILE: [HOSTILE]}


@pytest.fixture(params=TASKS)
def task(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def html(task: str, tmp_path: Path) -> str:
    return render_report_page(corpora(tmp_path / "runs.json", *demo_runs(task)))


def test_page_elements_are_closed(html: str) -> None:
    parsed = structure(html)
    assert parsed.tags["main"] == parsed.tags["h1"] == parsed.tags["title"] == 1


def test_page_ids_are_unique_and_links_lead_to_them(html: str) -> None:
    parsed = structure(html)
    ids = parsed.values("id")
    assert len(ids) == len(set(ids))
    assert {href.removeprefix("#") for href in parsed.values("href")} <= set(ids)
    assert set(parsed.values("aria-labelledby")) <= set(ids)


def test_page_loads_and_runs_nothing(html: str) -> None:
    parsed = structure(html)
    assert not ACTIVE & set(parsed.tags)
    assert all(value.startswith("#") for _, name, value in parsed.attributes if name in REFERRING)
    assert not [name for _, name, _ in parsed.attributes if name.startswith("on")]
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    assert "default-src 'none'" in html


def test_scrolling_regions_have_focus_and_name(html: str) -> None:
    regions = re.findall(r'<div class="scroll"[^>]*>', html)
    assert regions
    assert all('tabindex="0"' in one and 'role="region"' in one and "aria-label=" in one for one in regions)


def test_page_has_scores_signatures_and_inputs(html: str, task: str) -> None:
    text = "".join(structure(html).text)
    for run in demo_runs(task):
        assert run["signature"] in text
        for entry in run["inputs"]:
            assert entry["path"] in text
            assert entry["sha256"] in text
        for label in run.get("by_label", {}):
            assert label in text


def test_marks_do_not_change_the_width_of_text() -> None:
    style = (Path(__file__).parents[3] / "src/isogloss/report/html/templates/style.css").read_text(encoding="utf-8")
    rules = re.findall(r"([^{}]+)\{([^{}]*)\}", style)
    marks = [body for selector, body in rules if re.search(r"mark|\.(side|word)-|\.(foreign|excused|cut)\b", selector)]
    names = {part.split(":")[0].strip() for body in marks for part in body.split(";") if part.strip()}
    assert {"background", "box-shadow"} <= names
    assert not names & {"padding", "border", "font-weight", "font", "display", "margin", "letter-spacing", "font-style"}


def test_hostile_texts_are_escaped(task: str, tmp_path: Path) -> None:
    parsed = structure(render_report_page(corpora(tmp_path / "runs.json", *map(poisoned, demo_runs(task)))))
    plain = structure(render_report_page(corpora(tmp_path / "runs.json", *demo_runs(task))))
    assert not ACTIVE & set(parsed.tags)
    assert set(parsed.tags) <= set(plain.tags) | {"bdi", "p", "ul", "li", "table", "caption", "figure", "sup"}
    assert {name for _, name, _ in parsed.attributes} <= {name for _, name, _ in plain.attributes} | {"lang", "x1"}
    text = "".join(parsed.text)
    assert make_visible("<script>alert(1)</script>") in text
    assert "{{ 7*7 }}" in text


def test_control_characters_are_made_visible(task: str, tmp_path: Path) -> None:
    html = render_report_page(
        corpora(tmp_path / "runs.json", *map(poisoned, demo_runs(task))), PageOptions(title=HOSTILE)
    )
    controls = [
        c
        for c in html
        if (ord(c) < 32 and c != "\n") or c in "\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
    ]
    assert controls == []
    assert "&lt;U+202E&gt;" in html
    assert "␀" in html


@pytest.mark.parametrize(
    ("there_are", "told"),
    [(1, "1 of 1; of these, "), (7, "1 of the first 1, 7 in all; of these, ")],
)
def test_page_states_how_many_findings_it_shows(there_are: int, told: str, tmp_path: Path) -> None:
    span = {"start": 0, "end": 1, "label": "PER"}
    row = {"kind": "missed", "document": "1", "where": "a/gold.conll:1", "reference": span}
    findings = {"counts": {"correct": 3, "missed": there_are}, "rows": [row]}
    assert told in " ".join(render_report_page(corpora(tmp_path / "runs.json", by_hand(findings=findings))).split())


def test_undefined_main_score_is_a_dash(tmp_path: Path) -> None:
    html = render_report_page(corpora(tmp_path / "runs.json", by_hand(f1=None)))
    assert f"<strong>{UNDEFINED_CELL}</strong>" in html


def test_several_corpora_have_a_leaderboard(tmp_path: Path) -> None:
    runs = [by_hand(f"{corpus}/{name}.conll", inputs=reference(corpus)) for corpus in "pq" for name in ("x", "y")]
    text = render_report_page(corpora(tmp_path / "runs.json", *runs))
    assert 'id="leaderboard"' in text
    assert "2 systems on 2 corpora" in text


def test_leaderboard_page_has_no_findings(tmp_path: Path) -> None:
    html = render_report_page(corpora(tmp_path / "runs.json", *demo_runs("ner")), PageOptions(leaderboard=True))
    assert "findings" not in html
    assert structure(html).values("id").count("run-1") == 1


def test_page_title_can_be_chosen(tmp_path: Path) -> None:
    assert "<title>Ours &lt;b&gt;</title>" in render_report_page(
        corpora(tmp_path / "r.json", by_hand()), PageOptions(title="Ours <b>")
    )


def test_significant_difference_is_marked(tmp_path: Path) -> None:
    change = {"difference": -0.2, "low": -0.3, "high": -0.1, "p": 0.001, "p_holm": 0.002}
    compared = [{"baseline": "a/x.conll", "system": "a/y.conll", "scores": {"strict.f1": change}}]
    runs = by_hand("a/x.conll", 0.7), by_hand("a/y.conll", 0.5)
    html = render_report_page(corpora(tmp_path / "runs.json", *runs, comparisons=compared))
    assert "0.5000<sup>†</sup>" in html
    assert "Δ&nbsp;−0.2000, p&nbsp;0.002" in html
    assert "differs from the baseline, <bdi>x</bdi>," in html


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("leaderboard", [False, True])
def test_every_part_of_the_page_renders_for_every_task(name: str, *, leaderboard: bool, tmp_path: Path) -> None:
    """An attribute that a template misspells raises, because undefined names are errors."""
    run = dict(demo_runs(name)[0])
    runs = [run | {"system": f"d/{system}"} for system in "xyz"]
    own = load_run_file(written(tmp_path / "one.json", *runs, ranking=rank_by_hand(runs)))
    main = choose_main_score([own[0].run])
    change = {"difference": 0.0, "low": -0.1, "high": 0.1, "p": 1.0, "p_holm": 0.01}
    pairs = [{"baseline": "d/x", "system": f"d/{other}", "scores": {main: change}} for other in "yz"]
    opened = load_run_file(written(tmp_path / "one.json", *runs, comparisons=pairs, ranking=rank_by_hand(runs)))
    opened += load_run_file(written(tmp_path / "two.json", runs[0] | {"inputs": reference("b")}))
    html = render_report_page(group_by_corpus(opened), PageOptions(leaderboard=leaderboard))
    assert ("<h3>Ranks</h3>" in html) is not leaderboard


def test_unknown_main_score_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No run has the score 'strict\.f2'.*strict\.precision"):
        render_report_page(corpora(tmp_path / "runs.json", by_hand()), PageOptions(score="strict.f2"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [("abc", "ltr"), ("ليلى", "rtl"), ("NATO قالت أمس إنها", "rtl"), ("", "ltr")],
)
def test_direction_is_that_of_most_letters(text: str, expected: str) -> None:
    assert detect_direction(text) == expected


def test_page_is_deterministic(html: str, task: str, tmp_path: Path) -> None:
    assert render_report_page(corpora(tmp_path / "runs.json", *json.loads(json.dumps(demo_runs(task))))) == html


def reference(corpus: str) -> list[dict[str, str]]:
    return [{"role": "reference", "path": f"{corpus}/gold.conll", "sha256": corpus * 64}]


def figures(html: str) -> Iterator[str]:
    yield from re.findall(r"<figcaption>.*?</figcaption>", html, re.DOTALL)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ner", ["Strict F1 by label", "ver single documents"]),
        ("segmentation", ["ver single documents"]),
        ("entity-translation", ["m-ETA accuracy by label", "m-ETA accuracy by language", "ver single documents"]),
        ("code-switching", ["ver single documents"]),
        ("classification", ["F1 by label", "ROC-AUC", "ver single documents"]),
    ],
)
def test_each_task_has_its_charts(name: str, expected: list[str], tmp_path: Path) -> None:
    captions = list(figures(render_report_page(corpora(tmp_path / "runs.json", demo_runs(name)[-1]))))
    for title in expected:
        assert any(title in caption for caption in captions), title


def test_mean_note_is_below_its_table(tmp_path: Path) -> None:
    run = ner([["B-PER", "O"]], [["B-PER", "B-LOC"]]).to_dict()
    shown = render_report_page(corpora(tmp_path / "r.json", run))
    assert '<p class="note"><bdi>macro and weighted recall over 1 of 2 labels: undefined for LOC</bdi></p>' in shown
