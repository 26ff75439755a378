"""What the program PNaCoS-NER computes, written plainly from a description of its steps, with its models stubbed.

It carries no licence, so nothing of it stands here: neither code nor word lists. What was known of it:

- the steps from a text to the six numbers, which are followed one by one (`cleaned`, `report`);
- the kinds of rule finders, and that each looks at one sentence after the other; that quotations open at any
  apostrophe, that Latin phrases match inside words, that extensions are compared with whole words;
- that the finders are quadratic in the number of sentences: 13 µs a token in a text of 64 sentences, 185 in one of
  2,048; and that all of it handles 0.065 M characters/s, of a text whose length was not said.

What was not known is written in the way that came first, and never in a slower one: the patterns, the segmenter, which
is one regular expression for sentences and one for words, and where the square comes from. Here each finder looks for
the entities of each sentence among all entities of the text, to leave out what is covered already.
"""

from __future__ import annotations

import encodings.aliases
import mimetypes
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from internals import LATIN_PHRASES, RULES_DATA

Pair = tuple[int, int]
Finder = Callable[[str], Iterator[Pair]]
UKRAINIAN = "АаБбВвГгҐґДдЕеЄєЖжЗзИиІіЇїЙйКкЛлМмНнОоПпРрСсТтУуФфХхЦцЧчШшЩщЬьЮюЯя"

TAG = re.compile(r"<[^<]+?>")
SENTENCE = re.compile(r"\S.*?(?:[.!?]+(?=\s|$)|[。！？।؟]|$)", re.DOTALL)
TOKEN = re.compile(r"\w+|[^\w\s]")
RULES = (
    re.compile(r"([\"'`]).+?\1", re.DOTALL),  # quotes
    re.compile(r"https?://\S+|www\.\S+"),
    re.compile(r"\b[IVXLCDM]+\b"),
    re.compile("[⁰¹²³⁴-⁹⁺-ⁿ]+"),  # superscripts
    re.compile(r"#\w+"),
    re.compile("\\b[E\u0415]-?[0-9]{3,4}[a-z]?\\b"),  # additives, with a Latin or a Cyrillic letter
)
DOTTED = re.compile(r"[\w-]+(?:\.[\w-]+)+")
WORD = re.compile(r"[\w-]+")
DOMAINS = frozenset((RULES_DATA / "domains.txt").read_text().split())
EXTENSIONS = frozenset(
    {*(RULES_DATA / "extensions.txt").read_text().split(), *(name[1:] for name in mimetypes.types_map)},
)
ENCODINGS = frozenset({*encodings.aliases.aliases, *encodings.aliases.aliases.values()})
LATIN = tuple(phrase.strip() for phrase in LATIN_PHRASES.replace("\n", " ").split("|"))


class Sentence(NamedTuple):
    """A sentence by its place in the text, with the places of its tokens."""

    start: int
    end: int
    tokens: list[Pair]


class Document(NamedTuple):
    """A cleaned text, its sentences, and the places of its entities in any order."""

    text: str
    sentences: list[Sentence]
    entities: list[Pair]


def calculate(texts: Iterable[str], letters: str = UKRAINIAN) -> dict[str, float]:
    """The six numbers of some texts, without models.

    Args:
        texts: as a language model wrote them.
        letters: the alphabet, in both cases.
    """
    return report((annotated(cleaned(text)) for text in texts), letters)


def cleaned(text: str) -> str:
    """The text without tags of HTML and without marks on letters."""
    return "".join(map(_bare, TAG.sub("", text)))


def annotated(text: str) -> Document:
    """Sentences and tokens by a pattern, entities by the finders alone."""
    document = Document(text, [_cut(text, *match.span()) for match in SENTENCE.finditer(text)], [])
    for find in FINDERS:
        for sentence in document.sentences:
            known = entities_in(document, sentence)
            for start, end in find(text[sentence.start : sentence.end]):
                span = start + sentence.start, end + sentence.start
                if not any(one <= span[0] and span[1] <= two for one, two in known):
                    document.entities.append(span)
    return document


