from __future__ import annotations

import builtins
import json
import math
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from isogloss.errors import MissingExtraError
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import RunWarning, Signature
from isogloss.kernel.scores import ScoreKey
from isogloss.runs.run import InputFile, Run
from isogloss.stats.intervals import DocumentSpread, Interval

THIRD = 1 / 3
NUMBERS: dict[ScoreKey, int | float] = {
    ("strict", "precision"): THIRD,
    ("strict", "f1"): math.nan,
    ("strict", "correct"): 3,
    ("tokens", "accuracy"): 1.0,
    ("by_label", "PER", "strict", "recall"): 0.1 + 0.2,
    ("by_label", "U.S.", "strict", "recall"): 0.5,
    ("macro", "strict", "f1"): 0.25,
    ("macro", "strict", "labels"): 2,
    ("weighted", "strict", "f1"): math.nan,
    ("findings", "correct"): 3,
    ("findings", "missed"): 1,
}


@dataclass(frozen=True)
class Known:
    """Evidence that says what it was told."""

    numbers: Mapping[ScoreKey, int | float] = field(default_factory=lambda: dict(NUMBERS))
    intervals: Mapping[str, Interval] = field(default_factory=dict)
    per_document: Mapping[str, DocumentSpread] = field(default_factory=dict)
    confusion: Mapping[tuple[str | None, str | None], int] = field(default_factory=dict)
    documents: int = 7


def run(**changes: Any) -> Run:
    return replace(Run("ner", "pred.conll", Signature("ner", "0.1.0", {"scheme": "iob2"}), Known()), **changes)


FULL = run(
    profile="seqeval",
    evidence=Known(
        intervals={
            "strict.precision": Interval(0.1, 0.5, 0.95, "bootstrap"),
            "strict.f1": Interval(math.nan, math.nan, 0.95, "bootstrap", 1000),
        },
        per_document={"strict.f1": DocumentSpread(0.5, math.nan, 0.5, 0.5, 1, math.nan)},
        confusion={(None, "PER"): 2, ("PER", None): 1},
    ),
    findings=(Finding("missed", "3", "x:1", (Mark("reference", "PER", 0, 1),)),),
    warnings=(RunWarning("tags-repaired", "Read as B.", 3, "pred.conll:42"), RunWarning("empty", "No tags.")),
    inputs=(InputFile("reference", "gold.conll", "00ff"),),
    list_findings=True,
)


def test_groups_and_names_are_attributes_and_items() -> None:
    assert run().scores["strict"].precision == run().scores.strict["precision"] == THIRD
    assert run().by_label["PER"]["strict"].recall == 0.1 + 0.2
    assert run().by_label["U.S."].strict.recall == 0.5
    assert run().macro["strict"].labels == 2
    assert run().kinds.missed == 1


def test_undefined_scores_are_nan() -> None:
    assert math.isnan(run().scores["strict"].f1)
    assert math.isnan(run().weighted["strict"].f1)


def test_overall_scores_have_no_other_groups() -> None:
    assert list(run().scores) == ["strict", "tokens"]


def test_a_name_that_is_not_there_is_answered_with_those_that_are() -> None:
    with pytest.raises(AttributeError, match="no score 'f2'; choose from precision, f1, correct"):
        _ = run().scores["strict"].f2
    with pytest.raises(KeyError):
        _ = run().scores["loose"]


def test_groups_are_completed_and_compared_like_mappings() -> None:
    assert "precision" in dir(run().scores["strict"])
    assert run().macro["strict"] == {"f1": 0.25, "labels": 2}
    assert repr(run().macro["strict"]) == "{'f1': 0.25, 'labels': 2}"


def test_groups_can_be_pickled() -> None:
    assert pickle.loads(pickle.dumps(run().macro)) == run().macro


def test_a_path_leads_to_its_score() -> None:
    assert run().score("strict.precision") == THIRD
    assert run().score('by_label."U.S.".strict.recall') == 0.5
    with pytest.raises(KeyError):
        run().score("by_label.U.S..strict.recall")


def test_keys_of_the_json_without_content_are_left_out() -> None:
    bare = run(evidence=Known(numbers={("strict", "f1"): 0.5}))
    assert bare.to_dict() == {
        "task": "ner",
        "signature": "ner|scheme:iob2|version:0.1.0",
        "version": "0.1.0",
        "system": "pred.conll",
        "profile": None,
        "documents": 7,
        "scores": {"strict": {"f1": 0.5}},
    }


