# the texts are in many scripts
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import DataError, MissingExtraError
from isogloss.providers.functions import CheckedProvider, ProviderRole
from isogloss.providers.models import Span

Answer = Callable[[Sequence[str]], Any]


class Double:
    """A provider that remembers what it was given."""

    name = "double:x"

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.batches: list[list[str]] = []
        self.loads = 0

    def load(self) -> None:
        self.loads += 1

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        self.batches.append(list(texts))
        answered: list[list[Span]] = self.answer(texts)
        return answered


def guarded(answer: Answer, role: ProviderRole = "recogniser", batch_size: int = 32, **options: Any) -> CheckedProvider:
    return CheckedProvider(Double(answer), role, batch_size, **options)


def always(*spans: Any) -> Answer:
    return lambda texts: [list(spans) for _ in texts]


def batches(provider: CheckedProvider) -> list[list[str]]:
    assert isinstance(provider.provider, Double)
    return provider.provider.batches


def test_texts_of_whitespace_are_not_passed_on() -> None:
    provider = guarded(always(Span(0, 1)))
    assert provider.annotate(["", "a", " \n\u3000", "b"]) == [[], [Span(0, 1)], [], [Span(0, 1)]]
    assert batches(provider) == [["a", "b"]]


def test_without_texts_the_provider_is_not_called() -> None:
    provider = guarded(always())
    assert provider.annotate(["", " "]) == [[], []]
    assert batches(provider) == []


def test_texts_are_passed_on_in_batches() -> None:
    provider = guarded(always(), batch_size=2)
    provider.annotate(list("abcde"))
    assert batches(provider) == [["a", "b"], ["c", "d"], ["e"]]


def test_texts_are_passed_on_unchanged() -> None:
    text = " e\u0301 <b>Ａ</b>\u200b\r\n"
    provider = guarded(always())
    provider.annotate([text])
    assert batches(provider) == [[text]]


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    provider = guarded(always(Span(1, 2)))
    assert provider.annotate(["\ud83dа\udc00"]) == [[Span(1, 2)]]
    assert batches(provider) == [["?а?"]]


def test_offsets_outside_the_text_are_refused() -> None:
    for offsets in [(-1, 1), (1, 1), (2, 1), (0, 4), (0.0, 1), ("0", 1), (None, None)]:
        provider = guarded(always((*offsets, "PER")))
        with pytest.raises(DataError) as caught:
            provider.annotate(["", "abc"])
        message = str(caught.value)
        if all(type(offset) is int for offset in offsets):
            assert message.startswith(f"text 2: double:x gives a span from {offsets[0]} to {offsets[1]} in a text of 3")
            assert "abc" in message
        else:
            assert f"{(*offsets, 'PER')!r} is not a span" in message


def test_spans_are_sorted_without_duplicates() -> None:
    given_spans = [Span(2, 3, "B"), Span(0, 3), Span(0, 1, "A"), Span(2, 3, "A"), Span(0, 3, "A"), Span(0, 1, "A")]
    assert guarded(always(*given_spans)).annotate(["abc"]) == [
        [Span(0, 1, "A"), Span(0, 3), Span(0, 3, "A"), Span(2, 3, "A"), Span(2, 3, "B")],
    ]


def test_whitespace_at_the_ends_of_spans_is_trimmed() -> None:
    spans = [Span(0, 4, "A"), Span(0, 1), Span(3, 4, "A"), Span(1, 3, "A")]
    assert guarded(always(*spans)).annotate([" bc\n"]) == [[Span(1, 3, "A")]]


def test_labels_that_are_not_names_are_dropped() -> None:
    spans = Span(0, 1, "PER"), Span(0, 2, "DATE"), Span(0, 3)
    assert guarded(always(*spans), not_names=frozenset({"DATE"})).annotate(["abc"]) == [[spans[0], spans[2]]]


