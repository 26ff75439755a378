from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from isogloss.errors import MissingExtraError
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.provenance import RunWarning, Signature
from isogloss.kernel.scores import ScoreKey
from isogloss.runs.findings import Findings
from isogloss.runs.run import Run
from isogloss.runs.run_json import InputFile, RunJson, SavedEvidence
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
    """Evidence that returns the values it was built with."""

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
    findings=Findings([Finding("missed", "3", "x:1", (Mark("reference", "PER", 0, 1),))]),
    warnings=(RunWarning("tags-repaired", "Read as B.", 3, "pred.conll:42"), RunWarning("empty", "No tags.")),
    inputs=(InputFile("reference", "gold.conll", "00ff"),),
    list_findings=True,
)


def test_score_groups_are_attributes_and_items() -> None:
    assert list(run().scores) == ["strict", "tokens"]
    assert run().scores["strict"].precision == run().scores.strict["precision"] == THIRD
    assert run().by_label["PER"]["strict"].recall == 0.1 + 0.2
    assert run().by_label["U.S."].strict.recall == 0.5
    assert run().macro["strict"].labels == 2
    assert run().kinds.missed == 1
    assert math.isnan(run().scores["strict"].f1)
    assert math.isnan(run().weighted["strict"].f1)


def test_unknown_score_name_lists_known_names() -> None:
    with pytest.raises(AttributeError, match="no score 'f2'; choose from precision, f1, correct"):
        _ = run().scores["strict"].f2
    with pytest.raises(KeyError):
        _ = run().scores["loose"]


def test_score_groups_behave_like_mappings() -> None:
    assert "precision" in dir(run().scores["strict"])
    assert run().macro["strict"] == {"f1": 0.25, "labels": 2}
    assert repr(run().macro["strict"]) == "{'f1': 0.25, 'labels': 2}"
    assert pickle.loads(pickle.dumps(run().macro)) == run().macro


def test_score_is_found_by_path() -> None:
    assert run().score("strict.precision") == THIRD
    assert run().score('by_label."U.S.".strict.recall') == 0.5
    with pytest.raises(KeyError):
        run().score("by_label.U.S..strict.recall")


def test_json_omits_keys_without_content() -> None:
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


def test_json_has_the_keys_of_the_contract() -> None:
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


def test_json_numbers_are_exact() -> None:
    values = [THIRD, 0.1 + 0.2, 5e-324, 1 - 2**-53]
    exact = run(evidence=Known(numbers={("strict", str(k)): value for k, value in enumerate(values)}))
    assert list(json.loads(exact.to_json())["scores"]["strict"].values()) == values


def test_json_has_rows_of_findings_only_if_listed() -> None:
    counts = {"counts": {"correct": 3, "missed": 1}}
    assert replace(FULL, list_findings=False).to_dict()["findings"] == counts
    assert replace(FULL, findings=Findings()).to_dict()["findings"] == counts | {"rows": []}


def test_rows_have_path_and_value() -> None:
    rows = run().to_rows()
    assert rows[0] == {"system": "pred.conll", "score": "strict.precision", "value": THIRD}
    assert rows[1] == {"system": "pred.conll", "score": "strict.f1", "value": None}
    assert [row["score"] for row in rows][5] == 'by_label."U.S.".strict.recall'


def test_rows_have_intervals_if_computed() -> None:
    precision, f1, correct, *_ = FULL.to_rows()
    assert (precision["low"], precision["high"]) == (0.1, 0.5)
    assert (f1["low"], f1["high"]) == (None, None)
    assert (correct["low"], correct["high"]) == (None, None)


@pytest.mark.extra
def test_data_frame_without_pandas_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'isogloss\[pandas\]'"):
        run().to_pandas()


def test_repr_shows_system_signature_and_documents() -> None:
    assert repr(run()) == "<Run 'pred.conll': ner|scheme:iob2|version:0.1.0, 7 documents>"


def test_report_of_files_does_not_import_sqlalchemy() -> None:
    code = "import sys\nimport isogloss.report.report_runs\nprint('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_files_of_both_sides_are_not_reference_files() -> None:
    inputs = [
        ("references", "b", "2"),
        ("reference", "a", "1"),
        ("reference", "both", "3"),
        ("prediction", "both", "3"),
    ]
    evidence = SavedEvidence(RunJson(task="ner", signature="", version="1", system="x", documents=0, scores={}))
    run = Run("ner", "x", Signature("ner", "1", {}), evidence, inputs=tuple(InputFile(*each) for each in inputs))
    assert run.reference_digests == ("1", "2")
