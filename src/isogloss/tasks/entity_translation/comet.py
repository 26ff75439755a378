"""Read COMET scores: by id, by position, or one per language.

The scores were computed elsewhere.

    {"id": "Q1_0", "comet": 0.87}          JSON lines
    Q1_0<TAB>0.87                          two columns, with or without a header
    system<TAB>0.87                        `.seg.score` of mt-metrics-eval, in the order of the references
    {"it_IT": 0.87, "ar_AE": 0.81}         a JSON object, or two columns: one score per language

If an id occurs several times, it has a score for each of its references, and the highest counts. `null` and `None`
stand for no score. A folder has one file per language: `it_IT.jsonl`, `it_IT.tsv`, `it_IT.seg.score`. All scores are
scaled to 0 to 100.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np

from isogloss.errors import DataError, FormatError, MismatchError, SourceError
from isogloss.kernel.scores import Floats
from isogloss.records.json_lines import read_block_rows
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation.options import Scale

SCALE_FACTORS: Mapping[Scale, float] = {"0-1": 100.0, "0-100": 1.0}
MAX_COMET_SCORE = 200.0  # COMET can leave its scale a little, but never this far
SEGMENT_SUFFIX = ".seg.score"
COMET_SUFFIXES = (SEGMENT_SUFFIX, ".jsonl", ".tsv", ".txt")
MISSING_SCORES = ("None", "null", "nan", "")
COMET_JSON_REMEDY = 'A row looks like {"id": "Q1_0", "comet": 0.87}.'
COMET_COLUMNS_REMEDY = "A line has two columns separated by a tab: an id or a language, and a score."
SCALE_REMEDY = "Name the scale of the file: --comet-scale 0-1 or 0-100."
ScoreRow = tuple[int, str, float]  # line, key (an id, a language or a system), score as in the file


@dataclass(frozen=True, eq=False)
class CometScores:
    """COMET scores of the sentences of one language, between 0 and 100.

    Args:
        by_id: scores by id of the sentence.
        by_position: (rows,) scores in the order of the references; None if scores are not in this order.
        constant: score of all ids that are not in `by_id`; nan for no score.
        name: name of the file.
    """

    by_id: Mapping[str, float] = field(default_factory=dict)
    by_position: Floats | None = None
    constant: float = math.nan
    name: str = ""

    def get_scores(self, ids: Sequence[str], positions: Sequence[int]) -> Floats:
        """Return the scores of sentences: (n,), nan for no score.

        Args:
            ids: ids of the sentences.
            positions: their positions in the file of the references, ascending.

        Raises:
            MismatchError: if scores are by position, and a position is beyond them.
        """
        if self.by_position is None:
            return np.array([self.by_id.get(key, self.constant) for key in ids], np.float64)
        if positions and positions[-1] >= len(self.by_position):
            self.check_row_count(positions[-1] + 1)
        return self.by_position[np.asarray(positions, np.int64)]

    def check_row_count(self, rows: int) -> None:
        """Check that scores by position are as many as the references.

        Args:
            rows: number of references.

        Raises:
            MismatchError: if they are more or fewer.
        """
        if self.by_position is not None and rows != len(self.by_position):
            raise MismatchError(
                f"has {len(self.by_position)} scores, but the reference has {rows} rows, or more",
                where=self.name,
                remedy="Scores without ids must be in the order of all rows of the reference. Give scores with ids.",
            )


NO_COMET = CometScores()


class _CometRow(msgspec.Struct, gc=False):
    id: str | int
    comet: float | None


_ROW_DECODER = msgspec.json.Decoder(_CometRow)


def read_comet(source: Source, languages: Sequence[str], scale: Scale, system: str) -> dict[str, CometScores]:
    """Read the COMET scores of each language.

    Args:
        source: a file, or a folder with one file per language.
        languages: languages to read.
        scale: scale of the scores in the file.
        system: path of the predictions; its parts select the system in files with several.

    Raises:
        SourceError: if a file cannot be read.
        FormatError: if a line is malformed, or a score is not on the scale.
        MismatchError: if a language has no scores, or the file does not tell whose scores they are.
    """
    if source.path != "-" and Path(source.path).is_dir():
        files = _list_files(source)
        _check_languages(source, files, languages)
        return {language: _read_scores(files[language], scale, system) for language in languages}
    by_language = _read_language_scores(source, scale, languages)
    if by_language is not None:
        _check_languages(source, by_language, languages)
        return {language: CometScores(constant=by_language[language]) for language in languages}
    if len(languages) > 1:
        raise MismatchError(
            f"has scores of single sentences, but there are {len(languages)} languages",
            where=source.name,
            remedy="Give a folder with one file per language, or one file with a score per language.",
        )
    return {language: _read_scores(source, scale, system) for language in languages}


def _list_files(folder: Source) -> dict[str, Source]:
    files = {}
    for path in sorted(Path(folder.path).iterdir()):
        suffix = next((suffix for suffix in COMET_SUFFIXES if path.name.endswith(suffix)), None)
        if suffix is not None:
            files[path.name.removesuffix(suffix)] = Source(path)
    return files


def _check_languages(source: Source, known: Mapping[str, object], languages: Sequence[str]) -> None:
    missing = [language for language in languages if language not in known]
    if missing:
        raise MismatchError(
            f"has no COMET scores of {', '.join(missing)}; it has {', '.join(known) or 'none'}",
            where=source.name,
        )


def _read_start(source: Source) -> bytes:
    return next((block.data for block in source.blocks()), b"").lstrip()


def _read_language_scores(source: Source, scale: Scale, languages: Sequence[str]) -> dict[str, float] | None:
    """Read one score per language.

    The result is None if the file has scores of single sentences.
    """
    start = _read_start(source)
    if not start:
        raise SourceError("the file is empty: it has no scores", where=source.name)
    if start.startswith(b"{"):
        try:
            table = msgspec.json.decode(start, type=dict[str, float])
        except msgspec.DecodeError:
            return None
        return dict(_scale_rows([(1, key, score) for key, score in table.items()], scale, source.name))
    if source.name.endswith(SEGMENT_SUFFIX):
        return None
    rows = list(_read_column_scores(source))
    if rows and not any(key in languages for _, key, _ in rows):
        return None
    return dict(_scale_rows(rows, scale, source.name))


def _read_scores(source: Source, scale: Scale, system: str) -> CometScores:
    segments = source.name.endswith(SEGMENT_SUFFIX)
    is_json = not segments and _read_start(source).startswith(b"{")
    rows = _scale_rows(_read_json_scores(source) if is_json else _read_column_scores(source), scale, source.name)
    if segments:
        return CometScores(by_position=_select_system(rows, system, source.name), name=source.name)
    best: dict[str, float] = {}
    for key, score in rows:
        known = best.get(key, math.nan)
        best[key] = known if known >= score or math.isnan(score) else score
    return CometScores(best)


def _select_system(rows: Sequence[tuple[str, float]], system: str, name: str) -> Floats:
    """Return the scores of one system.

    This is the only system, or the one that the path of the predictions names.
    """
    systems = list(dict.fromkeys(key for key, _ in rows))
    parts = {*Path(system).parts, *(re.sub(r"\.jsonl.*", "", part) for part in Path(system).parts)}
    selected = systems if len(systems) == 1 else [key for key in systems if key in parts]
    if len(selected) != 1:
        raise MismatchError(
            f"has the scores of {', '.join(systems)}; the name of {system} contains none of them, or several",
            where=name,
            remedy="Name the predictions after their system, or keep only its lines.",
        )
    return np.array([score for key, score in rows if key == selected[0]], np.float64)


def _read_json_scores(source: Source) -> Iterator[ScoreRow]:
    for block in source.blocks():
        for line, row in read_block_rows(source, block, _ROW_DECODER, COMET_JSON_REMEDY):
            yield line, str(row.id), math.nan if row.comet is None else row.comet


def _read_column_scores(source: Source) -> Iterator[ScoreRow]:
    for block in source.blocks():
        for line, text in enumerate(block.data.decode().split("\n"), block.first_line):
            if text.strip():
                row = _parse_line(text, f"{source.name}:{line}", may_be_header=line == 1)
                if row is not None:
                    yield line, *row


def _parse_line(text: str, where: str, *, may_be_header: bool) -> tuple[str, float] | None:
    """Return key and score of a line; None for a header."""
    columns = text.strip("\r\n").split("\t") if "\t" in text else text.split()
    if len(columns) == 2:  # noqa: PLR2004  a key and a score
        key, score = columns
        if score.strip() in MISSING_SCORES:
            return key, math.nan
        try:
            return key, float(score)
        except ValueError:
            if may_be_header:
                return None
    raise FormatError(f"is not an id and a score: {text.strip()[:60]!r}", where=where, remedy=COMET_COLUMNS_REMEDY)


def _scale_rows(rows: Iterable[ScoreRow], scale: Scale, name: str) -> list[tuple[str, float]]:
    """Return key and score of each row, scaled to 0 to 100.

    All scores must be on the scale.
    """
    rows, factor = list(rows), SCALE_FACTORS[scale]
    for line, _, score in rows:
        if math.isinf(score) or abs(factor * score) > MAX_COMET_SCORE:
            raise FormatError(f"{score:g} is not on the scale {scale}", where=f"{name}:{line}", remedy=SCALE_REMEDY)
    largest = max((abs(score) for _, _, score in rows if not math.isnan(score)), default=math.nan)
    if scale == "0-100" and largest <= 1:
        raise DataError(
            f"the largest score is {largest:g}, so the scores are not on the scale {scale}",
            where=name,
            remedy=SCALE_REMEDY,
        )
    return [(key, factor * score) for _, key, score in rows]
