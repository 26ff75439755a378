"""Layouts of named entities: print formats of other tools.

A layout prints numbers, a profile computes them.

    run = isogloss.ner("gold.conll", "system.conll", profile="conlleval")
    print(format_in_layout([run], "conlleval"), end="")

| layout | printed as by | its profile | JSON |
|---|---|---|---|
| `conlleval` | `conlleval.pl < file`, version 2004-01-26 | `conlleval` | |
| `sklearn` | `classification_report` of seqeval 1.2.2, which is scikit-learn's | `seqeval` | `output_dict=True` |
| `spacy` | `spacy evaluate` of spaCy 3.8 | `spacy` | its `--output` |
| `seqscore` | `seqscore score --reference REFERENCE FILE...` of seqscore 0.9.0 | `seqscore` | |

A layout computes ratios from the counts of the run as the tool does, so that both round alike, and prints the numbers
of any profile that has them. It refuses runs without a profile, because no tool has the definition of isogloss. Several
systems are printed one after the other, each under its name. The output equals that of the tool byte for byte, but for
the exceptions below.

conlleval
    1. Percentages have two decimals, F is computed from the percentages. Without a token there is no second line.
    2. Labels ascend in their UTF-8 bytes, which take 17 columns: a letter of three bytes takes three.
    3. The line of chunks without a label is printed twice if both sides have such chunks.
    Exceptions
    1. `-DOCSTART-` lines are not tokens. conlleval.pl counts each of them as a correct token.
    2. There are no options `-l`, `-r`, `-o` and `-d`.

sklearn
    1. Labels ascend; then come micro, macro and weighted averages. Ratios have two decimals, or `digits`. The text is
       the string that the function returns.
    2. JSON: the dictionary of `output_dict=True`, number for number.
    Exceptions
    1. Without any chunk seqeval ends with a Python error at the text; here it has no labels, and `nan` for the macro
       average, as in the dictionary.
    2. JSON has null for `nan`.

spacy
    1. The table of entities (NER) and of spans (SPAN), then both by label. A percentage has two decimals, undefined is
       `-`, and then there are no labels.
    2. JSON: its keys, ratios with ten decimals at most, two spaces, no space after a colon.
    Exceptions
    1. The output is that of a pipeline with `ner` and `spancat`: there is nothing on tokens, tags and speed.
    2. Labels ascend. In spaCy they come in the order of their first span, missed ones in no order.
    3. Heads are not bold: spaCy writes escape sequences around them, also into files. The JSON ends with a newline.

seqscore
    1. Percentages with two decimals, the exact value of the ratio rounded half up. `ALL` comes first, then the labels,
       ascending.
    2. Several systems: each under its name; then the mean F1 of all and of each label, with its standard error, over
       the systems that have the label.
    Exceptions
    1. The width of a label is its number of characters, as in seqscore without the optional package `wcwidth`.
    2. The standard error of a single system is `nan`. seqscore ends with a Python error there.
    3. There are no `--score-format`, `--error-counts` and `--full-precision`.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from statistics import mean, stdev
from typing import Any, NamedTuple, NoReturn

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_whole_number
from isogloss.kernel.registry import Registry
from isogloss.kernel.scores import Floats
from isogloss.runs.run import Run

LAYOUTS = Registry(
    kind="layout",
    group="isogloss.layouts",
    builtin={name: f"{__name__}:{name.upper()}" for name in ("conlleval", "seqscore", "sklearn", "spacy")},
)
LayoutData = Mapping[str, Any]
STRICT_GROUP = "strict"


def dump_json(data: LayoutData) -> str:
    """Format values as JSON in full precision, undefined as null."""
    return json.dumps(_to_plain(data), ensure_ascii=False, indent=2) + "\n"


@dataclass(frozen=True)
class ReportLayout:
    """The print format of a tool.

    Args:
        profile: the profile used if the user names none.
        format_run: formats a run as the tool does.
        format_runs: formats several runs; None to format them one by one.
        to_data: returns the values that the tool returns; None if the tool returns no values.
        dump: formats these values as JSON.
    """

    profile: str
    format_run: Callable[[Run], str]
    format_runs: Callable[[Sequence[Run]], str] | None = None
    to_data: Callable[[Run], LayoutData] | None = None
    dump: Callable[[LayoutData], str] = dump_json


def load_layout(name: str, form: str = "text") -> ReportLayout:
    """Load a layout.

    Args:
        name: name of the layout.
        form: `text`, or `json` if the layout supports it.

    Raises:
        UsageError: if the layout is unknown, or does not support the form.
    """
    layout: ReportLayout = LAYOUTS.load(name)
    forms = ("text",) if layout.to_data is None else ("text", "json")
    if form not in forms:
        raise UsageError(f"--layout {name} supports {' and '.join(forms)} only: leave out -f {form}.")
    return layout


def format_in_layout(runs: Sequence[Run], name: str, form: str = "text", *, digits: int | None = None) -> str:
    """Format runs in a layout.

    Args:
        runs: one per system, at least one.
        name: name of the layout.
        form: `text`, or `json` if the layout supports it.
        digits: decimals of ratios in the text of the layout `sklearn`, 0 or more; None for 2.

    Raises:
        UsageError: if the layout is unknown, does not support the form or digits, or needs numbers that a run does not
            have.
    """
    layout = _set_digits(load_layout(name, form), name, digits)
    if form == "json" and layout.to_data is not None:
        data = [layout.to_data(run) for run in runs]
        reports = [{"system": run.system, "report": own} for run, own in zip(runs, data, strict=True)]
        return layout.dump(data[0]) if len(runs) == 1 else dump_json({"runs": reports})
    if len(runs) == 1:
        return layout.format_run(runs[0])
    if layout.format_runs is not None:
        return layout.format_runs(runs)
    return "\n".join(f"{run.system}\n{layout.format_run(run)}" for run in runs)


def _set_digits(layout: ReportLayout, name: str, digits: int | None) -> ReportLayout:
    if digits is None:
        return layout
    check_whole_number("digits", digits, 0)
    if layout.format_run is not _format_sklearn:
        raise UsageError(f"digits has no effect with the layout {name}: choose the layout sklearn, or leave it out.")
    return replace(layout, format_run=partial(_format_sklearn, digits=digits))


def _to_plain(node: Any) -> Any:
    if isinstance(node, Mapping):
        return {name: _to_plain(child) for name, child in node.items()}
    if isinstance(node, list):
        return [_to_plain(child) for child in node]
    return None if isinstance(node, float) and math.isnan(node) else node


class ChunkCounts(NamedTuple):
    """Numbers of correct, reference and predicted chunks."""

    correct: int
    possible: int
    actual: int


def _count_chunks(run: Run, layout: str, profile: str) -> tuple[ChunkCounts, dict[str, ChunkCounts]]:
    """Read the counts of all chunks, and of each label.

    Only labels with a chunk are read. They are ascending.

    Args:
        run: a run.
        layout: name of the layout, for messages.
        profile: a profile with counts of chunks, for messages.
    """
    group = run.scores.get(STRICT_GROUP, {})
    if run.profile is None:
        _refuse_layout(run, layout, "numbers of a tool", profile)
    if "f" in group:
        raise UsageError(f"The layout {layout} shows F1, and {run.system} was scored with beta {group['beta']:g}.")
    if not {"correct", "possible", "actual"} <= group.keys():
        _refuse_layout(run, layout, "numbers of chunks", profile)
    groups = {label: own[STRICT_GROUP] for label, own in sorted(run.by_label.items()) if STRICT_GROUP in own}
    labels = {
        label: ChunkCounts(own.get("correct", own.get("correct_reference")), own["possible"], own["actual"])
        for label, own in groups.items()
        if own["possible"] or own["actual"]
    }
    return ChunkCounts(group["correct"], group["possible"], group["actual"]), labels


def _refuse_layout(run: Run, layout: str, what: str, profile: str) -> NoReturn:
    """Refuse a layout with numbers that the run does not have.

    Only runs with the profile have these numbers (`what`).
    """
    shows = f"The layout {layout} shows {what}"
    if run.profile == profile:
        raise UsageError(f"{shows}, and {run.system} has spans and no tags: leave the layout out.")
    by = "without a profile" if run.profile is None else f"with the profile {run.profile}"
    raise UsageError(
        f"{shows}, which {run.system} does not have, scored {by}: add --profile {profile} (profile={profile!r}).",
    )


LABEL_WIDTH = 17  # bytes of a label


def _format_conlleval(run: Run) -> str:
    overall, by_label = _count_chunks(run, "conlleval", "conlleval")
    tokens = run.scores.get("tokens", {"correct": 0, "total": 0})  # runs without tokens have no group `tokens`
    correct, total = tokens["correct"], tokens["total"]
    if not total and by_label:
        _refuse_layout(run, "conlleval", "the accuracy of tags", "conlleval")
    phrases = f"found: {overall.actual} phrases; correct: {overall.correct}."
    lines = [f"processed {total} tokens with {overall.possible} phrases; {phrases}"]
    if total:
        lines.append(f"accuracy: {100 * correct / total:6.2f}%; {_format_ratios(overall)}")
    for label, own in by_label.items():
        padded = " " * (LABEL_WIDTH - len(label.encode())) + label
        twice = not label and own.possible and own.actual
        lines += [f"{padded}: {_format_ratios(own)}  {own.actual}"] * (2 if twice else 1)
    return "\n".join(lines) + "\n"


def _format_ratios(own: ChunkCounts) -> str:
    precision = 100 * own.correct / own.actual if own.actual else 0.0
    recall = 100 * own.correct / own.possible if own.possible else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


CONLLEVAL = ReportLayout("conlleval", _format_conlleval)
ALL_LABELS = "ALL"
SEQSCORE_HEADS = ("Type", "Precision", "Recall", "F1", "Reference", "Predicted", "Correct")
SUMMARY_HEADS = ("Type", "Mean F1", "SE", "Reference")
COLUMN_PADDING = 2  # characters that a column is wider than its head
CENT = Decimal("0.01")


def _format_seqscore(run: Run) -> str:
    """Format the table of one system."""
    rows = []
    for label, own in _list_chunks(run).items():
        percents = [(Decimal(ratio) * 100).quantize(CENT, rounding=ROUND_HALF_UP) for ratio in _compute_ratios(own)]
        rows.append([label, *(f"{percent:6.2f}" for percent in percents), *map(str, (own[1], own[2], own[0]))])
    return _format_bars(SEQSCORE_HEADS, rows)


def _format_seqscore_systems(runs: Sequence[Run]) -> str:
    """Format the tables of several systems, and their means."""
    systems = [_list_chunks(run) for run in runs]
    labels = [ALL_LABELS, *sorted({label for system in systems for label in system} - {ALL_LABELS})]
    rows = []
    for label in labels:
        own = [_compute_ratios(system[label])[-1] for system in systems if label in system]
        error = stdev(own) / math.sqrt(len(own)) if len(own) > 1 else math.nan
        reference = systems[0][label].possible if label in systems[0] else 0
        rows.append([label, f"{mean(own) * 100:6.2f}", f"{error * 100:6.2f}", str(reference)])
    tables = [f"{run.system}\n{_format_seqscore(run)}" for run in runs]
    return "\n".join([*tables, f"Summary\n{_format_bars(SUMMARY_HEADS, rows)}"])


def _list_chunks(run: Run) -> dict[str, ChunkCounts]:
    overall, by_label = _count_chunks(run, "seqscore", "seqscore")
    return {ALL_LABELS: overall, **by_label}


def _compute_ratios(own: ChunkCounts) -> tuple[float, float, float]:
    precision = own.correct / own.actual if own.actual else 0.0
    recall = own.correct / own.possible if own.possible else 0.0
    f1 = 2 * (precision * recall) / (precision + recall) if precision and recall else 0.0
    return precision, recall, f1


def _format_bars(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Format a table with bars between columns.

    The first column is aligned left, numbers are aligned right.
    """
    widths = [max(len(head) + COLUMN_PADDING, *map(len, column)) for head, *column in zip(heads, *rows, strict=True)]
    lines = [[cells[0].ljust(widths[0]), *map(str.rjust, cells[1:], widths[1:])] for cells in (heads, *rows)]
    drawn = [f"| {' | '.join(line)} |" for line in lines]
    rule = f"|{'|'.join('-' * (width + 2) for width in widths)}|"
    return "\n".join([drawn[0], rule, *drawn[1:]]) + "\n"


