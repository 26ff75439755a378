"""Reproduce the figures of the Language Confusion Benchmark (profile `language-confusion`).

The input is the benchmark's CSV, with the columns `completion`, `language` and `source`; or texts in one language.

Definition
    1. A text ends before the first newline that `Q:` follows, and is stripped. ASCII punctuation and the Arabic comma
       are deleted, and an em dash becomes a space.
    2. Its lines are split at whitespace; Chinese ones by jieba, Japanese ones by MeCab. Lines of fewer than five tokens
       are left out. A text without other lines is not judged.
    3. A line is wrong if the identifier answers anything but exactly the language of the text. A text with a wrong line
       has a line error.
    4. A text without a line error has a word error if a token is in the list of English words. Words of the list that
       have capitals, or fewer than four letters, do not count.
    5. The line pass rate (LPR) of a source and language is the share of its judged texts without line error, and the
       word pass rate (WPR) that of its texts without line error that have no word error. WPR is defined for Arabic,
       Hindi, Japanese, Korean, Russian and Chinese only. The accuracy of lines (acc) is the mean share of right lines
       of its judged texts. The benchmark says 1 where there are no such texts; here the rate has no value then.
    6. Rates of a language are means over its sources, those of a source over its languages, and the rates of all are
       means over languages. As in the benchmark, a rate without texts is 1 in a mean; a mean of such rates alone has no
       value.

Source: Marchisio, Ko, Bérard, Dehaze and Ruder (2024), Understanding and Mitigating Language Confusion in LLMs; the
behaviour of its program `compute_metrics.py`.

Exceptions from equality
    1. The benchmark identifies languages by fastText's lid.176.bin with a probability above 0.3, and takes its own list
       of English words. Give both: `--identifier fasttext:lid.176.bin?confidence=0.3 --english-words words`. Without
       the list there is no WPR.
    2. The benchmark groups by task and model too: `--by task`, and a file for each model.
    3. A rate without texts to judge has no value, where the benchmark has 1.
"""

from __future__ import annotations

import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.errors import SourceError, import_extra
from isogloss.kernel.counts import Counts
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Floats, Ints, ScoreKey, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.providers import LanguageIdentifier
from isogloss.tasks.code_switching.batches import (
    AnnotatedTexts,
    CharSpans,
    IdentifiedSpans,
    JoinedTexts,
    LocateText,
)
from isogloss.tasks.code_switching.profiles import CodeSwitchingProfile
from isogloss.tasks.code_switching.reasons import NO_REASON
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import Alphabet

SOURCE_COLUMN = "source"
NO_SOURCE = "all"
PROMPT = "\nQ:"
DELETED, DASH = frozenset(string.punctuation + "،"), "—"
MIN_TOKENS = 5
MIN_WORD_LENGTH = 4
SHOWN_GROUPS = 5  # in a warning
WPR_LANGUAGES = frozenset(("ar", "hi", "ja", "ko", "ru", "zh"))
RATES = ("acc", "lpr", "wpr")
LINE_UNITS = 720_720 << 12  # in a text: shares of lines are whole numbers then, exactly for up to 16 lines
GROUP = "benchmark"
ENGLISH_WORD = "english_word"
EXTRA = "language-confusion"
TAGGER_OPTIONS = "-O wakati -b 50000"

Tokenize = Callable[[str], list[str]]


@dataclass(frozen=True, eq=False)
class JudgedTexts(AnnotatedTexts):
    """Texts judged as the benchmark does; `tokens` are the English words found.

    Args:
        languages: (documents,) language of each text.
        sources: (documents,) source of each text, `all` if it has none.
        has_words: whether there is a list of English words.
    """

    languages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    has_words: bool = False


@dataclass(frozen=True)
class NormalizedLine:
    """A line of a text as the benchmark judges it.

    Args:
        text: the line.
        places: character of the original text from which each character comes.
    """

    text: str
    places: tuple[int, ...]


