"""Count words, sentences and texts with foreign letters, and score them.

Scores tell how often foreign letters occur and how scripts mix.

`mixing` has four indices of how scripts mix in a text. Words are tagged by script; all scripts of the language have
the same tag. Neutral and excused words have no tag and are left out. For n tagged words, w in each
of k scripts:

    cmi          100 (1 - max w / n), the Code-Mixing Index of Gambäck and Das (2016)
    m_index      (1 - Σ (w/n)²) / ((k - 1) Σ (w/n)²), the Multilingual Index of Barnett et al. (2000); 0 for one script
    i_index      script changes / pairs of adjacent tagged words, the Integration Index of Guzmán et al. (2017)
    burstiness   (s - m) / (s + m) of the lengths of runs in one script, after Goh and Barabási (2008)

In `scores`, n and w are sums over the corpus; `per_document` has the mean over texts. A run ends at the end of a text.
m is the mean length of runs, and s their population standard deviation, as in the paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_switching.batches import AnnotatedTexts, iterate_marked, sum_between
from isogloss.tasks.code_switching.reasons import NO_REASON
from isogloss.tasks.code_switching.verdicts import (
    EXPECTED_SCRIPTS,
    FOREIGN_KINDS,
    MIXTURES,
    NO_SCRIPT,
    OTHER_LANGUAGE,
    OWN_SCRIPT,
    WRONG_LINE,
    TokenMask,
    TokenVerdicts,
)
from isogloss.text.alphabets import Alphabet
from isogloss.text.scripts import load_character_table

Weight = NDArray[np.uint32]
Codes = NDArray[np.integer]


def count_mixing(verdicts: TokenVerdicts) -> dict[str, Ints]:
    """Count the numbers behind the indices of mixing: (documents,) each.

    The indices also need the words of each script, which are counted elsewhere.

    Args:
        verdicts: verdicts on the tokens of a batch.

    Returns:
        Tagged words; pairs of adjacent tagged words in a text; script changes; runs; the sum of squared run lengths.
    """
    batch, weight, tagged = verdicts.batch, verdicts.weight, mark_tagged(verdicts)
    words = batch.sum_by_text(tagged if weight is None else weight * tagged)
    present = words > 0
    runs, squares = present.astype(np.int64), words * words  # of texts in one script
    if (tagged & (verdicts.script != OWN_SCRIPT)).any():
        runs, squares = _count_runs(verdicts, tagged)
    return {"tagged": words, "places": words - present, "switches": runs - present, "runs": runs, "squares": squares}


def _count_runs(verdicts: TokenVerdicts, tagged: TokenMask) -> tuple[Ints, Ints]:
    """Count runs, and sum the squares of their lengths: (documents,) each."""
    batch, weight = verdicts.batch, verdicts.weight
    script = verdicts.script[tagged]  # (tagged,)
    edges = np.append(0, np.cumsum(batch.sum_by_text(tagged)))  # (documents + 1,) first tagged word of each text
    ends = np.zeros(len(script), np.bool_)  # (tagged,) whether a run ends here
    np.not_equal(script[1:], script[:-1], out=ends[:-1])
    ends[edges[edges > 0] - 1] = True
    runs = sum_between(ends, edges)
    length = _measure_runs(ends, None if weight is None else weight[tagged])
    np.multiply(length, length, out=length)
    return runs, sum_between(length, np.append(0, np.cumsum(runs)))


def _measure_runs(ends: TokenMask, weight: Weight | None) -> Ints:
    """Return the length of each run: (runs,).

    Args:
        ends: (words,) whether a run ends with each.
        weight: (words,) how often each counts; None if each counts once.
    """
    last = np.flatnonzero(ends)  # (runs,)
    if weight is not None:
        return sum_between(weight, np.append(0, last + 1))
    last[1:] -= last[:-1]
    last[:1] += 1
    return last


def mark_tagged(verdicts: TokenVerdicts) -> TokenMask:
    """Return whether each token is tagged: (tokens,)."""
    tagged: TokenMask = verdicts.reason_code == NO_REASON
    tagged &= verdicts.has_letter
    return tagged


def compute_mixing_indices(count: Mapping[str, Ints], words: Ints) -> dict[str, Floats]:
    """Return the four indices of mixing.

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


NATIVE_SCRIPTS = "native"  # in `scripts`, if texts have languages of their own
SCORED_UNITS = ("words", "sentences", "texts")
RATE_SIDES = ("strict", "excused")


