"""Open the input of one system.

It has both sides of each language, and COMET scores. A folder has one file per language, named after it: `it_IT.jsonl`.
A single file has the language of its name, or else of its first row. Rows of a Python list belong to their
`target_locale`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from isogloss.errors import MismatchError, SourceError, UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.records.json_fields import ColumnDecoder, list_columns
from isogloss.records.ranges import FolderPart
from isogloss.records.shards import HIDDEN, Shards, open_sides
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.tasks.document_columns import list_input_files
from isogloss.tasks.entity_translation.comet import CometScores, read_comet
from isogloss.tasks.entity_translation.options import EntityTranslationOptions
from isogloss.tasks.entity_translation.rows import (
    TRANSLATION_SHAPE,
    UNKNOWN,
    AnyReference,
    BriefRows,
    ListRows,
    Prediction,
    Reference,
    ReferenceTranslations,
    Rows,
    convert_rows,
    get_translation,
    has_prediction,
    make_reference_columns,
    open_brief_references,
    open_predictions,
    open_references,
)

L = TypeVar("L")
LOCALE = re.compile(r"[a-z]{2,3}(?:[_-](?:[A-Z][a-z]{3}|[A-Z]{2}|\d{3}))*")
CERTAIN_LOCALE = re.compile(r"[a-z]{2}|[a-z]{2,3}[_-].+")  # `ref.jsonl` and `dev.jsonl` do not name a language
FILE_NAME = re.compile(r"(?P<language>.*)\.(?P<suffix>jsonl|json|csv|tsv|parquet)(?:\.gz|\.zst)?")
PREFERRED_SUFFIX = "jsonl"
LAYOUT = "A folder holds one file for each language, named after it: it_IT.jsonl."


@dataclass(frozen=True, eq=False)
class LanguageInput:
    """Both sides of one language.

    Args:
        language: name of the language.
        references: rows of the reference.
        predictions: rows of the prediction; None if the system has no predictions for this language.
        sources: the files, by role.
        by_rows: whether the language is that of the first row, so that all rows must have it.
        columns: reads additional columns of the reference; None for no columns.
        is_counted: whether the part of the corpus that is opened has it.
    """

    language: str
    references: Rows[AnyReference]
    predictions: Rows[Prediction] | None
    sources: tuple[tuple[str, Source], ...] = ()
    by_rows: bool = False
    columns: ColumnDecoder[Reference] | None = None
    is_counted: bool = True

    def leave_out_texts(self) -> LanguageInput:
        """Return the same input without the translations of its references.

        Only brief references can be read without translations; others stay as they are.
        """
        rows = self.references
        return replace(self, references=replace(rows, names_only=True)) if isinstance(rows, BriefRows) else self


@dataclass(frozen=True, eq=False)
class TranslationInput:
    """The input of one system.

    Args:
        system: name of the system: the path of the predictions as given, or `prediction`.
        every_language: both sides of each language.
        warnings: languages that are missing on one side.
        comet: COMET scores by language; None if COMET is not scored.
        progress: called with the number of bytes read.
        sentence_count: number of references, if they are a list of rows; else None.
    """

    system: str
    every_language: tuple[LanguageInput, ...]
    warnings: tuple[RunWarning, ...] = ()
    comet: Mapping[str, CometScores] | None = None
    progress: Progress | None = None
    sentence_count: int | None = None

    @cached_property
    def languages(self) -> tuple[LanguageInput, ...]:
        """The languages to count: all, or those of a part."""
        return tuple(part for part in self.every_language if part.is_counted)

    @property
    def sources(self) -> tuple[tuple[str, Source], ...]:
        """All files, by role."""
        return tuple(source for part in self.every_language for source in part.sources)

    def list_input_files(self) -> tuple[InputFile, ...]:
        """Return the input files.

        A file has a digest once it was read.
        """
        return list_input_files(self.sources)

    def list_columns(self) -> Iterator[str]:
        """Yield the columns of the references.

        The first row of each language decides.
        """
        yield from ("entity", "entity_type", "language")
        for part in self.languages:
            if part.references.source is not None:
                yield from list_columns(part.references.source)


def open_translation_input(
    references: Any,
    predictions: Any,
    options: EntityTranslationOptions,
    comet: Source | None = None,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> TranslationInput:
    """Open both sides of all languages, and the COMET scores.

    If the reference is given as a system too, and has no predictions, its first translations are the predictions.

    Args:
        references: a path or source of a file or folder, or rows.
        predictions: a path or source of a file or folder, or rows; of the same kind as the references.
        options: options of the task.
        comet: file or folder of COMET scores; None if COMET is not scored.
        progress: called with the number of bytes read.
        attributes: columns of the references to read.

    Raises:
        UsageError: if one side is a path and the other rows, or COMET scores have no scale.
        DataError: if a file or row cannot be read, or the languages of both sides differ.
    """
    if is_path(references) != is_path(predictions):
        raise UsageError("A path and rows cannot be compared: give two paths, or rows on both sides.")
    warnings: list[RunWarning] = []
    system = "prediction"
    if is_path(references):
        files = open_sides(references, predictions, has_languages)
        for file in files:
            _check_one_language(file)
        parts, warnings = open_files_by_language(
            *files,
            zero_for_missing=options.rules.zero_for_missing,
            brief=not options.explain,
            attributes=attributes,
            languages=options.languages,
        )
        system = files[1].name
    else:
        sides = (references, predictions)
        if options.languages is not None and isinstance(references, Mapping):
            sides = (_select_languages(references, options.languages, "reference"), predictions)
        parts = convert_lists_by_language(*sides, attributes)
        warnings = _warn_of_references(_are_references(predictions), "predictions")
    if options.languages is not None:
        by_language = {part.language: part for part in parts}
        parts = list(_select_languages(by_language, options.languages, "reference").values())
    number = len(references) if isinstance(references, Sequence) and not is_path(references) else None
    scores = _read_comet(comet, parts, options, system)
    return TranslationInput(system, tuple(parts), tuple(warnings), scores, progress, number)


def _read_comet(
    source: Source | None,
    parts: list[LanguageInput],
    options: EntityTranslationOptions,
    system: str,
) -> dict[str, CometScores] | None:
    if source is None:
        return None
    if options.comet_scale is None:
        raise UsageError("COMET scores need their scale: add --comet-scale 0-1 or --comet-scale 0-100.")
    with_predictions = [part.language for part in parts if part.predictions is not None]
    return read_comet(source, with_predictions, options.comet_scale, system)


def open_files_by_language(
    references: Source,
    predictions: Source,
    *,
    zero_for_missing: bool,
    brief: bool,
    attributes: Sequence[str] = (),
    languages: Sequence[str] | None = None,
) -> tuple[list[LanguageInput], list[RunWarning]]:
    """Open the languages of two files, or of two folders.

    Args:
        references: a file, or a folder with one file per language.
        predictions: a file, or a folder with one file per language.
        zero_for_missing: whether to keep a language without predictions, rather than raise an error.
        brief: whether to read only the fields that verdicts need.
        attributes: additional columns of the reference to read.
        languages: languages to score; None for all of the reference.

    Raises:
        MismatchError: if one side is a folder and the other a file, or a language has no predictions.
        SourceError: if a path does not exist, or a folder has no files, or one not named after a language.
        DataError: if the first row of a file is malformed.
    """
    columns = make_reference_columns(attributes)
    brief = brief and columns is None
    folders = [_is_folder(side) for side in (references, predictions)]
    if folders[0] != folders[1]:
        folder, file = (references, predictions) if folders[0] else (predictions, references)
        if file.path != "-":
            next(file.blocks(), None)  # raises if the file does not exist or cannot be read
        raise MismatchError(
            f"is a folder, but {file.name} is a file",
            where=folder.name,
            remedy=f"Give two files or two folders. {LAYOUT}",
        )
    if not folders[0]:
        both = _open_rows(references), _open_rows(predictions)
        parts = [_open_language(parse_language(references), *both, columns=columns, brief=brief)]
        return parts, _note_reference_translations(parts, predictions)
    known, given = list_language_files(references), list_language_files(predictions)
    if languages is not None:
        known = _select_languages(known, languages, references.name)
        given = {language: file for language, file in given.items() if language in known}
    warnings = _check_languages(known, given, references.name, predictions.name, zero_for_missing=zero_for_missing)
    parts = []
    for language, file in known.items():
        sides = _open_part(references, file), _open_part(predictions, given.get(language))
        part = _open_language(language, *map(_open_rows, filter(None, sides)), columns=columns, brief=brief)
        parts.append(part if _has_file(references, file) else replace(part, is_counted=False))
    return parts, warnings + _note_reference_translations(parts, predictions)


def _check_languages(
    known: Mapping[str, Source],
    given: Mapping[str, Source],
    references: str,
    predictions: str,
    *,
    zero_for_missing: bool,
) -> list[RunWarning]:
    """Return warnings about languages that only one folder has.

    Raises:
        MismatchError: if a language has no predictions, and does not score 0.
    """
    missing = [language for language in known if language not in given]
    if missing and not zero_for_missing:
        others = ",".join(language for language in known if language in given)
        raise MismatchError(
            f"has no file for {', '.join(missing)}, of which {references} has references",
            where=predictions,
            remedy=f"Add the predictions, or score only the others: --languages {others or 'LANG'}. "
            "The profile ea-mt scores such a language 0.",
        )
    warnings = [
        RunWarning("missing-language", f"no predictions for {language}: it scores 0", where=predictions)
        for language in missing
    ]
    return warnings + [
        RunWarning(
            "extra-language",
            f"no references for {language}: its predictions are ignored",
            where=given[language].name,
        )
        for language in given
        if language not in known
    ]


def _select_languages(parts: Mapping[Any, L], languages: Sequence[str], where: str) -> dict[Any, L]:
    """Return the parts of some languages.

    Raises:
        MismatchError: if there is no such language.
    """
    for language in languages:
        if language not in parts:
            known = ", ".join(str(name) for name in parts)
            raise MismatchError(f"there is no language {language!r}; the languages are {known}", where=where)
    return {language: part for language, part in parts.items() if language in languages}


def _note_reference_translations(parts: Sequence[LanguageInput], predictions: Source) -> list[RunWarning]:
    found = any(isinstance(part.predictions, ReferenceTranslations) for part in parts)
    return _warn_of_references(found, predictions.name)


def _warn_of_references(found: bool, where: str) -> list[RunWarning]:  # noqa: FBT001  a condition
    if not found:
        return []
    text = "the reference has no predictions, so the first accepted translation of each sentence is scored"
    return [RunWarning("reference-as-prediction", text, where=where)]


def convert_lists_by_language(references: Any, predictions: Any, attributes: Sequence[str] = ()) -> list[LanguageInput]:
    """Convert Python values to the rows of each language.

    Args:
        references: rows, which belong to their `target_locale`; or a dictionary of rows by language.
        predictions: rows, translations in the order of the references, or translations by id; or a dictionary of these
            by language, if the references are one.
        attributes: additional columns of the reference to read.

    Raises:
        UsageError: if a side is of another type.
        MismatchError: if the numbers of translations and references differ, or a language has no predictions.
        DataError: if a row is malformed.
    """
    columns = make_reference_columns(attributes)
    kind = Reference if columns is None else columns.kind
    if not isinstance(references, Mapping):
        rows = convert_rows(_check_rows(references, "references"), kind, "references")
        answers = _convert_predictions(predictions, rows, "predictions")
        return [replace(part, columns=columns) for part in _split_by_locale(rows, answers)]
    if not isinstance(predictions, Mapping):
        raise UsageError("references are by language, but predictions are not: give both as {language: rows}.")
    parts = []
    for language, its_rows in references.items():
        if language not in predictions:
            raise MismatchError(f"there are no predictions for {language!r}", where="predictions")
        name = f"references[{language!r}]"
        rows = convert_rows(_check_rows(its_rows, name), kind, name)
        answers = _convert_predictions(predictions[language], rows, f"predictions[{language!r}]")
        parts.append(LanguageInput(language, ListRows(name, range(len(rows)), rows), answers, columns=columns))
    return parts


def list_language_files(folder: Source) -> dict[str, Source]:
    """List the files of a folder by language, in order of language.

    Args:
        folder: a folder with one file per language.

    Raises:
        SourceError: if there is no file, a language has two files, or a file is not named after a language.
    """
    language_files: dict[str, Source] = {}
    named = [(path, FILE_NAME.fullmatch(path.name)) for path in sorted(Path(folder.path).iterdir())]
    lines = {name["language"] for _, name in named if name is not None and name["suffix"] == PREFERRED_SUFFIX}
    for path, name in named:
        if name is None or path.name.startswith("."):
            continue
        language = name["language"]
        is_other = name["suffix"] != PREFERRED_SUFFIX  # a folder may hold tables of other things, such as COMET scores
        if is_other and (language in lines or not LOCALE.fullmatch(language)):
            continue
        if not LOCALE.fullmatch(language):
            raise SourceError(f"is not named after a language: {language!r}", where=str(path), remedy=LAYOUT)
        if language in language_files:
            raise SourceError(
                f"is a second file for {language}, after {language_files[language].name}", where=str(path)
            )
        language_files[language] = file = Source(path)
        file.folder = folder.path
    if not language_files:
        raise SourceError("holds no .jsonl file", where=folder.name, remedy=LAYOUT)
    return language_files


def _open_part(folder: Source, file: Source | None) -> Source | None:
    """Return what the part of a folder has of a file."""
    return (folder.open_file(file) if file is not None and isinstance(folder, FolderPart) else None) or file


def _has_file(folder: Source, file: Source) -> bool:
    return not isinstance(folder, FolderPart) or file.path in folder.ranges


def _open_rows(source: Source) -> Source:
    return open_rows(source, TRANSLATION_SHAPE)


def has_languages(folder: str) -> bool:
    """Check whether the files of a folder are languages.

    The names of shards of one language differ in numbers only.
    """
    names = [path.name for path in Path(folder).iterdir() if not path.name.startswith(HIDDEN)]
    return len({re.sub(r"\d+", "", name) for name in names}) != 1 or len(names) == 1


def _check_one_language(source: Source) -> None:
    """Check that shards are not named after different languages."""
    names = {parse_language(shard) for shard in source.shards}
    if len(names) > 1:
        languages = " and ".join(sorted(name for name in names if name))
        message = f"the files are named after languages, not shards of one: {languages}"
        raise SourceError(message, where=source.name, remedy=f"Name their folder instead. {LAYOUT}")


def _is_folder(source: Source) -> bool:
    return not isinstance(source, Shards) and source.path != "-" and Path(source.path).is_dir()


def _open_language(
    language: str | None,
    references: Source,
    predictions: Source | None = None,
    *,
    columns: ColumnDecoder[Reference] | None,
    brief: bool,
) -> LanguageInput:
    sources = (("reference", references), *((("prediction", predictions),) if predictions else ()))
    by_rows = language is None
    language = _read_language(references) if language is None else language
    return LanguageInput(
        language,
        open_brief_references(references, language if by_rows else None)
        if brief
        else open_references(references, columns),
        None if predictions is None else _open_predictions(references, predictions),
        sources,
        by_rows=by_rows,
        columns=columns,
    )


def _open_predictions(references: Source, predictions: Source) -> Rows[Prediction]:
    """Open predictions: of a reference given as a system, its translations."""
    if references.name == predictions.name and not has_prediction(predictions):
        return ReferenceTranslations(open_references(predictions))
    return open_predictions(predictions)


def parse_language(source: Source) -> str | None:
    """Return the language that a file is named after.

    The result is None if the name is not a language.
    """
    name = FILE_NAME.fullmatch(Path(source.path).name)
    language = name["language"] if name else ""
    return language if LOCALE.fullmatch(language) and CERTAIN_LOCALE.fullmatch(language) else None


def _read_language(references: Source) -> str:
    for block in open_references(references).read_blocks():
        for row in block.rows:
            return row.target_locale or UNKNOWN
    return UNKNOWN


def _check_rows(value: Any, name: str) -> Sequence[Any]:
    if isinstance(value, (str, bytes, Mapping)) or not hasattr(value, "__iter__"):
        raise UsageError(f"{name} is of type {type(value).__name__}, but a list of rows is expected.")
    return value if isinstance(value, (list, tuple)) else list(value)


def _convert_predictions(value: Any, references: Sequence[Reference], name: str) -> ListRows[Prediction]:
    """Convert predictions to rows.

    Predictions are rows, texts by id, or texts in the order of the references. References given as a system are their
    first translations.
    """
    if isinstance(value, Mapping):
        rows = convert_rows([{"id": id_, "prediction": text} for id_, text in value.items()], Prediction, name)
        return ListRows(name, range(len(rows)), rows)
    answers = _check_rows(value, name)
    if _are_references(answers):
        rows = [Prediction(row.id, get_translation(row)) for row in convert_rows(answers, Reference, name)]
    elif answers and all(answer is None or isinstance(answer, str) for answer in answers):
        if len(answers) != len(references):
            raise MismatchError(
                f"there are {len(references)} references, but {len(answers)} translations",
                where=name,
                remedy="Give one translation for each reference, None where there is none, or rows with ids.",
            )
        rows = [Prediction(row.id, answer) for row, answer in zip(references, answers, strict=True)]
    else:
        rows = convert_rows(answers, Prediction, name)
    return ListRows(name, range(len(rows)), rows)


def _are_references(value: Any) -> bool:
    """Check whether rows, or those of a language, are references without predictions."""
    if isinstance(value, Mapping):
        return any(_are_references(rows) for rows in value.values())
    first = value[0] if isinstance(value, (list, tuple)) and value else None
    if isinstance(first, Mapping):
        return "targets" in first and "prediction" not in first
    return hasattr(first, "targets") and not hasattr(first, "prediction")


def _split_by_locale(rows: Sequence[Reference], answers: ListRows[Prediction]) -> list[LanguageInput]:
    places: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(row.target_locale or UNKNOWN, []).append(place)
    if len(places) <= 1:
        return [LanguageInput(language, ListRows("references", at, rows), answers) for language, at in places.items()]
    language_of = {str(rows[place].id): language for language, at in places.items() for place in at}
    if len(language_of) < len(rows):
        raise UsageError(
            "The same id stands in several languages: give references and predictions as {language: rows}.",
        )
    theirs: dict[str | None, list[int]] = {}
    for place, answer in enumerate(answers.rows):
        theirs.setdefault(language_of.get(str(answer.id), next(iter(places))), []).append(place)
    return [
        LanguageInput(
            language,
            ListRows("references", at, [rows[k] for k in at]),
            ListRows("predictions", theirs.get(language, []), [answers.rows[k] for k in theirs.get(language, [])]),
        )
        for language, at in places.items()
    ]
