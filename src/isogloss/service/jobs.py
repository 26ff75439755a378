"""What is done to a body, in a process that may take its time: parse, score, write the answer.

Whatever goes wrong becomes the bytes of an answer here, so that nothing but bytes travels back.
"""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import msgspec

from isogloss.errors import IsoglossError, UsageError
from isogloss.report import run_formats
from isogloss.service.problems import Problem, RefusedError, bug, escaped, of_error
from isogloss.service.requests import Body, CalculateRequest, Route, make_routes
from isogloss.service.settings import Models
from isogloss.tasks.calls import score_call

CALCULATE = "calculate"
CALCULATED = (
    "codeswitch_sentences_ratio",
    "codeswitch_texts_ratio",
    "codeswitch_words_ratio",
    "total_num_texts",
    "total_num_sentences",
    "total_num_tokens",
)
STEP = re.compile(r"\[(\d+)\]|\.([^.\[]+)")
NAMED = re.compile(r"unknown field `(.*)`")
B = TypeVar("B", Body, CalculateRequest)


class Job(NamedTuple):
    """What is to be done to a body.

    Args:
        task: a task's name, or `calculate`.
        findings: at most so many of them are wanted.
        documents: it may have at most so many.
    """

    task: str
    findings: int
    documents: int


class Reply(NamedTuple):
    """What came of it.

    Args:
        body: of the answer.
        problem: why there is none.
        trace: places in our code, for the log, if that is a bug of ours. It holds nothing of the body.
    """

    body: bytes = b""
    problem: Problem | None = None
    trace: tuple[str, ...] = ()


Work = Callable[[Job, bytes], Reply]


@dataclass(frozen=True, eq=False)
class Worker:
    """Does jobs.

    Args:
        models: what was asked for.
        recognisers: those that were loaded, by name.
        cutters: splitter and tokenizer, where others than the defaults were asked for, as arguments of the call.
    """

    models: Models
    recognisers: Mapping[str, Any] = field(default_factory=dict)
    cutters: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, job: Job, body: bytes) -> Reply:
        """The answer to a body; nothing is raised but what ends the process."""
        try:
            return Reply(self._calculated(job, body) if job.task == CALCULATE else self._scored(job, body))
        except RefusedError as refused:
            return Reply(problem=refused.problem)
        except IsoglossError as error:
            arguments = self.routes[job.task].arguments if job.task in self.routes else frozenset({"texts"})
            return Reply(problem=of_error(error, arguments))
        except RecursionError:
            return Reply(problem=Problem("malformed-json", "The body is nested too deeply."))
        except Exception as error:  # noqa: BLE001  each of the batch has to hear of it
            return Reply(problem=bug(), trace=without_text(error))

    def warm_up(self) -> None:
        """Score the example of each task, so that the first request does not wait for imports."""
        for route in self.routes.values():
            score_call(route.task, route.example)

    def figures(self, texts: Sequence[str]) -> dict[str, Any]:
        """What `/calculate/` answers.

        Args:
            texts: to look at.

        Raises:
            UsageError: there is no such language or profile, or the profile has other figures.
        """
        import isogloss  # noqa: PLC0415

        run = isogloss.code_switching(
            texts,
            language=self.models.language,
            profile=self.models.profile,
            recognisers=[*self.recognisers.values()],
            **self.cutters,
        )
        document = run.to_dict()
        if not document.keys() >= set(CALCULATED):
            raise UsageError(f"The profile {self.models.profile} has not the figures that /calculate/ answers with.")
        return {name: document[name] for name in CALCULATED}

    def _scored(self, job: Job, body: bytes) -> bytes:
        route = self.routes[job.task]
        arguments = route.given(parsed(body, self._decoders[job.task], job.documents))
        if route.task.uses_models:
            arguments |= self._equipped(arguments)
        run = score_call(route.task, arguments | {"findings": job.findings})
        return run_formats.format_runs_json([run]).encode()

    def _calculated(self, job: Job, body: bytes) -> bytes:
        figures = self.figures(parsed(body, _CALCULATE, job.documents).texts)
        return msgspec.json.encode(figures | {"report": figures})

    def _equipped(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The language, and what texts in it are looked at with."""
        language = arguments.get("language", self.models.language)
        served = language == self.models.language
        wanted = arguments.get("recognisers", [*self.recognisers] if served else [])
        unknown = [name for name in wanted if name not in self.recognisers]
        if unknown:
            having = f"has: {', '.join(self.recognisers)}" if self.recognisers else "has none"
            raise UsageError(f"recognisers are those that the service was started with; it {having}.")
        chosen = {"language": language, "recognisers": [self.recognisers[name] for name in wanted]}
        return chosen | (dict(self.cutters) if served else {})

    @cached_property
    def routes(self) -> dict[str, Route]:
        """The tasks, by name."""
        return make_routes()

    @cached_property
    def _decoders(self) -> dict[str, msgspec.json.Decoder[Any]]:
        return {name: msgspec.json.Decoder(task.body) for name, task in self.routes.items()}


_CALCULATE = msgspec.json.Decoder(CalculateRequest)


def parsed(body: bytes, decoder: msgspec.json.Decoder[B], most: int) -> B:
    """A body as a request.

    Args:
        body: JSON.
        decoder: gives it its type.
        most: how many documents it may have.

    Raises:
        RefusedError: it is no JSON, not of this type, or has more documents.
    """
    try:
        request = decoder.decode(body)
    except msgspec.ValidationError as error:
        raise RefusedError(_types(str(error))) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RefusedError(Problem("malformed-json", f"{str(error).removeprefix('JSON is malformed: ')}.")) from None
    if request.documents > most:
        detail = f"The body has {request.documents:,} documents, but the service takes {most:,} at most."
        raise RefusedError(Problem("too-many-documents", detail, "Send fewer at a time, or raise --max-documents."))
    return request


def without_text(error: BaseException) -> tuple[str, ...]:
    """The kind of an exception and the places in the code that it went through, without what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    return (*(f"{frame.filename}:{frame.lineno} {frame.name}" for frame in frames), type(error).__qualname__)


def _types(said: str) -> Problem:
    """What msgspec says about a type, with its place as a JSON Pointer."""
    what, _, path = said.partition(" - at `$")
    parts = [number or name for number, name in STEP.findall(path.split("[...]")[0].rstrip("`"))]
    if unknown := NAMED.search(what):
        parts.append(unknown[1])
    return Problem("invalid-request", f"{what}.", SEE, "".join(f"/{escaped(part)}" for part in parts))


SEE = "`/openapi.json` and `/docs/` say what a body looks like."
