"""Several recognisers at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.exceptions import UsageError
from isogloss.providers.spans import Loadable, Provider, Span


class Found(NamedTuple):
    """A name, and who found it.

    Args:
        start: its first code point, from 0.
        end: the code point after its last.
        label: what kind of name it is, in the words of the recogniser.
        recogniser: the recogniser's name.
    """

    start: int
    end: int
    label: str | None
    recogniser: str


@dataclass(frozen=True)
class Several:
    """A recogniser that finds what any of several finds.

    Args:
        recognisers: at least one.
    """

    recognisers: Sequence[Provider]

    def __post_init__(self) -> None:
        if not self.recognisers:
            raise UsageError("Several needs at least one recogniser")

    @property
    def name(self) -> str:
        """Their names, joined by `+`."""
        return "+".join(recogniser.name for recogniser in self.recognisers)

    def load(self) -> None:
        """Loads the models of all."""
        for recogniser in self.recognisers:
            if isinstance(recogniser, Loadable):
                recogniser.load()

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """The names that any of them finds in each text, by start, end and label, each once."""
        return [sorted({Span(*name[:3]) for name in names}, key=_order) for names in self.found(texts)]

    def found(self, texts: Sequence[str]) -> list[list[Found]]:
        """The names in each text, and who found them."""
        answers = [recogniser.annotate(texts) for recogniser in self.recognisers]
        names = [recogniser.name for recogniser in self.recognisers]
        return [merged(zip(names, spans, strict=True)) for spans in zip(*answers, strict=True)]


def merged(answers: Iterable[tuple[str, Iterable[Span]]]) -> list[Found]:
    """What several recognisers found in one text, by start, end, label and recogniser, each once.

    Args:
        answers: the name of each recogniser and its spans.
    """
    found = {Found(*span, recogniser) for recogniser, spans in answers for span in spans}
    return sorted(found, key=lambda name: (*_order(name), name.recogniser))


def joined(spans: Iterable[Span | Found], *, touching: bool = False) -> list[Span]:
    """The stretches that spans cover, as spans that do not overlap.

    Args:
        spans: in any order.
        touching: whether spans that only touch become one as well.

    Returns:
        Ascending spans. Their label is that of the spans they cover, and None where these differ.
    """
    stretches: list[Span] = []
    for start, end, label, *_ in sorted(spans, key=_order):
        last = stretches[-1] if stretches else None
        if last and (start < last.end or (touching and start == last.end)):
            stretches[-1] = Span(last.start, max(last.end, end), label if label == last.label else None)
        else:
            stretches.append(Span(start, end, label))
    return stretches


def _order(span: Span | Found) -> tuple[int, int, str]:
    return span.start, span.end, span.label or ""
