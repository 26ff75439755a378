"""Open the input of one system: both sides of each language, and COMET scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.records.json_fields import list_columns
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run_json import InputFile
from isogloss.tasks.entity_translation.comet import CometScores, read_comet
from isogloss.tasks.entity_translation.languages import Part, parts_of_files, parts_of_lists
from isogloss.tasks.entity_translation.options import EntityTranslationOptions
from isogloss.tasks.entity_translation.rows import TRANSLATION_SHAPE


@dataclass(frozen=True, eq=False)
class TranslationInput:
    """The input of one system.

    Args:
        system: name of the system: the path of the predictions as given, or `prediction`.
        languages: both sides of each language.
        warnings: languages that are missing on one side.
        comet: COMET scores by language; None if COMET is not scored.
        progress: called with the number of bytes read.
        sentence_count: number of references, if they are a list of rows; else None.
    """

    system: str
    languages: tuple[Part, ...]
    warnings: tuple[RunWarning, ...] = ()
    comet: Mapping[str, CometScores] | None = None
    progress: Progress | None = None
    sentence_count: int | None = None

    def list_input_files(self) -> tuple[InputFile, ...]:
        """Return the input files; a file has a digest once it was read."""
        files = (source for part in self.languages for source in part.sources)
        return tuple(InputFile(role, source.name, source.sha256 or "") for role, source in files)

    def list_columns(self) -> Iterator[str]:
        """Yield the columns of the references, judged by the first row of each language."""
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
        files = [value if isinstance(value, Source) else Source(value) for value in (references, predictions)]
        parts, warnings = parts_of_files(
            *files,
            zero_for_missing=options.rules.zero_for_missing,
            brief=not options.explain,
            attributes=attributes,
            open_file=lambda file: open_rows(file, TRANSLATION_SHAPE),
        )
        system = files[1].name
    else:
        parts = parts_of_lists(references, predictions, attributes)
    number = len(references) if isinstance(references, Sequence) and not is_path(references) else None
    scores = _read_comet(comet, parts, options, system)
    return TranslationInput(system, tuple(parts), tuple(warnings), scores, progress, number)


def _read_comet(
    source: Source | None,
    parts: list[Part],
    options: EntityTranslationOptions,
    system: str,
) -> dict[str, CometScores] | None:
    if source is None:
        return None
    if options.comet_scale is None:
        raise UsageError("COMET scores need their scale: add --comet-scale 0-1 or --comet-scale 0-100.")
    with_predictions = [part.language for part in parts if part.predictions is not None]
    return read_comet(source, with_predictions, options.comet_scale, system)
