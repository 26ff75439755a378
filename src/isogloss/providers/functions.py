"""Functions as providers, and the checks that all answers of providers pass.

- Empty and whitespace-only texts are never passed on; they have no spans.
- Texts are passed on unchanged, in batches. Only half a surrogate pair, which no library accepts, becomes `?`.
- There must be one list of spans for each text, with whole numbers `0 <= start < end <= len(text)`.
- Whitespace at the ends of a span is trimmed; a span of whitespace alone is dropped.
- Spans are sorted by start, end and label, without duplicates. Sentences and tokens must not overlap.
- Labels that do not count as names are dropped.
- Any exception of a model becomes a `DataError` that names the provider and the first text of the batch.

A function takes a list of texts and returns the spans of each: (start, end), (start, end, label), or dicts or objects
with `start` or `start_char`, `end` or `end_char`, and a label.
"""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import operator
import pickle
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

from isogloss.errors import DataError, IsoglossError, UsageError
from isogloss.providers.models import Loadable, Provider, Span, Versioned, find_versions, get_sort_key, trim_span
from isogloss.providers.specs import ProviderSettings, ProviderSpec
from isogloss.text.display import fit_width, make_visible
from isogloss.text.scripts import CodePoints, Ints

ProviderRole = Literal["recogniser", "splitter", "tokenizer"]
SHOWN = 60  # cells of a text in a message


