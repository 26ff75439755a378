"""Jobs of worker processes: scoring of a body into a reply.

A body is scored with the models of the service. Every error becomes a `Reply`, so that only bytes and problems travel
back to the server process, which never imports numpy or the tasks' scoring.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from isogloss.errors import IsoglossError, UsageError
from isogloss.kernel.registry import lazy
from isogloss.service.batching import BatchedModel
from isogloss.service.file_bodies import parse_file_body
from isogloss.service.problems import BUG, Problem, RefusedError, to_problem
from isogloss.service.requests import Route, make_routes, parse_body
from isogloss.service.settings import ModelSettings

if TYPE_CHECKING:
    from isogloss.providers import CheckedProvider

_score_call = lazy("isogloss.tasks.scoring:score_call")
_score_files = lazy("isogloss.service.upload_scoring:score_files")
_score_upload = lazy("isogloss.service.upload_scoring:score_upload")
IDENTIFIED_CHARACTERS = 1_000  # of a call of an identifier: lingua lets no other thread run during a call
UPLOADS = "/v1/jobs"  # route of jobs that score uploaded files
ReportShare = Callable[[float], object]


class Job(NamedTuple):
    """A job: score a body.

    Args:
        route: path of the route.
        findings: largest number of findings listed.
        documents: largest number of documents in the body.
        store: where the run of uploaded files is saved; empty for the default store.
        content_type: Content-Type of a body that is files; empty for JSON.
        query: query of the URL, which may have options of files.
    """

    route: str
    findings: int
    documents: int
    store: str = ""
    content_type: str = ""
    query: str = ""


class Progress(NamedTuple):
    """Share of the input of a job that is read."""

    share: float


class Reply(NamedTuple):
    """The result of a job.

    Args:
        body: body of the answer.
        problem: the reason why there is no answer.
        trace: places in the code, for the log, if the problem is a bug. It holds no text of the body.
    """

    body: bytes = b""
    problem: Problem | None = None
    trace: tuple[str, ...] = ()


class WorkFunction(Protocol):
    """Function that does jobs."""

    def __call__(self, job: Job, body: bytes, report: ReportShare = ..., /) -> Reply:
        """Return the reply to a job.

        `report` takes the share that is done.
        """


def ignore_progress(share: float) -> None:
    """Do nothing with a share."""


@dataclass(frozen=True, eq=False)
class Worker:
    """A worker that does jobs.

    Args:
        models: settings of the models.
        recognisers: loaded recognisers by name.
        segmenters: splitter and tokenizer as arguments of the call, if they are not the defaults.
        identifier: loaded identifier of languages; None for none.
    """

    models: ModelSettings
    recognisers: Mapping[str, Any] = field(default_factory=dict)
    segmenters: Mapping[str, Any] = field(default_factory=dict)
    identifier: Any = None

    def __call__(self, job: Job, body: bytes, report: ReportShare = ignore_progress, /) -> Reply:
        """Return the reply to a body; errors become replies."""
        if job.route == UPLOADS:
            return self._reply_upload(job, body, report)
        route = self.routes[job.route]
        try:
            return Reply(self._score_body(route, job, body))
        except RefusedError as refused:
            return Reply(problem=refused.problem)
        except IsoglossError as error:
            return Reply(problem=to_problem(error, route.arguments))
        except RecursionError:
            return Reply(problem=Problem("malformed-json", "The body is nested too deeply."))
        except Exception as error:  # noqa: BLE001  a bug is answered, and the worker goes on
            return Reply(problem=BUG, trace=format_trace(error))

    def _reply_upload(self, job: Job, body: bytes, report: ReportShare) -> Reply:
        try:
            return Reply(msgspec.json.encode({"run": _score_upload(body, job.store, report)}))
        except IsoglossError as error:
            return Reply(problem=to_problem(error))
        except Exception as error:  # noqa: BLE001  a bug is answered, and the worker goes on
            return Reply(problem=BUG, trace=format_trace(error))

    def warm_up(self) -> None:
        """Score the example of each task.

        The first request then does not wait for imports.
        """
        for route in self.routes.values():
            if route.extra is None:
                _score_call(route.task, route.example)

    def probe(self) -> None:
        """Answer the probe of each further route.

        A probe fails if the settings are wrong.

        Raises:
            UsageError: if there is no such language or profile.
        """
        for route in self.routes.values():
            if route.extra is not None:
                self._handle(route, msgspec.convert(route.extra.probe, route.body))

    @cached_property
    def routes(self) -> dict[str, Route]:
        """The routes, by path."""
        return make_routes()

    def _score_body(self, route: Route, job: Job, body: bytes) -> bytes:
        files = parse_file_body(body, job.content_type, job.query, route) if job.content_type else None
        if files is None:
            request = parse_body(body, route, job.documents)
            if route.extra is not None:
                return self._handle(route, request)
            arguments = route.to_arguments(request)
        else:
            arguments = files.options
        if route.task.uses_models:
            names = {each.name for each in fields(route.task.options)}
            chosen = self._choose_models(arguments)
            arguments |= {name: value for name, value in chosen.items() if name in names}
        arguments["findings"] = job.findings
        run = (
            _score_call(route.task, arguments) if files is None else _score_files(route.task, files.uploads, arguments)
        )
        return f"{run.to_json()}\n".encode()

    def _handle(self, route: Route, request: msgspec.Struct) -> bytes:
        assert route.extra is not None  # noqa: S101  for the type checker
        chosen = {"language": self.models.language, "profile": self.models.profile, **self.segmenters}
        chosen |= {name: value for name, value in self.models.letters.items() if name != "neutral"}
        models = chosen | {"recognisers": [*self.recognisers.values()]}
        return msgspec.json.encode(route.extra.handle(request, models))

    def _choose_models(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the language and its models as arguments of the call.

        The models are those for texts in the language.
        """
        field = arguments.get("language_field")
        language = arguments.get("language", None if field else self.models.language)
        is_served = language == self.models.language
        names = arguments.get("recognisers", [*self.recognisers] if is_served else [])
        if any(name not in self.recognisers for name in names):
            loaded = f"has: {', '.join(self.recognisers)}" if self.recognisers else "has none"
            raise UsageError(f"recognisers are those that the service was started with; it {loaded}.")
        chosen = {"language": language, "recognisers": [self.recognisers[name] for name in names]}
        if "identifier" in arguments:
            self._check_loaded("identifier", arguments, "lingua")
            chosen["identifier"] = self.identifier
        if "english_words" in arguments:
            self._check_loaded("english_words", arguments, "FILE")
        if not is_served:
            return chosen
        letters = self.models.letters.items() if "profile" not in arguments else ()
        return chosen | dict(self.segmenters) | {name: value for name, value in letters if name not in arguments}

    def _check_loaded(self, name: str, arguments: Mapping[str, Any], example: str) -> None:
        """Refuse what the service was not started with."""
        loaded = getattr(self.models, name)
        if arguments[name] != loaded:
            known = "has none" if loaded is None else f"has {loaded!r}"
            raise UsageError(
                f"{name} must be the one that the service was started with; it {known}. "
                f"Start it with isogloss serve --{name.replace('_', '-')} {example}."
            )


