"""Reports in one file and folders: the same bytes as over HTTP, and data that never become markup."""

from __future__ import annotations

import base64
import gzip
import json
import re
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest
from explored import explore_demo
from report_pages import parse, split_packs, unpack
from reports import HOSTILE, by_hand, corpora, demo_runs

from isogloss.errors import UsageError
from isogloss.explorer import static_export
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.routes import answer_url
from isogloss.explorer.run_sources import MemoryRuns
from isogloss.explorer.static_export import PageOptions, list_urls, render_report, write_bundle
from isogloss.text.display import make_visible

TASKS = ("ner", "segmentation", "entity-translation", "code-switching", "classification")
BREAKING = HOSTILE + "</script><!--<script>"


@pytest.mark.parametrize("task", TASKS)
def test_file_and_folder_hold_the_bytes_of_the_service(task: str, tmp_path: Path) -> None:
    explorer = explore_demo(tmp_path, task)
    expected = {unquote(url): answer_url(explorer, url).body for url in list_urls(explorer)}
    page = parse(render_report(corpora(tmp_path / "runs.json", *demo_runs(task))))
    assert {url: drop_main(body) for url, body in unpack(page).items()} == {
        url: drop_main(body) for url, body in expected.items()
    }
    write_bundle(explorer, tmp_path / "folder")
    found = {}
    for file in (tmp_path / "folder/data").iterdir():
        url, packed = json.loads(f"[{file.read_text(encoding='utf-8').removeprefix('isoglossData(')[:-3]}]")
        found[url] = gzip.decompress(base64.b64decode(packed))
    index = parse((tmp_path / "folder/index.html").read_text(encoding="utf-8"))
    assert split_packs(found, json.loads(index.data["isogloss-data"])["packs"]) == expected


def test_packs_of_documents_are_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(static_export, "PACK_BYTES", 3000)
    explorer = explore_demo(tmp_path, "ner")
    answers = static_export.PackedAnswers(explorer)
    files = {url: gzip.decompress(base64.b64decode(packed)) for url, packed in answers}
    expected = {unquote(url): answer_url(explorer, url).body for url in list_urls(explorer)}
    assert split_packs(files, answers.packs) == expected
    for above, starts in answers.packs.items():
        assert len(starts) > 1
        packs = [msgspec.json.decode(files[f"{above}#{at}"], type=list[msgspec.Raw]) for at in range(len(starts))]
        assert all(sum(map(len, pack[:-1])) < 3000 for pack in packs)  # the last one may be as long as it is


def drop_main(body: bytes) -> bytes:
    """A report names the main score of all runs together, a run its own."""
    return re.sub(rb'"main":"[^"]*"', b"", body)


def poison(value: Any) -> Any:
    """A breaking text in front of each text in a value."""
    if isinstance(value, dict):
        return {name: poison(own) for name, own in value.items()}
    if isinstance(value, list):
        return [poison(own) for own in value]
    return BREAKING + value if isinstance(value, str) else value


def poison_run(run: dict[str, Any]) -> dict[str, Any]:
    """The run with breaking systems, labels, texts, places, slices and warnings."""
    rows = [
        poison(row)
        | {side: row[side] | {"label": BREAKING} for side in ("reference", "predicted") if side in row}
        | {"slices": {BREAKING: BREAKING}}
        for row in run["findings"]["rows"]
    ]
    return {
        **{name: run[name] for name in ("task", "version", "documents", "scores")},
        "system": f"{BREAKING}{run['system']}",
        "signature": run["signature"],
        "profile": BREAKING,
        "by_label": {label + BREAKING: own for label, own in run.get("by_label", {}).items()},
        "slices": {BREAKING: {BREAKING: {"documents": 1, "scores": run["scores"]}}},
        "confusion": [poison(row) for row in run.get("confusion", [])],
        "findings": {"counts": run["findings"].get("counts", {}), "rows": rows},
        "warnings": [{"code": BREAKING, "message": BREAKING, "where": BREAKING, "count": 3}],
        "inputs": [{"role": "reference" + BREAKING, "path": BREAKING, "sha256": BREAKING}],
    }


@pytest.mark.parametrize("task", TASKS)
def test_breaking_texts_stay_data(task: str, tmp_path: Path) -> None:
    clean = parse(render_report(corpora(tmp_path / "a.json", *demo_runs(task))))
    runs = corpora(tmp_path / "b.json", *map(poison_run, demo_runs(task)))
    html = render_report(runs, PageOptions(title=BREAKING))
    page = parse(html)
    scripts = [attributes for tag, attributes in page.elements if tag == "script"]
    assert [one for one in scripts if "type" not in one] == [{}]  # ours alone runs
    assert all(set(one) <= {"id", "type"} for one in scripts)
    assert {tag for tag, _ in page.elements} <= {tag for tag, _ in clean.elements} | {"p", "section", "sup", "small"}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert make_visible(BREAKING) in "".join(page.texts["bdi"])
    assert "<script>alert" not in "".join(page.texts["script"])
    assert find_texts(json.loads(unpack(page)["/v1/runs/run-1/rows/0"]), BREAKING) > 0


