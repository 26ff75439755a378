from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from report_pages import parse, unpack
from reports import by_hand, demo_runs, written

from isogloss.cli import run
from isogloss.demo import files
from isogloss.tasks.ner.scoring import ner

Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ISOGLOSS_STORE", raising=False)
    written(Path("runs.json"), by_hand("d/x.conll", 0.7), by_hand("d/y.conll", 0.5))


def test_report_is_html_by_default(capsys: Streams) -> None:
    assert run(["report", "runs.json"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("<!doctype html>")
    assert err == ""


@pytest.mark.parametrize(
    ("name", "begin"),
    [
        ("r.html", "<!doctype html>"),
        ("r.HTM", "<!doctype html>"),
        ("r.md", "**Systems"),
        ("r.tex", "% Preamble"),
        ("r.csv", "corpus,system,"),
        ("r", "<!doctype html>"),
    ],
)
def test_the_suffix_of_the_file_says_what_is_written(name: str, begin: str, capsys: Streams) -> None:
    assert run(["report", "runs.json", "-o", name]) == 0
    assert Path(name).read_text(encoding="utf-8").startswith(begin)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["r.pdf", "r.json", "r.pdf.gz"])
def test_a_suffix_that_says_something_else_is_refused(name: str, capsys: Streams) -> None:
    assert run(["report", "runs.json", "-o", name]) == 2
    assert "Choose from .html, .htm, .md, .markdown, .tex, .csv" in capsys.readouterr().err
    assert not Path(name).exists()
    assert run(["report", "runs.json", "-f", "csv", "-o", name]) == 0


def test_the_suffix_before_gz_chooses_the_format() -> None:
    assert run(["report", "runs.json", "-o", "r.md.gz"]) == 0
    assert gzip.decompress(Path("r.md.gz").read_bytes()).startswith(b"**Systems")


def test_the_format_comes_before_the_suffix() -> None:
    assert run(["report", "runs.json", "-f", "latex", "-o", "r.html"]) == 0
    assert Path("r.html").read_text(encoding="utf-8").startswith("% Preamble")


def test_what_a_task_wrote_can_be_reported(capsys: Streams) -> None:
    demo = files()
    assert run(["ner", str(demo.reference), str(demo.systems[0]), "-f", "json", "-o", "own.json", "-q"]) == 0
    assert run(["report", "own.json", "-f", "markdown"]) == 0
    assert "| strict | 0.8400 |" in capsys.readouterr().out


def test_curves_of_a_file_are_drawn(capsys: Streams) -> None:
    scores = Path(files().folder) / "classification/scores.jsonl"
    assert run(["classification", str(scores), "--curves", "c.json", "-f", "json", "-o", "own.json", "-q"]) == 0
    assert run(["report", "own.json", "--curves", "c.json"]) == 0
    curves = json.loads(unpack(parse(capsys.readouterr().out))["/v1/runs/run-1"])["curves"]
    assert [label for label, own in curves.items() if own["roc"]["true_positive_rate"]] == list(curves)
    assert len(curves) == 3


def test_badges_lead_to_the_page_that_is_written() -> None:
    assert run(["report", "runs.json", "--leaderboard", "-o", "out.html", "--badges", "badges"]) == 0
    assert sorted(path.name for path in Path("badges").iterdir()) == ["badges.md", "x.svg", "y.svg"]
    assert 'href="out.html#/run/run-2"' in Path("badges/y.svg").read_text(encoding="utf-8")
    assert run(["report", "runs.json", "-f", "csv", "--badges", "badges", "--link", "https://e.org/r"]) == 0
    assert 'href="https://e.org/r#/run/run-2"' in Path("badges/y.svg").read_text(encoding="utf-8")


def test_findings_option_limits_the_findings_shown(capsys: Streams) -> None:
    written(Path("found.json"), demo_runs("ner")[1])
    assert run(["report", "found.json", "--findings", "3"]) == 0
    assert json.loads(unpack(parse(capsys.readouterr().out))["/v1/runs/run-1/facets"])["count"] == 3


@pytest.mark.extra
def test_runs_of_the_store_are_called_by_name_or_id(capsys: Streams) -> None:
    from isogloss.store import Store  # noqa: PLC0415  the extra `store` may be missing

    demo = files()
    scored = ner(demo.reference, demo.systems[1], findings=True)
    with Store.open("own.db") as store:
        identity = store.save(scored, name="baseline", corpus="Ours")
    for name in ("baseline", str(identity)):
        assert run(["report", name, "runs.json", "--store", "own.db"]) == 0
        out = capsys.readouterr().out
        assert f"store, run {identity}" in out
        assert "<bdi>Ours</bdi>" in out
        assert "wrong boundary" in out


@pytest.mark.extra
@pytest.mark.parametrize("name", ["baseline", "rnus.json", "a/b", "x\0y"])
def test_unknown_name_error_mentions_files_and_runs(name: str, capsys: Streams) -> None:
    from isogloss.store import Store  # noqa: PLC0415  the extra `store` may be missing

    assert run(["report", name, "--store", "none.db"]) == 3
    assert "and no such run in a store: there is no store of runs" in capsys.readouterr().err
    assert not Path("none.db").exists()
    with Store.open("own.db"):
        assert run(["report", name, "--store", "own.db"]) == 3
    assert "and no such run in a store: there is no run" in capsys.readouterr().err


@pytest.mark.extra
@pytest.mark.parametrize("name", ["nightly/en", "x.json"])
def test_a_run_may_be_called_like_a_path(name: str, capsys: Streams) -> None:
    from isogloss.store import Store  # noqa: PLC0415  the extra `store` may be missing

    demo = files()
    with Store.open("own.db") as store:
        identity = store.save(ner(demo.reference, demo.systems[1]), name=name)
    assert run(["report", name, "-f", "csv", "--store", "own.db"]) == 0
    assert capsys.readouterr().out.startswith("corpus,system,")
    written(Path("x.json"), by_hand("of a file", 0.7))
    assert run(["report", "x.json", str(identity), "-f", "csv", "--store", "own.db"]) == 0
    assert "of a file,strict.f1,0.7" in capsys.readouterr().out


def test_a_file_that_holds_no_run_is_bad_data(capsys: Streams) -> None:
    Path("bad.json").write_text(json.dumps({"task": 3}), encoding="utf-8")
    assert run(["report", "bad.json"]) == 3
    assert "`$.task`" in capsys.readouterr().err


def test_output_folder_that_is_not_writable_is_reported(capsys: Streams) -> None:
    assert run(["report", "runs.json", "-o", "none/r.html"]) == 3
    assert "cannot be written" in capsys.readouterr().err
