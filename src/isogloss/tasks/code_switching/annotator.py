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
from isogloss.providers.functions import function_of
from isogloss.providers.specs import parsed
from isogloss.tasks.code_switching.batches import AnnotatedTexts, Stretches
from isogloss.tasks.code_switching.excuse_patterns import Found
from isogloss.tasks.code_switching.excuses import REASONS, Excuses, Finder
from isogloss.tasks.code_switching.rows import Row
from isogloss.tasks.code_switching.segmenting import Cutter, Joined, Where
from isogloss.text.alphabets import CLASS, FOREIGN, NATIVE, Alphabet, any_of, flags_of
from isogloss.text.scripts import code_points
from isogloss.text.words import Classes, tokens

Identify = Callable[[list[str]], Sequence[str | None]]
SHORTEST = 5  # words of a line, as in the Language Confusion Benchmark: shorter ones tell too little


@dataclass(frozen=True)
class Identifier:
    """Tells the language of lines.

    Args:
        name: as the user wrote it.
        identify: lines to codes of languages such as `uk`; None where it cannot tell.
    """

    name: str
    identify: Identify

    def pass_(self, joined: Joined, words: Ints, language: str) -> Ints:
        """Whether each text passes: (texts,) 1, 0, or -1 for a text without a line of at least five words.

        Args:
            joined: texts.
            words: first character of each token that has letters, ascending.
            language: of the texts.

        Raises:
            DataError: the identifier does not give an answer for each line.
        """
        text, lines = _lines(joined, words)
        answers = list(self.identify(lines)) if lines else []
        if len(answers) != len(lines):
            raise DataError(
                f"{self.name} gives {len(answers)} languages for {len(lines)} lines",
                remedy="It must give one for each line, in their order.",
            )
        right = np.array([_base(answer) == _base(language) for answer in answers], np.bool_)
        told = np.full(len(joined.rows), -1)
        told[text] = 1
        told[text[~right]] = 0
        return told


def identifier(wanted: str | Identify) -> Identifier:
    """An identifier from what a user gives.

    Args:
        wanted: `python:module:function`, or a callable.

    Raises:
        UsageError: it is neither, or the function cannot be found.
    """
    if isinstance(wanted, str):
        spec = parsed(wanted)
        if spec.kind != "python":
            raise UsageError(f"identifier is {wanted!r}, but it is python:module:function, or a callable.")
        return Identifier(wanted, function_of(spec))
    if not callable(wanted):
        raise UsageError(f"identifier is {wanted!r}, but it is python:module:function, or a callable.")
    return Identifier(_called(wanted), wanted)


def _called(function: Any) -> str:
    return f"{function.__module__}:{getattr(function, '__qualname__', type(function).__qualname__)}"


def _base(code: str | None) -> str | None:
    """A language without script and region."""
    return None if code is None else code.replace("-", "_").split("_")[0].lower()


def _lines(joined: Joined, words: Ints) -> tuple[Ints, list[str]]:
    """The lines with enough words, and the text that each is of."""
    breaks = np.flatnonzero(joined.points == ord("\n")) + 1
    start = np.union1d(joined.offsets[:-1], breaks)
    end = np.append(start[1:], len(joined.points))
    some = np.searchsorted(words, end) - np.searchsorted(words, start) >= SHORTEST
    start, end = start[some], end[some]
    lines = [line.strip() for line in joined.strings(start, end)]
    return np.searchsorted(joined.offsets, start, side="right") - 1, lines


