from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from isogloss import __version__
from isogloss.errors import UsageError
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner

# PER is right once and missed once, LOC is spurious, ORG has a wrong boundary.
GOLD = [["B-PER", "O", "B-ORG", "I-ORG"], ["B-PER", "O"], ["O", "O"]]
SYSTEM = [["B-PER", "O", "B-ORG", "O"], ["O", "O"], ["O", "B-LOC"]]
DEFAULTS = "ner|scheme:iob2|repair:begin|beta:1|zero-division:undefined|macro-over:union"


def scored(**options: Any) -> Run:
    return ner(GOLD, SYSTEM, **options)


def test_labels_option_limits_the_spans_scored() -> None:
    run = scored(labels=["PER", "LOC"])
    assert set(run.by_label) == {"PER", "LOC"}
    assert (run.scores["strict"].possible, run.scores["strict"].actual) == (2, 2)


def test_label_without_spans_gives_a_warning() -> None:
    run = scored(labels=["PER", "PRE"])
    told = [notice.message for notice in run.warnings if notice.code == "label-absent"]
    assert told == ["No span has the label 'PRE'."]


def test_beta_weighs_recall() -> None:
    strict = scored(beta=2).scores["strict"]
    # 1 of 3 predicted and 1 of 3 reference spans are right: any mean of a third and a third is a third
    assert strict.f == pytest.approx(1 / 3)
    assert "f1" not in strict
    # PER: precision 1, recall 1/2; F with beta 2 is 5 PR / (4 P + R) = 2.5 / 4.5
    assert scored(beta=2).by_label["PER"]["strict"].f == pytest.approx(5 / 9)


@pytest.mark.parametrize("value", [0, 1])
def test_zero_division_is_the_value_of_0_divided_by_0(value: int) -> None:
    assert math.isnan(scored().by_label["LOC"]["strict"].recall)
    assert scored(zero_division=value).by_label["LOC"]["strict"].recall == value


def test_a_mean_covers_labels_of_both_sides_or_the_reference() -> None:
    # precision of PER, ORG and LOC: 1, 0, 0
    assert scored().macro["strict"].precision == pytest.approx(1 / 3)
    assert scored(macro_over="reference").macro["strict"].precision == pytest.approx(1 / 2)


@pytest.mark.parametrize(("repair", "spans"), [("begin", 1), ("discard", 0)])
def test_repair_decides_what_becomes_of_tags_that_do_not_fit(repair: Any, spans: int) -> None:
    run = ner([["B-PER"]], [["I-PER"]], scheme="iob2", repair=repair)
    assert run.scores["strict"].actual == spans
    assert [notice.count for notice in run.warnings] == [1]


def test_a_named_scheme_is_taken_without_a_word() -> None:
    assert scored(scheme="iob2").warnings == ()
    assert {notice.code for notice in scored().warnings} == {"scheme-detected"}


def test_a_profile_scores_reads_and_signs() -> None:
    for profile in ["seqeval", "seqeval-strict", "conlleval", "seqscore", "nervaluate", "spacy"]:
        run = scored(profile=profile)
        assert run.profile == profile
        assert f"|profile:{profile}|" in str(run.signature)
        assert run.scores["strict"].correct == 1
        assert run.scores["strict"].f1 == pytest.approx({"nervaluate": 2 / 5}.get(profile, 1 / 3))


def test_profiles_take_0_divided_by_0_as_their_tools_do() -> None:
    assert math.isnan(ner([["O"]], [["O"]]).scores["strict"].f1)
    assert ner([["O"]], [["O"]], profile="seqeval").scores["strict"].f1 == 0


def test_a_profile_refuses_what_its_tool_does_not_have() -> None:
    with pytest.raises(UsageError, match="conlleval"):
        scored(profile="conlleval", macro_over="reference")
    with pytest.raises(UsageError, match="conlleval"):
        scored(profile="conlleval", repair="discard")


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        ({}, DEFAULTS),
        ({"beta": 0.5}, DEFAULTS.replace("beta:1", "beta:0.5")),
        ({"zero_division": 0}, DEFAULTS.replace("undefined", "0")),
        ({"macro_over": "reference"}, DEFAULTS.replace("union", "reference")),
        ({"repair": "discard"}, DEFAULTS.replace("begin", "discard")),
        ({"labels": ["PER", "LOC"]}, f"{DEFAULTS}|labels:LOC,PER"),
        (
            {"confidence": 0.9, "resamples": 10, "seed": 3},
            f"{DEFAULTS}|unit:document|confidence:0.9|resamples:10|seed:3|method:wilson-modified+wilson-deff+mover+bootstrap-percentile",
        ),
    ],
)
def test_the_signature_names_every_choice_that_a_score_rests_on(options: dict[str, Any], signature: str) -> None:
    assert str(scored(**options).signature) == f"{signature}|version:{__version__}"


def test_the_signature_of_spans_has_no_scheme() -> None:
    assert "scheme" not in str(ner([[(0, 1, "PER")]], [[]]).signature)


def test_the_signature_names_both_schemes_where_they_differ() -> None:
    run = ner([["B-PER", "I-PER"]], [["B-PER", "L-PER"]])
    assert "|scheme:iob2+bilou|" in str(run.signature)


def test_findings_are_kept_on_request_with_file_line_and_context(tmp_path: Path) -> None:
    gold, system = tmp_path / "gold", tmp_path / "system"
    gold.write_text("met\tO\nAda\tB-PER\nLovelace\tI-PER\n\nOslo\tB-LOC\n", encoding="utf-8")
    system.write_text("met\tO\nAda\tO\nLovelace\tB-PER\n\nOslo\tO\n", encoding="utf-8")
    assert ner(gold, system).findings == ()
    boundary, missed = ner(gold, system, findings=True).findings
    assert (boundary.kind, boundary.where, boundary.text) == ("wrong_boundary", f"{system}:3", "met Ada Lovelace")
    assert (missed.kind, missed.where, missed.document) == ("missed", f"{gold}:5", "2")


def test_context_is_a_number_of_words() -> None:
    gold, system = [["O", "O", "B-PER", "O", "O"]], [["O"] * 5]
    assert ner(gold, system, findings=True, context=1).findings[0].text == "O B-PER O"
