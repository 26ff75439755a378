"""Documents of stanza built by hand; the pipeline itself has no model without a download."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from libraries import library

from isogloss.errors import MissingModelError, UsageError
from isogloss.providers import Span, open_recogniser, open_splitter, open_tokenizer
from isogloss.providers.stanza import list_stanza_names, list_stanza_sentences, list_stanza_tokens

pytestmark = [
    pytest.mark.extra,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # what stanza imports uses what torch deprecates
]
stanza = library("stanza")
TEXT = "🙂 Ivan Franko  du Lviv. Так!"


def entry(number: Any, text: str, start: int, ner: str = "O") -> dict[str, Any]:
    return {"id": number, "text": text, "start_char": start, "end_char": start + len(text), "ner": ner}


@pytest.fixture
def document() -> Any:
    """The second sentence begins at 25; `du` is one token of two words."""
    first = [
        entry(1, "🙂", 0),
        entry(2, "Ivan", 2, "B-PERS"),
        entry(3, "Franko", 7, "E-PERS"),
        entry((4, 5), "du", 15),
        {"id": 4, "text": "de"},
        {"id": 5, "text": "le"},
        entry(6, "Lviv", 18, "S-LOC"),
        entry(7, ".", 22),
    ]
    second = [entry(1, "Так", 24), entry(2, "!", 27)]
    made = stanza.Document([first, second], text=TEXT)
    made.build_ents()
    return made


def test_entities_have_their_offsets_and_types(document: Any) -> None:
    assert list_stanza_names(document) == [Span(2, 13, "PERS"), Span(18, 22, "LOC")]


def test_a_span_may_have_several_labels(document: Any) -> None:
    document.ents = [
        *document.ents,
        stanza.models.common.doc.Span(
            span_entry={"text": "Lviv", "type": "ORG", "start_char": 18, "end_char": 22},
            doc=document,
        ),
    ]
    assert list_stanza_names(document)[1:] == [Span(18, 22, "LOC"), Span(18, 22, "ORG")]


def test_a_sentence_spans_its_tokens(document: Any) -> None:
    assert list_stanza_sentences(document) == [Span(0, 23), Span(24, 28)]


def test_a_token_of_several_words_is_one(document: Any) -> None:
    assert [TEXT[span.start : span.end] for span in list_stanza_tokens(document)] == [
        *("🙂", "Ivan", "Franko", "du", "Lviv", ".", "Так", "!"),
    ]


class Pipeline:
    """What stanza gives for each text, with the arguments it was made with."""

    made: list[dict[str, Any]] = []  # noqa: RUF012  of one test

    def __init__(self, lang: str, **options: Any) -> None:
        self.made.append({"lang": lang, **options})

    def bulk_process(self, texts: list[str]) -> list[Any]:
        return [stanza.Document([[entry(1, text.strip(), 0, "S-LOC")]], text=text) for text in texts]


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> type[Pipeline]:
    monkeypatch.setattr(stanza, "Pipeline", Pipeline)
    Pipeline.made.clear()
    return Pipeline


def test_the_fake_pipeline_has_the_signature_of_the_real_one(pipeline: type[Pipeline]) -> None:
    open_recogniser("stanza:uk", language="en").load()
    real = inspect.signature(stanza.pipeline.core.Pipeline.__init__)
    real.bind(None, **pipeline.made[0])
    assert {"processors", "download_method", "verbose"} <= set(real.parameters)
    assert list(inspect.signature(stanza.pipeline.core.Pipeline.bulk_process).parameters)[:2] == ["self", "docs"]


def test_nothing_is_downloaded_unless_it_is_allowed(pipeline: type[Pipeline]) -> None:
    for download in (False, True):
        open_recogniser("stanza", language="uk_UA", download=download).load()
    methods = [made["download_method"] for made in pipeline.made]
    assert methods == [None, stanza.DownloadMethod.REUSE_RESOURCES]
    assert {made["lang"] for made in pipeline.made} == {"uk"}


def test_each_role_requests_its_processors(pipeline: type[Pipeline]) -> None:
    for role in (open_recogniser, open_splitter, open_tokenizer):
        role("stanza:uk", language="uk").load()
    assert [made["processors"] for made in pipeline.made] == ["tokenize,ner", "tokenize", "tokenize"]


def test_blank_texts_do_not_reach_the_pipeline(pipeline: type[Pipeline], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.providers.stanza.LONGEST", 4)
    assert open_splitter("stanza:uk", language="uk").annotate(["", "a", "bbb     ccc"]) == [
        [],
        [Span(0, 1)],
        [Span(0, 3), Span(8, 11)],
    ]


def test_an_error_of_a_missing_language_has_the_command(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    real = stanza.Pipeline
    monkeypatch.setattr(stanza, "Pipeline", lambda *given, **options: real(*given, dir=str(tmp_path), **options))
    with pytest.raises(
        MissingModelError,
        match=r"""Run: python -c "import stanza; stanza.download\('uk'\)" \(or add""",
    ):
        open_recogniser("stanza:uk", language="uk").load()


def test_a_language_that_stanza_lacks_is_a_usage_error(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "resources.json").write_text("{}", encoding="utf-8")
    real = stanza.Pipeline
    monkeypatch.setattr(stanza, "Pipeline", lambda *given, **options: real(*given, dir=str(tmp_path), **options))
    with pytest.raises(UsageError, match=r"In 'stanza:qq': .*qq"):
        open_recogniser("stanza:qq", language="uk").load()
