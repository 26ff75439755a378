"""Tags of single sentences, read and written one token after the other: what the tests of the tag tool compare with."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

Span = tuple[int, int, str]
LABELS = ("PER", "LOC", "A-B", "é")
# By hand from the table of docs/tags.md: letters of the only, the first, a middle and the last token of a span.
LETTERS = {
    "iob1": "IIII",
    "iob2": "BBII",
    "ioe1": "IIII",
    "ioe2": "EIIE",
    "iobes": "SBIE",
    "bilou": "UBIL",
    "bmes": "SBME",
    "bmewo": "WBME",
    "io": "IIII",
}
ALPHABET = {name: sorted(set(letters)) for name, letters in LETTERS.items()} | {"iob1": ["B", "I"], "ioe1": ["E", "I"]}
OPENING = {"iob2": "B", "iobes": "BS", "bilou": "BU", "bmes": "BS", "bmewo": "BW"}
CLOSING = {"ioe2": "E", "iobes": "ES", "bilou": "LU", "bmes": "ES", "bmewo": "EW"}


def write_tags(spans: Sequence[Span], tokens: int, scheme: str) -> list[str]:
    """The tags of a sentence, letter first."""
    tags = ["O"] * tokens
    alone, first, inside, last = tuple(LETTERS[scheme])
    for start, end, label in spans:
        letters = [alone] if end - start == 1 else [first, *[inside] * (end - start - 2), last]
        if scheme == "iob1" and any(other[1] == start and other[2] == label for other in spans):
            letters[0] = "B"
        if scheme == "ioe1" and any(other[0] == end and other[2] == label for other in spans):
            letters[-1] = "E"
        tags[start:end] = [f"{letter}-{label}" for letter in letters]
    return tags


def read_spans(tags: Sequence[str]) -> list[Span]:
    """The spans of a sentence whose tags begin with their letter, by the lenient reading of all schemes."""
    spans: list[Span] = []
    before = "O", ""
    for at, tag in enumerate(tags):
        letter, _, label = tag.partition("-")
        goes_on = label == before[1] and before[0] in "BIM" and letter in "IMEL"
        if goes_on:
            spans[-1] = (spans[-1][0], at + 1, label)
        elif tag != "O":
            spans.append((at, at + 1, label))
        before = letter, label
    return spans


def find_invalid_tags(tags: Sequence[str], scheme: str) -> list[tuple[int, str]]:
    """Positions and kinds of tags that do not fit, all of whose letters the scheme has."""
    spans, found = read_spans(tags), []
    for start, end, label in spans:
        first, last = tags[start][0], tags[end - 1][0]
        wrong_first = first not in OPENING.get(scheme, first)
        wrong_last = last not in CLOSING.get(scheme, last)
        if wrong_first:
            found.append((start, "begin"))
        if wrong_last and not (wrong_first and end - start == 1):
            found.append((end - 1, "end"))
        if scheme == "iob1" and first == "B" and not any((e, n) == (start, label) for _, e, n in spans):
            found.append((start, "needless"))
        if scheme == "ioe1" and last == "E" and not any((s, n) == (end, label) for s, _, n in spans):
            found.append((end - 1, "needless"))
    return sorted(found)


def join_touching(spans: Sequence[Span]) -> list[Span]:
    """Touching spans of one label as one."""
    result: list[Span] = []
    for start, end, label in spans:
        if result and result[-1][1:] == (start, label):
            result[-1] = (result[-1][0], end, label)
        else:
            result.append((start, end, label))
    return result


def any_tags(scheme: str) -> st.SearchStrategy[list[list[str]]]:
    """Sentences of any tags that have a letter of the scheme."""
    tags = ["O", "O", *(f"{letter}-{label}" for letter in ALPHABET[scheme] for label in LABELS[:3])]
    return st.lists(st.lists(st.sampled_from(tags), min_size=1, max_size=8), min_size=1, max_size=12)


@st.composite
def flat_spans(draw: st.DrawFn) -> tuple[list[Span], int]:
    """Spans of a sentence that do not overlap, and its number of tokens."""
    spans, at = [], 0
    for gap, length, label in draw(
        st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4), st.sampled_from(LABELS)), max_size=5),
    ):
        spans.append((at + gap, at + gap + length, label))
        at += gap + length
    return spans, at + draw(st.integers(0, 2))


def to_conll(sentences: Sequence[Sequence[str]]) -> bytes:
    """A file of two columns: w0, w1, ... and the tags."""
    blocks = ("".join(f"w{at}\t{tag}\n" for at, tag in enumerate(tags)) for tags in sentences)
    return "\n".join(blocks).encode()