SEQSCORE = ReportLayout("seqscore", _format_seqscore, _format_seqscore_systems)
SKLEARN_HEADS = ("precision", "recall", "f1-score", "support")
AVERAGES = ("micro avg", "macro avg", "weighted avg")
RATIO_NAMES = ("precision", "recall", "f1")  # names in a run


def _to_sklearn_data(run: Run) -> LayoutData:
    """Return the dictionary of `output_dict=True`."""
    return {name: dict(zip(SKLEARN_HEADS, row, strict=True)) for name, row in _build_sklearn_rows(run)}


def _format_sklearn(run: Run, digits: int = 2) -> str:
    """Format the string that the function returns."""
    rows = dict(_build_sklearn_rows(run))
    width = max(*map(len, [*rows, AVERAGES[-1]]), digits)
    lines = [" " * width + " " + "".join(f" {head:>9}" for head in SKLEARN_HEADS), ""]
    for name, (*ratios, support) in rows.items():
        lines += [""] * (name == AVERAGES[0])
        lines.append(f"{name:>{width}} " + "".join(f" {ratio:>9.{digits}f}" for ratio in ratios) + f" {support:>9}")
    return "\n".join(lines) + "\n"


def _build_sklearn_rows(run: Run) -> Iterator[tuple[str, tuple[float, float, float, int]]]:
    """Yield the name, ratios and support of each label and average.

    Undefined ratios are taken from the run.
    """
    overall, by_label = _count_chunks(run, "sklearn", "seqeval")
    if STRICT_GROUP not in run.macro:
        _refuse_layout(run, "sklearn", "macro and weighted averages", "seqeval")
    ratios = _compute_sklearn_ratios(by_label.values(), [run.by_label[label][STRICT_GROUP] for label in by_label])
    for (label, own), row in zip(by_label.items(), ratios, strict=True):
        yield label, (*row.tolist(), own.possible)
    (micro,) = _compute_sklearn_ratios([overall], [run.scores[STRICT_GROUP]])
    macro, weighted = ([means[STRICT_GROUP][name] for name in RATIO_NAMES] for means in (run.macro, run.weighted))
    if by_label:
        macro = [np.average(column).item() for column in ratios.T]
    if overall.possible:
        support = [own.possible for own in by_label.values()]
        weighted = [np.average(column, weights=support).item() for column in ratios.T]
    for name, (precision, recall, f1) in zip(AVERAGES, (micro.tolist(), macro, weighted), strict=True):
        yield name, (precision, recall, f1, overall.possible)


