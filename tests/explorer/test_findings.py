"""Rows, filters, pages and search against plain second implementations."""

from __future__ import annotations

import base64
import json
import unicodedata
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from explored import GENRES, KINDS, LABELS, PLACES, Place, build_finding, build_run, explore, explore_demo
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss import ner
from isogloss.errors import UsageError
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.queries import UnknownError
from isogloss.explorer.routes import answer_url
from isogloss.kernel.findings import Finding
from isogloss.text.direction import detect_direction

TASKS = ("ner", "segmentation", "entity-translation", "code-switching", "classification")


def ask(explorer: Explorer, url: str, *pairs: tuple[str, Any]) -> Any:
    query = urlencode([(name, str(value)) for name, value in pairs])
    return json.loads(answer_url(explorer, f"{url}?{query}" if pairs else url).body)


def pair_text(finding: Finding) -> str:
    """The labels of both sides, written plainly."""
    sides = {mark.side: mark.label for mark in finding.marks}
    if "reference" not in sides:
        return f"→ {sides['predicted']}"
    same = sides.get("predicted") in (None, sides["reference"])
    return str(sides["reference"]) if same else f"{sides['reference']} → {sides['predicted']}"


def test_the_number_of_findings_that_were_not_kept_is_null() -> None:
    explorer = explore(build_run([], "wrong"), ner([["B-PER"]], [["B-PER"]], system="perfect"))
    runs = {run["name"]: run["findings"] for run in ask(explorer, "/v1/runs")["runs"]}
    assert runs == {"wrong": None, "perfect": 0}


@given(
    PLACES,
    st.lists(st.sampled_from(KINDS), max_size=2),
    st.lists(st.sampled_from([*LABELS, "→ PER", "PER → ORG"]), max_size=2),
    st.lists(st.sampled_from([one for one in GENRES if one]), max_size=1),
    st.integers(1, 7),
)
@settings(max_examples=60, deadline=None)
def test_pages_of_a_filter_are_those_of_a_plain_filter(
    places: list[Place], kinds: list[str], labels: list[str], genres: list[str], limit: int
) -> None:
    findings = [build_finding(place) for place in sorted(places, key=lambda place: place[0])]
    expected = [
        at
        for at, one in enumerate(findings)
        if (not kinds or one.kind in kinds)
        and (not labels or pair_text(one) in labels)
        and (not genres or one.extra.get("slices", {}).get("genre") in genres)
    ]
    conditions = [("kind", one) for one in kinds] + [("label", one) for one in labels]
    conditions += [("slice:genre", one) for one in genres]
    explorer, found, after = explore(build_run(places)), list[int](), -1
    while True:
        page = ask(explorer, "/v1/runs/run-1/findings", *conditions, ("limit", limit), ("after", after))
        assert len(page["findings"]) <= limit
        found += [row["position"] for row in page["findings"]]
        if page["next"] is None:
            break
        after = page["next"]
    assert found == expected


@given(PLACES)
@settings(max_examples=40, deadline=None)
def test_columns_and_counts_of_facets_agree_with_rows(places: list[Place]) -> None:
    explorer = explore(build_run(places))
    facets = ask(explorer, "/v1/runs/run-1/facets")
    rows = ask(explorer, "/v1/runs/run-1/rows/0")["findings"]
    assert facets["count"] == len(rows) == len(places)
    for facet in facets["facets"]:
        column = np.frombuffer(
            answer_url(explorer, f"/v1/runs/run-1/columns/{facet['name']}").body, f"<u{facet['width']}"
        )
        values = [facet["values"][number]["value"] for number in column]
        assert [values.count(one["value"]) for one in facet["values"]] == [one["count"] for one in facet["values"]]
        if facet["name"] == "kind":
            assert values == [row["kind"] for row in rows]
    surfaces = {one["number"]: one for one in ask(explorer, "/v1/runs/run-1/surfaces")["surfaces"]}
    numbers = [row["surface"] for row in rows]
    assert {number: numbers.count(number) for number in numbers} == {k: one["count"] for k, one in surfaces.items()}


def test_surfaces_are_read_in_pages() -> None:
    explorer = explore(build_run([(0, k % 5, 1, "missed", "PER", None) for k in range(9)]))
    whole = ask(explorer, "/v1/runs/run-1/surfaces")["surfaces"]
    assert [one["count"] for one in whole] == [2, 2, 2, 2, 1]
    pages = [ask(explorer, "/v1/runs/run-1/surfaces", ("from", k), ("limit", 2))["surfaces"] for k in (0, 2, 4)]
    assert [one for page in pages for one in page] == whole


@pytest.mark.parametrize(
    ("words", "is_found"), [("STRASSE", True), ("fin", True), ("d0", True), ("i\u0307stanbul", True), ("Ada", False)]
)
def test_search_ignores_case_and_composition(words: str, is_found: bool) -> None:  # noqa: FBT001
    explorer = explore(build_run([(0, 0, 1, "missed", "PER", None)]))
    found = ask(explorer, "/v1/runs/run-1/search", ("q", unicodedata.normalize("NFC", words)))
    assert base64.b64decode(found["found"]) == bytes([is_found])
    assert found["count"] == is_found


@pytest.mark.parametrize("task", TASKS)
def test_each_finding_of_a_document_is_in_it(task: str, tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, task)
    rows = ask(explorer, "/v1/runs/run-1/rows/0")["findings"]
    assert rows
    for number in {row["document_number"] for row in rows}:
        document = ask(explorer, f"/v1/runs/run-1/documents/{number}")
        assert document["rows"] == [row for row in rows if row["document_number"] == number]
        for lane in document["lanes"]:
            assert all(0 <= span["start"] <= span["end"] <= len(document["text"]) for span in lane["spans"])


