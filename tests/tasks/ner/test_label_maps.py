"""Scores with rules for labels are those of spans whose labels were changed before; levels, findings, counts, notes."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isogloss
from isogloss.cli import run as run_command
from isogloss.errors import UsageError

Span = tuple[int, int, str]
Documents = list[list[Span]]
LABELS = ("A", "B", "C", "D", "E")
RATIOS = ("precision", "recall", "f1", "correct", "possible", "actual")
OWN_KEYS = ("signature", "by_level", "label_rules", "inputs", "warnings")  # of a run with rules
SPANS = st.lists(st.tuples(st.integers(0, 9), st.integers(1, 4), st.sampled_from(LABELS)), max_size=6)
DOCUMENTS = st.lists(SPANS, min_size=1, max_size=4).map(
    lambda documents: [[(start, start + length, label) for start, length, label in own] for own in documents]
)
TARGETS = st.dictionaries(st.sampled_from(LABELS), st.sampled_from((*LABELS, "X", None)))


def to_rules(targets: dict[str, str | None]) -> dict[str, Any]:
    renamed = {label: target for label, target in targets.items() if target is not None}
    return {"rename": renamed, "drop": [label for label, target in targets.items() if target is None]}


def change(documents: Documents, targets: dict[str, str | None]) -> Documents:
    """The plain second implementation."""
    named = [[(start, end, targets.get(label, label)) for start, end, label in own] for own in documents]
    return [[(start, end, label) for start, end, label in own if label is not None] for own in named]


def same_length(reference: Documents, predicted: Documents) -> tuple[Documents, Documents]:
    size = max(len(reference), len(predicted))
    one, other = (side + [[] for _ in range(size - len(side))] for side in (reference, predicted))
    return one, other


def scores(run: isogloss.Run) -> dict[str, Any]:
    return {key: value for key, value in run.to_dict().items() if key not in OWN_KEYS}


@settings(deadline=None, max_examples=25)
@given(DOCUMENTS, DOCUMENTS, TARGETS, TARGETS)
def test_scores_are_those_of_spans_changed_before(
    reference: Documents, predicted: Documents, of_reference: Any, of_prediction: Any
) -> None:
    reference, predicted = same_length(reference, predicted)
    rules = {"reference": to_rules(of_reference), "prediction": to_rules(of_prediction)}
    for profile in (None, "fair", "nervaluate", "spacy"):
        found = isogloss.ner(reference, predicted, labels=rules, profile=profile)
        plain = isogloss.ner(change(reference, of_reference), change(predicted, of_prediction), profile=profile)
        assert scores(found) == scores(plain), profile
    touched = {(rule.label, rule.reference, rule.predicted) for rule in found.label_rules}
    own = [Counter(label for document in side for *_, label in document) for side in (reference, predicted)]
    assert touched == {(x, own[0][x], None) for x in of_reference} | {(x, None, own[1][x]) for x in of_prediction}


@settings(deadline=None, max_examples=25)
@given(DOCUMENTS, DOCUMENTS, st.permutations(LABELS))
def test_other_names_change_no_overall_score(reference: Documents, predicted: Documents, names: list[str]) -> None:
    reference, predicted = same_length(reference, predicted)
    renamed = isogloss.ner(reference, predicted, labels={"rename": dict(zip(LABELS, names, strict=True))})
    assert renamed.to_dict()["scores"] == isogloss.ner(reference, predicted).to_dict()["scores"]


@settings(deadline=None, max_examples=25)
@given(DOCUMENTS, DOCUMENTS)
def test_with_one_label_the_schemas_that_need_it_are_those_that_do_not(
    reference: Documents, predicted: Documents
) -> None:
    reference, predicted = same_length(reference, predicted)
    found = isogloss.ner(reference, predicted, labels={"merge": {"ANY": list(LABELS)}}).to_dict()["scores"]
    assert found["strict"] == found["exact"]
    plain = isogloss.ner(reference, predicted).to_dict()["scores"]["exact"]
    assert {name: found["exact"][name] for name in RATIOS} == {name: plain[name] for name in RATIOS}


@settings(deadline=None, max_examples=25)
@given(DOCUMENTS, DOCUMENTS)
def test_a_level_has_the_scores_of_labels_raised_before(reference: Documents, predicted: Documents) -> None:
    reference, predicted = same_length(reference, predicted)
    run = isogloss.ner(reference, predicted, labels={"parents": {"A": "B", "B": "C", "D": "C"}})
    levels: list[dict[str, str | None]] = [{"A": "C", "B": "C", "D": "C"}, {"A": "B"}, {}]
    assert list(run.by_level) == ["0", "1", "2"]
    for number, targets in enumerate(levels):
        plain = isogloss.ner(change(reference, targets), change(predicted, targets)).to_dict()
        found = run.to_dict()["by_level"][str(number)]
        assert found.pop("by_label", {}) == plain.get("by_label", {})
        assert found == plain["scores"]
    plain = isogloss.ner(reference, predicted).to_dict()
    assert {key: run.to_dict()[key] for key in ("scores", "macro")} == {key: plain[key] for key in ("scores", "macro")}


def write_tags(path: Path, seed: int, sentences: int = 300) -> Documents:
    """Write random tags, and return their spans."""
    draw = random.Random(seed)
    lines, spans = [], []
    for _ in range(sentences):
        own: list[Span] = []
        at = 0
        while at < 12:
            length, label = draw.randint(1, 3), draw.choice((None, *LABELS))
            tags = ["O"] * length if label is None else [f"B-{label}", *[f"I-{label}"] * (length - 1)]
            lines += [f"w{at + k}\t{tag}" for k, tag in enumerate(tags)]
            if label is not None:
                own.append((at, at + length, label))
            at += length
        lines += [f"w{at + k}\tO" for k in range(14 - at)] + [""]
        spans.append(own)
    path.write_text("\n".join(lines), encoding="utf-8")
    return spans


def test_files_of_tags_have_the_scores_of_spans_changed_before(tmp_path: Path) -> None:
    sides = [write_tags(tmp_path / name, seed) for seed, name in enumerate(("gold.conll", "system.conll"))]
    (tmp_path / "map.toml").write_text(
        'drop = ["E"]\n[rename]\nA = "X"\n[prediction.merge]\nC = ["B"]\n', encoding="utf-8"
    )
    paths = [str(tmp_path / name) for name in ("gold.conll", "system.conll")]
    run = isogloss.ner(*paths, labels=tmp_path / "map.toml", findings=True)
    both: dict[str, str | None] = {"E": None, "A": "X"}
    plain = isogloss.ner(change(sides[0], both), change(sides[1], both | {"B": "C"}), findings=True)
    for key in ("scores", "by_label", "macro", "confusion"):
        assert run.to_dict()[key] == plain.to_dict()[key]
    assert [(each.kind, each.marks[-1].label) for each in run.findings] == [
        (each.kind, each.marks[-1].label) for each in plain.findings
    ]
    assert "tokens" not in run.scores
    assert [(entry.role, Path(entry.path).name) for entry in run.inputs][-1] == ("labels", "map.toml")


REFERENCE: Documents = [[(0, 1, "City"), (2, 3, "LOC"), (4, 5, "City"), (6, 7, "City"), (8, 9, "PER")]]
PREDICTED: Documents = [[(0, 1, "LOC"), (2, 3, "City"), (4, 5, "PER"), (6, 8, "LOC"), (8, 9, "PLACE")]]
PARENTS = {"parents": {"City": "LOC", "LOC": "PLACE"}}


def test_a_coarser_label_on_an_equal_span_is_too_coarse() -> None:
    run = isogloss.ner(REFERENCE, PREDICTED, labels=PARENTS, findings=True)
    assert [finding.kind for finding in run.findings] == [
        *("too_coarse", "too_fine", "wrong_type", "wrong_type_and_boundary", "wrong_type"),
    ]
    assert {kind: number for kind, number in run.kinds.items() if number} == Counter(
        finding.kind for finding in run.findings
    )
    assert [run.score(f"by_level.{k}.strict.f1") for k in range(3)] == [0.4, 0.4, 0.0]


def test_rules_are_in_the_signature_and_counted() -> None:
    run = isogloss.ner(REFERENCE, PREDICTED, labels={"rename": {"PER": "PERSON"}, **PARENTS, "default": "drop"})
    assert "|label-map:" in str(run.signature)
    assert run.to_dict()["label_rules"] == [
        {"rule": "rename", "label": "PER", "to": "PERSON", "reference": 1, "predicted": 1},
        {"rule": "parents", "label": "City", "to": "LOC", "reference": 3, "predicted": 1},
        {"rule": "parents", "label": "LOC", "to": "PLACE", "reference": 4, "predicted": 3},
        {"rule": "default", "label": None, "to": None, "reference": 0, "predicted": 0},
    ]


def test_a_rule_that_touches_nothing_is_a_warning() -> None:
    run = isogloss.ner(REFERENCE, PREDICTED, labels={"rename": {"CITY": "LOC"}})
    (warning,) = [each for each in run.warnings if each.code == "label-rule-unused"]
    assert warning.message.endswith("no span has the label 'CITY'; did you mean City?")
    many = isogloss.ner(REFERENCE, PREDICTED, labels={"drop": [f"X{k}" for k in range(25)]})
    assert [each.count for each in many.warnings if each.code == "label-rule-unused"] == [1] * 10 + [15]


def test_label_that_shares_only_letters_is_not_suggested() -> None:
    spans: list[list[Span]] = [[(0, 3, "GPE"), (4, 7, "PERSON"), (8, 9, "LOCATION")]]
    run = isogloss.ner(spans, spans, labels={"rename": {"PER": "X", "EPG": "Y", "LOC": "Z"}, "drop": ["gpe"]})
    found = [each.message.rpartition("label ")[2] for each in run.warnings if each.code == "label-rule-unused"]
    meant = {"PER": "PERSON", "LOC": "LOCATION", "gpe": "GPE"}
    expected = {f"'{label}'; did you mean {close}?" for label, close in meant.items()} | {"'EPG'."}
    assert {*found} == expected
    only_gpe: list[list[Span]] = [[(0, 3, "GPE")]]
    run = isogloss.ner(only_gpe, only_gpe, labels={"rename": {"PER": "PERSON"}})
    assert next(each.message for each in run.warnings).endswith("no span has the label 'PER'.")
    with pytest.raises(UsageError, match=r"No span has the label 'PER'\. Its labels are GPE"):
        isogloss.ner(only_gpe, only_gpe, labels=["PER"])


def aliases(reference: list[Span], predicted: list[Span], **options: Any) -> list[tuple[str, int]]:
    run = isogloss.ner([reference], [predicted], **options)
    return [(each.message.split("'")[1], each.count) for each in run.warnings if each.code == "label-alias"]


def test_a_similar_name_on_one_side_only_is_suggested() -> None:
    assert aliases([(0, 1, "PER"), (1, 2, "LOC")], [(0, 1, "Person"), (1, 2, "LOC")]) == [("Person", 1)]
    assert aliases([(0, 1, "PER")], [(0, 1, "Person")], labels={"rename": {"Person": "PER"}}) == []
    assert aliases([(0, 1, "PER"), (1, 2, "Person")], [(0, 1, "Person")]) == []


def test_another_name_is_suggested_for_many_common_spans() -> None:
    spans = [(k, k + 1) for k in range(10)]
    reference = [(*span, "MISC") for span in spans]
    assert aliases(reference, [(*span, "Event") for span in spans[:5]]) == [("Event", 5)]
    assert aliases(reference, [(*span, "Event") for span in spans[:4]]) == []
    elsewhere = [(20 + k, 21 + k, "Event") for k in range(6)]
    assert aliases(reference, [*((*span, "Event") for span in spans[:5]), *elsewhere]) == []


def test_rules_conflict_with_tools_that_judge_tags() -> None:
    with pytest.raises(UsageError, match=r"--labels cannot be combined with --profile conlleval"):
        isogloss.ner([["B-A"]], [["B-A"]], profile="conlleval", labels={"rename": {"A": "B"}})


def test_parents_conflict_with_slices_of_spans() -> None:
    with pytest.raises(UsageError, match=r"--by entity_length cannot be combined with parents in --labels"):
        isogloss.ner([["B-A"]], [["B-A"]], by=["entity_length"], labels=PARENTS)


def test_seen_spans_have_the_new_labels(tmp_path: Path) -> None:
    for name, label in (("train", "PER"), ("gold", "PER"), ("system", "PERSON")):
        (tmp_path / name).write_text(f"Ada\tB-{label}\nslept\tO\n", encoding="utf-8")
    paths = [str(tmp_path / name) for name in ("gold", "system")]
    rules = {"rename": {"PER": "PERSON"}}
    run = isogloss.ner(*paths, labels=rules, by=["seen"], training=str(tmp_path / "train"))
    assert run.slices["seen"]["seen"]["strict"].f1 == 1


def test_the_command_takes_rules_beside_labels_to_score(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gold").write_text("Ada\tB-PER\nRome\tB-LOC\n", encoding="utf-8")
    (tmp_path / "system").write_text("Ada\tB-PERSON\nRome\tO\n", encoding="utf-8")
    (tmp_path / "map").write_text('[rename]\nPERSON = "PER"\n', encoding="utf-8")
    files = [str(tmp_path / name) for name in ("gold", "system", "map")]
    assert run_command(["ner", *files[:2], "--labels", files[2], "--label", "PER", "-f", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["scores"]["strict"]["f1"] == 1
    assert found["label_rules"][0]["predicted"] == 1


def test_intervals_and_comparisons_have_the_levels() -> None:
    reference, predicted = REFERENCE * 20, [*PREDICTED * 10, *REFERENCE * 10]
    run, other = (isogloss.ner(reference, p, labels=PARENTS, confidence=0.9) for p in (predicted, PREDICTED * 20))
    assert run.intervals["by_level.0.strict.f1"].low < run.score("by_level.0.strict.f1")
    plain = isogloss.ner(reference, predicted, confidence=0.9)
    for path, interval in plain.intervals.items():
        assert repr(run.intervals[path]) == repr(interval)  # nan is not equal to itself
    assert isogloss.compare(run, other)
