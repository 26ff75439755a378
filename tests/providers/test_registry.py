from __future__ import annotations

import importlib.metadata
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from isogloss.errors import MissingExtraError, UsageError
from isogloss.kernel.registry import Registry
from isogloss.providers import (
    RECOGNISERS,
    SPLITTERS,
    TOKENIZERS,
    NameList,
    ProviderSettings,
    ProviderSpec,
    Span,
    merge_versions,
    open_recogniser,
    open_splitter,
)

ADDED: list[tuple[ProviderSpec, ProviderSettings]] = []


def added(spec: ProviderSpec, settings: ProviderSettings) -> NameList:
    """What another package might add."""
    spec.check_options("labels", "size")
    ADDED.append((spec, settings))
    return NameList([("Lviv", "DATE")], name=spec.text)


def test_another_package_adds_a_kind_by_an_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = Registry("recogniser", RECOGNISERS.group, RECOGNISERS.builtin)
    monkeypatch.setattr("isogloss.providers.registry.RECOGNISERS", kinds)
    entry = EntryPoint("theirs", f"{__name__}:added", "isogloss.recognisers")
    monkeypatch.setattr(
        importlib.metadata,
        "entry_points",
        lambda group: [entry] if group == "isogloss.recognisers" else [],
    )
    monkeypatch.setattr(
        "isogloss.kernel.registry.import_module",
        lambda _: __import__("types").SimpleNamespace(added=added),
    )
    ADDED.clear()
    provider = open_recogniser("theirs:x?size=3", language="uk_UA", download=True, batch_size=5, jobs=2)
    assert provider.annotate(["Lviv"]) == [[Span(0, 4, "DATE")]]
    ((spec, settings),) = ADDED
    assert (spec.argument, spec.parse_integer("size"), settings) == (
        "x",
        3,
        ProviderSettings("uk_UA", download=True, batch_size=5, jobs=2),
    )


@pytest.mark.parametrize("registry", [RECOGNISERS, SPLITTERS, TOKENIZERS])
def test_every_registered_kind_can_be_loaded(registry: Registry) -> None:
    for name in registry.builtin:
        assert callable(registry.load(name))


def test_a_misspelt_kind_suggests_the_closest() -> None:
    with pytest.raises(UsageError, match=r"In 'spcy:x': Unknown recogniser 'spcy'; did you mean spacy\?"):
        open_recogniser("spcy:x", language="uk")


def test_a_provider_of_another_type_is_refused() -> None:
    wanted: Any = 5
    with pytest.raises(UsageError, match="5 is not a provider: give a spec such as 'names:FILE', a callable or"):
        open_recogniser(wanted, language="uk")


def test_the_answers_of_any_provider_are_checked() -> None:
    assert open_recogniser(NameList(["a"]), language="uk").annotate(["", "a"]) == [[], [Span(0, 1)]]


def test_a_checked_provider_is_not_checked_again() -> None:
    provider = open_recogniser(NameList(["a"]), language="uk")
    assert open_recogniser(provider, language="uk") is provider


def test_a_splitter_is_no_recogniser() -> None:
    with pytest.raises(UsageError, match="Unknown recogniser 'lines'"):
        open_recogniser("lines", language="uk")
    assert open_splitter("lines", language="uk").name == "lines"


@pytest.mark.parametrize(
    ("spec", "module", "extra"),
    [
        ("spacy:x", "spacy", "spacy"),
        ("stanza:uk", "stanza", "stanza"),
        ("transformers:x", "transformers", "transformers"),
        ("transformers:x", "torch", "transformers"),
        ("gliner:x?labels=a", "gliner", "gliner"),
    ],
)
def test_an_error_of_a_missing_library_names_the_extra(
    spec: str,
    module: str,
    extra: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"{spec.partition('?')[0]}.*pip install 'isogloss\[{extra}\]'"):
        open_recogniser(spec, language="uk").annotate(["a"])


class Tagger:
    """A provider that says its versions itself."""

    name = "tagger"

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        return [[] for _ in texts]

    def versions(self) -> dict[str, str]:
        return {"weights": "3", "tagger": "1.2"}


@pytest.mark.extra
def test_versions_are_those_of_installed_packages_or_of_the_provider() -> None:
    pytest.importorskip("spacy")
    pipeline = open_recogniser("spacy:no_such_pipeline", language="en")
    assert pipeline.versions() == {"spacy": importlib.metadata.version("spacy")}
    assert merge_versions([open_recogniser(Tagger(), language="en"), NameList(["a"])]) == {
        "tagger": "1.2",
        "weights": "3",
    }
