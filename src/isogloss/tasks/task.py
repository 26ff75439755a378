"""What a task declares, once: its command, HTTP route, tables, gates, store rows, reports and docs come from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from isogloss.kernel.catalogue import Catalogue
from isogloss.kernel.registry import Registry

if TYPE_CHECKING:
    from isogloss.runs.finding_view import FindingView
    from isogloss.runs.run import Run
    from isogloss.runs.tables import ScoreTable
    from isogloss.tasks.scoring_options import ScoringOptions


class ShowsProgress(Protocol):
    """What is told how far a task has come."""

    def __call__(self, read: int) -> object:
        """Take the number of bytes read in this pass."""

    def report_texts(self, done: int, share: float | None) -> object:
        """Take the number of texts done, and the share of all that is, where it is known."""


class OpensSystems(Protocol):
    """How a task opens what it scores."""

    def __call__(
        self,
        reference: Any,
        predictions: Sequence[Any],
        options: Any,
        wanted: ScoringOptions,
        progress: ShowsProgress | None = None,
    ) -> Iterable[Any]:
        """Open the systems, one for each prediction; each is handed to `score`."""


class Scores(Protocol):
    """How a task scores a system."""

    def __call__(self, system: Any, options: Any, wanted: ScoringOptions) -> Run:
        """Score one system that was opened."""


@dataclass(frozen=True)
class Argument:
    """What is scored, as the command line and the HTTP service name it.

    Args:
        name: of the Python argument and of the member of a body.
        metavar: what stands for it in the help of the command.
        help: what it may be, on the command line.
        optional: whether the command can do without it.
    """

    name: str
    metavar: str
    help: str
    optional: bool = False


@dataclass(frozen=True)
class Layout:
    """Runs printed as another tool prints them.

    Args:
        draw: (systems, runs, options, form) -> text, where form is `text` or `json`.
        profile: the profile it takes where the user names none.
        forms: the forms it can print.
        before_scoring: whether it reads the systems itself, before they are scored, and needs no runs.
    """

    draw: Callable[[Sequence[Any], Sequence[Run], Any, str], str]
    profile: str | None = None
    forms: tuple[str, ...] = ("text",)
    before_scoring: bool = False


@dataclass(frozen=True)
class Export:
    """A file that a command writes beside its results.

    Args:
        flag: the option that names it.
        metavar: what stands for it in help.
        help: what is written.
        write: (systems, runs, options, path) -> None.
        profile: the profile it takes where the user names none.
        before_scoring: whether it reads the systems itself, before they are scored, and needs no runs.
    """

    flag: str
    metavar: str
    help: str
    write: Callable[[Sequence[Any], Sequence[Run], Any, str], None]
    profile: str | None = None
    before_scoring: bool = False


@dataclass(frozen=True)
class Request:
    """What the HTTP service needs to know of a task.

    Args:
        name: of the type of its bodies in the OpenAPI document.
        description: of that type.
        data: the types of the arguments that hold data, by name; `required` members come first.
        example: a body.
        as_dicts: whether the call takes dictionaries where a body has objects.
    """

    name: str
    description: str
    data: Mapping[str, Any]
    example: Mapping[str, Any]
    as_dicts: bool = False


@dataclass(frozen=True, eq=False)
class Task:
    """A task of isogloss.

    Args:
        name: of its command and route, and in the JSON of its runs.
        title: of its reports.
        summary: one sentence, the help of its command.
        description: what more the help says.
        options: the dataclass that declares its options, see `options.Option`.
        prediction: what is scored.
        open_systems: opens reference and predictions.
        score: scores a system that was opened.
        make_metric: builds the metric from what a stored run says of it.
        reference: what it is compared with, None where a task has no reference.
        scores: which scores stand for a run, are shown beside others, and which way is better.
        tables: builds the tables of runs; None for the tables that any task has.
        finding_view: how its findings look.
        profiles: the tools whose figures it reproduces.
        layouts: how other tools print its runs.
        exports: files its command can write beside the results.
        request: the body of its HTTP route; None for a task without one.
        json_options: the options with which results as JSON are scored.
        default_unit: what intervals take as independent where nobody says; None where the data decide.
        shows_context: whether its findings have words of context.
        shows_document_means: whether the table of means over documents is shown below its own tables.
        columns_in_tables: columns of slices that its own tables show.
        uses_models: whether it can use the models that the service loads.
    """

    name: str
    title: str
    summary: str
    options: type
    prediction: Argument
    open_systems: OpensSystems
    score: Scores
    make_metric: Callable[..., Any]
    description: str = ""
    reference: Argument | None = None
    scores: Catalogue = field(default_factory=Catalogue)
    tables: Callable[[Sequence[Run]], list[ScoreTable]] | None = None
    view: Callable[[], FindingView] | None = None
    profiles: Registry | None = None
    layouts: Mapping[str, Layout] = field(default_factory=dict)
    exports: tuple[Export, ...] = ()
    request: Callable[[], Request] | None = None
    json_options: Callable[[Any], Any] | None = None
    default_unit: str | None = "document"
    shows_context: bool = True
    shows_document_means: bool = True
    columns_in_tables: tuple[str, ...] = ()
    uses_models: bool = False

    @property
    def call(self) -> str:
        """Its name in Python."""
        return self.name.replace("-", "_")

    @property
    def finding_view(self) -> FindingView:
        """How its findings look."""
        from isogloss.runs.finding_view import FindingView

        return FindingView() if self.view is None else self.view()

    def build_tables(self, runs: Sequence[Run]) -> list[ScoreTable]:
        """Build the tables of one run, or of several side by side."""
        from isogloss.runs.tables import build_default_tables

        return (self.tables or build_default_tables)(runs)
