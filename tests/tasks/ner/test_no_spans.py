"""A run without spans says so."""

from __future__ import annotations

from pathlib import Path

import pytest

import isogloss
from isogloss.cli import run as run_command

NOTHING, NAME = [["O", "O"], ["O"]], [["O", "B-PER"], ["O"]]
PROFILES = (None, "conlleval", "nervaluate", "presidio", "seqeval", "seqscore", "spacy")


def list_codes(run: isogloss.Run) -> list[str]:
    return [warning.code for warning in run.warnings if warning.code == "no-spans"]


@pytest.mark.parametrize("profile", PROFILES)
def test_neither_side_has_a_span(profile: str | None) -> None:
    assert list_codes(isogloss.ner(NOTHING, NOTHING, profile=profile)) == ["no-spans"]
    for sides in ((NAME, NAME), (NAME, NOTHING), (NOTHING, NAME)):
        if profile == "nervaluate" and sides[0] is NOTHING:
            continue  # it does not count predictions of labels that the reference lacks
        assert list_codes(isogloss.ner(*sides, profile=profile)) == []


def test_spans_that_rules_drop_are_not_spans_to_score() -> None:
    assert list_codes(isogloss.ner(NAME, NAME, labels={"drop": ["PER"]})) == ["no-spans"]


def test_the_command_writes_it_below_the_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "texts.conll"
    file.write_text("It\tO\nrained\tO\n", encoding="utf-8")
    assert run_command(["ner", str(file), str(file)]) == 0
    assert "Neither side has a span to score. Check that the texts are annotated" in capsys.readouterr().out