def count_units(batch: AnnotatedTexts, counted: TokenMask, weight: Weight | None = None) -> dict[str, Ints]:
    """Count words, sentences and texts: (documents,) each.

    Args:
        batch: annotated texts.
        counted: (tokens,) whether each token counts as a word.
        weight: (tokens,) how often each token counts; None if each counts once.
    """
    return {
        "words_total": batch.sum_by_text(counted if weight is None else weight * counted),
        "sentences_total": np.diff(_find_first_sentences(batch)),
        "texts_total": np.ones(len(batch.documents), np.int64),
    }


def count_broken(
    batch: AnnotatedTexts, side: str, tokens: TokenMask, sentences: TokenMask, weight: Weight | None = None
) -> dict[str, Ints]:
    """Count broken words, sentences and texts of one side: (documents,) each.

    Args:
        batch: annotated texts.
        side: `strict` or `excused`.
        tokens: (tokens,) whether each is broken.
        sentences: (sentences,) whether each is broken.
        weight: (tokens,) how often each token counts; None if each counts once.
    """
    words = batch.sum_by_text(tokens if weight is None else weight * tokens)
    return {
        f"words_{side}": words,
        f"sentences_{side}": sum_between(sentences, _find_first_sentences(batch)),
        f"texts_{side}": (words > 0).astype(np.int64),
    }


def _find_first_sentences(batch: AnnotatedTexts) -> Ints:
    """Return the first sentence of each text: (documents + 1,).

    The last entry is the number of sentences.
    """
    return np.searchsorted(batch.sentences.start, batch.offsets)


def score_units(count: Mapping[str, Ints], sides: Sequence[str], undefined: float = np.nan) -> Scores:
    """Return rates and counts of words, sentences and texts.

    Args:
        count: (...) sum of each column of `count_units`.
        sides: sides to score.
        undefined: the rate without a denominator.
    """
    scores: Scores = {}
    for unit in SCORED_UNITS:
        total = count[f"{unit}_total"]
        for side in sides:
            foreign = count[f"{unit}_{side}"]
            scores |= {(unit, f"{side}_rate"): divide(foreign, total, undefined), (unit, f"{side}_count"): foreign}
        scores[unit, "total"] = total
    return scores