@pytest.mark.parametrize("task", TASKS)
def test_numbers_with_a_kind_lead_to_as_many_findings(task: str, tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, task)
    run = ask(explorer, "/v1/runs/run-1")
    counts = {one["value"]: one["count"] for one in ask(explorer, "/v1/runs/run-1/facets")["facets"][0]["values"]}
    checked = 0
    for table in run["tables"]:
        for row in table["rows"]:
            name = row["cells"][0].get("filter") or {}
            for cell in row["cells"][1:]:
                if list(name) == ["kind"] and "filter" in cell and cell["value"] == int(cell["value"]):
                    assert cell["value"] == counts[name["kind"][0]]
                    checked += 1
    assert checked > 0 or task == "classification"


def test_cells_of_the_confusion_matrix_lead_to_as_many_findings(tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, "ner")
    confusion = ask(explorer, "/v1/runs/run-2")["confusion"]
    checked = 0
    for k, row in enumerate(confusion["rows"]):
        for n, number in enumerate(row):
            chosen = confusion["filters"][k][n]
            if k != n and number:
                conditions = [(name, value) for name, values in chosen.items() for value in values]
                found = ask(explorer, "/v1/runs/run-2/findings", *conditions, ("limit", 500))["findings"]
                assert len(found) == number, (confusion["labels"][k], confusion["labels"][n])
                checked += 1
    assert checked > 3


def test_label_row_leads_to_findings_with_the_label(tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, "ner")
    tables = {table["title"]: table for table in ask(explorer, "/v1/runs/run-2")["tables"]}
    rows = ask(explorer, "/v1/runs/run-2/rows/0")["findings"]
    for row in tables["By label (strict)"]["rows"][:3]:
        label = row["cells"][0]["text"]
        conditions = [("label", value) for value in row["cells"][0]["filter"]["label"]]
        found = ask(explorer, "/v1/runs/run-2/findings", *conditions, ("limit", 500))["findings"]
        assert [one["position"] for one in found] == [
            one["position"] for one in rows if label in {mark["label"] for mark in one["marks"]}
        ]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("/v1/runs/zz", "no run 'zz'"),
        ("/v1/runs/run-1/columns/zz", "no column 'zz'"),
        ("/v1/runs/run-1/rows/7", "no page 7"),
        ("/v1/runs/run-1/rows/x", "not a number"),
        ("/v1/runs/run-1/documents/9", "no document 9"),
        ("/v1/runs/run-1/findings?positions=99", "no finding 99"),
        ("/v1/zz", "nothing at /v1/zz"),
    ],
)
def test_what_does_not_exist_is_named(url: str, message: str) -> None:
    with pytest.raises(UnknownError, match=message):
        answer_url(explore(build_run([(0, 0, 1, "missed", "PER", None)])), url)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("/v1/runs?limit=0", "limit"),
        ("/v1/runs?zz=1", "zz"),
        ("/v1/runs/run-1/search", "q"),
        (f"/v1/runs/run-1/findings?positions={','.join(['0'] * 201)}", "at most 200"),
        ("/v1/compare?runs=run-1", "2 to 20 runs"),
        ("/v1/export?run=run-1&format=docx", "format"),
    ],
)
def test_queries_that_are_not_allowed_are_refused(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        answer_url(explore(build_run([(0, 0, 1, "missed", "PER", None)])), url)


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ('ما نوع فيلم "Rescued by Ruby"؟', "", "rtl"),
        ("NATO قالت أمس إنها", "", "ltr"),
        ("NATO قالت", "ar", "rtl"),
        ("سلام", "az-Latn", "ltr"),
        ("12 — 3", "", "auto"),
    ],
)
def test_direction_is_that_of_language_or_first_strong_character(text: str, language: str, expected: str) -> None:
    assert detect_direction(text, language) == expected


def test_export_takes_more_positions_than_a_page() -> None:
    explorer = explore(build_run([(0, 0, 1, "missed", "PER", None)]))
    body = answer_url(explorer, f"/v1/export?run=run-1&positions={','.join(['0'] * 5000)}").body
    assert body.count(b"\n") == 5000


@pytest.mark.parametrize("form", ["prodigy", "label-studio"])
def test_exported_spans_are_those_of_the_text(form: str, tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, "ner")
    rows = {row["key"]: row for row in ask(explorer, "/v1/runs/run-2/rows/0")["findings"]}
    body = answer_url(explorer, f"/v1/export?run=run-2&format={form}").body
    tasks = json.loads(body) if form == "label-studio" else [json.loads(line) for line in body.splitlines()]
    assert len(tasks) == len(rows)
    for task, row in zip(tasks, rows.values(), strict=True):
        spans = [
            (mark["text_start"], mark["text_end"], mark["label"])
            for mark in row["marks"]
            if form == "label-studio" or mark["side"] == row["marks"][0]["side"]
        ]
        if form == "prodigy":
            found = [(one["start"], one["end"], one["label"]) for one in task["spans"]]
        else:
            values = [one["result"][0]["value"] for one in task["predictions"]]
            found = [(one["start"], one["end"], one["labels"][0]) for one in values]
            assert all(one["text"] == row["text"][one["start"] : one["end"]] for one in values)
        assert found == spans