@dataclass(frozen=True)
class CheckedProvider:
    """A provider whose answers are checked.

    Args:
        provider: the provider inside.
        role: what its spans are.
        batch_size: number of texts to pass on at once, at least 1.
        labels: the labels that count as names; None for all.
        not_names: labels that do not count as names, used if `labels` is None.
        packages: packages that the provider consists of, unless it lists its versions itself.
    """

    provider: Provider
    role: ProviderRole
    batch_size: int
    labels: frozenset[str] | None = None
    not_names: frozenset[str] = frozenset()
    packages: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the provider inside."""
        return self.provider.name

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the packages of the provider inside.

        A provider of your own may have this method too.
        """
        if isinstance(self.provider, Versioned):
            return self.provider.versions()
        return find_versions(self.packages)

    def load(self) -> None:
        """Load the model of the provider inside, if any.

        Then the first text need not wait for it.
        """
        if isinstance(self.provider, Loadable):
            self.provider.load()

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text, in the order of the texts.

        Args:
            texts: any texts.

        Raises:
            DataError: if the provider fails, or gives an invalid answer.
        """
        spans: list[list[Span]] = [[] for _ in texts]
        asked = [number for number, text in enumerate(texts) if text and not text.isspace()]
        for begin in range(0, len(asked), self.batch_size):
            numbers = asked[begin : begin + self.batch_size]
            for number, answer in zip(numbers, self._ask_provider(texts, numbers), strict=True):
                spans[number] = answer if self._is_trusted else self._check_spans(texts[number], answer, number)
        return spans

    @property
    def _is_trusted(self) -> bool:
        """Whether the answers of a provider of our own need no checks."""
        return getattr(self.provider, "sound", False) is True

    def locate_sentences(self, texts: Sequence[str], codes: CodePoints) -> tuple[Ints, Ints] | None:
        """Return start and end of the sentences of joined texts.

        A space stands after each text. The result is (sentences,) each, ascending; None if the provider inside only
        returns spans of single texts.

        Args:
            texts: any texts.
            codes: (characters,) code points of the joined texts.

        Raises:
            DataError: if the provider fails.
        """
        locate = getattr(self.provider, "locate_sentences", None) if self._is_trusted else None
        if locate is None:
            return None
        with self._name_failures(texts, range(len(texts))):
            found: tuple[Ints, Ints] = locate(_replace_surrogates(texts), codes)
        return found

    def _ask_provider(self, texts: Sequence[str], numbers: Sequence[int]) -> list[list[Span]]:
        """Return the provider's list of spans for each text of one batch."""
        with self._name_failures(texts, numbers):
            answers = list(self.provider.annotate(_replace_surrogates([texts[number] for number in numbers])))
        if len(answers) != len(numbers):
            raise DataError(
                f"{self.name} gives {len(answers)} lists of spans for {len(numbers)} texts",
                where=f"text {numbers[0] + 1}",
                remedy="It must give one list for each text, in their order.",
            )
        return answers

    @contextmanager
    def _name_failures(self, texts: Sequence[str], numbers: Sequence[int]) -> Iterator[None]:
        """Turn any exception into one that names the provider.

        It also names the first text of the batch.
        """
        try:
            yield
        except (IsoglossError, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of a Rust library is not an Exception
            raise DataError(
                f"{self.name} fails: {type(error).__name__}: {error}",
                where=f"text {numbers[0] + 1}",
                detail=f"A batch of {len(numbers)} that begins with: {_shorten(texts[numbers[0]])}",
                remedy="Use a batch size of 1 to find the text.",
            ) from error

    def _check_spans(self, text: str, answer: Iterable[Span], number: int) -> list[Span]:
        checked, reached, in_order = [], 0, True
        for span in self._to_spans(text, answer, number):
            start, end, label = span
            if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
                raise self._make_bounds_error(text, (start, end), number)
            if not self._is_name_label(label):
                continue
            in_order = in_order and reached <= start
            reached = end
            if text[start].isspace() or text[end - 1].isspace():
                checked += trim_span(text, start, end, label)
            else:
                checked.append(span if type(span) is Span else Span(start, end, label))
        return checked if in_order else self._sort_spans(text, checked, number)

    def _to_spans(self, text: str, answer: Iterable[Any], number: int) -> Sequence[Span]:
        """Return the answer of a provider object as spans, whatever their form."""
        try:
            return [span if type(span) is Span else to_span(span) for span in answer]
        except TypeError as error:
            raise DataError(
                f"{self.name} gives {answer!r:.{SHOWN}} instead of a list of spans",
                where=f"text {number + 1}",
                detail=_shorten(text),
                remedy="Give a list of (start, end) or (start, end, label) for each text; an empty list for no span.",
            ) from error

    def _sort_spans(self, text: str, unsorted: Iterable[Span], number: int) -> list[Span]:
        spans = sorted(set(unsorted), key=get_sort_key)
        if self.role != "recogniser":
            self._check_disjoint(text, spans, number)
        return spans

    def _is_name_label(self, label: str | None) -> bool:
        return label not in self.not_names if self.labels is None else label in self.labels

    def _make_bounds_error(self, text: str, offsets: tuple[object, object], number: int) -> DataError:
        return DataError(
            f"{self.name} gives a span from {offsets[0]!r} to {offsets[1]!r} in a text of {len(text)} characters",
            where=f"text {number + 1}",
            detail=_shorten(text),
            remedy="Offsets are whole numbers of code points with 0 <= start < end <= length.",
        )

    def _check_disjoint(self, text: str, spans: Sequence[Span], number: int) -> None:
        for one, other in pairwise(spans):
            if one.end > other.start:
                raise DataError(
                    f"{self.name} gives spans that overlap: {one[:2]} and {other[:2]}",
                    where=f"text {number + 1}",
                    detail=_shorten(text),
                    remedy=f"The spans of a {self.role} must not overlap.",
                )


def _replace_surrogates(texts: Sequence[str]) -> Sequence[str]:
    """Replace each half of a surrogate pair by `?`.

    The number of code points of each text stays the same.
    """
    try:
        "".join(texts).encode("utf-16-le")  # quicker than one after the other, and than UTF-8
    except UnicodeEncodeError:
        return [text.encode(errors="replace").decode() for text in texts]
    return texts


def _shorten(text: str) -> str:
    return fit_width(make_visible(text[:SHOWN]), SHOWN)


AnnotateFunction = Callable[[list[str]], Iterable[Iterable[Any]]]

START_NAMES = ("start_char", "start")
END_NAMES = ("end_char", "end")
LABEL_NAMES = ("label_", "label", "type", "entity_group")


class FunctionProvider:
    """A function as a provider.

    Args:
        function: converts texts to spans.
        name: its name as the user wrote it.
        settings: batch size and jobs.
        spec: the spec that names it, for other processes; None to send them the function.
    """

    def __init__(
        self,
        function: AnnotateFunction,
        *,
        name: str,
        settings: ProviderSettings,
        spec: ProviderSpec | None = None,
    ) -> None:
        self._name = name
        self._function = function
        self._source: AnnotateFunction | ProviderSpec = function if spec is None else spec
        self._settings = settings

    @property
    def name(self) -> str:
        """Its name as the user wrote it."""
        return self._name

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text."""
        if self._settings.jobs == 1 or len(texts) <= self._settings.batch_size:
            return _call_function(self._function, list(texts))
        size = self._settings.batch_size
        batches = [list(texts[at : at + size]) for at in range(0, len(texts), size)]
        return [spans for batch in self._pool.map(_call_in_worker, batches) for spans in batch]

    @cached_property
    def _pool(self) -> ProcessPoolExecutor:
        try:
            pickle.dumps(self._source)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(
                f"{self.name} cannot run in {self._settings.jobs} processes: {error}. "
                "Define it at the top of a module, or use jobs=1",
            ) from error
        context = multiprocessing.get_context("spawn")  # a fork would copy the locks of other threads
        pool = ProcessPoolExecutor(self._settings.jobs, context, _start_worker, (self._source,))
        weakref.finalize(self, pool.shutdown, wait=False)
        return pool


def build_provider(spec: ProviderSpec, settings: ProviderSettings) -> Provider:
    """Open `python:...`: a function, or an object that is a provider already.

    Args:
        spec: the parsed spec.
        settings: the settings of the run.

    Raises:
        UsageError: if there is no such module or function.
    """
    spec.check_options("labels")
    loaded = load_function(spec)
    return (
        loaded
        if isinstance(loaded, Provider)
        else FunctionProvider(loaded, name=spec.text, settings=settings, spec=spec)
    )


def load_function(spec: ProviderSpec) -> Any:
    """Import the object that `module:function` or `FILE.py:function` names; `function` may have dots.

    Args:
        spec: the parsed spec.

    Raises:
        UsageError: if there is no such module or function.
        DataError: if the module fails when it is imported.
    """
    place, _, name = spec.require_argument("module:function").rpartition(":")
    if not place or not name:
        raise UsageError(f"In {spec.text!r}: write python:module:function or python:FILE.py:function")
    try:
        module = _load_file(place) if place.endswith(".py") else importlib.import_module(place)
        return operator.attrgetter(name)(module)
    except ModuleNotFoundError as error:
        if place.endswith(".py") and not Path(place).is_file():
            raise UsageError(
                f"In {spec.text!r}: there is no file {place!r} in {Path.cwd()}. Check the path, or write it in full"
            ) from error
        remedy = "Name its file (python:FILE.py:function), or put its folder on PYTHONPATH"
        raise UsageError(f"In {spec.text!r}: {error}. {remedy}") from error
    except AttributeError as error:
        raise UsageError(f"In {spec.text!r}: {error}. Name a function of {place}.") from error
    except Exception as error:
        raise DataError(
            f"{spec.text} cannot be imported: {type(error).__name__}: {error}",
            where=place,
            remedy=f"Correct it until this works: python -c 'import {Path(place).stem}'",
        ) from error


def _load_file(path: str) -> Any:
    module_spec = importlib.util.spec_from_file_location(Path(path).stem, path)
    if module_spec is None or module_spec.loader is None or not Path(path).is_file():
        raise ModuleNotFoundError(f"No file {path!r}")
    module = importlib.util.module_from_spec(module_spec)
    module_spec.loader.exec_module(module)
    return module


def _call_function(function: AnnotateFunction, texts: list[str]) -> list[list[Span]]:
    return [[to_span(item) for item in spans] for spans in function(texts)]


def to_span(item: Any) -> Span:
    """Convert a span from any of the supported forms.

    The docstring of this module lists them.

    Args:
        item: a tuple, list, dict or object.

    Raises:
        DataError: if it has no start or end.
    """
    if isinstance(item, (tuple, list)) and len(item) in (2, 3):
        start, end, label = (*item, None)[:3]
    else:
        start, end, label = (_get_first(item, names) for names in (START_NAMES, END_NAMES, LABEL_NAMES))
    try:
        return Span(operator.index(start), operator.index(end), None if label is None else str(label))
    except TypeError as error:
        raise DataError(
            f"{item!r} is not a span",
            remedy="Give (start, end), (start, end, label), or a dict or object with these.",
        ) from error


def _get_first(item: Any, names: Iterable[str]) -> Any:
    """Return the first of several keys or attributes that is set."""
    get = item.get if isinstance(item, Mapping) else lambda name: getattr(item, name, None)
    return next((value for value in map(get, names) if value is not None), None)


_worker: list[AnnotateFunction] = []  # the function of this worker process


def _start_worker(wanted: ProviderSpec | AnnotateFunction) -> None:
    _worker[:] = [load_function(wanted) if isinstance(wanted, ProviderSpec) else wanted]


def _call_in_worker(texts: list[str]) -> list[list[Span]]:
    return _call_function(_worker[0], texts)
