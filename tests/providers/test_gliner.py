"""A real GLiNER with random weights, made here and saved to a folder; what it finds is arbitrary, where is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from libraries import library
from tiny_models import SPECIAL, tokenizer

from isogloss.errors import DataError, MissingModelError, UsageError
from isogloss.providers import Span, open_recogniser
from isogloss.providers.gliner import drop_overlaps, split_windows

LABELS = "labels=person,place"
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # importing gliner calls what torch deprecates


def test_labels_are_needed() -> None:
    with pytest.raises(UsageError, match=r"add \?labels=person,organisation"):
        open_recogniser("gliner:./model", language="uk")


class Splitter:
    """Words between spaces, with what the windows ask of a model around them."""

    def __init__(self, max_len: int, model_max_length: int = 10**30) -> None:
        self.config = self
        self.data_processor = self
        self.transformer_tokenizer = self
        self.max_len = max_len
        self.model_max_length = model_max_length

    def words_splitter(self, text: str) -> list[tuple[str, int, int]]:
        starts = [at for at in range(len(text)) if text[at] != " " and (at == 0 or text[at - 1] == " ")]
        words = [(text[at:].split(" ", 1)[0], at) for at in starts]
        return [(word, at, at + len(word)) for word, at in words]

    def num_special_tokens_to_add(self) -> int:
        return 2

    def __call__(self, texts: list[str], *, add_special_tokens: bool) -> dict[str, list[list[int]]]:
        assert not add_special_tokens
        return {"input_ids": [[0] * len(text) for text in texts]}


def test_windows_share_a_quarter_of_their_words() -> None:
    cut = split_windows(Splitter(4), "a b c d e f g h", ["x"])
    assert ["a b c d e f g h"[start:end] for start, end in cut] == ["a b c d", "d e f g", "g h"]


def test_a_text_that_fits_is_one_window() -> None:
    assert list(split_windows(Splitter(4), " a b c d ", ["x"])) == [(1, 8)]


def test_windows_leave_room_for_the_labels() -> None:
    # 12 subwords: 2 special ones, for the label "yz" 1 + 2, and 1 behind the labels leave 6.
    cut = split_windows(Splitter(100, 12), "aaa bbb c ddddddddd e", ["yz"])
    assert ["aaa bbb c ddddddddd e"[start:end] for start, end in cut] == ["aaa bbb", "c", "ddddddddd", "e"]


@given(st.text("ab ", max_size=60), st.integers(1, 6), st.integers(8, 20))
def test_windows_keep_words_whole(text: str, max_len: int, places: int) -> None:
    model = Splitter(max_len, places)
    cut = list(split_windows(model, text, ["x"]))
    for _, start, end in model.words_splitter(text):
        assert any(begin <= start and end <= stop for begin, stop in cut)
    for begin, stop in cut:
        assert len(model.words_splitter(text[begin:stop])) <= max_len


def test_the_longest_of_overlapping_names_is_kept() -> None:
    spans = [Span(0, 2, "a"), Span(1, 5, "b"), Span(4, 6, "c"), Span(6, 7, "d"), Span(6, 7, "d")]
    assert drop_overlaps(spans) == [Span(1, 5, "b"), Span(6, 7, "d")]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    gliner = library("gliner")
    transformers = library("transformers")
    library("torch").manual_seed(1)
    encoder, folder = (tmp_path_factory.mktemp(name) for name in ("encoder", "model"))
    size = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    transformers.BertModel(transformers.BertConfig(vocab_size=12, **size)).save_pretrained(encoder)
    tokenizer([*SPECIAL, "Ivan", "Lviv"], 512).save_pretrained(encoder)
    config = gliner.GLiNERConfig(
        model_name=str(encoder),
        hidden_size=16,
        max_len=12,
        max_width=3,
        num_layers=1,
        subtoken_pooling="first",
    )
    gliner.GLiNER.from_config(config).save_pretrained(folder)
    return folder


def spans(spec: str, text: str) -> list[Any]:
    return open_recogniser(spec, language="uk").annotate([text])[0]


@pytest.mark.extra
def test_saved_model_finds_only_the_given_labels(model: Path) -> None:
    text = "🙂 Ivan went to Lviv"
    found = spans(f"gliner:{model}?{LABELS}&threshold=0.1", text)
    assert found
    assert {span.label for span in found} <= {"person", "place"}
    assert all(text[span.start - 1 : span.start] in (" ", "") for span in found)


@pytest.mark.extra
def test_a_saved_model_reads_long_texts_to_their_end(model: Path) -> None:
    text = "word " * 200 + "Lviv"
    assert max(span.end for span in spans(f"gliner:{model}?{LABELS}&threshold=0.1", text)) == len(text)


@pytest.mark.extra
def test_nothing_is_found_beyond_the_threshold(model: Path) -> None:
    assert spans(f"gliner:{model}?{LABELS}&threshold=1", "Ivan went to Lviv") == []


@pytest.mark.extra
def test_an_error_of_a_missing_model_has_the_command() -> None:
    library("gliner")
    with pytest.raises(MissingModelError, match="Run: hf download some/model"):
        open_recogniser(f"gliner:some/model?{LABELS}", language="uk").load()


@pytest.mark.extra
def test_a_folder_that_holds_no_model_is_refused(tmp_path: Path) -> None:
    library("gliner")
    with pytest.raises(DataError, match="cannot be loaded"):
        open_recogniser(f"gliner:{tmp_path}?{LABELS}", language="uk").load()
