"""`isogloss segmentation`: score texts cut into words."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.after_scoring import Outcome
from isogloss.cli.options import TaskOptions
from isogloss.cli.progress import Progress

if TYPE_CHECKING:
    from isogloss.tasks.segmentation.inputs import Sides
    from isogloss.tasks.segmentation.scoring import Definition

FORMATS = "conllu, jsonl, lst20, columns, best, vistec, pipe, spaces, raw"


class OnMismatch(StrEnum):
    """What becomes of samples whose texts differ."""

    error = "error"
    skip = "skip"
    zero = "zero"


class Align(StrEnum):
    """In which form texts are compared that differ as they are."""

    none = "none"
    nfc = "nfc"
    thai = "thai"


class Whitespace(StrEnum):
    """What whitespace means."""

    ignore = "ignore"
    separate = "separate"
    keep = "keep"


class Layout(StrEnum):
    """How another tool prints its results."""

    thai_benchmark = "thai-benchmark"


def command(  # noqa: PLR0913  a command's options are its arguments
    reference: Annotated[
        str, typer.Argument(metavar="REFERENCE", help="A text cut into words, plain or .gz; - is standard input.")
    ],
    predictions: Annotated[
        list[str], typer.Argument(metavar="PREDICTION...", help="One file per system, the first is the baseline.")
    ],
    *,
    profile: Annotated[
        str | None,
        typer.Option(
            help="Reproduce another tool: thai-benchmark, pythainlp, conll18, sighan, spacy.", show_default=False
        ),
    ] = None,
    layout: Annotated[
        Layout | None, typer.Option(help="Print as another tool prints; its profile is taken too.", show_default=False)
    ] = None,
    details: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write the files of thai-benchmark there.", show_default=False),
    ] = None,
    vocabulary: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Words of the training data, one a line: adds oov and iv.", show_default=False
        ),
    ] = None,
    on_mismatch: Annotated[
        OnMismatch, typer.Option(help="What becomes of samples whose texts differ.")
    ] = OnMismatch.error,
    align: Annotated[
        Align, typer.Option(help="Form in which texts are compared that differ as they are.")
    ] = Align.none,
    whitespace: Annotated[Whitespace | None, typer.Option(help="What whitespace means.", show_default="ignore")] = None,
    zero_division: Annotated[int | None, typer.Option(help="Value of 0/0: 0 or 1.", show_default="undefined")] = None,
    input_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Format of the files: {FORMATS}; else recognised.", show_default=False),
    ] = None,
    prediction_format: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Format of the predictions, where it is another.", show_default=False),
    ] = None,
    options: TaskOptions,
) -> Outcome:
    """Score texts cut into words against a reference.

    Characters, words, boundaries; splits, merges and shifts; words that a training list does not have.
    """
    from isogloss.records.sources import Source  # noqa: PLC0415
    from isogloss.tasks.segmentation.inputs import opened, word_list  # noqa: PLC0415  --help need not wait for numpy
    from isogloss.tasks.segmentation.scoring import Definition, score  # noqa: PLC0415

    asked_for_tool = layout is not None or details is not None
    definition = Definition(
        profile=Layout.thai_benchmark.value if asked_for_tool and profile is None else profile,
        vocabulary=None if vocabulary is None else word_list(vocabulary),
        on_mismatch=on_mismatch.value,
        align=align.value,
        whitespace=None if whitespace is None else whitespace.value,
        zero_division=zero_division,
    )
    wanted = options.wanted()
    with Progress(reference, quiet=options.quiet) as progress:
        source = Source(reference)  # shared, so that standard input is kept for the next system
        how = (input_format, prediction_format, progress, wanted.attributes)
        systems = [opened(source, Source(name), *how) for name in predictions]
        printed = _as_tool(systems, definition, layout, details) if asked_for_tool else None
        runs = [score(sides, definition, wanted) for sides in systems]
    drawn = None if layout is None else printed
    return Outcome(runs, options, drawn)


def _as_tool(systems: list[Sides], definition: Definition, layout: Layout | None, details: Path | None) -> str:
    """The report of another tool; its files are written on the way."""
    from isogloss.errors import UsageError  # noqa: PLC0415
    from isogloss.tasks.segmentation.sample_rows import sample_rows  # noqa: PLC0415
    from isogloss.tasks.segmentation.thai_benchmark_layout import figures, name_of, table, write_details  # noqa: PLC0415

    names = [name_of(sides.system) for sides in systems]
    if details is not None and len(set(names)) < len(names):
        raise UsageError(
            f"--details would write the files of several predictions under one name: {', '.join(sorted(names))}. "
            "It is that of the file up to its first dot; rename the files, or score them one by one."
        )
    printed = []
    for sides in systems:
        rows = list(sample_rows(sides, definition))
        if details is not None:
            write_details(details, sides.system, rows)
        if layout is not None:
            printed.append(table(figures(rows), sides.system, sides.reference.content.name))
    return "\n".join(printed)
