"""What is checked about every provider, whoever wrote it.

- Texts that are empty or only whitespace are never handed over; they have no spans.
- Texts are handed over as they are, in batches. Only half of a surrogate pair, which no library takes, becomes `?`.
- There must be one list of spans for each text, with whole numbers `0 <= start < end <= len(text)`.
- Whitespace at the ends of a span is no part of it; a span of nothing else is dropped.
- Spans are sorted by start, end and label, and each stands once. Sentences and tokens must not overlap.
- Labels that do not count as names are left out.
- Whatever a model raises becomes a `DataError` that names the provider and the first text of the batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from isogloss.exceptions import DataError, IsoglossError
from isogloss.providers.spans import Loadable, Provider, Span, trimmed
from isogloss.text import fit, visible

Role = Literal["recogniser", "splitter", "tokenizer"]
SHOWN = 60  # cells of a text in a message


@dataclass(frozen=True)
class Guarded:
    """A provider whose answers can be relied on.

    Args:
        inner: the provider that is asked.
        role: what its spans are.
        batch_size: texts that are handed over at once.
        labels: which labels count as names; None for all.
        not_names: labels that do not, unless `labels` says which do.
    """

    inner: Provider
    role: Role
    batch_size: int
    labels: frozenset[str] | None = None
    not_names: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The name of the provider inside."""
        return self.inner.name

    def load(self) -> None:
        """Loads the model of the provider inside, if it has one, so that the first text need not wait for it."""
        if isinstance(self.inner, Loadable):
            self.inner.load()

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The spans of each text, in the order of the texts.

        Raises:
            DataError: the provider fails, or answers what cannot be.
        """
        spans: list[list[Span]] = [[] for _ in texts]
        asked = [number for number, text in enumerate(texts) if text and not text.isspace()]
        for begin in range(0, len(asked), self.batch_size):
            numbers = asked[begin : begin + self.batch_size]
            for number, answer in zip(numbers, self._answers(texts, numbers), strict=True):
                spans[number] = answer if self._is_sound else self._sound(texts[number], answer, number)
        return spans

    @property
    def _is_sound(self) -> bool:
        """Whether what the provider answers need not be checked, because it is made in one way only, by ourselves."""
        return getattr(self.inner, "sound", False) is True

    def _answers(self, texts: Sequence[str], numbers: Sequence[int]) -> list[list[Span]]:
        """What the provider answers to one batch: a list for each text."""
        try:
            answers = self.inner.annotate([_encodable(texts[number]) for number in numbers])
        except (IsoglossError, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of a library written in Rust is no Exception
            raise DataError(
                f"{self.name} fails: {type(error).__name__}: {error}",
                where=f"text {numbers[0] + 1}",
                detail=f"A batch of {len(numbers)} that begins with: {_excerpt(texts[numbers[0]])}",
                remedy="With a batch size of 1 this message names the very text.",
            ) from error
        if len(answers) != len(numbers):
            raise DataError(
                f"{self.name} gives {len(answers)} lists of spans for {len(numbers)} texts",
                where=f"text {numbers[0] + 1}",
                remedy="It must give one list for each text, in their order.",
            )
        return answers

    def _sound(self, text: str, answer: Iterable[Span], number: int) -> list[Span]:
        found, reached, in_order = [], 0, True
        for span in answer:
            start, end, label = span
            if not (isinstance(start, int) and isinstance(end, int) and 0 <= start < end <= len(text)):
                raise self._out_of_place(text, (start, end), number)
            if not self._counts(label):
                continue
            in_order = in_order and reached <= start
            reached = end
            if text[start].isspace() or text[end - 1].isspace():
                found += trimmed(text, start, end, label)
            else:
                found.append(span if type(span) is Span else Span(start, end, label))
        return found if in_order else self._ordered(text, found, number)

    def _ordered(self, text: str, found: Iterable[Span], number: int) -> list[Span]:
        spans = sorted(set(found), key=_order)
        if self.role != "recogniser":
            self._must_be_disjoint(text, spans, number)
        return spans

    def _counts(self, label: str | None) -> bool:
        return label not in self.not_names if self.labels is None else label in self.labels

    def _out_of_place(self, text: str, offsets: tuple[object, object], number: int) -> DataError:
        return DataError(
            f"{self.name} gives a span from {offsets[0]!r} to {offsets[1]!r} in a text of {len(text)} characters",
            where=f"text {number + 1}",
            detail=_excerpt(text),
            remedy="Offsets are whole numbers of code points with 0 <= start < end <= length.",
        )

    def _must_be_disjoint(self, text: str, spans: Sequence[Span], number: int) -> None:
        for one, other in pairwise(spans):
            if one.end > other.start:
                raise DataError(
                    f"{self.name} gives spans that overlap: {one[:2]} and {other[:2]}",
                    where=f"text {number + 1}",
                    detail=_excerpt(text),
                    remedy=f"The spans of a {self.role} must not overlap.",
                )


def _order(span: Span) -> tuple[int, int, str]:
    return span.start, span.end, span.label or ""


def _encodable(text: str) -> str:
    """The text, with `?` for each half of a surrogate pair: as many code points as before."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode(errors="replace").decode()
    return text


def _excerpt(text: str) -> str:
    return fit(visible(text[:SHOWN]), SHOWN)
