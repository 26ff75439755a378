"""Annotate texts: sentences, tokens, excuses for foreign tokens, and language of lines."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Ints
from isogloss.providers import LanguageIdentifier, Provider, is_same_language
from isogloss.tasks.code_switching.batches import (
    GET_TEXT,
    AnnotatedTexts,
    CharSpans,
    ExcusedCharacters,
    IdentifiedSpans,
    JoinedTexts,
    LocateText,
    find_last_starts,
)
from isogloss.tasks.code_switching.excuse_patterns import FoundExcuse
from isogloss.tasks.code_switching.excuses import ExcusedTokens, ExcuseFinder
from isogloss.tasks.code_switching.reasons import CAPITALISED, NO_REASON, REASONS
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import FOREIGN, NATIVE, Alphabet, collect_span_flags, flag_characters
from isogloss.text.scripts import CodePoints, Positions, list_marked, look_up, to_code_points
from isogloss.text.words import ClassArray, find_tokens

BoolMask = NDArray[np.bool_]
SENTENCES_AT_ONCE = 1 << 14


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
        unsplit = np.flatnonzero(~joined.mark_given("sentences")).tolist()
        texts = list(map(GET_TEXT, joined.rows)) if len(unsplit) == len(joined.rows) else []
        locate = getattr(self.splitter, "locate_sentences", None)
        located = locate(texts, joined.code_points) if locate is not None and texts else None
        if located is not None:
            return CharSpans(*(edge.astype(joined.offsets.dtype, copy=False) for edge in located))
        sentences: list[Sequence[Sequence[int | str | None]]] = [row.sentences or () for row in joined.rows]
        answers = self.splitter.annotate([joined.rows[number].text for number in unsplit]) if unsplit else []
        for number, spans in zip(unsplit, answers, strict=True):
            sentences[number] = spans
        return _offset_spans(sentences, joined.offsets)

    def tokenize(
        self, joined: JoinedTexts, sentences: CharSpans, flags: ClassArray
    ) -> tuple[CharSpans, list[RunWarning]]:
        """Split sentences into tokens.

        Args:
            joined: texts.
            sentences: sentences of the texts.
            flags: (characters,) flags of each character, with its class in the lowest bits.

        Returns:
            The tokens, ascending, and a warning if some are outside all sentences.
        """
        given = joined.mark_given("tokens")  # (rows,)
        parts = []
        if given.any():
            parts.append(_offset_spans([row.tokens or () for row in joined.rows], joined.offsets))
        if not (given.all() and len(given)):
            own = sentences if not given.any() else sentences.take(~given[joined.find_rows(sentences.start)])
            parts.append(self._find_tokens(joined, own, flags))
        tokens = _sort_spans(parts)
        if _are_inside(tokens, sentences):
            return tokens, []
        at = find_last_starts(sentences.start, tokens.start)
        inside = (at >= 0) & (tokens.end <= np.append(sentences.end, 0)[at])
        return tokens.take(inside), [_make_outside_warning(joined, tokens, np.flatnonzero(~inside))]

    def _find_tokens(self, joined: JoinedTexts, sentences: CharSpans, flags: ClassArray) -> CharSpans:
        """Return the tokens of these sentences.

        Without a tokenizer, the tokens between the sentences are included.
        """
        if self.tokenizer is None:
            edges = np.concatenate([sentences.start, sentences.end])
            return self._select_in_rows(joined, sentences, CharSpans(*find_tokens(flags, edges)))
        answers = self.tokenizer.annotate(joined.get_strings(sentences.start, sentences.end))
        return _offset_spans(answers, sentences.start)

    def _select_in_rows(self, joined: JoinedTexts, sentences: CharSpans, spans: CharSpans) -> CharSpans:
        """Return the spans in the texts that have one of the sentences."""
        bare = np.diff(np.searchsorted(sentences.start, joined.offsets)) == 0  # (rows,)
        number = np.diff(np.searchsorted(spans.start, joined.offsets))  # (rows,)
        return spans.take(np.repeat(~bare, number)) if number[bare].any() else spans


def _offset_spans(spans: Sequence[Sequence[Sequence[int | str | None]]], offsets: Positions) -> CharSpans:
    """Return spans within texts as spans of the concatenated text."""
    number = sum(map(len, spans))
    sizes = np.fromiter(map(len, spans), np.int64, len(spans))
    shift = np.repeat(offsets[: len(spans)], sizes)
    start, end = (np.fromiter(map(itemgetter(k), chain.from_iterable(spans)), offsets.dtype, number) for k in (0, 1))
    return CharSpans(start + shift, end + shift)


def _sort_spans(parts: Sequence[CharSpans]) -> CharSpans:
    if len(parts) == 1:
        return parts[0]
    start, end = (np.concatenate([getattr(part, name) for part in parts]) for name in ("start", "end"))
    order = np.argsort(start, kind="stable")
    return CharSpans(start[order], end[order])


def _are_inside(tokens: CharSpans, sentences: CharSpans) -> bool:
    """Return whether each token is in a sentence."""
    if not (len(tokens) and len(sentences)):
        return not len(tokens)
    if tokens.start[0] < sentences.start[0]:
        return False
    for at in range(0, len(sentences), SENTENCES_AT_ONCE):
        first = np.searchsorted(tokens.start, sentences.start[at : at + SENTENCES_AT_ONCE + 1])
        first = first if at + SENTENCES_AT_ONCE < len(sentences) else np.append(first, len(tokens))
        last = first[1:] - 1  # (some sentences,) the last token before the next sentence
        some = last >= first[:-1]
        if (tokens.end[last[some]] > sentences.end[at : at + SENTENCES_AT_ONCE][some]).any():
            return False
    return True


def _make_outside_warning(joined: JoinedTexts, spans: CharSpans, at: Ints) -> RunWarning:
    first = int(spans.start[at[0]])
    row = int(joined.find_rows(spans.start[at[:1]])[0])
    within = first - int(joined.offsets[row])
    place, _ = joined.provenance.get_excerpt(row).locate_span(within, within + 1)
    return RunWarning(
        "outside-sentences",
        "tokens are outside all sentences, so they are not counted",
        len(at),
        joined.provenance.where(row, place, "predicted"),
    )


IS_LINE_BREAK = np.arange(ord("\n") + 2) == ord("\n")  # by code point; what follows is none
MIN_LINE_WORDS = 5  # shorter lines cannot be identified reliably; as in the Language Confusion Benchmark


@dataclass(frozen=True)
class LanguageCheck:
    """Checks lines, and windows of words, by their languages.

    Names and other excused spans are left out first.

    Args:
        identifier: identifies the language of texts.
        window: words of a window, 2 or more; None to check lines only.
    """

    identifier: LanguageIdentifier
    window: int | None = None

    def check_lines(self, joined: JoinedTexts, words: CharSpans, hidden: BoolMask, language: str) -> IdentifiedSpans:
        """Return the lines with at least five words.

        Args:
            joined: texts.
            words: words that nothing excuses, ascending.
            hidden: (characters,) whether to leave out each character.
            language: language of the texts.
        """
        breaks = list_marked(look_up(IS_LINE_BREAK, joined.code_points)) + 1
        start = np.union1d(joined.offsets[:-1], breaks)
        end = np.append(start[1:], len(joined.code_points))
        some = np.searchsorted(words.start, end) - np.searchsorted(words.start, start) >= MIN_LINE_WORDS
        lines = _trim_spans(joined, CharSpans(start[some], end[some]))
        languages = self._identify(joined, lines, hidden)
        wrong = [not is_same_language(answer, language) for answer in languages]
        return IdentifiedSpans(lines, languages, np.array(wrong, np.bool_))

    def check_windows(
        self, joined: JoinedTexts, sentences: CharSpans, words: CharSpans, hidden: BoolMask, language: str
    ) -> tuple[IdentifiedSpans, Ints]:
        """Return stretches in another language, and verdicts on words.

        Args:
            joined: texts.
            sentences: sentences of the texts.
            words: words that nothing excuses, ascending.
            hidden: (characters,) whether to leave out each character.
            language: language of the texts.

        Returns:
            The stretches, and for each word 0 if it is in no window, 1 if it is in the language, 2 if it is not.
        """
        windows = list(self._list_windows(sentences, words))
        of, first, last = np.array(windows, np.int64).reshape(-1, 3).T  # (windows,) sentence, words
        spans = CharSpans(words.start[first], words.end[last - 1])
        answers = self._identify(joined, spans, hidden)
        verdict = np.zeros(len(words), np.int64)
        stretches: list[tuple[int, int, str]] = []
        last_sentence = covered = -1
        for sentence, begin, stop, answer in zip(of.tolist(), first.tolist(), last.tolist(), answers, strict=True):
            at = max(begin, covered)  # the last window of a sentence overlaps the one before
            covered = stop
            other = answer is not None and not is_same_language(answer, language)
            verdict[at:stop] = 2 if other else 1
            if answer is None or not other:
                continue
            if stretches and last_sentence == sentence and stretches[-1][1:] == (at, answer):
                at = stretches.pop()[0]
            stretches.append((at, stop, answer))
            last_sentence = sentence
        edges = np.array([(begin, stop) for begin, stop, _ in stretches], np.int64).reshape(-1, 2)
        found = CharSpans(words.start[edges[:, 0]], words.end[edges[:, 1] - 1])
        languages = tuple(language for _, _, language in stretches)
        return IdentifiedSpans(found, languages, np.ones(len(found), np.bool_)), verdict

    def _list_windows(self, sentences: CharSpans, words: CharSpans) -> Iterator[tuple[int, int, int]]:
        """Yield sentence, first word and word after the last of each window.

        Windows of a sentence follow each other; the last one ends with the sentence. A shorter sentence has none.
        """
        assert self.window is not None  # noqa: S101  for the type checker
        size = self.window
        low = np.searchsorted(words.start, sentences.start).tolist()
        high = np.searchsorted(words.start, sentences.end).tolist()
        for sentence, (begin, stop) in enumerate(zip(low, high, strict=True)):
            if stop - begin < size:
                continue
            yield from ((sentence, at, at + size) for at in range(begin, stop - size + 1, size))
            if (stop - begin) % size:
                yield sentence, stop - size, stop

    def _identify(self, joined: JoinedTexts, spans: CharSpans, hidden: BoolMask) -> tuple[str | None, ...]:
        texts = joined.get_strings(spans.start, spans.end)
        for at in np.flatnonzero(collect_span_flags(hidden.view(np.uint8), spans.start, spans.end)).tolist():
            start = int(spans.start[at])
            blank = hidden[start : int(spans.end[at])].tolist()
            kept = (" " if out else letter for letter, out in zip(texts[at], blank, strict=True))
            texts[at] = " ".join("".join(kept).split())
        return tuple(self.identifier.identify(texts))


def _trim_spans(joined: JoinedTexts, spans: CharSpans) -> CharSpans:
    """Return spans, each in one row, without the whitespace at their ends."""
    pieces = joined.get_strings(spans.start, spans.end)
    left = np.array([len(piece) - len(piece.lstrip()) for piece in pieces], spans.start.dtype)
    size = np.array([len(piece.strip()) for piece in pieces], spans.start.dtype)
    return CharSpans(spans.start + left, spans.start + left + size)


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
        for row in np.flatnonzero(joined.mark_given("entities")).tolist():
            offset = int(joined.offsets[row])
            for start, end, _ in joined.rows[row].entities or ():
                yield offset + start, offset + end, "name"

    def find_prompt_names(self, joined: JoinedTexts, tokens: CharSpans, foreign: BoolMask) -> Iterator[FoundExcuse]:
        """Yield the foreign tokens that occur capitalised in the prompt.

        A token must occur, with a capital, in the prompt of its own text.
        """
        if not joined.mark_given("prompt").any():
            return
        known: dict[int, frozenset[str]] = {}
        own = tokens.take(foreign)
        rows, words = joined.find_rows(own.start).tolist(), joined.get_strings(own.start, own.end)
        for row, word, start, end in zip(rows, words, own.start.tolist(), own.end.tolist(), strict=True):
            if row not in known:
                known[row] = self._list_capitalised(joined.rows[row].prompt or "")
            if word in known[row]:
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
        start, end = find_tokens(flags)
        foreign = (collect_span_flags(flags, start, end) & FOREIGN) > 0
        spans = zip(start[foreign].tolist(), end[foreign].tolist(), strict=True)
        return frozenset(text[a:b] for a, b in spans if text[a].isupper() or text[a].istitle())


@dataclass(frozen=True)
class ForeignWordAnnotator:
    """The steps from texts to annotated texts.

    Args:
        alphabet: the letters of the language.
        cutter: finds sentences and tokens.
        finder: finds what rules excuse.
        names: finds names.
        check: checks lines and windows by their languages; None for no identification.
        clean: whether to remove tags and marks from texts first, and to look for no names in texts with given entities.
        needs_names: returns whether excuses can change the verdict on each of these sentences or tokens of a text, even
            without a foreign token; such sentences are searched for names too, and such tokens for excuses. None for
            no further search.
    """

    alphabet: Alphabet
    cutter: TextSegmenter
    finder: ExcuseFinder
    names: NameFinder
    check: LanguageCheck | None = None
    clean: bool = False
    needs_names: Callable[[CodePoints, CharSpans], BoolMask] | None = None

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
        tokens, warnings = self.cutter.tokenize(joined, sentences, flags)
        token_flags = collect_span_flags(flags, tokens.start, tokens.end)  # (tokens,)
        foreign = (token_flags & FOREIGN) > 0  # (tokens,)
        excused = ExcusedTokens(
            tokens,
            np.full(len(tokens), NO_REASON, np.uint8),
            None if self.check is None else np.zeros(len(flags), np.uint8),
            None if self.needs_names is None else ExcusedCharacters.begin(sentences, len(flags)),
        )
        has_letter = None if self.check is None else (token_flags & (NATIVE | FOREIGN)) > 0
        kept = (flags, token_flags) if self.needs_names is None else (None, None)  # a profile has letters of its own
        del token_flags
        self._find_excuses(joined, flags, sentences, excused, foreign, has_letter)
        is_word = None if has_letter is None else has_letter & (excused.reasons == NO_REASON)
        excused.reasons[~foreign] = NO_REASON
        annotated = AnnotatedTexts(
            documents=np.arange(first, first + len(rows)),
            offsets=joined.offsets,
            text=joined.code_points,
            sentences=sentences,
            tokens=tokens,
            reasons=excused.reasons,
            reason_names=REASONS,
            provenance=joined.provenance,
            alphabet=self.alphabet,
            excused=excused.by_sentence,
            flags=kept[0],
            token_flags=kept[1],
            warnings=tuple(warnings),
        )
        if self.check is None or excused.covered is None or is_word is None:
            return annotated
        return self._identify(self.check, joined, annotated, is_word, excused.covered.view(np.bool_))

    def _identify(
        self, check: LanguageCheck, joined: JoinedTexts, annotated: AnnotatedTexts, is_word: BoolMask, hidden: BoolMask
    ) -> AnnotatedTexts:
        """Add the languages of lines and windows.

        Args:
            check: checks lines and windows.
            joined: the texts.
            annotated: the same, annotated.
            is_word: (tokens,) whether each is a word that nothing excuses.
            hidden: (characters,) whether to leave out each character.
        """
        words, language = annotated.tokens.take(is_word), self.alphabet.language
        lines = check.check_lines(joined, words, hidden, language)
        if check.window is None:
            return replace(annotated, lines=lines)
        stretches, verdict = check.check_windows(joined, annotated.sentences, words, hidden, language)
        of_tokens = np.zeros(len(annotated.tokens), np.uint8)
        of_tokens[is_word] = verdict
        return replace(annotated, lines=lines, stretches=stretches, identified_words=of_tokens)

    def _find_excuses(
        self,
        joined: JoinedTexts,
        flags: ClassArray,
        sentences: CharSpans,
        excused: ExcusedTokens,
        foreign: BoolMask,
        has_letter: BoolMask | None,
    ) -> None:
        """Find what excuses foreign tokens.

        Names are searched for in the sentences that need them.

        Args:
            joined: texts.
            flags: (characters,) flags by the alphabet.
            sentences: sentences of the texts.
            excused: their tokens, to which the reasons are written.
            foreign: (tokens,) whether each token has a foreign letter.
            has_letter: (tokens,) whether each token has a letter; None without a check of languages.
        """
        tokens, searched = excused.tokens, foreign
        if has_letter is not None:
            searched = has_letter  # foreign tokens among them
        elif self.needs_names is not None:
            searched = self._select_undecided(joined, tokens)
            searched |= foreign
        if self.clean and joined.mark_given("entities").any():
            free = ~self._mark_settled(joined, tokens)
            foreign, searched = foreign & free, searched & free
        excuses = chain(
            self.finder.find(joined, flags, tokens, searched),
            self.names.find_given(joined),
            self.names.find_prompt_names(joined, tokens, foreign),
        )
        excused.add(excuses if self.check is None else _drop_native_capitals(excuses, tokens.take(foreign)))
        if self.names.recognisers and len(sentences):
            free = foreign & (excused.reasons == NO_REASON)
            needed = self._select_sentences(joined, sentences, tokens.start[free])
            excused.add(self.names.find_recognised(joined, sentences, needed))

    def _select_sentences(self, joined: JoinedTexts, sentences: CharSpans, free: Positions) -> BoolMask:
        """Return whether names can change the verdict on each sentence: (sentences,).

        Args:
            joined: texts.
            sentences: sentences of the texts.
            free: starts of the foreign tokens that nothing excuses.
        """
        needed = np.zeros(len(sentences), np.bool_)
        needed[np.searchsorted(sentences.start, free, side="right") - 1] = True
        needed |= True if self.check is not None else self._select_undecided(joined, sentences)
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
        return self.needs_names(joined.code_points, spans)

    def _mark_settled(self, joined: JoinedTexts, spans: CharSpans) -> BoolMask:
        """Return whether each span's text has given entities: (spans,)."""
        given = joined.mark_given("entities")  # (rows,)
        return np.repeat(given, np.diff(np.searchsorted(spans.start, joined.offsets)))


def _drop_native_capitals(excuses: Iterable[FoundExcuse], foreign: CharSpans) -> Iterator[FoundExcuse]:
    """Yield excuses, but not those of native words by their capital.

    With a check of languages native words are searched too, and a capital does not make them names.
    """
    starts = set(foreign.start.tolist())
    return (row for row in excuses if row[2] != CAPITALISED or row[0] in starts)
