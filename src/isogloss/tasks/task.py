"""The declaration of a task.

Its command, HTTP route, tables, gates, store rows and docs are derived from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from isogloss.kernel.registry import Registry
from isogloss.kernel.score_catalogue import Catalogue

if TYPE_CHECKING:
    from isogloss.records.sources import Source
    from isogloss.runs.finding_view import FindingView
    from isogloss.runs.run import Run
    from isogloss.runs.score_tables import ScoreTable
    from isogloss.tasks.counted_system import CountedSystem
    from isogloss.tasks.scoring_options import ScoringOptions


class ProgressReceiver(Protocol):
    """Receiver of the progress of a task."""

    def __call__(self, read: int) -> object:
        """Take the number of bytes read in this pass."""

    def report_texts(self, done: int, share: float | None) -> object:
        """Take the number of texts done, and their share of all.

        The share is None if it is unknown.
        """


class SystemOpener(Protocol):
    """Function of a task that opens systems."""

    def __call__(
        self,
        reference: Any,
        predictions: Sequence[Any],
        options: Any,
        scoring_options: ScoringOptions,
        progress: ProgressReceiver | None = None,
    ) -> Iterable[Any]:
        """Open one system for each prediction; `count` takes each of them."""


class SystemCounter(Protocol):
    """Function of a task that counts a system."""

    def __call__(self, system: Any, options: Any, scoring_options: ScoringOptions) -> CountedSystem:
        """Count one opened system."""


@dataclass(frozen=True)
class Argument:
    """The reference or prediction of a task.

    It serves Python, the command line and the HTTP service.

    Args:
        name: name of the Python argument and of the key in a body.
        metavar: placeholder in the help of the command.
        help: help text of the command.
        optional: whether the command works without it.
        upload: help text of a form that takes one file; empty for that of the command.
    """

    name: str
    metavar: str
    help: str
    optional: bool = False
    upload: str = ""


@dataclass(frozen=True)
class Layout:
    """A print format of another tool.

    Args:
        draw: (systems, runs, options, form) -> text, where form is `text` or `json`.
        profile: the profile used if the user names none.
        forms: the supported forms.
        options: names of options of the task that only this layout uses.
    """

    draw: Callable[[Sequence[Any], Sequence[Run], Any, str], str]
    profile: str | None = None
    forms: tuple[str, ...] = ("text",)
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Export:
    """A file that a command writes in addition to its results.

    Args:
        flag: the flag with the path.
        metavar: placeholder of the path in help.
        help: help text of the flag.
        write: (systems, runs, options, path) -> None.
        profile: the profile used if the user names none.
    """

    flag: str
    metavar: str
    help: str
    write: Callable[[Sequence[Any], Sequence[Run], Any, str], None]
    profile: str | None = None


@dataclass(frozen=True)
class NoOptions:
    """Options of a command that has none."""


@dataclass(frozen=True)
class Linter:
    """The command `isogloss lint TASK`, which finds faults in a task's data.

    Args:
        summary: one sentence, the help of the command.
        description: more sentences for the help.
        data: the argument with the file.
        find_faults: (path, options, form) -> the report in the form `text` or `json`, and the exit code.
        options: the dataclass that declares the options, see `options.Option`.
    """

    summary: str
    description: str
    data: Argument
    find_faults: Callable[[str, Any, str], tuple[str, int]]
    options: type = NoOptions


@dataclass(frozen=True)
class ExtraRoute:
    """A further HTTP route of a task, for clients of another tool.

    Args:
        path: the path, such as `/calculate/`; the service also answers it without the last slash.
        summary: its summary in the OpenAPI document.
        body: the msgspec type of its bodies; the first member holds the documents.
        answer: the msgspec type of its answers.
        example: a body.
        probe: a body that the service answers once while it starts, so that wrong settings fail then.
        handle: (body, models) -> answer, where `models` are arguments of the task's call that the service was
            started with: language, profile, recognisers and, if given, splitter and tokenizer.
    """

    path: str
    summary: str
    body: type
    answer: type
    example: Mapping[str, Any]
    probe: Mapping[str, Any]
    handle: Callable[[Any, Mapping[str, Any]], Any]


@dataclass(frozen=True)
class Request:
    """The request body of a task in the HTTP service.

    Args:
        name: name of the body type in the OpenAPI document.
        description: description of the body type.
        data: types of the arguments with data, by name; required ones come first.
        example: an example body.
        as_dicts: whether objects of the body are passed to the call as dictionaries.
        extra_routes: further routes, for clients of other tools.
    """

    name: str
    description: str
    data: Mapping[str, Any]
    example: Mapping[str, Any]
    as_dicts: bool = False
    extra_routes: tuple[ExtraRoute, ...] = ()


@dataclass(frozen=True)
class Definition:
    """The version of the definitions of a task's scores.

    The version does not change with every release.

    Args:
        version: raise it by one if a change gives other numbers for the same input and options.
        counts_since: the first version whose saved counts give the scores of this version. If a change counts
            otherwise, it is the new version; if only scores are computed otherwise, it stays.

    Raises:
        ValueError: if `counts_since` is not a version up to this one.
    """

    version: int = 1
    counts_since: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.counts_since <= self.version:
            raise ValueError(f"counts_since must be in 1 to {self.version}, got {self.counts_since}")


@dataclass(frozen=True)
class SystemTexts:
    """How a benchmark gives the texts of a reference to systems.

    The answers of a system must spell the texts.

    Args:
        read: (path, format or None) -> texts of the file's documents, whitespace included.
        options: options with which the answers are scored, so that an answer with another text scores zero.
    """

    read: Callable[[str, str | None], list[str]]
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Task:
    """A task of isogloss.

    Args:
        name: name of the command, the route and the `task` key in JSON.
        title: title of reports.
        summary: one sentence, the help of the command.
        options: the dataclass that declares the options, see `options.Option`.
        prediction: the argument with the predictions.
        open_systems: opens reference and predictions.
        count: counts an opened system, or a part of it.
        finish: scores a counted system.
        list_sources: lists role and file of an opened system.
        merge: (parts, merged) -> the merged counted system with the state of its parts; None if the parts have none.
        count_passes: (system, options) -> passes over the input of an opened system, for progress; None for one.
        make_metric: builds the metric from the arguments in a stored run.
        description: more sentences for the help of the command.
        examples: commands that the help ends with; empty for examples made from the arguments.
        reference: the argument with the reference, None for a task without reference.
        scores: the catalogue of scores: main scores, scores shown beside them, and their direction.
        definition: the version of the definitions of its scores.
        tables: builds the tables of runs; None for the default tables.
        view: loads how findings are drawn; None for the default view.
        curves: computes the curves of a run as `--curves` writes them; None for a task without curves.
        profiles: the tools whose figures the task reproduces.
        layouts: print formats of other tools, by name.
        exports: files that the command can write in addition to its results.
        linter: finds faults in data of the task; None for a task without.
        request: builds the body type of the HTTP route; None for a task without route.
        json_options: changes options for results as JSON.
        default_unit: default unit of intervals; None if the data decide.
        shows_context: whether findings have words of context.
        shows_document_means: whether the table of means over documents follows the tables of the task.
        columns_in_tables: slice columns that the tables of the task show.
        ids_within: column within whose values ids are unique; None if they are unique in the corpus.
        uses_models: whether the task can use the models that the service loads.
        system_texts: how systems of a benchmark get the texts of a reference; None if the corpus must name texts.
    """

    name: str
    title: str
    summary: str
    options: type
    prediction: Argument
    open_systems: SystemOpener
    count: SystemCounter
    finish: Callable[[CountedSystem, ScoringOptions], Run]
    make_metric: Callable[..., Any]
    list_sources: Callable[[Any], Sequence[tuple[str, Source]]] | None = None
    merge: Callable[[Sequence[CountedSystem], CountedSystem], CountedSystem] | None = None
    count_passes: Callable[[Any, Any], int] | None = None
    description: str = ""
    examples: tuple[str, ...] = ()
    reference: Argument | None = None
    scores: Catalogue = field(default_factory=Catalogue)
    definition: Definition = Definition()
    tables: Callable[[Sequence[Run]], list[ScoreTable]] | None = None
    view: Callable[[], FindingView] | None = None
    curves: Callable[[Run], Mapping[str, Any]] | None = None
    profiles: Registry | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    exports: tuple[Export, ...] = ()
    linter: Linter | None = None
    request: Callable[[], Request] | None = None
    json_options: Callable[[Any], Any] | None = None
    default_unit: str | None = "document"
    shows_context: bool = True
    shows_document_means: bool = True
    columns_in_tables: tuple[str, ...] = ()
    ids_within: str | None = None
    uses_models: bool = False
    system_texts: SystemTexts | None = None

    def list_examples(self) -> tuple[str, ...]:
        """List the commands that the help ends with."""
        words = [each.metavar for each in (self.reference, self.prediction) if each is not None]
        command = " ".join(["isogloss", self.name, *(word.removesuffix("...").lower() for word in words)])
        return self.examples or (command, f"{command} --confidence 0.95", f"{command} -f json -o scores.json")

    @property
    def call(self) -> str:
        """Name of the Python call."""
        return self.name.replace("-", "_")

    @property
    def finding_view(self) -> FindingView:
        """How findings are drawn."""
        from isogloss.runs.finding_view import FindingView

        return FindingView(shows_labelled_spans=True) if self.view is None else self.view()

    def build_tables(self, runs: Sequence[Run]) -> list[ScoreTable]:
        """Build the tables of one run, or of several side by side."""
        from isogloss.runs.score_tables import build_default_tables

        return (self.tables or build_default_tables)(runs)
