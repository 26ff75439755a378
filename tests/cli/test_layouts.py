"""`isogloss ner --layout`: its profile, its output and its messages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import isogloss
from isogloss.cli import run
from isogloss.tasks.ner.layouts import LAYOUTS, format_in_layout
from isogloss.tasks.registry import get_task

GOLD = "Ada\tB-PER\nLovelace\tI-PER\nin\tO\nOslo\tB-LOC\n\nمصر\tB-LOC\nกรุงเทพ\tB-LOC\n"
SYSTEM = "Ada\tB-PER\nLovelace\tO\nin\tO\nOslo\tI-LOC\n\nمصر\tB-LOC\nกรุงเทพ\tO\n"
ROW = '{"id": "1", "text": "Ada", "entities": [{"start": 0, "end": 3, "label": "PER"}]}\n'
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(GOLD, encoding="utf-8")
    Path("system").write_text(SYSTEM, encoding="utf-8")
    Path("rows.jsonl").write_text(ROW, encoding="utf-8")


def test_a_layout_takes_the_profile_of_its_tool(capsys: Streams) -> None:
    for name, profile in (("conlleval", "conlleval"), ("sklearn", "seqeval")):
        assert run(["ner", "gold", "system", "--layout", name, "-q"]) == 0
        assert capsys.readouterr() == (format_in_layout([isogloss.ner("gold", "system", profile=profile)], name), "")


def test_profile_option_overrides_the_profile_of_the_layout(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--layout", "sklearn", "--profile", "seqeval-strict", "-q"]) == 0
    strict = isogloss.ner("gold", "system", profile="seqeval-strict")
    assert capsys.readouterr().out == format_in_layout([strict], "sklearn")


def test_every_layout_can_be_chosen() -> None:
    assert tuple(sorted(get_task("ner").layouts)) == LAYOUTS.list_names()
    for name in LAYOUTS.list_names():
        assert run(["ner", "gold", "gold", "--layout", name, "-q"]) == 0


def test_json_is_that_of_the_tool(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--layout", "sklearn", "-f", "json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["LOC"]["support"] == 3


def test_several_systems_come_in_their_order(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "gold", "--layout", "conlleval", "-q"]) == 0
    first, second = capsys.readouterr().out.split("\n\n")
    assert first.startswith("system\nprocessed 6 tokens with 4 phrases; found: 3 phrases; correct: 2.")
    assert second.startswith("gold\nprocessed 6 tokens with 4 phrases; found: 4 phrases; correct: 4.")


def test_warnings_are_on_standard_error_unless_it_is_to_be_quiet(capsys: Streams) -> None:
    options = ["ner", "gold", "system", "--layout", "seqscore", "--repair", "begin"]
    assert run(options) == 0
    out, err = capsys.readouterr()
    assert "Tags of the prediction do not fit IOB2 of seqscore" in err
    assert run([*options, "-q"]) == 0
    assert capsys.readouterr() == (out, "")


def test_gates_hold_for_the_numbers_of_the_profile(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--layout", "conlleval", "--fail-under", "strict.f1=0.9", "-q"]) == 1
    assert capsys.readouterr().out.startswith("processed 6 tokens")


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (["--layout", "sklearn", "--profile", "conlleval"], "add --profile seqeval"),
        (["--layout", "conlleval", "-f", "json"], "leave out -f json"),
        (["--layout", "sklearn", "-f", "markdown"], "leave out -f markdown"),
        (["--layout", "sklearn", "--beta", "2"], "shows F1"),
        (["--layout", "conlleval", "--beta", "2"], "does not support beta"),
    ],
)
def test_what_a_layout_cannot_show_is_a_wrong_call(options: list[str], what: str, capsys: Streams) -> None:
    assert run(["ner", "gold", "system", *options]) == 2
    out, err = capsys.readouterr()
    assert (out, what in err) == ("", True)


def test_a_format_that_a_layout_lacks_is_refused_before_reading(capsys: Streams) -> None:
    assert run(["ner", "absent", "absent", "--layout", "conlleval", "-f", "json"]) == 2
    assert "leave out -f json" in capsys.readouterr().err


def test_spans_have_no_report_of_conlleval(capsys: Streams) -> None:
    assert run(["ner", "rows.jsonl", "rows.jsonl", "--layout", "conlleval"]) == 2
    assert "has spans and no tags" in capsys.readouterr().err
    assert run(["ner", "rows.jsonl", "rows.jsonl", "--layout", "spacy", "-q"]) == 0
    assert "PER   100.00   100.00   100.00" in capsys.readouterr().out


def test_digits_are_decimals_of_sklearn(capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--layout", "sklearn", "--digits", "3", "-q"]) == 0
    assert "micro avg      0.667     0.500     0.571         4" in capsys.readouterr().out  # 2 of 3, and 2 of 4


@pytest.mark.parametrize("layout", [[], ["--layout", "spacy"]])
def test_digits_without_sklearn_are_refused(layout: list[str], capsys: Streams) -> None:
    assert run(["ner", "gold", "system", "--digits", "3", *layout]) == 2
    assert "--digits has no effect without --layout sklearn" in capsys.readouterr().err
