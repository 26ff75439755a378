"""Count tokens, switches and spans of languages, and score their mixing.

A token has a language, or belongs to no language and is left out before anything is counted. For an utterance, N is the
number of tokens with a language, M that of its most frequent language (the matrix language), and P the number of switch
points: places where a token has another language than the token with a language before it. A span is a run of tokens in
one language; spans end with their utterance.

    utterances.cmi         mean of 100 (1 - M / N), 0 for N = 0; Das and Gambäck (2014)
    utterances.cu          mean of 100 (N - M + P) / (2 N), 0 for N = 0; Gambäck and Das (2016)
    mixing.cc              100 / U (½ Σ ((N - M + P) / N + δ) + 5/6 S); Gambäck and Das (2016)
    mixing.cmi             100 (1 - max w / n), the corpus as one utterance
    mixing.m_index         (1 - Σ p²) / ((k - 1) Σ p²), 0 for one language; Barnett et al. (2000)
    mixing.language_entropy  -Σ p log2 p
    mixing.i_index         Σ P / Σ (N - 1); Guzmán et al. (2017)
    mixing.burstiness      (s - m) / (s + m) of span lengths; Goh and Barabási (2008)
    mixing.span_entropy    -Σ q log2 q, q the share of spans of each length; Guzmán et al. (2017)
    mixing.memory          correlation of the lengths of adjacent spans; Goh and Barabási (2008)

U is the number of utterances, S the number of those with a switch, n the tokens with a language of the corpus, w and p
the number and share of those in each of k languages. δ is 1 if the matrix language differs from that of the utterance
before. m and s are mean and population standard deviation.

Differences from other implementations:

1. The script `lang_metrics.py` of Guzmán et al. reads a file as one sequence. It gives the same figures for one
   utterance. Its number of switch points compares each tag with the one two places before, which we do not.
2. The script of Gambäck adds δ for utterances with a switch only; we add it for all, as the formula says.
3. `cs_metrics` takes the sample standard deviation in burstiness, and drops a last span of one token.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.kernel.counts import Counts
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.tasks.code_mixing.batches import TaggedTexts

SWITCH = "switch_point"
MIXED_WEIGHT = 5 / 6  # of utterances with a switch in Cc
MEASURES = ("cmi", "cu")


@dataclass(frozen=True, eq=False)
class LanguageSpans:
    """Runs of tokens in one language, ascending.

    Args:
        text: (spans,) position of the utterance.
        language: (spans,) position of the language.
        first: (spans,) position of the first token.
        length: (spans,) number of tokens with a language.
        is_switch: (spans,) whether a span of another language precedes it in its utterance.
    """

    text: Ints
    language: Ints
    first: Ints
    length: Ints
    is_switch: NDArray[np.bool_]


def find_spans(batch: TaggedTexts) -> LanguageSpans:
    """Find the spans of languages in a batch."""
    text, language = batch.tagged_text, batch.language[batch.tagged_positions]
    begins = np.ones(len(text), np.bool_)  # (tagged,)
    begins[1:] = (text[1:] != text[:-1]) | (language[1:] != language[:-1])
    first = np.flatnonzero(begins)
    length = np.diff(np.append(first, len(text)))
    switch = np.zeros(len(first), np.bool_)
    switch[1:] = text[first][1:] == text[first][:-1]
    return LanguageSpans(text[first], language[first], batch.tagged_positions[first], length, switch)


@dataclass(frozen=True)
class CodeMixing:
    """Measures of code-mixing."""

    def count(self, batch: TaggedTexts) -> Counts:
        """Count tokens, switches, spans, and pairs of adjacent spans."""
        number, spans = len(batch.documents), find_spans(batch)
        tagged = np.bincount(batch.tagged_text, minlength=number)
        switches = np.bincount(spans.text[spans.is_switch], minlength=number)
        mixed = switches > 0
        columns: dict[str, Ints] = {
            "utterances": np.ones(number, np.int64),
            "mixed": mixed.astype(np.int64),
            "changes": batch.mark_changes(),
            "tokens": np.diff(batch.offsets),
            "tagged": tagged,
            "places": tagged - (tagged > 0),
            "switches": switches,
            "spans": np.bincount(spans.text, minlength=number),
            "squares": _sum_by_group(spans.text, spans.length * spans.length, number),
        }
        after = np.flatnonzero(spans.is_switch)  # the later span of each pair
        one, two, own = spans.length[after - 1], spans.length[after], spans.text[after]
        for name, values in (("one", one), ("two", two), ("one_one", one * one), ("two_two", two * two)):
            columns[f"pair_{name}"] = _sum_by_group(own, values, number)
        columns["pair_one_two"] = _sum_by_group(own, one * two, number)
        share = divide(batch.most, tagged)
        cmi = np.where(tagged > 0, 100 * (1 - share), 0.0)
        measures = {"cmi": cmi, "cu": np.where(tagged > 0, (cmi + 100 * divide(switches, tagged)) / 2, 0.0)}
        return _build_counts(batch, spans, columns, measures)

    def overall(self, sums: Sums) -> Scores:
        """Return the scores without names of languages."""
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        total, mixed = count["utterances"], count["mixed"]
        scores: Scores = {}
        for name in MEASURES:
            mean = sums.average_measure(name)
            scores["utterances", name] = mean
            scores["utterances", f"{name}_mixed"] = divide(mean * total, mixed)
        scores |= {
            ("utterances", "mixed_share"): divide(mixed, total),
            ("utterances", "mixed_count"): mixed,
            ("utterances", "switch_points"): divide(count["switches"], total),
            ("utterances", "changes"): count["changes"],
            ("utterances", "total"): total,
            ("tokens", "tagged"): count["tagged"],
            ("tokens", "total"): count["tokens"],
        }
        halves = sums.average_measure("cu") + 50 * divide(count["changes"], total)
        words, spans = self._get_part(sums, "language", "words"), self._get_part(sums, "span", "lengths")
        figures = compute_indices(count, words, spans)
        figures["cc"] = halves + 100 * MIXED_WEIGHT * divide(mixed, total)
        order = ("cmi", "cc", "m_index", "language_entropy", "i_index", "burstiness", "span_entropy", "memory")
        scores |= {("mixing", name): figures[name] for name in order}
        return scores

    def score(self, sums: Sums) -> Scores:
        """Return all scores: overall, by language, and the number of switch points."""
        scores = self.overall(sums)
        tagged = sums.get_column("tagged").sum(axis=-1)
        words, spans = sums.get_column("words"), sums.get_column("language_spans")
        for at, name in enumerate(sums.get_names("language")):
            if name is not None:
                scores["by_label", name, "words", "count"] = words[..., at]
                scores["by_label", name, "words", "share"] = divide(words[..., at], tagged)
                scores["by_label", name, "spans", "count"] = spans[..., at]
                scores["by_label", name, "spans", "mean_length"] = divide(words[..., at], spans[..., at])
        scores["findings", SWITCH] = sums.get_column("switches").sum(axis=-1)
        return scores

    def hidden_proportions(self, sums: Sums) -> dict[ScoreKey, tuple[Ints, Ints]]:
        """Return the counts behind shares and the I-index."""
        count = {name: sums.get_column(name).sum(axis=-1) for name in sums.columns}
        words = sums.get_column("words")
        found: dict[ScoreKey, tuple[Ints, Ints]] = {
            ("utterances", "mixed_share"): (count["mixed"], count["utterances"]),
            ("mixing", "i_index"): (count["switches"], count["places"]),
        }
        for at, name in enumerate(sums.get_names("language")):
            if name is not None:
                found["by_label", name, "words", "share"] = (words[..., at], count["tagged"])
        return found

    def _get_part(self, sums: Sums, part: str, column: str) -> Ints:
        """Return the counts of cells with a name in one part."""
        named = np.array([name is not None for name in sums.get_names(part)], np.bool_)
        return sums.get_column(column)[..., named]


def compute_indices(count: Mapping[str, Ints], words: Ints, lengths: Ints) -> dict[str, Floats]:
    """Return the indices of a corpus.

    Args:
        count: (...) sum of each column.
        words: (..., languages) tokens in each language.
        lengths: (..., lengths) spans of each length.
    """
    total, spans = count["tagged"], count["spans"]
    share = divide(words, total[..., None], 0.0)
    squares = (share * share).sum(axis=-1)
    languages = (words > 0).sum(axis=-1)
    mean = divide(total, spans)
    spread = np.sqrt(np.maximum(divide(count["squares"], spans) - mean * mean, 0))
    return {
        "cmi": 100 * (1 - divide(words.max(axis=-1, initial=0), total)),
        "m_index": np.where(languages == 1, 0.0, divide(1 - squares, (languages - 1) * squares)),
        "language_entropy": np.where(total > 0, _compute_entropy(share), np.nan),
        "i_index": divide(count["switches"], count["places"]),
        "burstiness": divide(spread - mean, spread + mean),
        "span_entropy": np.where(spans > 0, _compute_entropy(divide(lengths, spans[..., None], 0.0)), np.nan),
        "memory": _correlate(count),
    }


def _compute_entropy(share: Floats) -> Floats:
    """Return the entropy in bits over the last axis."""
    logs = np.log2(share, out=np.zeros_like(share), where=share > 0)
    entropy: Floats = np.abs((share * logs).sum(axis=-1))
    return entropy


def _correlate(count: Mapping[str, Ints]) -> Floats:
    """Return Pearson's correlation of adjacent spans.

    It is nan if one side has no variance.
    """
    pairs = count["switches"].astype(np.float64)
    one, two = count["pair_one"].astype(np.float64), count["pair_two"].astype(np.float64)
    product = pairs * count["pair_one_two"] - one * two
    squares = (pairs * count["pair_one_one"] - one * one) * (pairs * count["pair_two_two"] - two * two)
    return np.clip(divide(product, np.sqrt(np.maximum(squares, 0))), -1, 1)


def _sum_by_group(group: Ints, values: Ints, number: int) -> Ints:
    """Return the sum of the integers of each group: (number,).

    The sum is exact, as an utterance has fewer than 2^26 tokens.
    """
    return np.bincount(group, weights=values, minlength=number).astype(np.int64)


def _build_counts(
    batch: TaggedTexts, spans: LanguageSpans, columns: Mapping[str, Ints], measures: dict[str, Floats]
) -> Counts:
    """Build rows for utterances, for languages, and for lengths of spans."""
    text, language, words = batch.words
    width = max(1, len(batch.languages))
    span_pair, span_times = np.unique(spans.text * width + spans.language, return_counts=True)  # as `words`: (pairs,)
    assert len(span_pair) == len(text)  # noqa: S101  a language with tokens has spans
    highest = int(spans.length.max(initial=0)) + 1
    pair, times = np.unique(spans.text * highest + spans.length, return_counts=True)
    used, code = np.unique(pair % highest, return_inverse=True)
    own = ((text, {"words": words, "language_spans": span_times}), (pair // highest, {"lengths": times}))
    edges = np.cumsum([len(batch.documents), *(len(at) for at, _ in own)])
    filled = {name: np.zeros(edges[-1], np.int64) for name in (*columns, "words", "language_spans", "lengths")}
    for name, column in columns.items():
        filled[name][: edges[0]] = column
    for (_, found), begin, end in zip(own, edges[:-1], edges[1:], strict=True):
        for name, column in found.items():
            filled[name][begin:end] = column
    parts = {name: np.full(edges[-1], -1) for name in ("language", "span")}
    parts["language"][edges[0] : edges[1]] = language
    parts["span"][edges[1] :] = code
    return Counts.build(
        batch.documents,
        filled,
        row=np.concatenate([np.arange(len(batch.documents)), *(at for at, _ in own)]),
        parts={
            "language": (parts["language"], batch.languages),
            "span": (parts["span"], tuple(map(str, used.tolist()))),
        },
        measures=measures,
    )