def _compute_sklearn_ratios(counted: Iterable[ChunkCounts], undefined: Sequence[Mapping[str, Any]]) -> Floats:
    """Compute precision, recall and F: (rows, 3)."""
    table = np.zeros((len(undefined), 3))
    for row, own, group in zip(table, counted, undefined, strict=True):
        row[0] = own.correct / own.actual if own.actual else group["precision"]
        row[1] = own.correct / own.possible if own.possible else group["recall"]
    precision, recall = table[:, 0], table[:, 1]
    below = precision + recall
    table[:, 2] = 2 * precision * recall / np.where(below == 0, 1, below)
    return table


SKLEARN = ReportLayout("seqeval", _format_sklearn, to_data=_to_sklearn_data)
RATIO_PARTS = ("p", "r", "f")
OUTPUT_KEYS = {"NER": "ents", "SPAN": "spans_sc"}
TABLE_TITLES = {"NER": "NER (per type)", "SPAN": "SPANS (per type)"}
LINE_WIDTH = 80
COLUMN_GAP = "   "
MAX_COLUMN_WIDTH = 30  # longer labels exceed their column
DECIMALS = 10
FLOAT_NUMBER = re.compile(r"-?\d+\.\d+(e-\d+)?(?=,?$)", re.MULTILINE)