def report(documents: Iterable[Document], letters: str = UKRAINIAN) -> dict[str, float]:
    """The six numbers, given sentences, tokens and entities."""
    native, foreign = re.compile(f"[{letters}]"), re.compile(rf"[^{letters}\s\W\d]+")
    texts = sentences = tokens = broken_texts = broken_sentences = broken_tokens = 0
    for document in documents:
        broken = [_broken(document, sentence, native, foreign) for sentence in document.sentences]
        texts, broken_texts = texts + 1, broken_texts + any(broken)
        sentences, broken_sentences = sentences + len(broken), broken_sentences + _touched(document, broken)
        tokens += sum(len(sentence.tokens) for sentence in document.sentences)
        broken_tokens += sum(map(len, broken))
    return {
        "codeswitch_sentences_ratio": broken_sentences / sentences if sentences else -1.0,
        "codeswitch_texts_ratio": broken_texts / texts if texts else -1.0,
        "codeswitch_words_ratio": broken_tokens / tokens if tokens else -1.0,
        "total_num_texts": texts,
        "total_num_sentences": sentences,
        "total_num_tokens": tokens,
    }


def entities_in(document: Document, sentence: Sentence) -> list[Pair]:
    """The entities that begin in a sentence, looked for among those of the text."""
    return [entity for entity in document.entities if sentence.start <= entity[0] < sentence.end]


def _bare(character: str) -> str:
    if character in "йєюїЙЄЮЇ":
        return character
    apart = unicodedata.normalize("NFD", character)
    return unicodedata.normalize("NFC", "".join(part for part in apart if not unicodedata.combining(part)))


def _cut(text: str, start: int, end: int) -> Sentence:
    return Sentence(start, end, [match.span() for match in TOKEN.finditer(text, start, end)])


def _broken(document: Document, sentence: Sentence, native: re.Pattern[str], foreign: re.Pattern[str]) -> list[Pair]:
    """The broken tokens of a sentence."""
    text, entities = document.text, _merged(entities_in(document, sentence))
    if not native.search(text, sentence.start, sentence.end):
        return sentence.tokens if _blanked(text, sentence, entities).strip(" ") else []
    return [
        token
        for token in sentence.tokens
        if foreign.search(text, *token) and not any(_intersect(token, entity) for entity in entities)
    ]


def _merged(spans: list[Pair]) -> list[Pair]:
    result: list[Pair] = []
    for start, end in sorted(spans):
        if result and start <= result[-1][1]:
            result[-1] = result[-1][0], max(end, result[-1][1])
        else:
            result.append((start, end))
    return result


def _blanked(text: str, sentence: Sentence, entities: list[Pair]) -> str:
    for start, end in entities:
        text = text[:start] + " " * (end - start) + text[end:]
    return text[sentence.start : sentence.end]


def _intersect(one: Pair, other: Pair) -> bool:
    return not (one[1] < other[0] or one[0] > other[1])


def _touched(document: Document, broken: list[list[Pair]]) -> int:
    """How many sentences a broken token is in or touches, which can be that of a neighbour."""
    count = 0
    for k, (start, end, _) in enumerate(document.sentences):
        near = (token for tokens in broken[max(0, k - 1) : k + 2] for token in tokens)
        count += any(_intersect((start, end), token) for token in near)
    return count


def _matches(pattern: re.Pattern[str]) -> Finder:
    return lambda sentence: (match.span() for match in pattern.finditer(sentence))


def _symbols(sentence: str) -> Iterator[Pair]:
    return ((at, at + 1) for at, character in enumerate(sentence) if unicodedata.category(character) == "Sm")


def _encodings(sentence: str) -> Iterator[Pair]:
    return (word.span() for word in WORD.finditer(sentence) if word[0].lower().replace("-", "_") in ENCODINGS)


def _file_names(sentence: str) -> Iterator[Pair]:
    for pattern in (DOTTED, WORD):
        for name in pattern.finditer(sentence):
            if name[0].rpartition(".")[2].lower() in EXTENSIONS:
                yield name.span()


def _domains(sentence: str) -> Iterator[Pair]:
    return (name.span() for name in DOTTED.finditer(sentence) if name[0].rpartition(".")[2].lower() in DOMAINS)


def _latin(sentence: str) -> Iterator[Pair]:
    lowered = sentence.lower()
    for phrase in LATIN:
        at = lowered.find(phrase)
        while at >= 0:
            yield at, at + len(phrase)
            at = lowered.find(phrase, at + 1)


FINDERS: tuple[Finder, ...] = (*map(_matches, RULES), _symbols, _encodings, _file_names, _domains, _latin)