@dataclass(frozen=True)
class LanguageConfusionAnnotator:
    """Judges texts as the benchmark does.

    Args:
        identifier: identifies the language of lines.
        words: English words; None if there is no list.
        find_language: returns the language of a row.
    """

    identifier: LanguageIdentifier
    words: frozenset[str] | None
    find_language: Callable[[TextRow], str]

    def annotate(self, rows: Sequence[TextRow], first: int, where: LocateText) -> JudgedTexts:
        """Judge texts.

        Args:
            rows: the texts.
            first: number of the first text.
            where: returns the place of a row.

        Raises:
            DataError: if the identifier fails, or a row has no language.
            MissingExtraError: if the package that splits Chinese or Japanese into words is not installed.
        """
        joined = JoinedTexts.from_rows(rows, where)
        languages = tuple(map(self.find_language, rows))
        found = [
            (number, line, tokens)
            for number, (row, language) in enumerate(zip(rows, languages, strict=True))
            for line, tokens in _list_lines(row.text, language)
        ]
        answers = self.identifier.identify([line.text for _, line, _ in found])
        of = np.array([number for number, _, _ in found], np.int64)
        wrong = np.array([a != languages[n] for (n, _, _), a in zip(found, answers, strict=True)], np.bool_)
        kind = joined.offsets.dtype
        shift = joined.offsets[of] if len(of) else np.zeros(0, kind)
        edges = np.array([(line.places[0], line.places[-1] + 1) for _, line, _ in found], kind).reshape(-1, 2)
        failed = set(of[wrong].tolist())
        spans = [
            (at + start, at + end)
            for (number, line, tokens), at in zip(found, shift.tolist(), strict=True)
            if number not in failed
            for start, end in self._find_english(line, tokens)
        ]
        words = np.array(sorted(spans), kind).reshape(-1, 2)
        nothing = np.zeros(0, kind)
        return JudgedTexts(
            documents=np.arange(first, first + len(rows)),
            offsets=joined.offsets,
            text=joined.code_points,
            sentences=CharSpans(nothing, nothing),
            tokens=CharSpans(words[:, 0], words[:, 1]),
            reasons=np.full(len(words), NO_REASON, np.uint8),
            reason_names=(),
            provenance=joined.provenance,
            lines=IdentifiedSpans(CharSpans(edges[:, 0] + shift, edges[:, 1] + shift), tuple(answers), wrong),
            languages=languages,
            sources=tuple((row.columns or {}).get(SOURCE_COLUMN, NO_SOURCE) for row in rows),
            has_words=self.words is not None,
        )

    def _find_english(self, line: NormalizedLine, tokens: list[str]) -> Iterator[tuple[int, int]]:
        """Yield the places of English words in the original text."""
        at = 0
        for token in tokens if self.words else ():
            start = line.text.find(token, at)
            at = start + len(token)
            bare = token.strip()
            if bare in self.words:  # type: ignore[operator]  # there is a list
                inner = line.text.index(bare, start)
                yield line.places[inner], line.places[inner + len(bare) - 1] + 1


def load_english_words(path: str) -> frozenset[str]:
    """Read the words that count: lower case, four letters or more.

    Args:
        path: a file with a word in each line.

    Raises:
        SourceError: if the file cannot be read.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            "cannot read the list of English words",
            where=path,
            remedy="Name a UTF-8 file with a word in each line: the benchmark's file is called `words`.",
        ) from error
    words = (line.strip() for line in lines)
    return frozenset(word for word in words if word.islower() and len(word) >= MIN_WORD_LENGTH)


def _list_lines(text: str, language: str) -> Iterator[tuple[NormalizedLine, list[str]]]:
    """Yield the lines of enough tokens, with their tokens."""
    tokenize = _load_tokenizer(language)
    for line in _normalize(text):
        tokens = tokenize(line.text)
        if len(tokens) >= MIN_TOKENS:
            yield line, tokens


def _normalize(text: str) -> Iterator[NormalizedLine]:
    """Yield the lines of a text as the benchmark changes it."""
    kept = text.split(PROMPT, maxsplit=1)[0]
    begin = len(kept) - len(kept.lstrip())
    line: list[str] = []
    places: list[int] = []
    for at, letter in enumerate(kept.strip(), begin):
        if letter == "\n":
            yield NormalizedLine("".join(line), tuple(places))
            line, places = [], []
        elif letter not in DELETED:
            line.append(" " if letter == DASH else letter)
            places.append(at)
    yield NormalizedLine("".join(line), tuple(places))


@cache
def _load_tokenizer(language: str) -> Tokenize:
    """Load what splits a line of a language into tokens."""
    if language == "zh":
        library = import_extra("jieba", "The profile language-confusion for Chinese", EXTRA)
        library.setLogLevel("ERROR")
        return lambda line: list(library.cut(line))
    if language == "ja":
        tagger = import_extra("fugashi", "The profile language-confusion for Japanese", EXTRA).Tagger(TAGGER_OPTIONS)
        return lambda line: str(tagger.parse(line)).split()
    return str.split


@dataclass(frozen=True)
class LanguageConfusionMetric:
    """The metric of the profile.

    Args:
        alphabet: not used, as the benchmark does not look at letters.
    """

    alphabet: Alphabet

    def count(self, batch: JudgedTexts) -> Counts:
        """Count judged texts, and those with errors, by source and language."""
        assert batch.lines is not None  # noqa: S101  for the type checker
        number = len(batch.documents)
        of_line = np.searchsorted(batch.offsets, batch.lines.spans.start, side="right") - 1
        wrong = np.bincount(of_line[batch.lines.wrong], minlength=number)
        words = np.diff(batch.token_edges)
        lines = np.bincount(of_line, minlength=number)
        columns = {
            "texts": np.ones(number, np.int64),
            "judged": (lines > 0).astype(np.int64),
            "right_lines": np.where(lines > 0, (lines - wrong) * LINE_UNITS // np.maximum(1, lines), 0),
            "line_errors": (wrong > 0).astype(np.int64),
            "word_errors": (words > 0).astype(np.int64),
            "without_words": np.full(number, not batch.has_words, np.int64),
            "wrong_line": wrong,
            ENGLISH_WORD: words,
        }
        parts = {"source": _to_codes(batch.sources), "language": _to_codes(batch.languages)}
        return Counts.build(batch.documents, columns, row=np.arange(number), parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Return the rates of all."""
        rates = self._rate_groups(sums)
        return {(GROUP, name): value for (group, name), value in rates.items() if group == (NO_SOURCE, NO_SOURCE)}

    def score(self, sums: Sums) -> Scores:
        """Return the rates, also by source and language.

        The number of findings is returned too.
        """
        scores: Scores = {}
        for (group, name), value in self._rate_groups(sums).items():
            is_all = group == (NO_SOURCE, NO_SOURCE)
            scores[(GROUP, name) if is_all else ("by_label", "/".join(group), GROUP, name)] = value
        for kind in ("wrong_line", ENGLISH_WORD):
            scores["findings", kind] = sums.get_column(kind).sum(axis=-1)
        return scores

    def _rate_groups(self, sums: Sums) -> dict[tuple[tuple[str, str], str], Floats]:
        """Return rates by group and name.

        A group is a source and a language; either may be `all`. A rate is nan without texts to judge.
        """
        count = {name: sums.get_column(name) for name in sums.columns}  # (..., cells)
        sources, languages = (np.array([str(name) for name in sums.get_names(part)]) for part in ("source", "language"))
        present, judged = count["texts"] > 0, count["judged"]
        has_words = present & (count["without_words"] == 0) & np.isin(languages, list(WPR_LANGUAGES))
        passed = judged - count["line_errors"]
        rates = (
            (1 - (judged * LINE_UNITS - count["right_lines"]) / np.maximum(1, judged * LINE_UNITS), judged, present),
            (1 - count["line_errors"] / np.maximum(1, judged), judged, present),
            (1 - count["word_errors"] / np.maximum(1, passed), passed, has_words),
        )
        found: dict[tuple[tuple[str, str], str], Floats] = {}
        for name, (values, texts, known) in zip(RATES, rates, strict=True):
            if not known.any():
                continue
            groups = {(sources[at], languages[at]): np.arange(len(sources)) == at for at in range(len(sources))}
            groups = {key: chosen for key, chosen in groups.items() if key[0] != NO_SOURCE}
            groups |= {(source, NO_SOURCE): sources == source for source in sorted({*sources.tolist()} - {NO_SOURCE})}
            of_languages = {(NO_SOURCE, code): languages == code for code in sorted({*languages.tolist()})}
            means = {key: _average(values, known & chosen) for key, chosen in (groups | of_languages).items()}
            every = np.stack([means[key] for key in of_languages], axis=-1)
            means[NO_SOURCE, NO_SOURCE] = _average(np.nan_to_num(every), ~np.isnan(every))
            some = known & (texts > 0)  # (..., cells)
            for key, chosen in (groups | of_languages | {(NO_SOURCE, NO_SOURCE): sources != ""}).items():
                if (known & chosen).any():
                    found[key, name] = np.where((some & chosen).any(axis=-1), means[key], np.nan)
        return found