def test_the_json_has_the_keys_of_the_contract() -> None:
    assert json.loads(FULL.to_json()) == {
        "task": "ner",
        "signature": "ner|scheme:iob2|version:0.1.0",
        "version": "0.1.0",
        "system": "pred.conll",
        "profile": "seqeval",
        "documents": 7,
        "scores": {"strict": {"precision": THIRD, "f1": None, "correct": 3}, "tokens": {"accuracy": 1.0}},
        "by_label": {"PER": {"strict": {"recall": 0.1 + 0.2}}, "U.S.": {"strict": {"recall": 0.5}}},
        "macro": {"strict": {"f1": 0.25, "labels": 2}},
        "weighted": {"strict": {"f1": None}},
        "per_document": {"strict.f1": {"mean": 0.5, "std": None, "min": 0.5, "max": 0.5, "documents": 1, "se": None}},
        "intervals": {
            "strict.precision": {"low": 0.1, "high": 0.5, "level": 0.95, "method": "bootstrap"},
            "strict.f1": {"low": None, "high": None, "level": 0.95, "method": "bootstrap", "undefined": 1000},
        },
        "confusion": [
            {"reference": None, "predicted": "PER", "count": 2},
            {"reference": "PER", "predicted": None, "count": 1},
        ],
        "findings": {
            "counts": {"correct": 3, "missed": 1},
            "rows": [
                {
                    "kind": "missed",
                    "document": "3",
                    "where": "x:1",
                    "reference": {"start": 0, "end": 1, "label": "PER"},
                },
            ],
        },
        "warnings": [
            {"code": "tags-repaired", "count": 3, "message": "Read as B.", "where": "pred.conll:42"},
            {"code": "empty", "count": 1, "message": "No tags."},
        ],
        "inputs": [{"role": "reference", "path": "gold.conll", "sha256": "00ff"}],
    }


def test_numbers_of_the_json_are_read_back_to_the_last_bit() -> None:
    values = [THIRD, 0.1 + 0.2, 5e-324, 1 - 2**-53]
    exact = run(evidence=Known(numbers={("strict", str(k)): value for k, value in enumerate(values)}))
    assert list(json.loads(exact.to_json())["scores"]["strict"].values()) == values


def test_findings_that_were_not_asked_for_are_counted_only() -> None:
    assert replace(FULL, list_findings=False).to_dict()["findings"] == {"counts": {"correct": 3, "missed": 1}}


def test_findings_that_were_asked_for_and_are_not_there_are_an_empty_list() -> None:
    assert replace(FULL, findings=()).to_dict()["findings"]["rows"] == []


def test_rows_have_a_path_and_a_value() -> None:
    rows = run().to_rows()
    assert rows[0] == {"system": "pred.conll", "score": "strict.precision", "value": THIRD}
    assert rows[1] == {"system": "pred.conll", "score": "strict.f1", "value": None}
    assert [row["score"] for row in rows][5] == 'by_label."U.S.".strict.recall'


def test_rows_have_intervals_where_there_are_some() -> None:
    precision, f1, correct, *_ = FULL.to_rows()
    assert (precision["low"], precision["high"]) == (0.1, 0.5)
    assert (f1["low"], f1["high"]) == (None, None)
    assert (correct["low"], correct["high"]) == (None, None)


@pytest.mark.extra
def test_a_data_frame_has_the_rows() -> None:
    pytest.importorskip("pandas")
    frame = FULL.to_pandas()
    assert list(frame.columns) == ["system", "score", "value", "low", "high"]
    assert len(frame) == len(NUMBERS) + len(FULL.per_document) * len(("mean", "std", "min", "max", "documents", "se"))
    assert frame.loc[0, "value"] == THIRD
    assert frame.loc[1, ["value", "low"]].isna().all()


def test_a_data_frame_without_pandas_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def without_pandas(name: str, *args: Any, **options: Any) -> Any:
        if name == "pandas":
            raise ImportError(name)
        return imported(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[pandas\]'"):
        run().to_pandas()


def test_a_run_shows_what_and_how_much_was_scored() -> None:
    assert repr(run()) == "<Run 'pred.conll': ner|scheme:iob2|version:0.1.0, 7 documents>"


def test_notebooks_show_a_table_of_the_overall_scores() -> None:
    html = run()._repr_html_()
    assert "<tr><th></th><th>precision</th><th>f1</th><th>correct</th><th>accuracy</th></tr>" in html
    assert "<tr><th>strict</th><td>0.3333</td><td>&ndash;</td><td>3</td><td></td></tr>" in html
    assert "<caption>pred.conll, 7 documents</caption>" in html


def test_names_from_outside_are_escaped_in_the_table() -> None:
    hostile = run(
        system="<b>&",
        signature=Signature("ner", "<i>"),
        evidence=Known(numbers={("<g>", '<n">'): 0.5}),
    )
    html = hostile._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "&lt;g&gt;" in html
    assert "&lt;n&quot;&gt;" in html
    assert not {"<b>", "<i>", "<g>", "<n"} & {html[k : k + 3] for k in range(len(html))}
