"""Payloads about the scores of runs: summary, tables, confusions, slices and curves.

Tables are those that the task declares. A number of a table leads to its findings by the key of its score: a label, a
kind, a slice, or all findings for an overall ratio. No task is named here.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np

from isogloss.errors import UsageError
from isogloss.explorer.finding_source import (
    FacetCounts,
    FindingSource,
    format_label_pair,
    list_facet_values,
    list_facets,
)
from isogloss.explorer.payloads import (
    ColumnHead,
    ColumnSize,
    ConfusionPayload,
    Facet,
    FacetList,
    FacetValue,
    FacetValues,
    LabelCurvesPayload,
    RunPayload,
    RunSummary,
    ScorePoint,
    SlicePayload,
    TableCellPayload,
    TablePayload,
    TableRow,
    ViewPayload,
    WarningPayload,
)
from isogloss.explorer.run_sources import ExplorerRun
from isogloss.kernel.scores import ScoreKey, format_path, parse_path
from isogloss.report.report_runs import compute_curves
from isogloss.report.run_tables import build_tables
from isogloss.runs.finding_columns import DOCUMENT, KIND, LABEL, SLICE, SURFACE
from isogloss.runs.finding_view import CORRECT, build_kind
from isogloss.runs.main_scores import choose_main_score, format_score_title, get_score_value, list_side_scores
from isogloss.runs.run import Run
from isogloss.runs.score_tables import ScoreTable, TableCell, TableColumn, format_cell
from isogloss.tasks.registry import get_task

OVERALL_PARTS = 2  # of the key of an overall score
MEANS = frozenset(("macro", "weighted"))
FACET_TITLES = {"kind": "Kind", "label": "Label"}


def to_number(value: float | None) -> float | None:
    """Return a number for JSON; undefined is None."""
    return None if value is None or math.isnan(value) else float(value)


def build_summary(explorer_run: ExplorerRun) -> RunSummary:
    """Build the summary of a run."""
    return RunSummary(**_list_summary(explorer_run))


def build_run_payload(explorer_run: ExplorerRun) -> RunPayload:
    """Build a run with its tables."""
    run, task = explorer_run.run, get_task(explorer_run.run.task)
    summary, filters = _list_summary(explorer_run), FilterBuilder(run, explorer_run.source)
    view = task.finding_view
    return RunPayload(
        **summary,
        title=task.title,
        warnings=[WarningPayload(code=each.code, message=each.message) for each in run.warnings],
        tables=[_build_table(table, filters) for table in build_tables([run]) if not table.is_confusion],
        confusion=_build_confusion(run, filters),
        slices=_list_slices(run, summary["main"], explorer_run.source),
        curves=_build_curves(explorer_run),
        view=ViewPayload(
            title=view.title, names_sides=view.names_sides, shows_labelled_spans=view.shows_labelled_spans
        ),
    )


def _list_summary(explorer_run: ExplorerRun) -> dict[str, Any]:
    run = explorer_run.run
    main = explorer_run.main or _find_main_score(run)
    paths = [main, *list_side_scores([run], main)] if main else []
    return {
        "id": explorer_run.id,
        "name": explorer_run.name,
        "task": run.task,
        "system": run.system,
        "corpus": explorer_run.corpus,
        "corpus_key": explorer_run.corpus_key,
        "language": str(run.signature.choices.get("language", "")),
        "tags": list(explorer_run.tags),
        "created": explorer_run.created,
        "version": run.signature.version,
        "profile": run.profile,
        "signature": str(run.signature),
        "definition": run.signature.definition,
        "documents": run.documents,
        "findings": _count_findings(explorer_run),
        "main": main,
        "scores": {path: build_score_point(run, path) for path in paths},
        "titles": {path: format_score_title(run, path) for path in paths},
        "lower_is_better": [path for path in paths if not run.catalogue.is_higher_better(parse_path(path)[-1])],
    }


def _count_findings(explorer_run: ExplorerRun) -> int | None:
    """Count the findings of a run; None if they were not kept."""
    counted = any(number for kind, number in explorer_run.run.kinds.items() if kind != CORRECT)
    return explorer_run.source.count or (None if counted else 0)


def _find_main_score(run: Run) -> str:
    try:
        return choose_main_score([run])
    except UsageError:  # a run may have counts only
        return ""


def build_score_point(run: Run, path: str) -> ScorePoint:
    """Build a score with its interval."""
    interval = run.intervals.get(path)
    ends = (None, None) if interval is None else (to_number(interval.low), to_number(interval.high))
    return ScorePoint(value=to_number(get_score_value(run, path)), low=ends[0], high=ends[1])


class FilterBuilder:
    """Builds the filters that lead from numbers to findings.

    Args:
        run: the run.
        source: its findings.
    """

    def __init__(self, run: Run, source: FindingSource) -> None:
        self._kinds = list_facet_values(source, KIND)
        self._pairs = {format_label_pair(pair): pair for pair in source.get_values(LABEL)}
        self._slices = {
            (column, value)
            for column in source.slice_columns
            for value in list_facet_values(source, f"{SLICE}{column}")
        }
        self._has_both = _find_two_sided_kinds(source)
        self._names = frozenset(run.scores)

    def build_filter(self, key: ScoreKey) -> FacetValues | None:
        """Build the filter of a score.

        The result is None if the score has no findings of its own.

        Args:
            key: key of the score; the last part may be missing.
        """
        kind: FacetValues = {"kind": [key[-1]]} if key[-1] in self._kinds else {}
        if key[0] == "findings":
            return kind or None
        if key[0] == "by_label" and len(key) > 1:
            labels = [value for value, pair in self._pairs.items() if key[1] in pair]
            return {"label": labels} | kind if labels else None
        if key[0] == "slices" and len(key) > OVERALL_PARTS:
            column, value = key[1], key[2]
            return {f"{SLICE}{column}": [value]} | kind if (column, value) in self._slices else None
        return kind or None

    def build_pair_filter(self, reference: str, predicted: str) -> FacetValues | None:
        """Build the filter of a cell of the confusion matrix.

        An empty label is no span.
        """
        wanted = (reference or None, predicted or None)
        values = [value for value, pair in self._pairs.items() if pair == wanted]
        both = bool(reference and predicted)
        if reference and (not predicted or reference == predicted):  # both sides or the reference only: the same text
            values = [value for value in self._pairs if value == reference]
            kinds = [kind for kind in self._kinds if (kind in self._has_both) == both]
            return {"label": values, "kind": kinds} if values and kinds else None
        return {"label": values} if values else None


def _find_two_sided_kinds(source: FindingSource) -> frozenset[str]:
    """Find the kinds whose findings have marks of both sides.

    The first finding of a kind decides.
    """
    _, first = np.unique(source.get_column(KIND), return_index=True)  # (kinds,)
    examples = source.load_findings(sorted(first.tolist()))
    return frozenset(one.kind for one in examples if len({mark.side for mark in one.marks}) > 1)


def _build_table(table: ScoreTable, filters: FilterBuilder) -> TablePayload:
    keys = table.keys or tuple((None,) * len(row) for row in table.rows)
    return TablePayload(
        title=table.title,
        columns=[
            ColumnHead(key=str(at), title=each.title, numeric=each.kind != "text")
            for at, each in enumerate(table.columns)
        ],
        rows=[
            TableRow(cells=_build_cells(row, own, table.columns, filters))
            for row, own in zip(table.rows, keys, strict=True)
        ],
        notes=list(table.notes),
    )


def _build_cells(
    row: Sequence[TableCell], keys: Sequence[ScoreKey | None], columns: Sequence[TableColumn], filters: FilterBuilder
) -> list[TableCellPayload]:
    """Build the cells of a row.

    Its name leads to the findings of its label, kind or slice.
    """
    first = next(filter(None, keys), None)
    shared = None if first is None else filters.build_filter(_cut_row_key(first))
    return [
        _build_cell(cell, filters.build_filter(key) if key else shared if at == 0 else None)
        for at, (cell, key, _) in enumerate(zip(row, keys, columns, strict=True))
    ]


def _cut_row_key(key: ScoreKey) -> ScoreKey:
    """Return the parts of a key that name a row.

    They are its label, slice or kind.
    """
    parts = {"by_label": 2, "slices": 3}
    return key[: parts.get(key[0], len(key))]


def _build_cell(cell: TableCell, filters: FacetValues | None) -> TableCellPayload:
    text = format_cell(cell)
    if isinstance(cell, tuple):
        return TableCellPayload(text=text, low=to_number(cell[0]), high=to_number(cell[1]), filter=filters)
    value = to_number(float(cell)) if isinstance(cell, int | float) else None
    return TableCellPayload(text=text, value=value, filter=filters)


def _build_confusion(run: Run, filters: FilterBuilder) -> ConfusionPayload | None:
    if not run.confusion:
        return None
    labels = sorted({label or "" for pair in run.confusion for label in pair}, key=lambda label: (not label, label))
    rows = [[run.confusion.get((own or None, other or None), 0) for other in labels] for own in labels]
    leading = [
        [filters.build_pair_filter(own, other) if rows[k][n] else None for n, other in enumerate(labels)]
        for k, own in enumerate(labels)
    ]
    return ConfusionPayload(labels=labels, rows=rows, filters=leading)


def _list_slices(run: Run, main: str, source: FindingSource) -> list[SlicePayload]:
    counts = {
        (facet.name.removeprefix(SLICE), value): number
        for facet in list_facets(source)
        if facet.name.startswith(SLICE)
        for value, number in zip(facet.values, facet.counts, strict=True)
    }
    slices = []
    for column, values in run.slices.items():
        for value, own in values.items():
            point = build_score_point(run, format_path(("slices", column, value, *parse_path(main))))
            slices.append(
                SlicePayload(
                    column=column,
                    value=value,
                    n=int(own.get("documents", 0)),
                    findings=counts.get((column, value)),
                    score=point.value,
                    low=point.low,
                    high=point.high,
                )
            )
    return slices


def _build_curves(explorer_run: ExplorerRun) -> dict[str, LabelCurvesPayload] | None:
    curves = explorer_run.curves or compute_curves(explorer_run.run, explorer_run.load_documents)
    return msgspec.convert(msgspec.to_builtins(curves), dict[str, LabelCurvesPayload]) or None


def build_facets(source: FindingSource) -> FacetList:
    """Build the facets of a run."""
    return FacetList(
        count=source.count,
        facets=[_build_facet(facet) for facet in list_facets(source)],
        documents=ColumnSize(count=source.count_values(DOCUMENT), width=4),
        surfaces=ColumnSize(count=source.count_values(SURFACE), width=4),
    )


def _build_facet(facet: FacetCounts) -> Facet:
    values = []
    for value, number in zip(facet.values, facet.counts, strict=True):
        title, tone = value, None
        if facet.name == "kind":
            kind = build_kind(value)
            title, tone = f"{kind.sign} {kind.name}", kind.tone
        values.append(FacetValue(value=value, title=title, count=number, tone=tone))  # type: ignore[arg-type]
    title = FACET_TITLES.get(facet.name, facet.name.removeprefix(SLICE))
    width = np.min_scalar_type(max(len(values) - 1, 0)).itemsize
    return Facet(name=facet.name, title=title, width=width, values=values)  # type: ignore[arg-type]
