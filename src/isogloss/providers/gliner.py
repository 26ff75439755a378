"""`gliner:PATH?labels=person,organisation`: a GLiNER model as recogniser of the given labels.

PATH is a folder with the model, or the name of a model in the local cache; downloads need `--download`. Options:

- `labels`: what to look for, in words; required.
- `threshold`: minimum confidence from 0 to 1; 0.5 by default.

GLiNER cuts off what is longer than its `max_len` words. Longer texts are therefore split into windows of that many
words by its own word splitter; a quarter of each window overlaps the next. Of names that overlap where two windows meet
the longest is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from isogloss.errors import UsageError, import_extra
from isogloss.providers.models import ModelProvider, Span, find_model_path, make_unusable_model_error
from isogloss.providers.specs import ProviderSettings, ProviderSpec

THRESHOLD = 0.5
UNLIMITED = 1_000_000  # a tokenizer without a limit reports a larger number


class Window(NamedTuple):
    """A part of a text, with the number of the text.

    The part is given by its start and end.
    """

    number: int
    start: int
    end: int


def build_recogniser(spec: ProviderSpec, settings: ProviderSettings) -> ModelProvider:
    """Build a recogniser of the given labels.

    Args:
        spec: the parsed spec.
        settings: the settings of the run.

    Raises:
        UsageError: if no labels are given.
    """
    spec.check_options("labels", "threshold")
    path = spec.require_argument("PATH")
    labels = spec.parse_labels()
    if labels is None:
        raise UsageError(f"In {spec.text!r}: gliner requires labels: add ?labels=person,organisation")
    request = {"labels": list(labels), "threshold": spec.parse_share("threshold", THRESHOLD)}

    def annotate(model: Any, texts: Sequence[str]) -> list[list[Span]]:
        cuts = [Window(number, *cut) for number, text in enumerate(texts) for cut in split_windows(model, text, labels)]
        parts = [texts[cut.number][cut.start : cut.end] for cut in cuts]
        answers = model.inference(parts, **request, batch_size=settings.batch_size)
        return _merge_windows(len(texts), zip(cuts, answers, strict=True))

    return ModelProvider(spec.text, partial(_load_model, spec, path, download=settings.download), annotate)


def split_windows(model: Any, text: str, labels: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield parts of a text that fit into the model.

    The labels must fit beside each part.

    Args:
        model: a GLiNER model.
        text: any text with a word.
        labels: the labels, which its encoder reads before the text.
    """
    words = list(model.data_processor.words_splitter(text))
    sizes, room = _count_subwords(model.data_processor.transformer_tokenizer, [word for word, _, _ in words], labels)
    begin = end = 0
    while end < len(words):
        used, first = 0, begin
        end = begin
        while end < len(words) and end - begin < model.config.max_len and (used + sizes[end] <= room or end == begin):
            used += sizes[end]
            end += 1
        yield words[begin][1], words[end - 1][2]
        begin = max(first + 1, end - (end - first) // 4)


def _load_model(spec: ProviderSpec, path: str, *, download: bool) -> Any:
    """Load the model."""
    library = import_extra("gliner", spec.text, "gliner")
    place = find_model_path(spec.text, path, "gliner_config.json", "gliner", download=download)
    try:
        return library.GLiNER.from_pretrained(place, local_files_only=not download)
    except (OSError, ValueError) as error:
        raise make_unusable_model_error(spec.text, place, error) from error


def _count_subwords(tokenizer: Any, words: Sequence[str], labels: Sequence[str]) -> tuple[list[int], int]:
    """Return the subwords of each word, and the room for them.

    The room is how many of them fit beside the labels.
    """
    if tokenizer.model_max_length > UNLIMITED:
        return [1] * len(words), UNLIMITED
    label_sizes, word_sizes = ([len(ids) for ids in _encode_texts(tokenizer, texts)] for texts in (labels, words))
    prompt = sum(label_sizes) + len(labels) + 1  # a marker before each label and after the last
    return word_sizes, tokenizer.model_max_length - prompt - tokenizer.num_special_tokens_to_add()


def _encode_texts(tokenizer: Any, texts: Sequence[str]) -> Iterable[Sequence[int]]:
    encoded: Iterable[Sequence[int]] = tokenizer(list(texts), add_special_tokens=False)["input_ids"]
    return encoded


def _merge_windows(texts: int, answers: Iterable[tuple[Window, Sequence[Any]]]) -> list[list[Span]]:
    spans: list[list[Span]] = [[] for _ in range(texts)]
    for window, names in answers:
        spans[window.number] += [
            Span(window.start + name["start"], window.start + name["end"], name["label"]) for name in names
        ]
    return [drop_overlaps(of_text) for of_text in spans]


def drop_overlaps(spans: Iterable[Span]) -> list[Span]:
    """Return ascending spans without overlaps.

    Of two that overlap the longer one is kept, or the first.
    """
    chosen: list[Span] = []
    for span in sorted(spans):
        if not chosen or span.start >= chosen[-1].end:
            chosen.append(span)
        elif span.end - span.start > chosen[-1].end - chosen[-1].start:
            chosen[-1] = span
    return chosen
