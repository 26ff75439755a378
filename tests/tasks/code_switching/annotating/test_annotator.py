from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import isogloss
from isogloss.providers import Span, open_splitter
from isogloss.tasks.code_switching.annotator import ForeignWordAnnotator, NameFinder, TextSegmenter
from isogloss.tasks.code_switching.excuses import ExcuseFinder
from isogloss.tasks.code_switching.reasons import NO_REASON
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import load_alphabet


class Recording:
    """A recogniser that records the texts it gets and finds the listed names."""

    def __init__(self, *names: str) -> None:
        self.names = names
        self.asked: list[str] = []

    @property
    def name(self) -> str:
        return "recording"

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        self.asked += texts
        return [
            [Span(text.index(name), text.index(name) + len(name)) for name in self.names if name in text]
            for text in texts
        ]


def asked(*texts: Any, **options: Any) -> list[str]:
    """Return the sentences that the recogniser gets."""
    recogniser = Recording()
    chosen = {"language": "uk", "splitter": "terminators", **options}
    isogloss.code_switching(list(texts), recognisers=[recogniser], **chosen)
    return recogniser.asked


def test_only_sentences_with_unexcused_tokens_are_searched() -> None:
    text = "Слово тут. Це word є. Так «word» і https://example.org. Число 12! Ще λέξη? «word» і word."
    assert asked(text) == ["Це word є.", "Ще λέξη?", "«word» і word."]


def test_a_sentence_is_searched_unless_rules_excuse_every_token() -> None:
    assert asked("word «word».", "«word» тут.") == ["word «word»."]


def test_without_foreign_tokens_nothing_is_searched() -> None:
    assert asked("Слово.", "12.", "", "  ") == []


def test_pnacos_searches_sentences_without_native_letters() -> None:
    for text in ["«Word».", "12 + 3.", "!", "Слово_слово тут.", "Слово word тут."]:
        assert asked(text, profile="pnacos") == [text]


def test_pnacos_does_not_search_native_sentences() -> None:
    assert asked("Слово 12 тут.", "", "ё і ў.", profile="pnacos") == []


@pytest.mark.parametrize("profile", [None, "pnacos"])
def test_texts_with_given_entities_are_not_searched(profile: str | None) -> None:
    given: dict[str, Any] = {"text": "Слово Word тут.", "entities": []}
    without = {"text": "Слово Word є."}
    assert asked(given, without, "Word.", profile=profile) == ["Слово Word є.", "Word."]


def test_rules_excuse_in_texts_with_given_entities() -> None:
    given = {"text": "Слово Word «word» word.", "entities": [[6, 10, "PER"]]}
    run = isogloss.code_switching([given], language="uk", names=["word"])
    assert {name: label["words"]["count"] for name, label in run.by_label.items()} == {"name": 1, "quotation": 1}
    assert run.scores["words"].excused_count == 1


def test_names_of_several_recognisers_are_combined() -> None:
    text = "Тут One two Three four."
    run = isogloss.code_switching([text], language="uk", recognisers=[Recording("One", "two"), Recording("two Three")])
    assert run.by_label["name"]["words"]["count"] == 3
    assert run.scores["words"].excused_count == 1


def test_listed_names_add_to_those_of_recognisers() -> None:
    run = isogloss.code_switching(["Тут One two."], language="uk", recognisers=[Recording("One")], names=["two"])
    assert run.scores["words"].excused_count == 0


def test_each_recogniser_gets_each_sentence_once() -> None:
    recogniser = Recording("Other")
    texts = ["One two three. Other five.", "Six."]
    isogloss.code_switching(texts, language="uk", splitter="terminators", recognisers=[recogniser], batch_size=1)
    assert recogniser.asked == ["One two three.", "Other five.", "Six."]


def annotator(*names: str) -> ForeignWordAnnotator:
    own = load_alphabet("uk")
    return ForeignWordAnnotator(
        own,
        TextSegmenter(open_splitter("terminators", language="uk")),
        ExcuseFinder(),
        NameFinder(own, [Recording(*names)]),
    )


def row(text: str, place: int = 0, **known: Any) -> TextRow:
    return TextRow(text, place, str(place + 1), **known)


def test_a_batch_has_sentences_tokens_and_excuses_of_all_texts() -> None:
    batch = annotator("Ada").annotate(
        [row("Ada є. Так!"), row(""), row("«b» Ada", 2)], 5, lambda place, _: f"at {place}"
    )
    text = "".join(map(chr, batch.text[:].tolist()))

    def strings(of: Any) -> list[str]:
        return [text[a:b] for a, b in zip(of.start.tolist(), of.end.tolist(), strict=True)]

    assert batch.documents.tolist() == [5, 6, 7]
    assert batch.offsets.tolist() == [0, 12, 13, 21]
    assert strings(batch.sentences) == ["Ada є.", "Так!", "«b» Ada"]
    assert strings(batch.tokens) == ["Ada", "є", ".", "Так", "!", "«", "b", "»", "Ada"]
    found = zip(strings(batch.tokens), batch.reasons.tolist(), strict=True)
    reasons = [(word, batch.reason_names[code]) for word, code in found if code != NO_REASON]
    assert reasons == [("Ada", "name"), ("b", "quotation"), ("Ada", "name")]
    assert batch.provenance.where(2, 0, "predicted") == "at 2"


def test_a_batch_without_texts_is_empty() -> None:
    batch = annotator().annotate([], 0, lambda place, _: str(place))
    assert (len(batch.documents), len(batch.sentences), len(batch.tokens), len(batch.reasons)) == (0, 0, 0, 0)


def test_rules_do_not_reach_across_texts() -> None:
    for first, second in [
        ("Було 5", "km там"),
        ("слово de", "facto там"),
        ("слово =", "x там"),
        ("так «", "word» ні"),
        ("@", "word"),
    ]:

        def strict(*texts: str) -> int:
            scores = isogloss.code_switching(list(texts), language="uk", splitter="terminators").scores
            return int(scores["words"].excused_count)

        assert strict(first, second) == strict(first) + strict(second) > 0
