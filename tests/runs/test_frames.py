from __future__ import annotations

import sys
from typing import Any

import pytest

import isogloss
from isogloss.errors import MissingExtraError, UsageError
from isogloss.runs.frames import FINDING_COLUMNS, SCORE_COLUMNS

GOLD = [["B-PER", "O"], ["O", "B-U.S."]]
PREDICTED = [["B-PER", "O"], ["B-PER", "O"]]
RUN = isogloss.ner(
    GOLD,
    PREDICTED,
    tokens=[["Ada", "met"], ["in", "Paris"]],
    system="mine",
    findings=True,
    confidence=0.9,
    resamples=10,
    by={"source": ["web", "news"]},
)


def to_rows(frame: Any, library: str) -> list[dict[str, Any]]:
    if library == "pandas":
        records = frame.astype(object).where(frame.notna(), None).to_dict("records")
        return [{str(name): value for name, value in row.items()} for row in records]
    found: list[dict[str, Any]] = frame.to_dicts() if library == "polars" else frame.to_pylist()
    return found


@pytest.mark.extra
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_scores_are_rows_with_flat_columns(library: str) -> None:
    pytest.importorskip(library)
    rows = to_rows(RUN.to_frame(library), library)
    assert len(rows) == len(RUN.to_rows())
    assert all(list(row) == list(SCORE_COLUMNS) for row in rows)
    by_path = {row["score"]: row for row in rows}
    label = by_path['by_label."U.S.".strict.recall']
    assert (label["part"], label["label"], label["group"], label["name"]) == ("by_label", "U.S.", "strict", "recall")
    assert (label["value"], label["system"], label["task"]) == (0.0, "mine", "ner")
    part = by_path["slices.source.news.strict.f1"]
    assert (part["part"], part["slice_column"], part["slice_value"]) == ("slices", "source", "news")
    assert (part["group"], part["name"], part["label"]) == ("strict", "f1", None)
    mean = by_path["per_document.strict.f1.mean"]
    assert (mean["part"], mean["group"], mean["name"], mean["value"]) == ("per_document", "strict.f1", "mean", 0.5)
    overall = by_path["strict.f1"]
    assert (overall["part"], overall["low"]) == ("overall", None)  # two documents are too few for an interval
    assert by_path['by_label."U.S.".strict.precision']["value"] is None
    assert by_path["findings.missed"]["value"] == 1


@pytest.mark.extra
def test_pandas_has_the_same_rows_as_polars() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("polars")
    pandas, polars = RUN.to_pandas(), RUN.to_polars()
    assert list(pandas.columns) == polars.columns
    assert to_rows(pandas, "pandas") == to_rows(polars, "polars")
    assert {str(kind) for kind in pandas.dtypes[["value", "low", "high"]]} == {"float64"}
    assert to_rows(RUN.findings.to_pandas(), "pandas") == to_rows(RUN.findings.to_polars(), "polars")


@pytest.mark.extra
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_findings_are_rows_with_flat_columns(library: str) -> None:
    pytest.importorskip(library)
    rows = to_rows(RUN.findings.to_frame(library), library)
    missed, spurious = rows[1], rows[0]
    assert list(missed) == [*FINDING_COLUMNS, "source"]
    assert (missed["kind"], missed["reference_label"], missed["reference_words"]) == ("missed", "U.S.", "Paris")
    assert (missed["reference_start"], missed["reference_end"], missed["predicted_start"]) == (1, 2, None)
    assert (spurious["kind"], spurious["predicted_words"], spurious["text"]) == ("spurious", "in", "in Paris")
    assert {row["source"] for row in rows} == {"news"}


@pytest.mark.extra
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_run_without_findings_has_the_same_columns(library: str) -> None:
    pytest.importorskip(library)
    frame = isogloss.ner(GOLD, GOLD).findings.to_frame(library)
    names = frame.column_names if library == "pyarrow" else list(frame.columns)
    assert names == list(FINDING_COLUMNS)


def test_unknown_library_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown library 'panda'; did you mean pandas"):
        RUN.to_frame("panda")


@pytest.mark.parametrize(("library", "extra"), [("polars", "polars"), ("pyarrow", "arrow")])
def test_missing_library_names_its_extra(library: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingExtraError, match=rf"pip install 'isogloss\[{extra}\]'"):
        RUN.to_frame(library)


def test_first_installed_library_is_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.runs.frames.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"isogloss\[pandas\]"):
        RUN.to_frame()
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("isogloss.runs.frames.find_spec", lambda name: name == "pyarrow" or None)
    assert type(RUN.to_frame()).__module__.startswith("pyarrow")
