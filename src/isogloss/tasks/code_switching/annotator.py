"""Annotate texts: sentences, tokens, excuses for foreign tokens, and language of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import DataError, UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.providers import Provider
from isogloss.providers.functions import load_function
from isogloss.providers.specs import parse_spec
from isogloss.tasks.code_switching.batches import AnnotatedTexts, CharSpans, JoinedTexts, LocateText
from isogloss.tasks.code_switching.excuse_patterns import FoundExcuse
from isogloss.tasks.code_switching.excuses import ExcuseFinder, sort_excuses
from isogloss.tasks.code_switching.reasons import REASONS
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import CLASS_MASK, FOREIGN, NATIVE, Alphabet, collect_span_flags, flag_characters
from isogloss.text.scripts import to_code_points
from isogloss.text.words import ClassArray, find_tokens


@dataclass(frozen=True)
class TextSegmenter:
    """The providers that split texts.

    Args:
        splitter: finds sentences.
        tokenizer: finds the tokens of a sentence; None to split by classes of characters.
    """

    splitter: Provider
    tokenizer: Provider | None = None

    def split_sentences(self, joined: JoinedTexts) -> CharSpans:
        """Return the sentences of all texts, ascending."""
        unsplit = [number for number, row in enumerate(joined.rows) if row.sentences is None]
        found: list[Sequence[Sequence[int | str | None]]] = [row.sentences or () for row in joined.rows]
        answers = self.splitter.annotate([joined.rows[number].text for number in unsplit]) if unsplit else []
        for number, spans in zip(unsplit, answers, strict=True):
            found[number] = spans
        return _offset_spans(found, joined.offsets)

    def tokenize(
        self, joined: JoinedTexts, sentences: CharSpans, classes: ClassArray
    ) -> tuple[CharSpans, list[RunWarning]]:
        """Split sentences into tokens.

        Args:
            joined: texts.
            sentences: sentences of the texts.
            classes: (characters,) class of each character.

        Returns:
            The tokens, ascending, and a warning if some are outside all sentences.
        """
        given = np.array([row.tokens is not None for row in joined.rows], np.bool_)  # (rows,)
        parts = []
        if given.any():
            parts.append(_offset_spans([row.tokens or () for row in joined.rows], joined.offsets))
        if not (given.all() and len(given)):
            in_text = joined.find_rows(sentences.start)
            own = sentences if not given.any() else sentences.take(~given[in_text])
            parts.append(self._find_tokens(joined, own, classes))
        found = _sort_spans(parts)
        at = np.searchsorted(sentences.start, found.start, side="right") - 1
        inside = (at >= 0) & (found.end <= np.append(sentences.end, 0)[at])
        if inside.all():
            return found, []
        return found.take(inside), [_make_outside_warning(joined, found, np.flatnonzero(~inside))]

    def _find_tokens(self, joined: JoinedTexts, sentences: CharSpans, classes: ClassArray) -> CharSpans:
        """Return the tokens of these sentences.

        Without a tokenizer, the tokens between the sentences are included.
        """
        if self.tokenizer is None:
            edges = np.concatenate([sentences.start, sentences.end])
            return self._select_in_rows(joined, sentences, CharSpans(*find_tokens(classes, edges)))
        answers = self.tokenizer.annotate(joined.get_strings(sentences.start, sentences.end))
        return _offset_spans(answers, sentences.start)

    def _select_in_rows(self, joined: JoinedTexts, sentences: CharSpans, found: CharSpans) -> CharSpans:
        """Return the spans in the texts that have one of the sentences."""
        rows = np.unique(joined.find_rows(sentences.start))
        if len(rows) == len(joined.rows):
            return found
        return found.take(np.isin(joined.find_rows(found.start), rows))


def _offset_spans(spans: Sequence[Sequence[Sequence[int | str | None]]], offsets: Ints) -> CharSpans:
    """Return spans within texts as spans of the concatenated text."""
    number = sum(map(len, spans))
    sizes = np.fromiter(map(len, spans), np.int64, len(spans))
    shift = np.repeat(offsets[: len(spans)], sizes)
    start, end = (np.fromiter((span[k] for each in spans for span in each), np.int64, number) for k in (0, 1))
    return CharSpans(start + shift, end + shift)


def _sort_spans(parts: Sequence[CharSpans]) -> CharSpans:
    if len(parts) == 1:
        return parts[0]
    start, end = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end"))
    order = np.argsort(start, kind="stable")
    return CharSpans(start[order], end[order])


def _make_outside_warning(joined: JoinedTexts, found: CharSpans, at: Ints) -> RunWarning:
    first = int(found.start[at[0]])
    row = int(joined.find_rows(found.start[at[:1]])[0])
    within = first - int(joined.offsets[row])
    place, _ = joined.provenance.get_excerpt(row).locate_span(within, within + 1)
    return RunWarning(
        "outside-sentences",
        "tokens are outside all sentences, so they are not counted",
        len(at),
        joined.provenance.where(row, place, "predicted"),
    )


IdentifyLanguages = Callable[[list[str]], Sequence[str | None]]
MIN_LINE_WORDS = 5  # shorter lines cannot be identified reliably; as in the Language Confusion Benchmark


@dataclass(frozen=True)
class LanguageIdentifier:
    """A function that identifies the language of lines.

    Args:
        name: its name as the user wrote it.
        identify: maps lines to language codes such as `uk`, or None if the language is unknown.
    """

    name: str
    identify: IdentifyLanguages

    def check_texts(self, joined: JoinedTexts, words: Ints, language: str) -> Ints:
        """Return whether all lines of each text are in its language: (texts,).

        Args:
            joined: texts.
            words: first character of each token that has letters, ascending.
            language: language of the texts.

        Returns:
            1 if they are, 0 if a line is not, -1 if no line has at least five words.

        Raises:
            DataError: if the identifier does not return one answer per line.
        """
        text, lines = _select_lines(joined, words)
        answers = list(self.identify(lines)) if lines else []
        if len(answers) != len(lines):
            raise DataError(
                f"the identifier {self.name} returns {len(answers)} languages for {len(lines)} lines",
                remedy="It must return one language or None for each line, in order.",
            )
        right = np.array([_strip_region(answer) == _strip_region(language) for answer in answers], np.bool_)
        passes = np.full(len(joined.rows), -1)
        passes[text] = 1
        passes[text[~right]] = 0
        return passes


def make_identifier(given: str | IdentifyLanguages) -> LanguageIdentifier:
    """Make a language identifier from a spec or a callable.

    Args:
        given: `python:module:function`, or a callable.

    Raises:
        UsageError: if it is something else, or the function cannot be found.
    """
    spec = parse_spec(given) if isinstance(given, str) else None
    if spec is not None and spec.kind == "python":
        return LanguageIdentifier(str(given), load_function(spec))
    if spec is not None or not callable(given):
        raise UsageError(f"identifier must be python:module:function or a callable, got {given!r}.")
    function: Any = given
    name = f"{function.__module__}:{getattr(function, '__qualname__', type(function).__qualname__)}"
    return LanguageIdentifier(name, function)


def _strip_region(code: str | None) -> str | None:
    """Return a language code without script and region."""
    return None if code is None else code.replace("-", "_").split("_")[0].lower()


def _select_lines(joined: JoinedTexts, words: Ints) -> tuple[Ints, list[str]]:
    """Return the lines with enough words, and the numbers of their texts.

    The numbers come first, one for each line.
    """
    breaks = np.flatnonzero(joined.code_points == ord("\n")) + 1
    start = np.union1d(joined.offsets[:-1], breaks)
    end = np.append(start[1:], len(joined.code_points))
    some = np.searchsorted(words, end) - np.searchsorted(words, start) >= MIN_LINE_WORDS
    start, end = start[some], end[some]
    lines = [line.strip() for line in joined.get_strings(start, end)]
    return joined.find_rows(start), lines


@dataclass(frozen=True)
class NameFinder:
    """Names in texts: given, copied from prompts, or found by recognisers.

    Args:
        alphabet: the letters of the language.
        recognisers: providers that find names in sentences.
    """

    alphabet: Alphabet
    recognisers: Sequence[Provider] = ()

    def find_given(self, joined: JoinedTexts) -> Iterator[FoundExcuse]:
        """Yield the entities that are given with the texts."""
        for row, offset in zip(joined.rows, joined.offsets.tolist(), strict=False):
            for start, end, _ in row.entities or ():
                yield offset + start, offset + end, "name"

    def find_prompt_names(self, joined: JoinedTexts, foreign: CharSpans) -> Iterator[FoundExcuse]:
        """Yield the foreign tokens that occur capitalised in the prompt.

        A token must occur, with a capital, in the prompt of its own text.
        """
        if all(row.prompt is None for row in joined.rows):
            return
        known: dict[int, frozenset[str]] = {}
        rows = joined.find_rows(foreign.start).tolist()
        for row, start, end in zip(rows, foreign.start.tolist(), foreign.end.tolist(), strict=True):
            if row not in known:
                known[row] = self._list_capitalised(joined.rows[row].prompt or "")
            if joined.text[start:end] in known[row]:
                yield start, end, "prompt"

    def find_recognised(
        self, joined: JoinedTexts, sentences: CharSpans, needed: NDArray[np.bool_]
    ) -> Iterator[FoundExcuse]:
        """Yield the names that recognisers find.

        Args:
            joined: texts.
            sentences: sentences of the texts.
            needed: (sentences,) whether to search each.
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
    """The steps from texts to annotated texts.

    Args:
        alphabet: the letters of the language.
        cutter: finds sentences and tokens.
        finder: finds what rules excuse.
        names: finds names.
        identifier: identifies the language of lines; None for no identification.
        clean: whether to remove tags and marks from texts first, and to look for no names in texts with given entities.
        needs_names: whether excuses can change the verdict on a sentence or token, even without a foreign token;
            such sentences are searched for names too, and such tokens for excuses. None for no further search.
    """

    alphabet: Alphabet
    cutter: TextSegmenter
    finder: ExcuseFinder
    names: NameFinder
    identifier: LanguageIdentifier | None = None
    clean: bool = False
    needs_names: Callable[[str], bool] | None = None

    def annotate(self, rows: Sequence[TextRow], first: int, where: LocateText) -> AnnotatedTexts:
        """Annotate texts with sentences, tokens and excuses.

        Args:
            rows: the texts, at least one unless `first` is 0.
            first: number of the first text.
            where: returns the place of a row.
        """
        joined = JoinedTexts.from_rows(rows, where, clean=self.clean)
        flags = flag_characters(self.alphabet, joined.code_points)
        sentences = self.cutter.split_sentences(joined)
        tokens, warnings = self.cutter.tokenize(joined, sentences, flags & np.uint8(CLASS_MASK))
        token_flags = collect_span_flags(flags, tokens.start, tokens.end)  # (tokens,)
        foreign = (token_flags & FOREIGN) > 0  # (tokens,)
        searched = foreign | self._select_undecided(joined, tokens)
        excused, reasons = self._find_excuses(joined, flags, sentences, tokens.take(foreign), tokens.take(searched))
        lines = None
        if self.identifier is not None:
            words = tokens.start[(token_flags & (NATIVE | FOREIGN)) > 0]
            lines = self.identifier.check_texts(joined, words, self.alphabet.language)
        return AnnotatedTexts(
            documents=np.arange(first, first + len(rows)),
            offsets=joined.offsets,
            text=joined.code_points,
            sentences=sentences,
            tokens=tokens,
            excused=excused,
            reasons=reasons,
            reason_names=REASONS,
            provenance=joined.provenance,
            lines_pass=lines,
            warnings=tuple(warnings),
        )

    def _find_excuses(
        self,
        joined: JoinedTexts,
        flags: ClassArray,
        sentences: CharSpans,
        foreign: CharSpans,
        searched: CharSpans,
    ) -> tuple[CharSpans, Ints]:
        if self.clean:
            foreign, searched = (tokens.take(~self._mark_settled(joined, tokens)) for tokens in (foreign, searched))
        found = [
            *self.finder.find(joined.text, flags, joined.offsets, (searched.start, searched.end)),
            *self.names.find_given(joined),
            *self.names.find_prompt_names(joined, foreign),
        ]
        if self.names.recognisers and len(sentences):
            found += self.names.find_recognised(
                joined, sentences, self._select_sentences(joined, sentences, foreign, found)
            )
        return sort_excuses(found)

    def _select_sentences(
        self, joined: JoinedTexts, sentences: CharSpans, foreign: CharSpans, found: Iterable[FoundExcuse]
    ) -> BoolMask:
        """Return whether names can change the verdict on each sentence: (sentences,)."""
        covered = np.zeros(len(joined.code_points), np.uint8)
        for start, end, _ in found:
            covered[start:end] = 1
        free = foreign.take(collect_span_flags(covered, foreign.start, foreign.end) == 0)
        needed = np.zeros(len(sentences), np.bool_)
        needed[np.searchsorted(sentences.start, free.start, side="right") - 1] = True
        needed |= self._select_undecided(joined, sentences)
        if self.needs_names is not None:  # names excuse tokens of sentences that touch theirs
            touching = sentences.start[1:] == sentences.end[:-1]
            needed = needed | np.append(needed[1:] & touching, False) | np.append(False, needed[:-1] & touching)
        return needed & ~self._mark_settled(joined, sentences)

    def _select_undecided(self, joined: JoinedTexts, spans: CharSpans) -> BoolMask:
        """Return whether excuses can change the verdict on each span.

        `needs_names` decides for each span: (spans,).
        """
        if self.needs_names is None:
            return np.zeros(len(spans), np.bool_)
        return np.array(list(map(self.needs_names, joined.get_strings(spans.start, spans.end))), np.bool_)

    def _mark_settled(self, joined: JoinedTexts, spans: CharSpans) -> BoolMask:
        """Return whether each span's text has given entities: (spans,)."""
        given = np.array([row.entities is not None for row in joined.rows], np.bool_)
        settled: BoolMask = given[joined.find_rows(spans.start)]
        return settled
