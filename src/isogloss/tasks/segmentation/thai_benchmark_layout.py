"""The report of the PyThaiNLP tokenization benchmark of 2019.

The report has a table, and two files that the benchmark leaves.

`eval-NAME.yml` holds count, mean, standard deviation (ddof 1), minimum, quartiles and maximum of each figure over the
samples; `eval-details-NAME.json` holds the same, and every sample. NAME is that of the prediction's file up to its
first dot.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import UsageError
from isogloss.records.destinations import write_files
from isogloss.tasks.segmentation.inputs import SegmentationInput
from isogloss.tasks.segmentation.options import SegmentationOptions
from isogloss.tasks.segmentation.sample_rows import SampleRow, build_sample_rows, to_thai_benchmark_row

LAYOUT = "thai-benchmark"
TOOL_METRICS = (
    *(f"char_level:{name}" for name in ("tp", "tn", "fp", "fn", "precision", "recall", "f1")),
    *(f"word_level:{name}" for name in ("precision", "recall", "f1")),
)
MEAN_STD = "mean±std"
TOOL_DIGITS = 6
ToolFigures = dict[str, dict[str, Any]]


def summarize_samples(rows: Sequence[SampleRow]) -> ToolFigures:
    """Summarize each metric over the samples, under the names of the tool."""
    named = [to_thai_benchmark_row(row) for row in rows]
    return {metric: _describe_metric(metric, [float(row[metric]) for row in named]) for metric in TOOL_METRICS}


def format_tool_table(stats: ToolFigures, system: str, reference: str) -> str:
    """Format the table that the tool prints.

    Args:
        stats: the result of `summarize_samples`.
        system: file of the prediction.
        reference: file of the reference.
    """
    count = int(next(iter(stats.values()))["count"])
    columns = [
        ["metric", *stats],
        [MEAN_STD, *(row[MEAN_STD] for row in stats.values())],
        *(
            [f" {name}", *_format_digits([row[name] for row in stats.values()])] for name in ("min", "max")
        ),  # as pandas does
    ]
    widths = [max(map(len, column)) for column in columns]
    lines = (
        " ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in zip(*columns, strict=True)
    )
    head = f"Benchmarking {system} against {reference} with {count} samples in total"
    return "\n".join((head, "============== Benchmark Result ==============", *lines)) + "\n"


def derive_file_stem(system: str) -> str:
    """Return the name of the prediction up to its first dot.

    The tool derives it in the same way.
    """
    return Path(system).name.partition(".")[0]


def write_details(folder: Path, system: str, rows: Sequence[SampleRow]) -> tuple[Path, Path]:
    """Write both files, and return their paths.

    Args:
        folder: folder of the files; created if missing.
        system: file of the prediction.
        rows: figures of the samples.

    Raises:
        SourceError: if a file cannot be written.
    """
    stats = summarize_samples(rows)
    name = derive_file_stem(system)
    samples = [
        {"metrics": to_thai_benchmark_row(row), "expected": row.expected, "actual": row.actual, "id": number}
        for number, row in enumerate(rows)
    ]
    content = {
        folder / f"eval-{name}.yml": _to_yaml(stats),
        folder / f"eval-details-{name}.json": json.dumps({"metrics": stats, "samples": samples}, ensure_ascii=False),
    }
    write_files(content, "Name a folder that can be written, with --details.")
    first, second = content
    return first, second


def _describe_metric(metric: str, values: Sequence[float]) -> dict[str, Any]:
    array = np.array(values)
    mean, std = float(array.mean()), float(array.std(ddof=1)) if len(values) > 1 else math.nan
    low, quarter, half, three_quarters, high = np.percentile(array, [0, 25, 50, 75, 100]).tolist()
    return {
        "count": float(len(values)),
        "mean": mean,
        "std": std,
        "min": low,
        "25%": quarter,
        "50%": half,
        "75%": three_quarters,
        "max": high,
        MEAN_STD: f"{mean:.2f}±{std:.2f}",
        "metric": metric,
    }


def _format_digits(values: Sequence[float]) -> list[str]:
    """Format numbers with at most six digits.

    Trailing zeros that all numbers have are removed; at least one digit stays.
    """
    shown = [f"{value:.{TOOL_DIGITS}f}" for value in values]
    spare = min(len(text) - len(re.sub(r"0*$", "", text)) for text in shown)
    return [text[: len(text) - min(spare, TOOL_DIGITS - 1)] for text in shown]


def _to_yaml(stats: Mapping[str, Mapping[str, Any]]) -> str:
    """Format YAML in block style with sorted keys, as PyYAML does."""
    lines = []
    for metric in sorted(stats):
        lines.append(f"{metric}:")
        lines += [f"  {_format_scalar(key)}: {_format_scalar(stats[metric][key])}" for key in sorted(stats[metric])]
    return "\n".join(lines) + "\n"


def _format_scalar(value: float | str) -> str:
    if isinstance(value, float):
        return ".nan" if math.isnan(value) else repr(value)
    return value if value.isascii() else '"' + value.replace("±", "\\xB1") + '"'


def draw_systems(systems: Sequence[SegmentationInput], options: SegmentationOptions) -> str:
    """Draw the report of each system."""
    rows = ((sides, list(build_sample_rows(sides, options))) for sides in systems)
    return "\n".join(
        format_tool_table(summarize_samples(own), sides.system, sides.reference.content.name) for sides, own in rows
    )


def write_all_details(systems: Sequence[SegmentationInput], options: SegmentationOptions, folder: str) -> None:
    """Write the files of each system.

    Args:
        systems: reference and prediction of each system.
        options: options of the task.
        folder: folder of the files.

    Raises:
        UsageError: if the files of two systems would have the same name.
    """
    names = [derive_file_stem(sides.system) for sides in systems]
    if len(set(names)) < len(names):
        raise UsageError(
            "--details names files by the prediction up to its first dot, and several predictions have the same name: "
            f"{', '.join(sorted(names))}. Rename the predictions, or score them one by one.",
        )
    for sides in systems:
        write_details(Path(folder), sides.system, list(build_sample_rows(sides, options)))