@dataclass(frozen=True)
class CodeSwitching:
    """The default metric of code-switching.

    Args:
        alphabet: the letters of the language.
        neutral: whether tokens without letters count as words.
        identified: whether a language identifier has judged the lines of texts.
        windows: whether it has judged windows of words too.
        count_by: whether words are counted in `tokens` or in `characters`, their letters; None for characters in
            languages that are written without spaces, and tokens in others.
        has_languages: whether texts have languages of their own; then letters of a text's language count as `native`
            among the scripts.
    """

    alphabet: Alphabet
    neutral: bool = False
    identified: bool = False
    windows: bool = False
    count_by: Literal["tokens", "characters"] | None = "tokens"
    has_languages: bool = False

    def count(self, batch: AnnotatedTexts) -> Counts:
        """Count words, sentences and texts, and words by reason, kind and script."""
        own = batch.alphabet or self.alphabet
        by_character = own.is_unspaced if self.count_by is None else self.count_by == "characters"
        verdicts = TokenVerdicts.from_batch(batch, own, by_character=by_character)
        weight = verdicts.weight
        columns = count_units(
            batch, np.ones(len(batch.tokens), np.bool_) if self.neutral else verdicts.has_letter, weight
        )
        for side in RATE_SIDES:
            broken = verdicts.foreign if side == "strict" else verdicts.unexcused_mask
            columns |= count_broken(batch, side, broken, batch.has_marked(broken), weight)
        del broken  # a text may have millions of tokens
        columns |= count_mixing(verdicts)
        if self.identified:
            columns |= _count_passes(batch, columns["texts_excused"])
        if self.windows:
            columns |= _count_other_words(batch, weight)
        script = verdicts.script
        scripts = tuple(
            self._own_script if k == OWN_SCRIPT else "/".join(s)
            for k, s in enumerate(load_character_table().script_sets)
        )
        names = {"reason": batch.reason_names, "kind": FOREIGN_KINDS, "script": scripts}
        reason, kind = verdicts.reason_code, verdicts.kind_code
        groups: tuple[tuple[str, str, Codes, Callable[[], TokenMask], Weight | None], ...] = (
            ("reason", "words", reason, lambda: reason != NO_REASON, weight),
            ("kind", "words", kind, lambda: kind >= 0, weight),
            ("kind", "found", kind, lambda: verdicts.begins_finding, None),
            ("script", "words", script, lambda: script != NO_SCRIPT, weight),
            ("script", "in_script", script, lambda: mark_tagged(verdicts), weight),
        )
        tallies = [
            (part, column, *_tally_tokens(batch, codes, len(names[part]), times, mark()))
            for part, column, codes, mark, times in groups
        ]
        return _build_counts(batch.documents, columns, names, tallies)

    def overall(self, sums: Sums) -> Scores:
        """Return rates and counts, the indices of mixing, and pass rates.

        Rates and counts are those of words, sentences and texts.
        """
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        scores = score_units(count, RATE_SIDES)
        written = np.array([name is not None for name in sums.get_names("script")], np.bool_)
        figures = compute_mixing_indices(count, sums.get_column("in_script")[..., written])
        scores |= {("mixing", name): value for name, value in figures.items()}
        if self.identified:
            scores["pass_rate", "line"] = divide(count["line_pass"], count["line_known"])
            scores["pass_rate", "word"] = divide(count["word_pass"], count["line_pass"])
            scores |= _rate_others(count, "lines")
        if self.windows:
            scores |= _rate_others(count, "words")
        return scores

    def score(self, sums: Sums) -> Scores:
        """Return all scores: overall, by script, by reason and by kind.

        A script has its share; a reason or kind has its number of words.
        """
        words, found = sums.get_column("words"), sums.get_column("found")  # (..., cells)
        scores = self.overall(sums)
        scores |= self._score_scripts(sums.get_names("script"), words)
        for part in ("reason", "kind"):
            for k, name in enumerate(sums.get_names(part)):
                if name is not None and (part == "reason" or name in MIXTURES):
                    scores["by_label", name, "words", "count"] = words[..., k]
        for kind in FOREIGN_KINDS:
            chosen = np.array([name == kind for name in sums.get_names("kind")], np.bool_)
            scores["findings", kind] = found[..., chosen].sum(axis=-1)
        for counted, kind in ((self.identified, WRONG_LINE), (self.windows, OTHER_LANGUAGE)):
            if counted:
                scores["findings", kind] = sums.get_column(kind).sum(axis=-1)
        return scores

    def hidden_proportions(self, sums: Sums) -> dict[ScoreKey, tuple[Ints, Ints]]:
        """Return the counts behind pass rates and shares of scripts.

        These counts are not scores themselves.
        """
        names, words = sums.get_names("script"), sums.get_column("words")  # (cells,), (..., cells)
        written = [k for k, name in enumerate(names) if name is not None]
        total = words[..., written].sum(axis=-1)
        proportions: dict[ScoreKey, tuple[Ints, Ints]] = {
            ("scripts", str(names[k])): (words[..., k], total) for k in written
        }
        proportions["third_scripts", "share"] = (self._score_scripts(names, words)["third_scripts", "count"], total)
        if self.identified:
            known, line, word = (
                sums.get_column(name).sum(axis=-1) for name in ("line_known", "line_pass", "word_pass")
            )
            proportions |= {("pass_rate", "line"): (line, known), ("pass_rate", "word"): (word, line)}
        return proportions

    @property
    def _own_script(self) -> str:
        """The name of the scripts of the language."""
        return NATIVE_SCRIPTS if self.has_languages else self.alphabet.script

    def _score_scripts(self, names: tuple[str | None, ...], words: Ints) -> Scores:
        """Return the share of words in each script, and in third scripts."""
        written = np.array([name is not None for name in names], np.bool_)
        total = words[..., written].sum(axis=-1)
        own = self._own_script
        third = np.array([name not in {None, own, *EXPECTED_SCRIPTS} for name in names], np.bool_)
        scores: Scores = {("scripts", str(names[k])): divide(words[..., k], total) for k in np.flatnonzero(written)}
        count = words[..., third].sum(axis=-1)
        return scores | {("third_scripts", "share"): divide(count, total), ("third_scripts", "count"): count}


