"""How much, and in what way, the scripts of a text mix: four indices of the literature, from summed counts.

The words of a text are tagged by script; all scripts of the language are one tag. Neutral and excused words have no
tag and are left out. With n tagged words, w of each of k scripts:

    cmi          100 (1 - max w / n), the Code-Mixing Index of Gambäck and Das (2016)
    m_index      (1 - Σ (w/n)²) / ((k - 1) Σ (w/n)²), the Multilingual Index of Barnett et al. (2000); 0 for one script
    i_index      places where the script changes / places where it could, the Integration Index of Guzmán et al. (2017)
    burstiness   (s - m) / (s + m) of the lengths of runs in one script, after Goh and Barabási (2008)

In `scores` n and w are those of the whole corpus; the mean over texts is in `per_document`. Runs do not go beyond a
text. Of the lengths m is the mean and s the deviation as they are (divided by their number), as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Floats, Ints, Proportion, Proportions, Scores, divide, find_proportions
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import AnnotatedTexts
from isogloss.tasks.code_switching.verdicts import (
    EXPECTED_SCRIPTS,
    FOREIGN_KINDS,
    MIXTURES,
    NO_REASON,
    OWN_SCRIPT,
    TokenMask,
    TokenVerdicts,
)
from isogloss.text.alphabets import Alphabet
from isogloss.text.scripts import load_character_table

MIXING_COLUMNS = ("tagged", "places", "switches", "runs", "squares")


def count_mixing(verdicts: TokenVerdicts) -> dict[str, Ints]:
    """What the indices need beside the words of each script: (documents,) each.

    Returns:
        Tagged words; places between two of them in a text; places where the script changes; runs; the sum of the
        squares of their lengths.
    """
    number = len(verdicts.batch.documents)
    at = np.flatnonzero(mark_tagged(verdicts))
    text, script = verdicts.text_index[at], verdicts.script[at]
    begins = np.ones(len(at), np.bool_)  # (tagged,) whether a run begins here
    begins[1:] = (text[1:] != text[:-1]) | (script[1:] != script[:-1])
    first = np.flatnonzero(begins)
    length = np.diff(np.append(first, len(at)))  # (runs,)
    words = np.bincount(text, minlength=number)
    runs = np.bincount(text[first], minlength=number)
    present = words > 0
    return {
        "tagged": words,
        "places": words - present,
        "switches": runs - present,
        "runs": runs,
        "squares": _sum_by_group(text[first], length * length, number),
    }


def mark_tagged(verdicts: TokenVerdicts) -> TokenMask:
    """(tokens,) whether each counts for the indices."""
    free: TokenMask = verdicts.reason_code == NO_REASON
    return verdicts.has_letter & free


def compute_mixing_indices(count: Mapping[str, Ints], words: Ints) -> dict[str, Floats]:
    """The four indices.

    Args:
        count: (...) sum of each column.
        words: (..., scripts) tagged words of each script.
    """
    total = count["tagged"]
    most = words.max(axis=-1, initial=0)
    share = divide(words, total[..., None], 0.0)
    squares = (share * share).sum(axis=-1)
    scripts = (words > 0).sum(axis=-1)
    mean = divide(total, count["runs"])
    spread = np.sqrt(np.maximum(divide(count["squares"], count["runs"]) - mean * mean, 0))
    return {
        "cmi": 100 * (1 - divide(most, total)),
        "m_index": np.where(scripts == 1, 0.0, divide(1 - squares, (scripts - 1) * squares)),
        "i_index": divide(count["switches"], count["places"]),
        "burstiness": divide(spread - mean, spread + mean),
    }


def _sum_by_group(group: Ints, values: Ints, number: int) -> Ints:
    """Sum of the integers of each group: (number,). Exact: a text has fewer than 2^26 words."""
    return np.bincount(group, weights=values, minlength=number).astype(np.int64)


SCORED_UNITS = ("words", "sentences", "texts")
RATE_SIDES = ("strict", "excused")
RATE_PROPORTIONS = tuple(Proportion(f"{side}_rate", f"{side}_count", ("total",)) for side in RATE_SIDES)


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
        verdicts = TokenVerdicts.from_batch(batch, self.alphabet)
        columns = self._count_units(verdicts) | count_mixing(verdicts)
        if self.identified:
            columns |= _count_passes(batch, columns["texts_excused"])
        script = verdicts.script
        scripts = tuple(
            self.alphabet.script if k == OWN_SCRIPT else "/".join(s)
            for k, s in enumerate(load_character_table().script_sets)
        )
        tallies = (
            _TokenTally(
                "reason", batch.reason_names, verdicts.reason_code, verdicts.reason_code != NO_REASON, ("words",)
            ),
            _TokenTally("kind", FOREIGN_KINDS, verdicts.kind_code, verdicts.kind_code >= 0, ("words",)),
            _TokenTally("script", scripts, script, script >= 0, ("words",)),
            _TokenTally("script", scripts, script, mark_tagged(verdicts), ("in_script",)),
        )
        return _build_counts(
            batch.documents, columns, [(tally, *tally.to_rows(verdicts.text_index)) for tally in tallies]
        )

    def overall(self, sums: Sums) -> Scores:
        """Rates and counts of words, sentences and texts, the indices of mixing, and the pass rates."""
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        scores: Scores = {}
        for unit in SCORED_UNITS:
            for side in RATE_SIDES:
                found = count[f"{unit}_{side}"]
                scores |= {
                    (unit, f"{side}_rate"): divide(found, count[unit + "_total"]),
                    (unit, f"{side}_count"): found,
                }
            scores[unit, "total"] = count[unit + "_total"]
        written = np.array([name is not None for name in sums.get_names("script")], np.bool_)
        figures = compute_mixing_indices(count, sums.get_column("in_script")[..., written])
        scores |= {("mixing", name): value for name, value in figures.items()}
        if self.identified:
            scores["pass_rate", "line"] = divide(count["line_pass"], count["line_known"])
            scores["pass_rate", "word"] = divide(count["word_pass"], count["line_pass"])
        return scores

    def score(self, sums: Sums) -> Scores:
        """The overall scores; the share of each script; how often each reason and each kind of finding occurs."""
        words = sums.get_column("words")  # (..., cells)
        scores = self.overall(sums)
        scores |= self._score_scripts(sums.get_names("script"), words)
        for part in ("reason", "kind"):
            for k, name in enumerate(sums.get_names(part)):
                if name is not None and (part == "reason" or name in MIXTURES):
                    scores["by_label", name, "words", "count"] = words[..., k]
        for kind in FOREIGN_KINDS:
            chosen = np.array([name == kind for name in sums.get_names("kind")], np.bool_)
            scores["findings", kind] = words[..., chosen].sum(axis=-1)
        return scores

    def proportions(self, sums: Sums) -> Proportions:
        """The rates, the pass rates and the shares of scripts."""
        scores, words = self.score(sums), sums.get_column("words")  # (cells,)
        found = find_proportions(scores, RATE_PROPORTIONS)
        written = [(name, int(n)) for name, n in zip(sums.get_names("script"), words, strict=True) if name is not None]
        total = sum(n for _, n in written)
        found |= {("scripts", name): (n, total) for name, n in written}
        found["third_scripts", "share"] = (int(scores["third_scripts", "count"]), total)
        if self.identified:
            known, line, word = (int(sums.get_column(name).sum()) for name in ("line_known", "line_pass", "word_pass"))
            found |= {("pass_rate", "line"): (line, known), ("pass_rate", "word"): (word, line)}
        return found

    def _count_units(self, verdicts: TokenVerdicts) -> dict[str, Ints]:
        """Words, sentences and texts, and how many are broken: (documents,) each."""
        batch, number = verdicts.batch, len(verdicts.batch.documents)
        counted = np.ones(len(batch.tokens), np.bool_) if self.neutral else verdicts.has_letter
        in_text = np.searchsorted(batch.offsets, batch.sentences.start, side="right") - 1  # (sentences,)
        columns = {
            "words_total": np.bincount(verdicts.text_index[counted], minlength=number),
            "sentences_total": np.bincount(in_text, minlength=number),
            "texts_total": np.ones(number, np.int64),
        }
        for side, broken in zip(RATE_SIDES, (verdicts.foreign, verdicts.broken), strict=True):
            columns[f"words_{side}"] = np.bincount(verdicts.text_index[broken], minlength=number)
            sentences = np.unique(verdicts.sentence_index[broken])
            columns[f"sentences_{side}"] = np.bincount(in_text[sentences], minlength=number)
            columns[f"texts_{side}"] = (columns[f"words_{side}"] > 0).astype(np.int64)
        return columns

    def _score_scripts(self, names: tuple[str | None, ...], words: Ints) -> Scores:
        """The share of the words in each script, and in third ones."""
        written = np.array([name is not None for name in names], np.bool_)
        total = words[..., written].sum(axis=-1)
        own = self.alphabet.script
        third = np.array([name not in {None, own, *EXPECTED_SCRIPTS} for name in names], np.bool_)
        scores: Scores = {("scripts", str(names[k])): divide(words[..., k], total) for k in np.flatnonzero(written)}
        count = words[..., third].sum(axis=-1)
        return scores | {("third_scripts", "share"): divide(count, total), ("third_scripts", "count"): count}


@dataclass(frozen=True, eq=False)
class _TokenTally:
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
    counted: TokenMask
    columns: tuple[str, ...]

    def to_rows(self, text: Ints) -> tuple[Ints, Ints, Ints]:
        """Text, code and number of tokens: (rows,) each."""
        width = len(self.names)
        codes = self.codes[self.counted].astype(np.int64)
        pair, times = np.unique(text[self.counted] * width + codes, return_counts=True)
        return pair // width, pair % width, times


CELL_PARTS = ("reason", "kind", "script")


def _build_counts(
    documents: Ints, columns: Mapping[str, Ints], tallies: list[tuple[_TokenTally, Ints, Ints, Ints]]
) -> Counts:
    """A row for each text, then the rows of the tallies."""
    number = len(documents)
    sizes = [number, *(len(text) for _, text, _, _ in tallies)]
    first = np.cumsum([0, *sizes])
    filled = {name: np.zeros(first[-1], np.int64) for name in (*columns, "words", "in_script")}
    parts = {part: np.full(first[-1], -1) for part in CELL_PARTS}
    names: dict[str, tuple[str, ...]] = {}
    for name, column in columns.items():
        filled[name][:number] = column
    for (tally, _, codes, times), begin, end in zip(tallies, first[1:-1], first[2:], strict=True):
        names[tally.part] = tally.names
        parts[tally.part][begin:end] = codes
        for name in tally.columns:
            filled[name][begin:end] = times
    row = np.concatenate([np.arange(number), *(text for _, text, _, _ in tallies)])
    return Counts.build(documents, filled, row=row, parts={part: (parts[part], names[part]) for part in CELL_PARTS})


def _count_passes(batch: AnnotatedTexts, broken: Ints) -> dict[str, Ints]:
    """Texts that were looked at line by line, that passed, and that have no broken word either: (documents,) each."""
    told = np.full(len(batch.documents), -1) if batch.lines_pass is None else batch.lines_pass
    passed = told == 1
    return {
        "line_known": (told >= 0).astype(np.int64),
        "line_pass": passed.astype(np.int64),
        "word_pass": (passed & (broken == 0)).astype(np.int64),
    }
