"""The kinds of providers by role: those of this package, and what other packages add.

A package adds one by an entry point in the group of the role. It names a factory, `(Spec, Settings) -> Provider`:

    [project.entry-points."isogloss.recognisers"]
    mine = "my_package.names:recogniser"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry
from isogloss.providers.functions import FunctionProvider, Guarded, Role
from isogloss.providers.models import NOT_NAMES, Provider
from isogloss.providers.segmenters import default
from isogloss.providers.specs import BATCH, Settings, Spec, parsed

RECOGNISERS = Registry(
    "recogniser",
    "isogloss.recognisers",
    {
        "gliner": "isogloss.providers.gliner:recogniser",
        "names": "isogloss.providers.names:recogniser",
        "python": "isogloss.providers.functions:provider",
        "spacy": "isogloss.providers.spacy:recogniser",
        "stanza": "isogloss.providers.stanza:recogniser",
        "transformers": "isogloss.providers.transformers:recogniser",
    },
)
SPLITTERS = Registry(
    "splitter",
    "isogloss.splitters",
    {
        "lines": "isogloss.providers.segmenters:lines",
        "python": "isogloss.providers.functions:provider",
        "sentencex": "isogloss.providers.segmenters:sentencex",
        "spacy": "isogloss.providers.spacy:splitter",
        "stanza": "isogloss.providers.stanza:splitter",
        "terminators": "isogloss.providers.segmenters:terminators",
    },
)
TOKENIZERS = Registry(
    "tokenizer",
    "isogloss.tokenizers",
    {
        "icu": "isogloss.providers.segmenters:icu",
        "pythainlp": "isogloss.providers.segmenters:pythainlp",
        "python": "isogloss.providers.functions:provider",
        "spacy": "isogloss.providers.spacy:tokenizer",
        "stanza": "isogloss.providers.stanza:tokenizer",
        "whitespace": "isogloss.providers.segmenters:whitespace",
    },
)

Wanted = str | Provider | Callable[[list[str]], Any]

AHEAD = 8  # batches that each process is given at once


def recogniser(
    wanted: Wanted,
    *,
    language: str,
    download: bool = False,
    batch_size: int = BATCH,
    jobs: int = 1,
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
    wanted: Wanted | None = None,
    *,
    language: str,
    download: bool = False,
    batch_size: int = BATCH,
    jobs: int = 1,
) -> Guarded:
    """A splitter into sentences; arguments and errors as for `recogniser`.

    Without `wanted` it is `sentencex`, or `terminators` where that is not installed; its name says which.
    """
    settings = Settings(language, download, batch_size, jobs)
    return _guarded(default() if wanted is None else wanted, "splitter", SPLITTERS, settings)


def tokenizer(
    wanted: Wanted,
    *,
    language: str,
    download: bool = False,
    batch_size: int = BATCH,
    jobs: int = 1,
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
