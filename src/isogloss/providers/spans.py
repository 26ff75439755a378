"""What a provider is: texts in, spans out, in batches.

One protocol serves three roles. The spans of a *recogniser* are names with labels, those of a *splitter* are sentences
and those of a *tokenizer* are tokens, both without labels.

Offsets are code points of the text as it was given, half-open.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable


class Span(NamedTuple):
    """A stretch of a text.

    Args:
        start: its first code point, from 0.
        end: the code point after its last.
        label: what kind of name it is; None for sentences, tokens, and names of no known kind.
    """

    start: int
    end: int
    label: str | None = None


@runtime_checkable
class Provider(Protocol):
    """Finds names, sentences or tokens in texts."""

    @property
    def name(self) -> str:
        """What the user called it, such as `spacy:uk_core_news_sm`; signatures of runs hold it."""

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The spans of each text, in the order of the texts."""


@runtime_checkable
class Loadable(Protocol):
    """A provider that takes long to get ready, and can be asked to do so before the first text."""

    def load(self) -> None:
        """Loads the model, once."""


def trimmed(text: str, start: int, end: int, label: str | None = None) -> list[Span]:
    """The span without the whitespace at its ends; no span if nothing else is in it."""
    piece = text[start:end]
    inner = piece.strip()
    if not inner:
        return []
    begin = start + len(piece) - len(piece.lstrip())
    return [Span(begin, begin + len(inner), label)]