def _average(values: Floats, chosen: NDArray[np.bool_]) -> Floats:
    """Return the mean of the chosen values along the last axis.

    It is nan without values.
    """
    return divide(np.where(chosen, values, 0.0).sum(axis=-1), chosen.sum(axis=-1))


def _to_codes(names: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    known = tuple(sorted(set(names)))
    places = {name: at for at, name in enumerate(known)}
    return np.array([places[name] for name in names], np.int64), known


def to_benchmark_output(numbers: Mapping[ScoreKey, int | float]) -> dict[str, Any]:
    """Return the rates of all under their names."""
    return {name: value for (group, name, *_), value in numbers.items() if group == GROUP}


def find_empty_rates(numbers: Mapping[ScoreKey, int | float]) -> tuple[RunWarning, ...]:
    """Warn of rates that have no value.

    Args:
        numbers: the scores.
    """
    empty = [key for key, value in numbers.items() if key[0] == "by_label" and np.isnan(value)]
    reasons = {"lpr": "a line of five words", "wpr": "only lines in its language"}
    found = []
    for rate, needed in reasons.items():
        names = [key[1] for key in empty if key[-1] == rate and NO_SOURCE not in key[1].split("/")]
        if names:
            shown = ", ".join(names[:SHOWN_GROUPS]) + (", …" if len(names) > SHOWN_GROUPS else "")
            message = (
                f"{shown}: no text has {needed}, so there is no {rate.upper()}; in means over sources and languages it "
                "counts as 1, as in the benchmark"
            )
            found.append(RunWarning("no-texts-to-judge", message, len(names)))
    return tuple(found)


LANGUAGE_CONFUSION = CodeSwitchingProfile(
    "language-confusion",
    LanguageConfusionMetric,
    to_benchmark_output,
    refused={
        **dict.fromkeys(("neutral", "count_by", "alphabet"), "does not look at letters"),
        **dict.fromkeys(("recognisers", "names", "excuses", "excuse_capitalised", "patterns"), "excuses nothing"),
        **dict.fromkeys(("splitter", "tokenizer"), "splits lines itself"),
        "window": "judges lines",
        "prompt_field": "excuses nothing",
    },
    is_benchmark=True,
    default_fields={"text_field": "completion", "language_field": "language", "id_field": ""},
)
