"""Providers by role and kind, opened from specs.

To add a provider, write a factory in a module of its own and list it here by role.
A factory is a function `(ProviderSpec, ProviderSettings) -> Provider`. Another package adds a kind by an entry point in
the group of the role, which names a factory:

    [project.entry-points."isogloss.recognisers"]
    mine = "my_package.names:build_recogniser"
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry
from isogloss.providers.functions import CheckedProvider, FunctionProvider, ProviderRole
from isogloss.providers.models import NOT_NAMES, PACKAGES, Provider
from isogloss.providers.rule_based import choose_default_splitter
from isogloss.providers.specs import DEFAULT_BATCH_SIZE, ProviderFactory, ProviderSettings, parse_spec

RECOGNISERS = Registry(
    "recogniser",
    "isogloss.recognisers",
    {
        "gliner": "isogloss.providers.gliner:build_recogniser",
        "names": "isogloss.providers.name_lists:build_recogniser",
        "python": "isogloss.providers.functions:build_provider",
        "spacy": "isogloss.providers.spacy:build_recogniser",
        "stanza": "isogloss.providers.stanza:build_recogniser",
        "transformers": "isogloss.providers.transformers:build_recogniser",
    },
)
SPLITTERS = Registry(
    "splitter",
    "isogloss.splitters",
    {
        "lines": "isogloss.providers.rule_based:build_line_splitter",
        "python": "isogloss.providers.functions:build_provider",
        "sentencex": "isogloss.providers.rule_based:build_sentencex_splitter",
        "spacy": "isogloss.providers.spacy:build_splitter",
        "stanza": "isogloss.providers.stanza:build_splitter",
        "terminators": "isogloss.providers.rule_based:build_terminator_splitter",
    },
)
TOKENIZERS = Registry(
    "tokenizer",
    "isogloss.tokenizers",
    {
        "icu": "isogloss.providers.rule_based:build_icu_tokenizer",
        "pythainlp": "isogloss.providers.rule_based:build_pythainlp_tokenizer",
        "python": "isogloss.providers.functions:build_provider",
        "spacy": "isogloss.providers.spacy:build_tokenizer",
        "stanza": "isogloss.providers.stanza:build_tokenizer",
        "whitespace": "isogloss.providers.rule_based:build_whitespace_tokenizer",
    },
)

ProviderInput = str | Provider | Callable[[list[str]], Any]

BATCHES_AHEAD = 8  # batches to pass to each process at once


def open_recogniser(
    provider: ProviderInput,
    *,
    language: str,
    download: bool = False,
    batch_size: int = DEFAULT_BATCH_SIZE,
    jobs: int = 1,
) -> CheckedProvider:
    """Open a recogniser of names.

    Args:
        provider: a spec such as `spacy:uk_core_news_sm?labels=PER,LOC`, a callable, or a provider.
        language: the language of the texts, such as `uk` or `zh_TW`.
        download: whether a model that is not on this machine may be downloaded.
        batch_size: number of texts to pass to a model at once, at least 1.
        jobs: number of processes, for `python` and `spacy`, at least 1.

    Raises:
        UsageError: if the spec is invalid, or `provider` is not of these types.
        MissingExtraError: if a library is not installed; some providers raise it only when they load.
        MissingModelError: if a model is not on this machine; some providers raise it only when they load.
    """
    return _build_checked(provider, "recogniser", RECOGNISERS, ProviderSettings(language, download, batch_size, jobs))


def open_splitter(
    provider: ProviderInput | None = None,
    *,
    language: str,
    download: bool = False,
    batch_size: int = DEFAULT_BATCH_SIZE,
    jobs: int = 1,
) -> CheckedProvider:
    """Open a splitter into sentences; arguments and errors as for `open_recogniser`.

    Without `provider` it is `sentencex`, or `terminators` if sentencex is not installed; its name shows which.
    """
    settings = ProviderSettings(language, download, batch_size, jobs)
    return _build_checked(choose_default_splitter() if provider is None else provider, "splitter", SPLITTERS, settings)


def open_tokenizer(
    provider: ProviderInput,
    *,
    language: str,
    download: bool = False,
    batch_size: int = DEFAULT_BATCH_SIZE,
    jobs: int = 1,
) -> CheckedProvider:
    """Open a tokenizer; arguments and errors as for `open_recogniser`."""
    return _build_checked(provider, "tokenizer", TOKENIZERS, ProviderSettings(language, download, batch_size, jobs))


def _build_checked(
    provider: ProviderInput, role: ProviderRole, kinds: Registry, settings: ProviderSettings
) -> CheckedProvider:
    if isinstance(provider, CheckedProvider):
        return provider
    size = settings.batch_size * (1 if settings.jobs == 1 else settings.jobs * BATCHES_AHEAD)
    if not isinstance(provider, str):
        return CheckedProvider(_to_provider(provider, settings), role, size)
    spec = parse_spec(provider)
    labels = spec.parse_labels() if role == "recogniser" else None
    try:
        factory: ProviderFactory = kinds.load(spec.kind)
    except UsageError as error:
        raise UsageError(f"In {spec.text!r}: {error}") from error
    packages = PACKAGES.get(spec.kind, ())
    if spec.kind == "spacy" and spec.argument:
        packages += (spec.argument,)  # a pipeline is a package, or a folder
    if role != "recogniser":
        return CheckedProvider(factory(spec, settings), role, size, packages=packages)
    names = None if labels is None else frozenset(labels)
    not_names = NOT_NAMES.get(spec.kind, frozenset())
    return CheckedProvider(factory(spec, settings), role, size, names, not_names, packages)


def _to_provider(provider: Any, settings: ProviderSettings) -> Provider:
    if isinstance(provider, Provider):
        return provider
    if not callable(provider):
        raise UsageError(f"{provider!r} is not a provider: give a spec such as 'names:FILE', a callable or a Provider")
    name = getattr(provider, "__qualname__", type(provider).__qualname__)
    module = getattr(provider, "__module__", type(provider).__module__)
    return FunctionProvider(provider, name=f"python:{module}:{name}", settings=settings)
