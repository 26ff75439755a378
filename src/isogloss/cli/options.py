"""Options that several commands share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from isogloss.cli.completion import complete_choices
from isogloss.cli.output import OutputFormat
from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import resolve_choice
from isogloss.records.destinations import check_output
from isogloss.spans.schemes import SCHEME_SYNONYMS, SCHEMES

if TYPE_CHECKING:
    from isogloss.kernel.provenance import Side
    from isogloss.runs.finding_selection import FindingSelection
    from isogloss.tasks.scoring_options import ScoringOptions


class IntervalMethod(StrEnum):
    """Method of confidence intervals."""

    auto = "auto"
    bootstrap = "bootstrap"
    wilson = "wilson"


class Repair(StrEnum):
    """Handling of invalid tags."""

    begin = "begin"
    discard = "discard"
    error = "error"


class TextForm(StrEnum):
    """Output format of commands that have no tables."""

    text = "text"
    json = "json"


class TableForm(StrEnum):
    """Output format of tables that are not runs."""

    text = "text"
    json = "json"
    csv = "csv"


class WhichSide(StrEnum):
    """Side of a file that has both."""

    reference = "reference"
    prediction = "prediction"

    @property
    def side(self) -> Side:
        """Name of the side in Python."""
        return "reference" if self is WhichSide.reference else "predicted"


DEFAULT_CONTEXT = 3  # words
SCHEME_NAMES = ("auto", *SCHEMES)


def make_choice(kind: type[StrEnum], *flags: str, **details: Any) -> Any:
    """Make a typer option with the values of an enumeration, case-insensitive.

    For an unknown value it suggests one of them.

    Args:
        kind: the enumeration.
        *flags: the flags, the long one last.
        **details: arguments of `typer.Option`.
    """

    def parse(text: str) -> StrEnum:
        return kind(resolve_choice(flags[-1], text, kind))

    shown = f"[{'|'.join(kind)}]"
    return typer.Option(
        *flags, parser=parse, metavar=shown, autocompletion=complete_choices(lambda: map(str, kind)), **details
    )


def make_confidence_option(**details: Any) -> Any:
    """Make the option `--confidence`.

    Args:
        details: further arguments of `typer.Option`.
    """
    return typer.Option(
        "--confidence",
        metavar="LEVEL",
        help="Confidence level of the intervals, such as 0.95.",
        rich_help_panel="Evidence",
        **details,
    )


def make_unit_option(**details: Any) -> Any:
    """Make the option `--unit`.

    Args:
        details: further arguments of `typer.Option`.
    """
    return typer.Option(
        "--unit",
        metavar="COLUMN",
        help="Unit of resampling: document, or a column whose values are resampled as a whole.",
        rich_help_panel="Evidence",
        **details,
    )


def make_scheme_parser(flag: str, names: Sequence[str] = SCHEME_NAMES) -> Callable[[str], str]:
    """Make the function that reads a tag scheme from an option.

    It accepts any common spelling.

    Args:
        flag: the flag, for error messages.
        names: the allowed schemes.
    """

    def parse(text: str) -> str:
        return str(resolve_choice(flag, text, names, SCHEME_SYNONYMS))

    return parse


def list_formats() -> Sequence[str]:
    """List the formats of named entities."""
    from isogloss.formats.registry import FORMATS

    return FORMATS.list_names()


FormOption = Annotated[
    OutputFormat, make_choice(OutputFormat, "-f", "--format", help="Output format.", rich_help_panel="Output")
]
TextFormOption = Annotated[
    TextForm, make_choice(TextForm, "-f", "--format", help="Output format.", rich_help_panel="Output")
]
TableFormOption = Annotated[
    TableForm, make_choice(TableForm, "-f", "--format", help="Output format.", rich_help_panel="Output")
]
OutputOption = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="FILE", help="Write the results to this file.", rich_help_panel="Output"),
]
StoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL|PATH",
        help="Store of runs: an SQLite file or postgresql://...; ISOGLOSS_STORE if left out.",
        show_default=".isogloss/runs.db",
        rich_help_panel="Store",
    ),
]
# Options of commands that read named entities.
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        metavar="NAME",
        help="Format of the input; detected if left out.",
        show_default=False,
        autocompletion=complete_choices(list_formats),
    ),
]
StrictSpansOption = Annotated[bool, typer.Option("--strict-spans", help="Refuse discontinuous spans.")]
RepairOffsetsOption = Annotated[
    bool,
    typer.Option(
        "--repair-offsets",
        help="Fix offsets counted in UTF-16 units or bytes, or shifted by a few characters.",
    ),
]
OffsetUnitOption = Annotated[
    str | None,
    typer.Option(
        "--offset-unit",
        metavar="UNIT",
        help="What offsets of recognisers count: code-points, utf-16, utf-8 (bytes), graphemes, text-elements (.NET).",
        show_default=False,
    ),
]
SplitOption = Annotated[
    str | None,
    typer.Option("--split", metavar="NAME", help="Split of a folder of datasets, such as test.", show_default=False),
]
AnswersOption = Annotated[
    str | None,
    typer.Option(
        "--answers",
        metavar="FIELD",
        help="Field with the answer of a language model, read as mentions.",
        show_default=False,
    ),
]
SideOption = Annotated[WhichSide, make_choice(WhichSide, "--side", help="Side to read from a file that has both.")]
SchemeOption = Annotated[
    str,
    typer.Option(
        "--scheme",
        metavar="SCHEME",
        help=f"Tag scheme: {', '.join(SCHEME_NAMES)}.",
        parser=make_scheme_parser("--scheme"),
        autocompletion=complete_choices(lambda: SCHEME_NAMES),
    ),
]
ResamplesOption = Annotated[
    int,
    typer.Option("--resamples", metavar="N", help="Number of bootstrap resamples.", min=1, rich_help_panel="Evidence"),
]
SeedOption = Annotated[int, typer.Option("--seed", metavar="N", help="Random seed.", min=0, rich_help_panel="Evidence")]
ErrorsOption = Annotated[
    int,
    typer.Option("--errors", metavar="N", help="Show N errors in their context.", min=0, rich_help_panel="Evidence"),
]
QuietOption = Annotated[
    bool, typer.Option("-q", "--quiet", help="Print the results only, without messages.", rich_help_panel="Output")
]
FIRST_DOCUMENTS = 4000  # whose errors are kept to draw those of several systems together
FIRST_FINDINGS = 4000  # of chosen kinds and labels that are kept
MAX_FIRST_ERRORS = 100  # from more, all are kept


class EngineName(StrEnum):
    """Where parts of a corpus are counted."""

    local = "local"
    ray = "ray"


@dataclass(frozen=True)
class TaskOptions:
    """Options of all tasks: intervals, slices, findings and output.

    Args:
        form: output format.
        output: file to write; None for standard output.
        by: columns whose values are also scored separately.
        confidence: level of the intervals, in (0, 1); None for no intervals.
        unit: `document`, or the column whose values are resampled as a whole; None for the default of the task.
        interval: method of the intervals.
        resamples: number of bootstrap resamples, at least 1.
        seed: random seed, at least 0.
        errors: number of findings shown.
        kind: kinds of findings shown, None for all.
        label: labels of findings shown, None for all; a task may have an option of this name instead.
        where: values of columns of findings shown, as COLUMN=VALUE; None for all.
        sample: whether a random sample of findings is shown, not the first ones.
        context: words of context on each side of a finding, None for 3.
        quiet: whether to print the results only, without messages.
        jobs: number of processes, at least 1.
        resume: folder of the counts of an interrupted command; None for none.
        engine: where parts are counted.
        address: address of the Ray cluster; None for this machine.
        keep_documents: whether single documents are needed after scoring; not an option of the command line.
        collect_findings: whether all findings are needed, also those that are not shown; not an option of the command
            line.
        draws_together: whether errors of several systems are drawn together; not an option of the command line.
    """

    form: FormOption = OutputFormat.text
    output: OutputOption = None
    by: Annotated[
        list[str] | None,
        typer.Option(
            "--by",
            metavar="COLUMN",
            help="Also score each value of this column separately; may be repeated.",
            rich_help_panel="Evidence",
        ),
    ] = None
    confidence: Annotated[float | None, make_confidence_option(show_default="none")] = None
    unit: Annotated[str | None, make_unit_option()] = "document"
    interval: Annotated[
        IntervalMethod,
        make_choice(
            IntervalMethod,
            "--interval",
            help="Method of the intervals: auto chooses by score; wilson is for independent proportions.",
            rich_help_panel="Evidence",
        ),
    ] = IntervalMethod.auto
    resamples: ResamplesOption = 1000
    seed: SeedOption = 12345
    errors: ErrorsOption = 0
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--kind",
            metavar="KIND",
            help="Show only errors of this kind, such as missed; may be repeated.",
            rich_help_panel="Evidence",
        ),
    ] = None
    label: Annotated[
        list[str] | None,
        typer.Option(
            "--label",
            metavar="LABEL",
            help="Show only errors with this label; may be repeated.",
            rich_help_panel="Evidence",
        ),
    ] = None
    where: Annotated[
        list[str] | None,
        typer.Option(
            "--where",
            metavar="COLUMN=VALUE",
            help="Show only errors in documents with this value; may be repeated.",
            rich_help_panel="Evidence",
        ),
    ] = None
    sample: Annotated[
        bool,
        typer.Option(
            "--sample",
            help="Show random errors, spread over documents, not the first; --seed sets which.",
            rich_help_panel="Evidence",
        ),
    ] = False
    context: Annotated[
        int | None,
        typer.Option(
            "--context",
            metavar="N",
            help="Words of context on each side of an error, if its sentence does not fit into a line.",
            show_default="3",
            min=0,
            rich_help_panel="Evidence",
        ),
    ] = None
    quiet: QuietOption = False
    jobs: Annotated[
        int,
        typer.Option(
            "--jobs",
            metavar="N",
            help="Processes that read shards, or ranges of one file.",
            min=1,
            rich_help_panel="Output",
        ),
    ] = 1
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="DIR",
            help="Keep the counts of --jobs in this folder, and continue from there.",
            rich_help_panel="Output",
        ),
    ] = None
    engine: Annotated[
        EngineName,
        make_choice(
            EngineName, "--engine", help="Where --jobs run: local processes, or ray.", rich_help_panel="Output"
        ),
    ] = EngineName.local
    address: Annotated[
        str | None,
        typer.Option(
            "--address",
            metavar="HOST:PORT",
            help="Address of the Ray cluster.",
            show_default="this machine",
            rich_help_panel="Output",
        ),
    ] = None
    keep_documents: bool = False
    collect_findings: bool = False
    draws_together: bool = False

    def build_scoring_options(self, *, all_findings: bool = False) -> ScoringOptions:
        """Build the options of scoring.

        Args:
            all_findings: whether all findings are shown.

        Raises:
            UsageError: if a value is not allowed.
        """
        from isogloss.tasks.scoring_options import build_scoring_options

        selection = self.selection if self.errors else None
        chosen = selection is not None and selection.needs_all
        number = True if all_findings or self.collect_findings or self.draws_together or chosen else self.errors
        if selection is not None and selection.findings is not None and not all_findings:
            number = selection.findings
        options = build_scoring_options(
            self.confidence,
            self.resamples,
            self.seed,
            number,
            DEFAULT_CONTEXT if self.context is None else self.context,
            by=self.by or (),
            unit=self.unit,
            keep_documents=self.keep_documents,
            interval=self.interval.value,
            finding_columns=() if selection is None else tuple(selection.where),
        )
        if all_findings or selection is None:
            return options
        if selection.findings is not None:
            options = replace(options, finding_kinds=selection.kinds, finding_labels=selection.labels)
        return replace(options, finding_documents=selection.documents)

    @property
    def _needs_all_findings(self) -> bool:
        """Whether all findings are kept to choose from, or for the store."""
        return self.collect_findings or bool(self.where or self.sample)

    @property
    def selection(self) -> FindingSelection:
        """Which findings are shown.

        Raises:
            UsageError: if a condition has no column.
        """
        from isogloss.runs.finding_selection import FindingSelection, parse_conditions

        return FindingSelection(
            self.errors,
            tuple(each.replace(" ", "_") for each in self.kind or ()),
            tuple(self.label or ()),
            parse_conditions(self.where or ()),
            self.seed if self.sample else None,
            *self._limit_findings(),
        )

    def _limit_findings(self) -> tuple[int | None, int | None]:
        """Return how many documents with findings are enough, and how many findings.

        A document of several systems is drawn with all its errors, so that no kind or label of them can be left out;
        and only the order of single documents says of which all errors are known.
        """
        chooses = bool(self.kind or self.label)
        if self._needs_all_findings or self.errors > MAX_FIRST_ERRORS:
            return None, None
        if self.draws_together:
            return (FIRST_DOCUMENTS if self.keep_documents and not chooses else None), None
        return None, (FIRST_FINDINGS if chooses else None)

    def check_selection(self) -> None:
        """Check the options that select errors.

        Raises:
            UsageError: if errors are selected, but not shown.
        """
        given = [name for name in ("kind", "label", "where", "sample") if getattr(self, name)]
        if given and not self.errors:
            raise UsageError(f"--{given[0]} selects errors to show: add --errors 10.")


def list_files(name: str) -> Sequence[str]:
    """List the files that a file, folder or pattern stands for."""
    from isogloss.errors import DataError
    from isogloss.records.shards import Shards, open_source

    try:
        source = open_source(name)
    except DataError:  # reported when the input is opened
        return (name,)
    return source.files if isinstance(source, Shards) else (name,)


def check_files(read: Sequence[str], written: Mapping[str, Path | None]) -> None:
    """Check that no file is used twice in a conflicting way.

    No file may be read twice from standard input, or both read and written.

    Args:
        read: the files that are read.
        written: the files that are written, by their options; None for no file.

    Raises:
        UsageError: if standard input is named twice, a file is both read and written, or its compression cannot be
            written.
        MissingExtraError: if a file is to be compressed with zstd, and zstandard is not installed.
    """
    if list(read).count("-") > 1:
        raise UsageError("Standard input (-) can stand for one file only.")
    for option, path in written.items():
        if path is not None:
            check_output(path, [file for name in read for file in list_files(name)], option)


def list_parameters(options: Callable[..., Any], without: frozenset[str] = frozenset()) -> list[inspect.Parameter]:
    """List the command parameters that are the fields of a dataclass.

    Args:
        options: the dataclass; the annotations of its fields are typer options.
        without: fields that are not options.
    """
    parameters = inspect.signature(options, eval_str=True).parameters.values()
    return [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in parameters if each.name not in without]


def set_signature(
    command: Callable[..., None], parameters: Sequence[inspect.Parameter], help_text: str
) -> Callable[..., None]:
    """Set parameters and help of a command that takes any keywords."""
    command.__doc__ = help_text
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


def make_parameter(
    name: str, annotation: Any, default: Any = inspect.Parameter.empty, *, positional: bool = False
) -> inspect.Parameter:
    """Make a parameter of a command: an option, or a positional argument."""
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if positional else inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(name, kind, annotation=annotation, default=default)