def _to_spacy_data(run: Run) -> LayoutData:
    """Return keys and values as spaCy writes them."""
    keys = [f"{key}_{part}" for key in OUTPUT_KEYS.values() for part in (*RATIO_PARTS, "per_type")]
    if not run.tool_output.keys() >= set(keys):
        _refuse_layout(run, "spacy", "the keys of spaCy", "spacy")
    data: LayoutData = _to_plain({key: run.tool_output[key] for key in keys})
    return data


def _format_spacy(run: Run) -> str:
    """Format the tables that spaCy prints."""
    data = _to_spacy_data(run)
    rows = [
        (f"{head} {part.upper()}", _format_percent(data[f"{key}_{part}"]))
        for head, key in OUTPUT_KEYS.items()
        for part in RATIO_PARTS
    ]
    printed = _format_titled_table("Results", rows, "ll")
    for head, key in OUTPUT_KEYS.items():
        if labels := data[f"{key}_per_type"]:
            own = [(label, *map(_format_percent, ratios.values())) for label, ratios in labels.items()]
            heads = ("", *(part.upper() for part in RATIO_PARTS))
            printed += _format_titled_table(TABLE_TITLES[head], [heads, *own], "lrrr")
    return printed


def _dump_spacy_json(data: LayoutData) -> str:
    """Format the JSON that spaCy writes."""
    return FLOAT_NUMBER.sub(_format_decimals, json.dumps(data, indent=2, separators=(",", ":"))) + "\n"


def _format_percent(value: float | None) -> str:
    return "-" if value is None else f"{value * 100:.2f}"


def _format_titled_table(title: str, rows: Sequence[Sequence[str]], aligns: str) -> str:
    """Format a table under its title, with empty lines around both."""
    bar = "=" * ((LINE_WIDTH - len(title)) // 2 - 2)
    widths = [min(MAX_COLUMN_WIDTH, max(map(len, column))) for column in zip(*rows, strict=True)]
    pad = {"l": str.ljust, "r": str.rjust}
    lines = [COLUMN_GAP.join(pad[a](cell, w) for cell, w, a in zip(row, widths, aligns, strict=True)) for row in rows]
    return "\n".join(["", f"{bar} {title} {bar}", "", *lines, "", ""])


def _format_decimals(number: re.Match[str]) -> str:
    digits = f"{float(number[0]):.{DECIMALS}f}".rstrip("0")
    return digits + "0" * digits.endswith(".")


SPACY = ReportLayout("spacy", _format_spacy, to_data=_to_spacy_data, dump=_dump_spacy_json)