def test_only_chosen_labels_are_kept() -> None:
    spans = Span(0, 1, "PER"), Span(0, 2, "DATE"), Span(0, 3)
    provider = guarded(always(*spans), labels=frozenset({"DATE"}), not_names=frozenset({"DATE"}))
    assert provider.annotate(["abc"]) == [[spans[1]]]


@pytest.mark.parametrize("role", ["splitter", "tokenizer"])
def test_sentences_and_tokens_must_not_overlap(role: ProviderRole) -> None:
    provider = guarded(always(Span(2, 4), Span(0, 3)), role)
    with pytest.raises(DataError, match=r"text 1: double:x gives spans that overlap: \(0, 3\) and \(2, 4\)"):
        provider.annotate(["abcd"])


def test_names_may_overlap() -> None:
    assert guarded(always(Span(0, 3), Span(2, 4))).annotate(["abcd"]) == [[Span(0, 3), Span(2, 4)]]


@pytest.mark.parametrize("answers", [[], [[]], [[], [], []]])
def test_there_must_be_a_list_for_each_text(answers: list[Any]) -> None:
    provider = guarded(lambda _: answers)
    with pytest.raises(DataError, match=rf"double:x gives {len(answers)} lists of spans for 2 texts"):
        provider.annotate(["a", "b"])


def fails_at_c(texts: Sequence[str]) -> list[list[Span]]:
    if "c" in texts:
        raise IndexError("index out of range in self")
    return [[] for _ in texts]


def test_an_exception_of_a_model_names_provider_and_text() -> None:
    with pytest.raises(DataError) as caught:
        guarded(fails_at_c, batch_size=2).annotate(["a", "", "b", "\x1b[31m?", "c"])
    message = str(caught.value)
    assert message.startswith("text 4: double:x fails: IndexError: index out of range in self\n")
    assert "A batch of 2 that begins with: ␛[31m?" in message


def test_a_panic_is_an_error_like_any_other() -> None:
    class PanicException(BaseException):
        pass

    def panics(_: Sequence[str]) -> None:
        raise PanicException("byte index 1 is not a char boundary")

    with pytest.raises(DataError, match="PanicException: byte index 1"):
        guarded(panics).annotate(["a"])


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MissingExtraError("It", "isogloss[spacy]")])
def test_other_exceptions_are_passed_on(error: BaseException) -> None:
    def stops(_: Sequence[str]) -> None:
        raise error

    with pytest.raises(type(error)):
        guarded(stops).annotate(["a"])


def test_loading_loads_the_provider_inside() -> None:
    provider = guarded(always())
    provider.load()
    assert isinstance(provider.provider, Double)
    assert provider.provider.loads == 1


def test_a_provider_may_have_no_load() -> None:
    class Light:
        name = "light"

        def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
            return [[] for _ in texts]

    CheckedProvider(Light(), "recogniser", 1).load()


TEXT = st.text("a \n\u3000🙂é", max_size=8)


@given(st.data(), st.lists(TEXT, max_size=7), st.integers(1, 4))
def test_batch_size_changes_nothing_and_spans_are_trimmed(
    data: st.DataObject,
    texts: list[str],
    size: int,
) -> None:
    spans = {text: data.draw(st.lists(_spans(text), max_size=4)) for text in texts}
    found = guarded(lambda given: [spans[text] for text in given], batch_size=size).annotate(texts)
    expected = []
    for text in texts:
        row = set()
        for start, end, label in spans[text] if text.strip() else []:
            places = [at for at in range(start, end) if not text[at].isspace()]
            if places:
                row.add(Span(places[0], places[-1] + 1, label))
        expected.append(sorted(row, key=lambda span: (span.start, span.end, span.label or "")))
    assert found == expected


@st.composite
def _spans(draw: st.DrawFn, text: str) -> Span:
    start = draw(st.integers(0, max(len(text) - 1, 0)))
    return Span(start, draw(st.integers(start + 1, max(len(text), start + 1))), draw(st.sampled_from(["A", "B", None])))
