"""Code-switching with proper names excused: how often a text leaves the language that it should be in.

Definition
    1. A letter is the language's own if its alphabet has it, else foreign. All that is no letter of a script is
       neutral: digits, punctuation, symbols, `_`, emoji, marks.
    2. A token with a foreign letter is foreign, a token without letters neutral, any other the language's own.
    3. A foreign token is excused if a span with a reason overlaps it (half-open): a name, an address, a quotation, a
       numeral, and so on. It is counted under the first reason that does.
    4. `words`: `strict` counts foreign tokens, `excused` those that nothing excuses; `total` are the tokens that have
       letters (with `neutral=True` all tokens). A sentence or text is broken when it holds such a token; `total` are
       all sentences and all texts.
    5. Finders miss names and excuse too much; the truth lies between the strict and the excused rate: both are given.
    6. A token with letters of both sides is a mixture: `homoglyph`, `attachment` or `glued`. It is foreign all the
       same.
    7. `scripts`: the share of the words in each script, and of third ones: neither the language's own nor Latin.
    8. `mixing`: see `mixing`. `pass_rate`, where a language identifier was given: `line` is the share of texts in which
       it takes every line for the language, `word` the share of these in which no word is broken.
    9. 0/0 is undefined.

Source: PNaCoS (proper-name aware code-switching), for the rates; Marchisio et al. (2024), Understanding and Mitigating
Language Confusion in LLMs, for `pass_rate`, there LPR and WPR.

Differences from other implementations
    1. PNaCoS takes sentences of numbers or punctuation for broken, makes foreign letters with accents native (Cyrillic
       io loses its dots), breaks both tokens next to a broken one at a sentence's start, opens quotations at
       apostrophes and finds two-letter names inside words. None of it is so here; the profile `pnacos` has its steps.
    2. The Language Confusion Benchmark looks up English words in a list, and only in languages not written in Latin
       letters, so that words which mix scripts pass. Here letters decide.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.batches import AnnotatedTexts
from isogloss.counts import Counts, Sums
from isogloss.metrics.code_switching import mixing
from isogloss.metrics.code_switching.verdicts import EXPECTED, KINDS, NONE, OWN, Mask, Verdicts
from isogloss.rules.alphabets import Alphabet
from isogloss.rules.characters import characters
from isogloss.rules.mixed import MIXTURES
from isogloss.scores import Ints, Proportion, Proportions, Scores, proportions_among, ratio

UNITS = ("words", "sentences", "texts")
SIDES = ("strict", "excused")
RATES = tuple(Proportion(f"{side}_rate", f"{side}_count", ("total",)) for side in SIDES)


@dataclass(frozen=True)
class CodeSwitching:
    """The default metric.

    Args:
        alphabet: the letters of the language.
        neutral: whether tokens without letters are counted among the words.
        identified: whether lines were given to a language identifier.
    """

    alphabet: Alphabet
    neutral: bool = False
    identified: bool = False

    def count(self, batch: AnnotatedTexts) -> Counts:
        """Tokens, sentences and texts; reasons, scripts and kinds."""
        verdicts = Verdicts.of(batch, self.alphabet)
        columns = self._units(verdicts) | mixing.columns(verdicts)
        if self.identified:
            columns |= _passes(batch, columns["texts_excused"])
        script = verdicts.script
        scripts = tuple(self.alphabet.script if k == OWN else "/".join(s) for k, s in enumerate(characters().scripts))
        tallies = (
            _Tally("reason", batch.names, verdicts.reason, verdicts.reason != NONE, ("words",)),
            _Tally("kind", KINDS, verdicts.kind, verdicts.kind >= 0, ("words",)),
            _Tally("script", scripts, script, script >= 0, ("words",)),
            _Tally("script", scripts, script, mixing.tagged(verdicts), ("in_script",)),
        )
        return _built(batch.documents, columns, [(tally, *tally.rows(verdicts.text)) for tally in tallies])

    def overall(self, sums: Sums) -> Scores:
        """Rates and counts of words, sentences and texts, the indices of mixing, and the pass rates."""
        count = {name: sums.column(name).sum(axis=-1) for name in sums.columns}
        scores: Scores = {}
        for unit in UNITS:
            for side in SIDES:
                found = count[f"{unit}_{side}"]
                scores |= {(unit, f"{side}_rate"): ratio(found, count[unit + "_total"]), (unit, f"{side}_count"): found}
            scores[unit, "total"] = count[unit + "_total"]
        written = np.array([name is not None for name in sums.names("script")], np.bool_)
        figures = mixing.indices(count, sums.column("in_script")[..., written])
        scores |= {("mixing", name): value for name, value in figures.items()}
        if self.identified:
            scores["pass_rate", "line"] = ratio(count["line_pass"], count["line_known"])
            scores["pass_rate", "word"] = ratio(count["word_pass"], count["line_pass"])
        return scores

    def score(self, sums: Sums) -> Scores:
        """The overall scores; the share of each script; how often each reason and each kind of finding occurs."""
        words = sums.column("words")  # (..., cells)
        scores = self.overall(sums)
        scores |= self._scripts(sums.names("script"), words)
        for part in ("reason", "kind"):
            for k, name in enumerate(sums.names(part)):
                if name is not None and (part == "reason" or name in MIXTURES):
                    scores["by_label", name, "words", "count"] = words[..., k]
        for kind in KINDS:
            chosen = np.array([name == kind for name in sums.names("kind")], np.bool_)
            scores["findings", kind] = words[..., chosen].sum(axis=-1)
        return scores

    def proportions(self, sums: Sums) -> Proportions:
        """The rates, the pass rates and the shares of scripts."""
        scores, words = self.score(sums), sums.column("words")  # (cells,)
        found = proportions_among(scores, RATES)
        written = [(name, int(n)) for name, n in zip(sums.names("script"), words, strict=True) if name is not None]
        total = sum(n for _, n in written)
        found |= {("scripts", name): (n, total) for name, n in written}
        found["third_scripts", "share"] = (int(scores["third_scripts", "count"]), total)
        if self.identified:
            known, line, word = (int(sums.column(name).sum()) for name in ("line_known", "line_pass", "word_pass"))
            found |= {("pass_rate", "line"): (line, known), ("pass_rate", "word"): (word, line)}
        return found

    def _units(self, verdicts: Verdicts) -> dict[str, Ints]:
        """Words, sentences and texts, and how many are broken: (documents,) each."""
        batch, number = verdicts.batch, len(verdicts.batch.documents)
        counted = np.ones(len(batch.tokens), np.bool_) if self.neutral else verdicts.lettered
        in_text = np.searchsorted(batch.offsets, batch.sentences.start, side="right") - 1  # (sentences,)
        columns = {
            "words_total": np.bincount(verdicts.text[counted], minlength=number),
            "sentences_total": np.bincount(in_text, minlength=number),
            "texts_total": np.ones(number, np.int64),
        }
        for side, broken in zip(SIDES, (verdicts.foreign, verdicts.broken), strict=True):
            columns[f"words_{side}"] = np.bincount(verdicts.text[broken], minlength=number)
            sentences = np.unique(verdicts.sentence[broken])
            columns[f"sentences_{side}"] = np.bincount(in_text[sentences], minlength=number)
            columns[f"texts_{side}"] = (columns[f"words_{side}"] > 0).astype(np.int64)
        return columns

    def _scripts(self, names: tuple[str | None, ...], words: Ints) -> Scores:
        """The share of the words in each script, and in third ones."""
        written = np.array([name is not None for name in names], np.bool_)
        total = words[..., written].sum(axis=-1)
        own = self.alphabet.script
        third = np.array([name not in {None, own, *EXPECTED} for name in names], np.bool_)
        scores: Scores = {("scripts", str(names[k])): ratio(words[..., k], total) for k in np.flatnonzero(written)}
        count = words[..., third].sum(axis=-1)
        return scores | {("third_scripts", "share"): ratio(count, total), ("third_scripts", "count"): count}


@dataclass(frozen=True, eq=False)
class _Tally:
    """Tokens by the name of something.

    Args:
        part: the part of a cell that holds the name.
        names: the names.
        codes: (tokens,) position in `names` of each.
        counted: (tokens,) the tokens that have one.
        columns: what is counted of them.
    """

    part: str
    names: tuple[str, ...]
    codes: Ints | NDArray[np.uint8]
    counted: Mask
    columns: tuple[str, ...]

    def rows(self, text: Ints) -> tuple[Ints, Ints, Ints]:
        """Text, code and number of tokens: (rows,) each."""
        width = len(self.names)
        codes = self.codes[self.counted].astype(np.int64)
        pair, times = np.unique(text[self.counted] * width + codes, return_counts=True)
        return pair // width, pair % width, times


PARTS = ("reason", "kind", "script")


def _built(documents: Ints, columns: Mapping[str, Ints], tallies: list[tuple[_Tally, Ints, Ints, Ints]]) -> Counts:
    """A row for each text, then the rows of the tallies."""
    number = len(documents)
    sizes = [number, *(len(text) for _, text, _, _ in tallies)]
    first = np.cumsum([0, *sizes])
    filled = {name: np.zeros(first[-1], np.int64) for name in (*columns, "words", "in_script")}
    parts = {part: np.full(first[-1], -1) for part in PARTS}
    names: dict[str, tuple[str, ...]] = {}
    for name, column in columns.items():
        filled[name][:number] = column
    for (tally, _, codes, times), begin, end in zip(tallies, first[1:-1], first[2:], strict=True):
        names[tally.part] = tally.names
        parts[tally.part][begin:end] = codes
        for name in tally.columns:
            filled[name][begin:end] = times
    row = np.concatenate([np.arange(number), *(text for _, text, _, _ in tallies)])
    return Counts.build(documents, filled, row=row, parts={part: (parts[part], names[part]) for part in PARTS})


def _passes(batch: AnnotatedTexts, broken: Ints) -> dict[str, Ints]:
    """Texts that were looked at line by line, that passed, and that have no broken word either: (documents,) each."""
    told = np.full(len(batch.documents), -1) if batch.lines_pass is None else batch.lines_pass
    passed = told == 1
    return {
        "line_known": (told >= 0).astype(np.int64),
        "line_pass": passed.astype(np.int64),
        "word_pass": (passed & (broken == 0)).astype(np.int64),
    }
