"""Pipelines of spaCy that are made here: with rules, trained for a few steps, and saved to a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from libraries import library

from isogloss.errors import DataError, MissingModelError, UsageError
from isogloss.providers import Span, open_recogniser, open_splitter, open_tokenizer

pytestmark = pytest.mark.extra
spacy = library("spacy")

PATTERNS = [
    {"label": "PER", "pattern": "Ivan Franko"},
    {"label": "LOC", "pattern": "Lviv"},
    {"label": "DATE", "pattern": "1875"},
]


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of rules; sentences end at punctuation."""
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns(PATTERNS)
    nlp.add_pipe("sentencizer")
    folder = tmp_path_factory.mktemp("ruled")
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recogniser and a sentence splitter, trained until they know one sentence."""
    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("xx")
    for name in ("ner", "senter"):
        nlp.add_pipe(name)
    text = "Ivan жив. Lviv тут."
    entities = [(0, 4, "PER"), (10, 14, "LOC")]
    doc = nlp.make_doc(text)
    starts = [token.i in (0, 3) for token in doc]
    example = spacy.training.Example.from_dict(doc, {"entities": entities, "sent_starts": starts})
    optimizer = nlp.initialize(lambda: [example])
    for _ in range(25):
        nlp.update([example], sgd=optimizer)
    folder = tmp_path_factory.mktemp("trained")
    nlp.to_disk(folder)
    return folder


def found(spec: str, texts: Sequence[str], **options: Any) -> list[list[Span]]:
    return open_recogniser(spec, language="uk", **options).annotate(texts)


def test_names_have_the_offsets_and_labels_of_the_text(ruled: Path) -> None:
    spans = found(f"spacy:{ruled}", ["🙂  Ivan Franko, Lviv.", "", "1875"])
    assert spans == [[Span(3, 14, "PER"), Span(16, 20, "LOC")], [], []]


def test_labels_can_be_chosen(ruled: Path) -> None:
    assert found(f"spacy:{ruled}?labels=DATE,LOC", ["Ivan Franko Lviv 1875"]) == [
        [Span(12, 16, "LOC"), Span(17, 21, "DATE")],
    ]


def test_a_trained_recogniser_disables_other_components(trained: Path) -> None:
    provider = open_recogniser(f"spacy:{trained}", language="uk")
    assert provider.annotate(["Ivan жив. Lviv тут."]) == [[Span(0, 4, "PER"), Span(10, 14, "LOC")]]
    inner: Any = provider.provider
    assert inner._model.pipe_names == ["ner"]


def test_a_trained_splitter_disables_other_components(trained: Path) -> None:
    provider = open_splitter(f"spacy:{trained}", language="uk")
    assert provider.annotate(["Ivan жив. Lviv тут."]) == [[Span(0, 9), Span(10, 19)]]
    inner: Any = provider.provider
    assert inner._model.pipe_names == ["senter"]


def test_a_pipeline_with_rules_keeps_all_components(ruled: Path) -> None:
    provider = open_recogniser(f"spacy:{ruled}", language="uk")
    provider.load()
    inner: Any = provider.provider
    assert inner._model.pipe_names == ["entity_ruler", "sentencizer"]


def test_a_label_that_the_model_lacks_is_refused(trained: Path) -> None:
    with pytest.raises(UsageError, match=r"no label 'PERS'\. Is it one of: PER"):
        found(f"spacy:{trained}?labels=PERS", ["a"])


def test_sentences_are_those_of_the_pipeline(ruled: Path) -> None:
    assert open_splitter(f"spacy:{ruled}", language="uk").annotate(["🙂 One. \n Two! "]) == [[Span(0, 6), Span(9, 13)]]


def test_a_pipeline_without_sentences_is_no_splitter(tmp_path: Path) -> None:
    spacy.blank("xx").to_disk(tmp_path)
    with pytest.raises(DataError, match=r"finds no sentences: .*parser nor a senter.*\n.*--splitter"):
        open_splitter(f"spacy:{tmp_path}", language="uk").load()


def test_tokens_are_those_of_its_tokenizer(ruled: Path) -> None:
    text = "🙂 Ivan's  dog.\n"
    (spans,) = open_tokenizer(f"spacy:{ruled}", language="uk").annotate([text])
    assert "".join(text[span.start : span.end] for span in spans) == "🙂Ivan'sdog."


@pytest.mark.parametrize("length", [59, 60, 61, 1000])
def test_texts_over_the_limit_of_a_pipeline_are_read_whole(length: int, tmp_path: Path) -> None:
    nlp = spacy.blank("xx")
    nlp.add_pipe("entity_ruler").add_patterns(PATTERNS)
    nlp.to_disk(tmp_path)
    provider = open_recogniser(f"spacy:{tmp_path}", language="uk")
    provider.load()
    inner: Any = provider.provider
    inner._model.max_length = 60
    text = ("слово " * length)[: length - 4] + "Lviv"
    text = text if text[-5] == " " else text[:-5] + " Lviv"
    assert provider.annotate([text]) == [[Span(len(text) - 4, len(text), "LOC")]]


def test_several_processes_find_the_same(ruled: Path) -> None:
    texts = ["Lviv", "", "Ivan Franko", "a"] * 4
    assert found(f"spacy:{ruled}", texts, jobs=2, batch_size=3) == found(f"spacy:{ruled}", texts)


def test_an_installed_pipeline_is_found_by_its_name(
    ruled: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spacy.util, "is_package", lambda name: name == "xx_test_sm")
    load = spacy.load
    monkeypatch.setattr(spacy, "load", lambda name: load(ruled if name == "xx_test_sm" else name))
    assert found("spacy:xx_test_sm", ["Lviv"]) == [[Span(0, 4, "LOC")]]


def test_an_error_of_a_missing_pipeline_has_the_command() -> None:
    with pytest.raises(MissingModelError, match=r"Run: python -m spacy download uk_no_such \(or add --download\)"):
        found("spacy:uk_no_such", ["a"])


def test_a_missing_folder_is_not_searched_for_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match="there is no model at"):
        found(f"spacy:{tmp_path}/absent", ["a"])


def test_a_folder_that_holds_no_pipeline_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be loaded"):
        found(f"spacy:{tmp_path}", ["a"])


def test_a_download_happens_only_if_it_is_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(spacy.cli, "download", asked.append)
    for download in (False, True):
        with pytest.raises(MissingModelError):
            found("spacy:uk_no_such", ["a"], download=download)
        assert asked == ["uk_no_such"] * download


def test_a_spec_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="spacy needs NAME after a colon"):
        open_recogniser("spacy", language="uk")
