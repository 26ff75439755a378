"""What a user gives to be scored as entity translation: the definition, and the languages of both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.records.json_lines import columns_of
from isogloss.records.sources import Progress, Source, is_path
from isogloss.records.tabular import open_rows
from isogloss.runs.run import InputFile
from isogloss.tasks.entity_translation.comet import CometScores, read_comet
from isogloss.tasks.entity_translation.languages import Part, parts_of_files, parts_of_lists
from isogloss.tasks.entity_translation.options import EntityTranslationOptions
from isogloss.tasks.entity_translation.rows import TRANSLATION_SHAPE


@dataclass(frozen=True, eq=False)
class TranslationInput:
    """The languages of one system.

    Args:
        system: what is scored: the prediction's path as given, or `prediction`.
        parts: its languages.
        notices: languages that are missing or left over.
        comet: the COMET scores of each language, none where they were not asked for.
        progress: called now and then with the bytes read.
        number: how many references there are, where they are a list of rows.
    """

    system: str
    languages: tuple[Part, ...]
    warnings: tuple[RunWarning, ...] = ()
    comet: Mapping[str, CometScores] | None = None
    progress: Progress | None = None
    sentence_count: int | None = None

    def list_input_files(self) -> tuple[InputFile, ...]:
        """The files with the digests that the pass over them has left."""
        files = (source for part in self.languages for source in part.sources)
        return tuple(InputFile(role, source.name, source.sha256 or "") for role, source in files)

    def list_columns(self) -> Iterator[str]:
        """The columns of the sentences, as far as the first one of each language tells."""
        yield from ("entity", "entity_type", "language")
        for part in self.languages:
            if part.references.source is not None:
                yield from columns_of(part.references.source)


def open_translation_input(
    references: Any,
    predictions: Any,
    options: EntityTranslationOptions,
    comet: Source | None = None,
    progress: Progress | None = None,
    attributes: Sequence[str] = (),
) -> TranslationInput:
    """The languages that the arguments stand for.

    Args:
        references: a path or source of a file or folder, or rows.
        predictions: likewise.
        options: what is scored and how.
        comet: the file, or folder, of COMET scores.
        progress: called now and then with the bytes read.
        attributes: columns of sentences that are wanted.

    Raises:
        UsageError: a path and rows, or COMET scores without their scale.
        DataError: a file or row that cannot be read, or languages that do not fit.
    """
    if is_path(references) != is_path(predictions):
        raise UsageError("Give two paths, or rows on both sides: a path and rows cannot be compared.")
    notices: list[RunWarning] = []
    system = "prediction"
    if is_path(references):
        files = [value if isinstance(value, Source) else Source(value) for value in (references, predictions)]
        parts, notices = parts_of_files(
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
    scored = _read_comet(comet, parts, options, system)
    return TranslationInput(system, tuple(parts), tuple(notices), scored, progress, number)


def _read_comet(
    source: Source | None,
    parts: list[Part],
    options: EntityTranslationOptions,
    system: str,
) -> dict[str, CometScores] | None:
    if source is None:
        return None
    if options.comet_scale is None:
        raise UsageError("Say on which scale the COMET scores are: --comet-scale 0-1 or 0-100.")
    with_predictions = [part.language for part in parts if part.predictions is not None]
    return read_comet(source, with_predictions, options.comet_scale, system)