def find_texts(value: Any, text: str) -> int:
    """How many texts of a JSON value have this text in them."""
    if isinstance(value, dict):
        return sum(find_texts(own, text) for own in value.values())
    if isinstance(value, list):
        return sum(find_texts(own, text) for own in value)
    return isinstance(value, str) and text in value


def test_policy_allows_exactly_the_script_and_style_of_the_file(tmp_path: Path) -> None:
    html = render_report(corpora(tmp_path / "a.json", *demo_runs("ner")))
    page = parse(html)
    (policy,) = (one["content"] for tag, one in page.elements if tag == "meta" and "http-equiv" in one)
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy
    (script,) = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    for name, text in (("script-src", script), ("style-src", style)):
        digest = base64.b64encode(sha256(text.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy


def test_file_refers_to_no_other_place(tmp_path: Path) -> None:
    page = parse(render_report(corpora(tmp_path / "a.json", *demo_runs("ner"))))
    referring = ("href", "src", "srcset", "action", "data", "poster")
    places = [value for _, own in page.elements for name, value in own.items() if name in referring]
    assert all(place.startswith(("#", "data:image/svg+xml,")) for place in places)
    assert [attributes["rel"] for tag, attributes in page.elements if tag == "link"] == ["icon"]
    assert not {"iframe", "object", "embed", "base", "form", "img"} & {tag for tag, _ in page.elements}


@pytest.mark.parametrize("task", TASKS)
def test_scores_stand_in_the_html(task: str, tmp_path: Path) -> None:
    page = parse(render_report(corpora(tmp_path / "a.json", *demo_runs(task))))
    text = "".join(each for where in ("bdi", "code", "td") for each in page.texts.get(where, ()))
    for run in demo_runs(task):
        assert run["signature"] in text
        assert all(entry["sha256"] in text for entry in run["inputs"])
        assert all(label in text for label in run.get("by_label", {}))


def test_report_is_deterministic(tmp_path: Path) -> None:
    pages = [render_report(corpora(tmp_path / "a.json", *demo_runs("ner"))) for _ in range(2)]
    assert pages[0] == pages[1]


def test_report_names_the_findings_that_it_leaves_out(tmp_path: Path) -> None:
    html = render_report(corpora(tmp_path / "a.json", demo_runs("ner")[0]), PageOptions(findings=2))
    found = unpack(parse(html))
    assert json.loads(found["/v1/runs/run-1/facets"])["count"] == 2
    assert "findings-cut" in {one["code"] for one in json.loads(found["/v1/runs/run-1"])["warnings"]}


def test_leaderboard_has_no_findings(tmp_path: Path) -> None:
    html = render_report(corpora(tmp_path / "a.json", *demo_runs("ner")), PageOptions(leaderboard=True))
    assert json.loads(unpack(parse(html))["/v1/runs/run-1/facets"])["count"] == 0


def test_saved_differences_are_shown(tmp_path: Path) -> None:
    change = {"difference": -0.2, "low": -0.3, "high": -0.1, "p": 0.001, "p_holm": 0.002}
    compared = [{"baseline": "a/x.conll", "system": "a/y.conll", "scores": {"strict.f1": change}}]
    runs = by_hand("a/x.conll", 0.7), by_hand("a/y.conll", 0.5)
    html = render_report(corpora(tmp_path / "r.json", *runs, comparisons=compared))
    assert "0.5000<sup>†</sup>" in html
    scores = json.loads(unpack(parse(html))["/v1/compare?runs=run-1,run-2"])["scores"]
    assert {name: scores[0][name] for name in change} == change


def test_unknown_main_score_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"No run has the score 'strict\.f2'.*strict\.precision"):
        render_report(corpora(tmp_path / "r.json", by_hand()), PageOptions(score="strict.f2"))


def test_runs_of_two_definitions_have_no_comparison(tmp_path: Path) -> None:
    runs = by_hand("a/x.conll"), by_hand("a/y.conll", definition=7)
    explorer = Explorer(MemoryRuns(corpora(tmp_path / "r.json", *runs)))
    assert write_bundle(explorer, tmp_path / "folder") > 0
    assert "/v1/compare?runs" not in (tmp_path / "folder/index.html").read_text(encoding="utf-8")


def test_three_runs_can_be_compared_together(tmp_path: Path) -> None:
    runs = [by_hand(f"a/{name}.conll") for name in "xyz"]
    urls = set(list_urls(Explorer(MemoryRuns(corpora(tmp_path / "r.json", *runs)))))
    assert {"/v1/compare?runs=run-1,run-2,run-3", "/v1/compare/matrix?runs=run-1,run-2,run-3"} <= urls
    assert {f"/v1/compare?runs={pair}" for pair in ("run-1,run-2", "run-1,run-3", "run-2,run-3")} <= urls