def _tally_tokens(
    batch: AnnotatedTexts, codes: Codes, width: int, weight: Weight | None, chosen: TokenMask
) -> tuple[Ints, Ints, Ints]:
    """Return distinct pairs of text and code, and their numbers of tokens.

    The result is texts, codes and numbers: (pairs,) each. The first code is that of most tokens of plain texts, so it
    is summed without picking them.

    Args:
        batch: annotated texts.
        codes: (tokens,) code of each.
        width: number of codes.
        weight: (tokens,) how often each token counts; None if each counts once.
        chosen: (tokens,) whether each token is chosen.
    """
    if not chosen.any():
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, nothing
    others = codes != 0
    others &= chosen
    occurs = np.zeros(width, np.bool_)  # few codes occur: all pairs with them
    occurs[0] = True
    for at in iterate_marked(others):
        occurs[codes[at]] = True
    used, place = np.flatnonzero(occurs), np.cumsum(occurs) - 1
    times = np.zeros((len(batch.documents), len(used)), np.int64)
    for at in iterate_marked(others):
        pairs = batch.find_texts(at) * len(used) + place[codes[at]]
        np.add.at(times.reshape(-1), pairs, 1 if weight is None else weight[at].astype(np.int64))
    most = np.not_equal(chosen, others, out=others)
    times[:, 0] = batch.sum_by_text(most if weight is None else weight * most)
    text, code = np.nonzero(times)
    return text, used[code], times[text, code]


def _build_counts(
    documents: Ints,
    columns: Mapping[str, Ints],
    names: Mapping[str, tuple[str, ...]],
    tallies: Sequence[tuple[str, str, Ints, Ints, Ints]],
) -> Counts:
    """Build counts: a row for each text, then rows of the tallies.

    Args:
        documents: (documents,) number of each text.
        columns: (documents,) counts of each text.
        names: names of each part of a cell.
        tallies: part, column, and for each row its text, the position of its name, and its count.
    """
    number = len(documents)
    edges = np.cumsum([number, *(len(text) for _, _, text, _, _ in tallies)])
    filled = {name: np.zeros(edges[-1], np.int64) for name in (*columns, "words", "found", "in_script")}
    parts = {part: np.full(edges[-1], -1) for part in names}
    for name, column in columns.items():
        filled[name][:number] = column
    for (part, name, _, codes, times), begin, end in zip(tallies, edges[:-1], edges[1:], strict=True):
        parts[part][begin:end] = codes
        filled[name][begin:end] = times
    row = np.concatenate([np.arange(number), *(text for _, _, text, _, _ in tallies)])
    return Counts.build(documents, filled, row=row, parts={part: (parts[part], names[part]) for part in names})


def _count_passes(batch: AnnotatedTexts, broken: Ints) -> dict[str, Ints]:
    """Count texts with judged lines, and those that pass: (documents,) each.

    The last column counts the texts that pass and also have no broken word.
    """
    assert batch.lines is not None  # noqa: S101  for the type checker
    number = len(batch.documents)
    in_text = np.searchsorted(batch.offsets, batch.lines.spans.start, side="right") - 1  # (lines,)
    lines, wrong = (np.bincount(in_text[mask], minlength=number) for mask in (slice(None), batch.lines.wrong))
    known = lines > 0
    passed = known & (wrong == 0)
    return {
        "line_known": known.astype(np.int64),
        "line_pass": passed.astype(np.int64),
        "word_pass": (passed & (broken == 0)).astype(np.int64),
        "lines_total": lines,
        WRONG_LINE: wrong,
    }


def _count_other_words(batch: AnnotatedTexts, weight: Weight | None) -> dict[str, Ints]:
    """Count words in windows, and those in another language.

    Their stretches are counted too: (documents,) each.
    """
    assert batch.stretches is not None  # noqa: S101  for the type checker
    assert batch.identified_words is not None  # noqa: S101  for the type checker
    number = len(batch.documents)
    columns = {}
    for name, mask in (("words_judged", batch.identified_words > 0), ("words_other", batch.identified_words > 1)):
        columns[name] = batch.sum_by_text(mask if weight is None else weight * mask)
    in_text = np.searchsorted(batch.offsets, batch.stretches.spans.start, side="right") - 1
    return columns | {OTHER_LANGUAGE: np.bincount(in_text, minlength=number)}


OTHER_COLUMNS = {"lines": (WRONG_LINE, "lines_total"), "words": ("words_other", "words_judged")}


def _rate_others(count: Mapping[str, Ints], unit: str) -> Scores:
    """Return rate, count and total of lines or words in another language."""
    found, total = (count[name] for name in OTHER_COLUMNS[unit])
    rate = divide(found, total)
    return {
        (OTHER_LANGUAGE, f"{unit}_rate"): rate,
        (OTHER_LANGUAGE, f"{unit}_count"): found,
        (OTHER_LANGUAGE, f"{unit}_total"): total,
    }
