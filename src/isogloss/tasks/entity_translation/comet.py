"""COMET scores that were computed elsewhere, read from a file: by id, by position, or one number for each language.

    {"id": "Q1_0", "comet": 0.87}          JSON lines
    Q1_0<TAB>0.87                          two columns, with or without a line of heads
    system<TAB>0.87                        `.seg.score` of mt-metrics-eval: in the order of the references
    {"it_IT": 0.87, "ar_AE": 0.81}         a JSON object, or two columns: a number for each language

An id that stands several times has a score for each of its references: the highest counts. `null` and `None` are no
score. A folder holds a file for each language: `it_IT.jsonl`, `it_IT.tsv`, `it_IT.seg.score`. All scores are handed on
between 0 and 100.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError, SourceError
from isogloss.kernel.scores import Floats
from isogloss.records.json_lines import rows_of
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation.options import Scale

SCALE_FACTORS: Mapping[Scale, float] = {"0-1": 100.0, "0-100": 1.0}
MAX_COMET_SCORE = 200.0  # COMET goes a little beyond its scale, never this far
SEGMENT_SUFFIX = ".seg.score"
COMET_SUFFIXES = (SEGMENT_SUFFIX, ".jsonl", ".tsv", ".txt")
MISSING_SCORES = ("None", "null", "nan", "")
COMET_JSON_REMEDY = 'A row looks like {"id": "Q1_0", "comet": 0.87}.'
COMET_COLUMNS_REMEDY = "A line has two columns separated by a tab: an id, or a language, and a score."


class CometScores(Protocol):
    """The scores of one language."""

    def get_scores(self, ids: Sequence[str], positions: Sequence[int]) -> Floats:
        """Scores (n,) of sentences by their ids and positions in the file of the references; nan for none."""

    def check_row_count(self, rows: int) -> None:
        """Fail unless the scores can be those of a reference with so many rows.

        Raises:
            MismatchError: they cannot.
        """


@dataclass(frozen=True)
class ScoresById:
    """Scores by id."""

    scores: Mapping[str, float]

    def get_scores(self, ids: Sequence[str], positions: Sequence[int]) -> Floats:  # noqa: ARG002  as `Comet` asks
        """Scores (n,) of the ids."""
        return np.array([self.scores.get(key, math.nan) for key in ids], np.float64)

    def check_row_count(self, rows: int) -> None:
        """Any number of ids will do."""


@dataclass(frozen=True, eq=False)
class ScoresByPosition:
    """Scores in the order of the references.

    Args:
        scores: (rows,) scores.
        name: of the file.
    """

    scores: Floats
    name: str

    def get_scores(self, ids: Sequence[str], positions: Sequence[int]) -> Floats:  # noqa: ARG002  as `Comet` asks
        """Scores (n,) at the positions."""
        if positions and positions[-1] >= len(self.scores):
            self.check_row_count(positions[-1] + 1)
        return self.scores[np.asarray(positions, np.int64)]

    def check_row_count(self, rows: int) -> None:
        """As many scores as references.

        Raises:
            MismatchError: there are more or fewer.
        """
        if rows != len(self.scores):
            raise MismatchError(
                f"has {len(self.scores)} scores, but the reference has {rows} rows, or more",
                where=self.name,
                remedy="Scores without ids stand in the order of all rows of the reference. Give scores with ids.",
            )


@dataclass(frozen=True)
class ConstantScore:
    """One number for all sentences of a language: its mean is known, single scores are not."""

    score: float

    def get_scores(self, ids: Sequence[str], positions: Sequence[int]) -> Floats:  # noqa: ARG002  as `Comet` asks
        """The number, for each sentence."""
        return np.full(len(ids), self.score)

    def check_row_count(self, rows: int) -> None:
        """Any number of sentences will do."""


NO_COMET = ScoresById({})


class _CometRow(msgspec.Struct, gc=False):
    id: str | int
    comet: float | None


_ROW_DECODER = msgspec.json.Decoder(_CometRow)


def read_comet(source: Source, languages: Sequence[str], scale: Scale, system: str) -> dict[str, CometScores]:
    """The scores of each language.

    Args:
        source: a file, or a folder with a file for each language.
        languages: those that are scored.
        scale: of the numbers in the file.
        system: path of the predictions, which tells the system's name in files that hold several.

    Raises:
        SourceError: a file cannot be read.
        FormatError: a line is not what it should be, or a number is not on the scale.
        MismatchError: a language has no scores, or it cannot be told whose they are.
    """
    if source.path != "-" and Path(source.path).is_dir():
        files = _list_files(source)
        _check_languages(source, files, languages)
        return {language: _read_scores(files[language], scale, system) for language in languages}
    numbers = _read_language_scores(source, scale, languages)
    if numbers is not None:
        _check_languages(source, numbers, languages)
        return {language: ConstantScore(numbers[language]) for language in languages}
    if len(languages) > 1:
        raise MismatchError(
            f"holds scores of single sentences, but there are {len(languages)} languages",
            where=source.name,
            remedy="Give a folder with a file for each language, or one file with a number for each.",
        )
    return {language: _read_scores(source, scale, system) for language in languages}


def _list_files(folder: Source) -> dict[str, Source]:
    found = {}
    for path in sorted(Path(folder.path).iterdir()):
        ending = next((ending for ending in COMET_SUFFIXES if path.name.endswith(ending)), None)
        if ending is not None:
            found[path.name.removesuffix(ending)] = Source(path)
    return found


def _check_languages(source: Source, known: Mapping[str, object], languages: Sequence[str]) -> None:
    missing = [language for language in languages if language not in known]
    if missing:
        has = f"it has {', '.join(known)}" if known else "it has none"
        raise MismatchError(f"has no COMET scores of {', '.join(missing)}; {has}", where=source.name)


def _read_language_scores(source: Source, scale: Scale, languages: Sequence[str]) -> dict[str, float] | None:
    """A number for each language; None where the file has scores of single sentences."""
    first = next((block.data for block in source.blocks()), b"").lstrip()
    if not first:
        raise SourceError("the file is empty: it holds no scores", where=source.name)
    if first.startswith(b"{"):
        try:
            table = msgspec.json.decode(first, type=dict[str, float])
        except msgspec.DecodeError:
            return None
        _check_scale(list(table.values()), scale, source.name)
        return {language: SCALE_FACTORS[scale] * number for language, number in table.items()}
    if source.name.endswith(SEGMENT_SUFFIX):
        return None
    rows = list(_read_column_scores(source))
    if not {key for _, key, _ in rows} <= {*languages, "language"} and not any(key in languages for _, key, _ in rows):
        return None
    return {key: SCALE_FACTORS[scale] * score for _, key, score in _check_rows(rows, scale, source.name)}


def _read_scores(source: Source, scale: Scale, system: str) -> CometScores:
    if source.name.endswith(SEGMENT_SUFFIX):
        return ScoresByPosition(_read_segment_scores(source, scale, system), source.name)
    first = next((block.data for block in source.blocks()), b"").lstrip()
    rows = _read_json_scores(source) if first.startswith(b"{") else _read_column_scores(source)
    best: dict[str, float] = {}
    for _, key, score in _check_rows(rows, scale, source.name):
        known = best.get(key, math.nan)
        best[key] = known if known >= score or math.isnan(score) else score
    return ScoresById({key: SCALE_FACTORS[scale] * score for key, score in best.items()})


def _read_segment_scores(source: Source, scale: Scale, system: str) -> Floats:
    rows = [(name, score) for _, name, score in _check_rows(_read_column_scores(source), scale, source.name)]
    names = list(dict.fromkeys(name for name, _ in rows))
    if len(names) > 1:
        parts = {*Path(system).parts, *(re.sub(r"\.jsonl.*", "", part) for part in Path(system).parts)}
        names = [name for name in names if name in parts]
    if len(names) != 1:
        known = ", ".join(dict.fromkeys(name for name, _ in rows))
        raise MismatchError(
            f"holds the scores of {known}; none of them, or several, are in the name of {system}",
            where=source.name,
            remedy="Name the predictions after their system, or keep only its lines.",
        )
    return SCALE_FACTORS[scale] * np.array([score for name, score in rows if name == names[0]], np.float64)


def _read_json_scores(source: Source) -> Iterator[tuple[int, str, float]]:
    for block in source.blocks():
        for line, row in rows_of(source, block, _ROW_DECODER, COMET_JSON_REMEDY):
            yield line, str(row.id), math.nan if row.comet is None else row.comet


def _read_column_scores(source: Source) -> Iterator[tuple[int, str, float]]:
    for block in source.blocks():
        for line, text in enumerate(block.data.decode().split("\n"), block.first_line):
            if text.strip():
                row = _parse_line(text, f"{source.name}:{line}", head=line == 1)
                if row is not None:
                    yield line, *row


def _parse_line(text: str, where: str, *, head: bool) -> tuple[str, float] | None:
    """Key and score of a line; None for a line of heads."""
    columns = text.strip("\r\n").split("\t") if "\t" in text else text.split()
    if len(columns) == 2:  # noqa: PLR2004  a key and a score
        key, score = columns
        if score.strip() in MISSING_SCORES:
            return key, math.nan
        try:
            return key, float(score)
        except ValueError:
            if head:
                return None
    raise FormatError(f"is no id and score: {text.strip()[:60]!r}", where=where, remedy=COMET_COLUMNS_REMEDY)


def _check_rows(
    rows: Iterator[tuple[int, str, float]] | Sequence[tuple[int, str, float]],
    scale: Scale,
    name: str,
) -> list[tuple[int, str, float]]:
    """The rows, if their scores are on the scale."""
    rows = list(rows)
    for line, _, score in rows:
        if math.isinf(score) or abs(SCALE_FACTORS[scale] * score) > MAX_COMET_SCORE:
            raise FormatError(
                f"{score:g} is not on the scale {scale}",
                where=f"{name}:{line}",
                remedy="Name the scale of the file: --comet-scale 0-1 or 0-100.",
            )
    _check_scale([score for _, _, score in rows], scale, name)
    return rows


def _check_scale(scores: Sequence[float], scale: Scale, name: str) -> None:
    largest = max((abs(score) for score in scores if not math.isnan(score)), default=math.nan)
    off = SCALE_FACTORS[scale] * largest > MAX_COMET_SCORE or (scale == "0-100" and largest <= 1)
    if off:
        raise DataError(
            f"the largest score is {largest:g}, which is not on the scale {scale}",
            where=name,
            remedy="Name the scale of the file: --comet-scale 0-1 or 0-100.",
        )
