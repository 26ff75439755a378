"""Which file, or which rows, belong to which language on both sides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.errors import MismatchError, SourceError, UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation.rows import (
    UNKNOWN,
    AnyReference,
    ListRows,
    Prediction,
    Reference,
    Rows,
    brief_references_of,
    converted,
    predictions_of,
    references_of,
    with_columns,
)

LOCALE = re.compile(r"[a-z]{2,3}(?:[_-](?:[A-Z][a-z]{3}|[A-Z]{2}|\d{3}))*")
SURE = re.compile(r"[a-z]{2}|[a-z]{2,3}[_-].+")  # `ref.jsonl` and `dev.jsonl` are named after no language
NAMES = re.compile(r"(?P<language>.*)\.(?P<ending>jsonl|json|csv|tsv|parquet)(?:\.gz|\.zst)?")
LINES = "jsonl"  # the ending of files that are preferred
LAYOUT = "A folder holds one file for each language, named after it: it_IT.jsonl."


@dataclass(frozen=True, eq=False)
class Part:
    """One language.

    Args:
        language: its name.
        references: the rows of the reference.
        predictions: those of the prediction, None where the system has nothing for this language.
        sources: the files, by role.
        by_rows: whether the language is that of the first row, so that all rows must have it.
        columns: what reads columns of the reference beside; None where none are wanted.
    """

    language: str
    references: Rows[AnyReference]
    predictions: Rows[Prediction] | None
    sources: tuple[tuple[str, Source], ...] = ()
    by_rows: bool = False
    columns: ColumnDecoder[Reference] | None = None


def parts_of_files(
    references: Source,
    predictions: Source,
    *,
    zero_for_missing: bool,
    brief: bool,
    attributes: Sequence[str] = (),
    open_file: Callable[[Source], Source] = lambda source: source,
) -> tuple[list[Part], list[RunWarning]]:
    """The languages of two files, or of two folders.

    Args:
        references: a file, or a folder with a file for each language.
        predictions: likewise.
        zero_for_missing: whether a language without predictions is kept, rather than an error.
        brief: whether only what verdicts need is read.
        attributes: columns of the reference that are wanted beside.
        open_file: gives a file as JSON lines.

    Raises:
        MismatchError: a folder and a file, or a language without predictions.
        SourceError: a path that is not there, a folder without files, or with a file not named after a language.
        DataError: the first row of a file is not what it should be.
    """
    columns = with_columns(attributes)
    brief = brief and columns is None
    folders = [_is_folder(side) for side in (references, predictions)]
    if folders[0] != folders[1]:
        folder, file = (references, predictions) if folders[0] else (predictions, references)
        if file.path != "-":
            next(file.blocks(), None)  # what is not there, or cannot be read, is no file
        raise MismatchError(
            f"is a folder, but {file.name} is a file",
            where=folder.name,
            remedy=f"Give two files or two folders. {LAYOUT}",
        )
    if not folders[0]:
        both = open_file(references), open_file(predictions)
        return [_part(language_of_name(references), *both, columns, brief=brief)], []
    known, found = (
        {name: open_file(file) for name, file in files_of(side).items()} for side in (references, predictions)
    )
    missing = [language for language in known if language not in found]
    if missing and not zero_for_missing:
        raise MismatchError(
            f"has no file for {', '.join(missing)}, of which {references.name} has references",
            where=predictions.name,
            remedy="Add the predictions, or remove the references. The profile ea-mt scores such a language 0.",
        )
    notices = [
        RunWarning("missing-language", f"no predictions for {language}: it scores 0", where=predictions.name)
        for language in missing
    ]
    notices += [
        RunWarning(
            "extra-language",
            f"no references for {language}: its predictions are ignored",
            where=found[language].name,
        )
        for language in found
        if language not in known
    ]
    parts = [_part(own, source, found.get(own), columns, brief=brief) for own, source in known.items()]
    return parts, notices


def parts_of_lists(references: Any, predictions: Any, attributes: Sequence[str] = ()) -> list[Part]:
    """The languages of Python values.

    Args:
        references: rows, or a dictionary of them by language. Rows without it belong to their `target_locale`.
        predictions: rows likewise; instead of rows, translations in the order of the references, or by their ids.
        attributes: columns of the reference that are wanted beside.

    Raises:
        UsageError: neither.
        MismatchError: not as many translations as references, or a language without predictions.
        DataError: a row is not what it should be.
    """
    columns = with_columns(attributes)
    kind = Reference if columns is None else columns.kind
    if not isinstance(references, Mapping):
        rows = converted(_rows(references, "references"), kind, "references")
        answers = _answers(predictions, rows, "predictions")
        return [replace(part, columns=columns) for part in _by_locale(rows, answers)]
    if not isinstance(predictions, Mapping):
        raise UsageError("references are by language, but predictions are not: give both as {language: rows}.")
    parts = []
    for language, its_rows in references.items():
        if language not in predictions:
            raise MismatchError(f"there are no predictions for {language!r}", where="predictions")
        name = f"references[{language!r}]"
        rows = converted(_rows(its_rows, name), kind, name)
        answers = _answers(predictions[language], rows, f"predictions[{language!r}]")
        parts.append(Part(language, ListRows(name, range(len(rows)), rows), answers, columns=columns))
    return parts


def files_of(folder: Source) -> dict[str, Source]:
    """The files of a folder by language, in order of language.

    Args:
        folder: a folder with a file for each language.

    Raises:
        SourceError: there are none, two for a language, or one that is not named after a language.
    """
    found: dict[str, Source] = {}
    named = [(path, NAMES.fullmatch(path.name)) for path in sorted(Path(folder.path).iterdir())]
    lines = {name["language"] for _, name in named if name is not None and name["ending"] == LINES}
    for path, name in named:
        if name is None or path.name.startswith("."):
            continue
        language = name["language"]
        is_other = name["ending"] != LINES  # a folder may hold tables of other things, such as COMET scores
        if is_other and (language in lines or not LOCALE.fullmatch(language)):
            continue
        if not LOCALE.fullmatch(language):
            raise SourceError(f"is not named after a language: {language!r}", where=str(path), remedy=LAYOUT)
        if language in found:
            raise SourceError(f"is a second file for {language}, after {found[language].name}", where=str(path))
        found[language] = Source(path)
    if not found:
        raise SourceError("holds no .jsonl file", where=folder.name, remedy=LAYOUT)
    return found


def _is_folder(source: Source) -> bool:
    return source.path != "-" and Path(source.path).is_dir()


def _part(
    language: str | None,
    references: Source,
    predictions: Source | None,
    columns: ColumnDecoder[Reference] | None,
    *,
    brief: bool,
) -> Part:
    sources = (("reference", references), *((("prediction", predictions),) if predictions else ()))
    by_rows = language is None
    language = _language_of_first_row(references) if language is None else language
    return Part(
        language,
        brief_references_of(references, language if by_rows else None) if brief else references_of(references, columns),
        None if predictions is None else predictions_of(predictions),
        sources,
        by_rows=by_rows,
        columns=columns,
    )


def language_of_name(source: Source) -> str | None:
    """The language that a file is named after, None where its name says nothing."""
    name = NAMES.fullmatch(Path(source.path).name)
    language = name["language"] if name else ""
    return language if LOCALE.fullmatch(language) and SURE.fullmatch(language) else None


def _language_of_first_row(references: Source) -> str:
    for piece in references_of(references).pieces():
        for row in piece.rows:
            return row.target_locale or UNKNOWN
    return UNKNOWN


def _rows(value: Any, name: str) -> Sequence[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise UsageError(f"{name} is of type {type(value).__name__}, but a list of rows is expected.")
    return value if isinstance(value, (list, tuple)) else list(value)


def _answers(value: Any, references: Sequence[Reference], name: str) -> ListRows[Prediction]:
    """Predictions as rows: they may be given as rows, as texts by id, or as texts in the order of the references."""
    if isinstance(value, Mapping):
        rows = converted([{"id": id_, "prediction": text} for id_, text in value.items()], Prediction, name)
        return ListRows(name, range(len(rows)), rows)
    answers = _rows(value, name)
    if answers and all(answer is None or isinstance(answer, str) for answer in answers):
        if len(answers) != len(references):
            raise MismatchError(
                f"there are {len(references)} references, but {len(answers)} translations",
                where=name,
                remedy="Give one translation for each reference, None where there is none, or rows with ids.",
            )
        rows = [Prediction(row.id, answer) for row, answer in zip(references, answers, strict=True)]
    else:
        rows = converted(answers, Prediction, name)
    return ListRows(name, range(len(rows)), rows)


def _by_locale(rows: Sequence[Reference], answers: ListRows[Prediction]) -> list[Part]:
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.target_locale or UNKNOWN, []).append(place)
    if len(places) <= 1:
        return [Part(language, ListRows("references", at, rows), answers) for language, at in places.items()]
    language_of = {str(rows[place].id): language for language, at in places.items() for place in at}
    if len(language_of) < len(rows):
        raise UsageError(
            "The same id stands in several languages: give references and predictions as {language: rows}.",
        )
    theirs: dict[str | None, list[int]] = {}
    for place, answer in enumerate(answers.rows):
        theirs.setdefault(language_of.get(str(answer.id), next(iter(places))), []).append(place)
    return [
        Part(
            language,
            ListRows("references", at, [rows[k] for k in at]),
            ListRows("predictions", theirs.get(language, []), [answers.rows[k] for k in theirs.get(language, [])]),
        )
        for language, at in places.items()
    ]
