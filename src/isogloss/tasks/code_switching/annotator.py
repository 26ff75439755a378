"""Whether every line of a text is in its language, by a language identifier that the user passes in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, UsageError
from isogloss.kernel.scores import Ints
from isogloss.providers import Provider
from isogloss.providers.functions import load_function
from isogloss.providers.specs import parse_spec
from isogloss.tasks.code_switching.batches import AnnotatedTexts, CharSpans
from isogloss.tasks.code_switching.excuse_patterns import FoundExcuse
from isogloss.tasks.code_switching.excuses import REASONS, ExcuseFinder, Excuses
from isogloss.tasks.code_switching.rows import Row
from isogloss.tasks.code_switching.segmenting import JoinedTexts, LocateText, TextSegmenter
from isogloss.text.alphabets import CLASS_MASK, FOREIGN, NATIVE, Alphabet, collect_span_flags, flag_characters
from isogloss.text.scripts import to_code_points
from isogloss.text.words import ClassArray, find_tokens

IdentifyLanguages = Callable[[list[str]], Sequence[str | None]]
MIN_LINE_WORDS = 5  # words of a line, as in the Language Confusion Benchmark: shorter ones tell too little


@dataclass(frozen=True)
class LanguageIdentifier:
    """Tells the language of lines.

    Args:
        name: as the user wrote it.
        identify: lines to codes of languages such as `uk`; None where it cannot tell.
    """

    name: str
    identify: IdentifyLanguages

    def check_texts(self, joined: JoinedTexts, words: Ints, language: str) -> Ints:
        """Whether each text passes: (texts,) 1, 0, or -1 for a text without a line of at least five words.

        Args:
            joined: texts.
            words: first character of each token that has letters, ascending.
            language: of the texts.

        Raises:
            DataError: the identifier does not give an answer for each line.
        """
        text, lines = _select_lines(joined, words)
        answers = list(self.identify(lines)) if lines else []
        if len(answers) != len(lines):
            raise DataError(
                f"{self.name} gives {len(answers)} languages for {len(lines)} lines",
                remedy="It must give one for each line, in their order.",
            )
        right = np.array([_strip_region(answer) == _strip_region(language) for answer in answers], np.bool_)
        told = np.full(len(joined.rows), -1)
        told[text] = 1
        told[text[~right]] = 0
        return told


def make_identifier(given: str | IdentifyLanguages) -> LanguageIdentifier:
    """An identifier from what a user gives.

    Args:
        wanted: `python:module:function`, or a callable.

    Raises:
        UsageError: it is neither, or the function cannot be found.
    """
    if isinstance(given, str):
        spec = parse_spec(given)
        if spec.kind != "python":
            raise UsageError(f"identifier is {given!r}, but it is python:module:function, or a callable.")
        return LanguageIdentifier(given, load_function(spec))
    if not callable(given):
        raise UsageError(f"identifier is {given!r}, but it is python:module:function, or a callable.")
    return LanguageIdentifier(_name_function(given), given)


def _name_function(function: Any) -> str:
    return f"{function.__module__}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def _strip_region(code: str | None) -> str | None:
    """A language without script and region."""
    return None if code is None else code.replace("-", "_").split("_")[0].lower()


def _select_lines(joined: JoinedTexts, words: Ints) -> tuple[Ints, list[str]]:
    """The lines with enough words, and the text that each is of."""
    breaks = np.flatnonzero(joined.code_points == ord("\n")) + 1
    start = np.union1d(joined.offsets[:-1], breaks)
    end = np.append(start[1:], len(joined.code_points))
    some = np.searchsorted(words, end) - np.searchsorted(words, start) >= MIN_LINE_WORDS
    start, end = start[some], end[some]
    lines = [line.strip() for line in joined.get_strings(start, end)]
    return np.searchsorted(joined.offsets, start, side="right") - 1, lines


@dataclass(frozen=True)
class NameFinder:
    """Finds names.

    Args:
        alphabet: the letters of the language.
        recognisers: find names in sentences.
    """

    alphabet: Alphabet
    recognisers: Sequence[Provider] = ()

    def find_given(self, joined: JoinedTexts) -> Iterator[FoundExcuse]:
        """The entities that are given with the texts."""
        for row, offset in zip(joined.rows, joined.offsets.tolist(), strict=False):
            for start, end, _ in row.entities or ():
                yield offset + start, offset + end, "name"

    def find_prompt_names(self, joined: JoinedTexts, foreign: CharSpans) -> Iterator[FoundExcuse]:
        """Foreign tokens that also stand, with a capital, in the prompt of their text."""
        if all(row.prompt is None for row in joined.rows):
            return
        texts = np.searchsorted(joined.offsets, foreign.start, side="right") - 1
        known: dict[int, frozenset[str]] = {}
        spelt = joined.get_strings(foreign.start, foreign.end)
        for text, start, end, token in zip(
            texts.tolist(),
            foreign.start.tolist(),
            foreign.end.tolist(),
            spelt,
            strict=True,
        ):
            if text not in known:
                known[text] = self._list_capitalised(joined.rows[text].prompt or "")
            if token in known[text]:
                yield start, end, "prompt"

    def find_recognised(
        self, joined: JoinedTexts, sentences: CharSpans, needed: NDArray[np.bool_]
    ) -> Iterator[FoundExcuse]:
        """The names that recognisers find.

        Args:
            joined: texts.
            sentences: theirs.
            asked: (sentences,) in which to look.
        """
        where = sentences.take(needed)
        texts = joined.get_strings(where.start, where.end)
        for recogniser in self.recognisers if texts else ():
            for offset, spans in zip(where.start.tolist(), recogniser.annotate(texts), strict=True):
                for start, end, _ in spans:
                    yield offset + start, offset + end, "name"

    def _list_capitalised(self, prompt: str) -> frozenset[str]:
        text = prompt + " "
        flags = flag_characters(self.alphabet, to_code_points(text))
        start, end = find_tokens(flags & np.uint8(CLASS_MASK))
        foreign = (collect_span_flags(flags, start, end) & FOREIGN) > 0
        spans = zip(start[foreign].tolist(), end[foreign].tolist(), strict=True)
        return frozenset(text[a:b] for a, b in spans if text[a].isupper() or text[a].istitle())


BoolMask = NDArray[np.bool_]


@dataclass(frozen=True)
class ForeignWordAnnotator:
    """Cuts texts and looks for what excuses their foreign tokens.

    Args:
        alphabet: the letters of the language.
        cutter: finds sentences and tokens.
        finder: finds what rules excuse.
        names: finds names.
        identifier: tells the language of lines, if anybody does.
        clean: whether tags and marks are taken out of the texts first, and entities that are given are all there are.
        needs_names: whether excuses can change the verdict on a sentence or token, beside foreign tokens: names are
            asked for in such sentences, too, and rules look at such tokens.
    """

    alphabet: Alphabet
    cutter: TextSegmenter
    finder: ExcuseFinder
    names: NameFinder
    identifier: LanguageIdentifier | None = None
    clean: bool = False
    needs_names: Callable[[str], bool] | None = None

    def annotate(self, rows: Sequence[Row], first: int, where: LocateText) -> AnnotatedTexts:
        """Texts with their sentences and tokens.

        Args:
            rows: the texts, at least one unless `first` is 0.
            first: number of the first.
            where: place of a row.
        """
        joined = JoinedTexts.from_rows(rows, where, clean=self.clean)
        flags = flag_characters(self.alphabet, joined.code_points)
        sentences = self.cutter.split_sentences(joined)
        tokens, notices = self.cutter.tokenize(joined, sentences, flags & np.uint8(CLASS_MASK))
        held = collect_span_flags(flags, tokens.start, tokens.end)  # (tokens,)
        foreign = (held & FOREIGN) > 0  # (tokens,)
        ruled = foreign | self._select_undecided(joined, tokens)
        excused = self._find_excuses(joined, flags, sentences, tokens.take(foreign), tokens.take(ruled))
        lines = None
        if self.identifier is not None:
            words = tokens.start[(held & (NATIVE | FOREIGN)) > 0]
            lines = self.identifier.check_texts(joined, words, self.alphabet.language)
        return AnnotatedTexts(
            documents=np.arange(first, first + len(rows)),
            offsets=joined.offsets,
            text=joined.code_points,
            sentences=sentences,
            tokens=tokens,
            excused=CharSpans(excused.start, excused.end),
            reasons=excused.reason,
            reason_names=REASONS,
            origin=joined.origin,
            lines_pass=lines,
            warnings=tuple(notices),
        )

    def _find_excuses(
        self,
        joined: JoinedTexts,
        flags: ClassArray,
        sentences: CharSpans,
        foreign: CharSpans,
        ruled: CharSpans,
    ) -> Excuses:
        if self.clean:
            foreign, ruled = (tokens.take(~self._mark_settled(joined, tokens)) for tokens in (foreign, ruled))
        found = [
            *self.finder.find(joined.text, flags, joined.offsets, (ruled.start, ruled.end)),
            *self.names.find_given(joined),
            *self.names.find_prompt_names(joined, foreign),
        ]
        if self.names.recognisers and len(sentences):
            found += self.names.find_recognised(
                joined, sentences, self._select_sentences(joined, sentences, foreign, found)
            )
        return Excuses.from_found(found)

    def _select_sentences(
        self, joined: JoinedTexts, sentences: CharSpans, foreign: CharSpans, found: Iterable[FoundExcuse]
    ) -> BoolMask:
        """(sentences,) whether names can change the verdict on each."""
        covered = np.zeros(len(joined.code_points), np.uint8)
        for start, end, _ in found:
            covered[start:end] = 1
        free = foreign.take(collect_span_flags(covered, foreign.start, foreign.end) == 0)
        asked = np.zeros(len(sentences), np.bool_)
        asked[np.searchsorted(sentences.start, free.start, side="right") - 1] = True
        return (asked | self._select_undecided(joined, sentences)) & ~self._mark_settled(joined, sentences)

    def _select_undecided(self, joined: JoinedTexts, spans: CharSpans) -> BoolMask:
        """(spans,) whether excuses can change the verdict on each, as `needs_names` says."""
        if self.needs_names is None:
            return np.zeros(len(spans), np.bool_)
        return np.array(list(map(self.needs_names, joined.get_strings(spans.start, spans.end))), np.bool_)

    def _mark_settled(self, joined: JoinedTexts, spans: CharSpans) -> BoolMask:
        """(spans,) whether the entities of the text that each is in are given."""
        given = np.array([row.entities is not None for row in joined.rows], np.bool_)
        if not given.any():
            return np.zeros(len(spans), np.bool_)
        settled: BoolMask = given[np.searchsorted(joined.offsets, spans.start, side="right") - 1]
        return settled
