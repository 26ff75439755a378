"""Texts with their sentences, tokens and entities, drawn at random."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import strategies as st

Row = dict[str, Any]
Span = tuple[int, int]


@st.composite
def segmented(draw: st.DrawFn, atoms: Sequence[str], *, across: bool) -> Row:
    """A row whose tokens are made of these, with entities at random places.

    Args:
        draw: of hypothesis.
        atoms: what tokens are made of; a token is cut between them only.
        across: whether an entity may go beyond the end of its sentence.
    """
    text = draw(st.sampled_from(["", " "]))
    sentences: list[Span] = []
    tokens: list[Span] = []
    entities: list[tuple[int, int, str]] = []
    for words in draw(
        st.lists(st.lists(st.lists(st.sampled_from(atoms), min_size=1, max_size=4), min_size=1), max_size=4),
    ):
        begin = len(text)
        for word in words:
            tokens.append((len(text), len(text) + len("".join(word))))
            text += "".join(word) + draw(st.sampled_from(["", " ", " ", "\n", "\xa0"]))
        sentences.append((begin, tokens[-1][1]))
        edges = st.integers(begin, tokens[-1][1] if not across else len(text) + 3)
        for one, other in draw(st.lists(st.tuples(edges, edges), max_size=3)):
            entities.append((min(one, other), max(one, other), "MISC"))
        text += draw(st.sampled_from(["", " "]))
    kept = [(start, min(end, len(text)), label) for start, end, label in entities if start < min(end, len(text))]
    return {"text": text, "sentences": sentences, "tokens": tokens, "entities": kept}


def rows(atoms: Sequence[str], *, across: bool = False) -> st.SearchStrategy[list[Row]]:
    """Some rows, at least one."""
    return st.lists(segmented(atoms, across=across), min_size=1, max_size=4)


def spelt(row: Mapping[str, Any], span: Span) -> str:
    """The text of a span."""
    text: str = row["text"]
    return text[span[0] : span[1]]