def load_scorer(models: ModelSettings) -> Worker:
    """Make a worker without models.

    Args:
        models: settings of the models; only the further routes of tasks use them.

    Raises:
        UsageError: if there is no such language or profile, and this worker also answers the further routes of tasks.
    """
    worker = Worker(models)
    worker.warm_up()
    if not models.has_models:
        worker.probe()
    return worker


def load_annotator(models: ModelSettings) -> Worker:
    """Make a worker with models.

    Args:
        models: the models to load.

    Raises:
        UsageError: if there is no such kind of model, language or profile.
        MissingExtraError: if a package is missing.
        MissingModelError: if a model is missing.
    """
    from isogloss import providers  # noqa: PLC0415  only services with models need it

    options: dict[str, Any] = {"language": models.language, "download": models.download}
    recognisers = {spec: _load_provider(providers.open_recogniser(spec, **options)) for spec in models.recognisers}
    segmenters: dict[str, Any] = {}
    if models.splitter:
        segmenters["splitter"] = _load_provider(providers.open_splitter(models.splitter, **options))
    if models.tokenizer:
        segmenters["tokenizer"] = _load_provider(providers.open_tokenizer(models.tokenizer, **options))
    identifier = None
    if models.identifier is not None:
        loaded = providers.open_identifier(models.identifier, language=models.language)
        loaded.load()
        batches = BatchedModel(loaded.name, loaded.identify, seconds=0, characters=IDENTIFIED_CHARACTERS)
        identifier = providers.LanguageIdentifier(loaded.name, lambda: batches.annotate)
    worker = Worker(models, recognisers, segmenters, identifier)
    worker.probe()
    return worker


def _load_provider(provider: CheckedProvider) -> BatchedModel:
    provider.load()
    return BatchedModel(provider.name, provider.annotate)


def format_trace(error: BaseException) -> tuple[str, ...]:
    """Return the type of an exception and its trace without message.

    The trace has the places in the code that the exception went through.
    """
    frames = traceback.extract_tb(error.__traceback__)
    return (*(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames), type(error).__qualname__)
