"""`python:module:function`, `python:FILE.py:function` and any callable: a list of texts in, the spans of each text out.

A span is `(start, end)`, `(start, end, label)`, a dict with these keys, or an object with these attributes. What other
libraries give is understood as well: `start_char` and `end_char` go before `start` and `end` (spaCy's and stanza's
spans have both, and their `start` counts tokens), and the label may be called `label_`, `type` or `entity_group`.

With several jobs the texts are shared out among processes. They import the function by its name, so it must stand at
the top of a module; a function that cannot be handed to another process is refused.
"""

from __future__ import annotations

import importlib
import importlib.util
import multiprocessing
import operator
import pickle
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

from isogloss.exceptions import DataError, UsageError
from isogloss.providers.spans import Provider, Span
from isogloss.providers.specs import Settings, Spec

Function = Callable[[list[str]], Iterable[Iterable[Any]]]

STARTS = ("start_char", "start")
ENDS = ("end_char", "end")
LABELS = ("label_", "label", "type", "entity_group")


class FunctionProvider:
    """A function as a provider.

    Args:
        function: texts to spans; or the spec that names it.
        name: as the user wrote it.
        settings: batch size and jobs.
    """

    def __init__(self, function: Function | Spec, *, name: str, settings: Settings) -> None:
        self._name = name
        self._wanted = function
        self._settings = settings

    @property
    def name(self) -> str:
        """As the user wrote it."""
        return self._name

    def load(self) -> None:
        """Imports the function."""
        _ = self._function

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The spans of each text."""
        if self._settings.jobs == 1 or len(texts) <= self._settings.batch_size:
            return _called(self._function, list(texts))
        size = self._settings.batch_size
        batches = [list(texts[at : at + size]) for at in range(0, len(texts), size)]
        return [spans for batch in self._pool.map(_in_worker, batches) for spans in batch]

    @cached_property
    def _function(self) -> Function:
        return function_of(self._wanted) if isinstance(self._wanted, Spec) else self._wanted

    @cached_property
    def _pool(self) -> ProcessPoolExecutor:
        try:
            handed = pickle.dumps(self._wanted)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            raise UsageError(
                f"{self.name} cannot run in {self._settings.jobs} processes: {error}. "
                "Define it at the top of a module, or use jobs=1"
            ) from error
        context = multiprocessing.get_context("spawn")  # a fork would copy the locks of other threads
        pool = ProcessPoolExecutor(self._settings.jobs, context, _start_worker, (handed,))
        weakref.finalize(self, pool.shutdown, wait=False)
        return pool


def provider(spec: Spec, settings: Settings) -> Provider:
    """What `python:...` names: a function, or an object that is a provider already.

    Raises:
        UsageError: there is no such module or function.
    """
    spec.only("labels")
    found = function_of(spec)
    return found if isinstance(found, Provider) else FunctionProvider(spec, name=spec.text, settings=settings)


def function_of(spec: Spec) -> Any:
    """The object that `module:function` or `FILE.py:function` names; `function` may have dots.

    Raises:
        UsageError: there is no such module or function.
    """
    place, _, name = spec.needs_argument("module:function").rpartition(":")
    if not place or not name:
        raise UsageError(f"In {spec.text!r}: write python:module:function or python:FILE.py:function")
    try:
        module = _of_file(place) if place.endswith(".py") else importlib.import_module(place)
        return operator.attrgetter(name)(module)
    except ModuleNotFoundError as error:
        remedy = "Name its file (python:FILE.py:function), or put its folder on PYTHONPATH"
        raise UsageError(f"In {spec.text!r}: {error}. {remedy}") from error
    except AttributeError as error:
        raise UsageError(f"In {spec.text!r}: {error}") from error


def _of_file(path: str) -> Any:
    found = importlib.util.spec_from_file_location(Path(path).stem, path)
    if found is None or found.loader is None or not Path(path).is_file():
        raise ModuleNotFoundError(f"No file {path!r}")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _called(function: Function, texts: list[str]) -> list[list[Span]]:
    return [[span_of(item) for item in spans] for spans in function(texts)]


def span_of(item: Any) -> Span:
    """A span in any of the forms that this module's docstring lists.

    Raises:
        DataError: it has no start or end.
    """
    if isinstance(item, (tuple, list)) and len(item) in (2, 3):
        start, end, label = (*item, None)[:3]
    else:
        start, end, label = (_first(item, names) for names in (STARTS, ENDS, LABELS))
    try:
        return Span(operator.index(start), operator.index(end), None if label is None else str(label))
    except TypeError as error:
        raise DataError(
            f"{item!r} is no span", remedy="Give (start, end), (start, end, label), or a dict or object with these."
        ) from error


def _first(item: Any, names: Iterable[str]) -> Any:
    """The first of several keys or attributes that is there."""
    found = item.get if isinstance(item, Mapping) else lambda name: getattr(item, name, None)
    return next((value for value in map(found, names) if value is not None), None)


_worker: list[Function] = []  # of a process that does nothing else


def _start_worker(handed: bytes) -> None:
    wanted = pickle.loads(handed)  # noqa: S301  it comes from the process that started this one
    _worker[:] = [function_of(wanted) if isinstance(wanted, Spec) else wanted]


def _in_worker(texts: list[str]) -> list[list[Span]]:
    return _called(_worker[0], texts)
