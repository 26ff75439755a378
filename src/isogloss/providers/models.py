"""What the providers with models share.

A model is loaded once, at first use or when asked for, and never fetched unless the user says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from isogloss.exceptions import DataError, MissingModelError
from isogloss.providers.spans import Span

PATH = re.compile(r"[./~\\]|[A-Za-z]:[/\\]")  # what a path begins with, and the name of a model does not


@dataclass
class ModelProvider:
    """A provider with a model, which is asked by one thread at a time.

    Args:
        name: as the user wrote it.
        opened: gives the model.
        spans: the spans of texts, by the model.
    """

    name: str
    opened: Callable[[], Any]
    spans: Callable[[Any, Sequence[str]], list[list[Span]]]
    _model: Any = field(default=None, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def load(self) -> None:
        """Loads the model, once, whatever the number of threads that ask.

        Raises:
            MissingExtraError: the library is not installed.
            MissingModelError: the model is not on this machine.
        """
        with self._lock:
            if self._model is None:
                self._model = self.opened()

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The spans of each text."""
        with self._lock:
            self.load()
            return self.spans(self._model, texts)


def place_of(name: str, argument: str, file: str, *, download: bool) -> str:
    """Where a model of Hugging Face is to be loaded from: a folder, unless it may be downloaded.

    The folder in the cache is looked up here, because the library's own look-up asks its server something even where
    only local files are allowed.

    Args:
        name: the provider, as the user wrote it.
        argument: a folder, or the name of a model.
        file: a file that every such model has.
        download: whether the name is good enough.

    Raises:
        MissingModelError: there is no such folder, and the model is not in the cache.
    """
    if download or Path(argument).is_dir():
        return argument
    from huggingface_hub import try_to_load_from_cache  # noqa: PLC0415  comes with the libraries that call this

    found = None if PATH.match(argument) else try_to_load_from_cache(argument, file)
    if not isinstance(found, str):
        raise missing(name, argument, f"hf download {argument}")
    return str(Path(found).parent)


def missing(name: str, argument: str, command: str) -> MissingModelError:
    """The error for a model that is not there.

    Args:
        name: the provider, as the user wrote it.
        argument: the model or path.
        command: what brings a model that is not a path.
    """
    if PATH.match(argument):
        return MissingModelError(f"{name}: there is no model at {argument}", f"ls {Path(argument).parent}")
    return MissingModelError(f"{name}: the model {argument} is not on this machine", f"{command} (or add --download)")


def unusable(name: str, argument: str, error: Exception) -> DataError:
    """The error for a folder that holds no model of the library."""
    remedy = "Name the folder that the library saved the model to, and check the versions of both."
    return DataError(f"{name} cannot be loaded: {type(error).__name__}: {error}", where=argument, remedy=remedy)
