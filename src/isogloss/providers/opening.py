"""Providers from what a user gives: a spec, a callable, or a provider. What comes out is guarded (see `guards`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isogloss.exceptions import UsageError
from isogloss.providers.functions import FunctionProvider
from isogloss.providers.guards import Guarded, Role
from isogloss.providers.kinds import RECOGNISERS, SPLITTERS, TOKENIZERS
from isogloss.providers.labels import NOT_NAMES
from isogloss.providers.sentences import default
from isogloss.providers.spans import Provider
from isogloss.providers.specs import BATCH, Settings, Spec, parsed
from isogloss.registry import Registry

Wanted = str | Provider | Callable[[list[str]], Any]

AHEAD = 8  # batches that each process is given at once


def recogniser(
    wanted: Wanted, *, language: str, download: bool = False, batch_size: int = BATCH, jobs: int = 1
) -> Guarded:
    """A recogniser of names.

    Args:
        wanted: a spec such as `spacy:uk_core_news_sm?labels=PER,LOC`, a callable, or a provider.
        language: of the texts, such as `uk` or `zh_TW`.
        download: whether a model that is not on this machine may be downloaded.
        batch_size: texts that a model is given at once.
        jobs: processes, for `python` and `spacy`.

    Raises:
        UsageError: the spec has no meaning, or `wanted` is none of these.
        MissingExtraError: a library is not installed; some providers say so only when they load.
        MissingModelError: a model is not on this machine; likewise.
    """
    return _guarded(wanted, "recogniser", RECOGNISERS, Settings(language, download, batch_size, jobs))


def splitter(
    wanted: Wanted | None = None, *, language: str, download: bool = False, batch_size: int = BATCH, jobs: int = 1
) -> Guarded:
    """A splitter into sentences; arguments and errors as for `recogniser`.

    Without `wanted` it is `sentencex`, or `terminators` where that is not installed; its name says which.
    """
    settings = Settings(language, download, batch_size, jobs)
    return _guarded(default() if wanted is None else wanted, "splitter", SPLITTERS, settings)


def tokenizer(
    wanted: Wanted, *, language: str, download: bool = False, batch_size: int = BATCH, jobs: int = 1
) -> Guarded:
    """A tokenizer; arguments and errors as for `recogniser`."""
    return _guarded(wanted, "tokenizer", TOKENIZERS, Settings(language, download, batch_size, jobs))


def _guarded(wanted: Wanted, role: Role, kinds: Registry, settings: Settings) -> Guarded:
    if isinstance(wanted, Guarded):
        return wanted
    size = settings.batch_size * (1 if settings.jobs == 1 else settings.jobs * AHEAD)
    if not isinstance(wanted, str):
        return Guarded(_object(wanted, settings), role, size)
    spec = parsed(wanted)
    labels = spec.labels() if role == "recogniser" else None
    return Guarded(
        _made(spec, kinds, settings),
        role,
        size,
        labels=None if labels is None else frozenset(labels),
        not_names=NOT_NAMES.get(spec.kind, frozenset()) if role == "recogniser" else frozenset(),
    )


def _made(spec: Spec, kinds: Registry, settings: Settings) -> Provider:
    try:
        factory = kinds.load(spec.kind)
    except UsageError as error:
        raise UsageError(f"In {spec.text!r}: {error}") from error
    made: Provider = factory(spec, settings)
    return made


def _object(wanted: Any, settings: Settings) -> Provider:
    if isinstance(wanted, Provider):
        return wanted
    if not callable(wanted):
        raise UsageError(f"{wanted!r} is no provider: give a spec such as 'names:FILE', a callable or a Provider")
    name = getattr(wanted, "__qualname__", type(wanted).__qualname__)
    module = getattr(wanted, "__module__", type(wanted).__module__)
    return FunctionProvider(wanted, name=f"python:{module}:{name}", settings=settings)