@dataclass(frozen=True)
class Names:
    """Finds names.

    Args:
        alphabet: the letters of the language.
        recognisers: find names in sentences.
    """

    alphabet: Alphabet
    recognisers: Sequence[Provider] = ()

    def given(self, joined: Joined) -> Iterator[Found]:
        """The entities that are given with the texts."""
        for row, offset in zip(joined.rows, joined.offsets.tolist(), strict=False):
            for start, end, _ in row.entities or ():
                yield offset + start, offset + end, "name"

    def of_prompts(self, joined: Joined, foreign: Stretches) -> Iterator[Found]:
        """Foreign tokens that also stand, with a capital, in the prompt of their text."""
        if all(row.prompt is None for row in joined.rows):
            return
        texts = np.searchsorted(joined.offsets, foreign.start, side="right") - 1
        known: dict[int, frozenset[str]] = {}
        spelt = joined.strings(foreign.start, foreign.end)
        for text, start, end, token in zip(
            texts.tolist(),
            foreign.start.tolist(),
            foreign.end.tolist(),
            spelt,
            strict=True,
        ):
            if text not in known:
                known[text] = self._capitalised(joined.rows[text].prompt or "")
            if token in known[text]:
                yield start, end, "prompt"

    def recognised(self, joined: Joined, sentences: Stretches, asked: NDArray[np.bool_]) -> Iterator[Found]:
        """The names that recognisers find.

        Args:
            joined: texts.
            sentences: theirs.
            asked: (sentences,) in which to look.
        """
        where = sentences.take(asked)
        texts = joined.strings(where.start, where.end)
        for recogniser in self.recognisers if texts else ():
            for offset, spans in zip(where.start.tolist(), recogniser.annotate(texts), strict=True):
                for start, end, _ in spans:
                    yield offset + start, offset + end, "name"

    def _capitalised(self, prompt: str) -> frozenset[str]:
        text = prompt + " "
        flags = flags_of(self.alphabet, code_points(text))
        start, end = tokens(flags & np.uint8(CLASS))
        foreign = (any_of(flags, start, end) & FOREIGN) > 0
        spans = zip(start[foreign].tolist(), end[foreign].tolist(), strict=True)
        return frozenset(text[a:b] for a, b in spans if text[a].isupper() or text[a].istitle())


Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Annotator:
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
    cutter: Cutter
    finder: Finder
    names: Names
    identifier: Identifier | None = None
    clean: bool = False
    needs_names: Callable[[str], bool] | None = None

    def batch(self, rows: Sequence[Row], first: int, where: Where) -> AnnotatedTexts:
        """Texts with their sentences and tokens.

        Args:
            rows: the texts, at least one unless `first` is 0.
            first: number of the first.
            where: place of a row.
        """
        joined = Joined.of(rows, where, clean=self.clean)
        flags = flags_of(self.alphabet, joined.points)
        sentences = self.cutter.sentences(joined)
        tokens, notices = self.cutter.tokens(joined, sentences, flags & np.uint8(CLASS))
        held = any_of(flags, tokens.start, tokens.end)  # (tokens,)
        foreign = (held & FOREIGN) > 0  # (tokens,)
        ruled = foreign | self._wanting(joined, tokens)
        excused = self._excused(joined, flags, sentences, tokens.take(foreign), tokens.take(ruled))
        lines = None
        if self.identifier is not None:
            words = tokens.start[(held & (NATIVE | FOREIGN)) > 0]
            lines = self.identifier.pass_(joined, words, self.alphabet.language)
        return AnnotatedTexts(
            documents=np.arange(first, first + len(rows)),
            offsets=joined.offsets,
            text=joined.points,
            sentences=sentences,
            tokens=tokens,
            excused=Stretches(excused.start, excused.end),
            reasons=excused.reason,
            names=REASONS,
            origin=joined.origin,
            lines_pass=lines,
            notices=tuple(notices),
        )

    def _excused(
        self,
        joined: Joined,
        flags: Classes,
        sentences: Stretches,
        foreign: Stretches,
        ruled: Stretches,
    ) -> Excuses:
        if self.clean:
            foreign, ruled = (tokens.take(~self._settled(joined, tokens)) for tokens in (foreign, ruled))
        found = [
            *self.finder.find(joined.text, flags, joined.offsets, (ruled.start, ruled.end)),
            *self.names.given(joined),
            *self.names.of_prompts(joined, foreign),
        ]
        if self.names.recognisers and len(sentences):
            found += self.names.recognised(joined, sentences, self._asked(joined, sentences, foreign, found))
        return Excuses.of(found)

    def _asked(self, joined: Joined, sentences: Stretches, foreign: Stretches, found: Iterable[Found]) -> Mask:
        """(sentences,) whether names can change the verdict on each."""
        covered = np.zeros(len(joined.points), np.uint8)
        for start, end, _ in found:
            covered[start:end] = 1
        free = foreign.take(any_of(covered, foreign.start, foreign.end) == 0)
        asked = np.zeros(len(sentences), np.bool_)
        asked[np.searchsorted(sentences.start, free.start, side="right") - 1] = True
        return (asked | self._wanting(joined, sentences)) & ~self._settled(joined, sentences)

    def _wanting(self, joined: Joined, spans: Stretches) -> Mask:
        """(spans,) whether excuses can change the verdict on each, as `needs_names` says."""
        if self.needs_names is None:
            return np.zeros(len(spans), np.bool_)
        return np.array(list(map(self.needs_names, joined.strings(spans.start, spans.end))), np.bool_)

    def _settled(self, joined: Joined, spans: Stretches) -> Mask:
        """(spans,) whether the entities of the text that each is in are given."""
        given = np.array([row.entities is not None for row in joined.rows], np.bool_)
        if not given.any():
            return np.zeros(len(spans), np.bool_)
        settled: Mask = given[np.searchsorted(joined.offsets, spans.start, side="right") - 1]
        return settled
