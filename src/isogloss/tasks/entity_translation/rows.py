"""Read the rows of both sides, each with its place.

They come from files or from Python values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeVar, cast

import msgspec

from isogloss.errors import DataError
from isogloss.records.json_fields import ColumnDecoder, read_lazy_rows
from isogloss.records.json_lines import decode_block, read_block_lists
from isogloss.records.row_shape import RowShape
from isogloss.records.sources import Source

BLOCK = 1 << 17  # bytes: more, and the text of a block is no longer in memory that is used again
LIST_BLOCK = 512  # rows
REFERENCE_REMEDY = (
    'A reference row looks like {"id": "Q1_0", "wikidata_id": "Q1", "entity_types": ["Book"], '
    '"source": "Who wrote Dune?", "targets": [{"translation": "Chi ha scritto Duna?", "mention": "Duna"}]}.'
)
PREDICTION_REMEDY = 'A prediction row looks like {"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}.'


def _add_targets(row: dict[str, Any]) -> dict[str, Any]:
    """Give a row with `mention` and `translation` its one target."""
    if "mention" in row and "targets" not in row:
        row["targets"] = [{"mention": row["mention"], "translation": row.get("translation", "")}]
    return row


TRANSLATION_SHAPE = RowShape(
    needed=("targets", "mention", "prediction"),
    header="id,mention,translation (references) or id,prediction (predictions)",
    row='A row looks like {"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}.',
    kinds={"targets": "json", "entity_types": "types", "source": "text", "prediction": "nullable"},
    finish=_add_targets,
)
NotEmpty = Annotated[str, msgspec.Meta(min_length=1)]


class Target(msgspec.Struct, gc=False):
    """An accepted translation and the name in it."""

    mention: str
    translation: str = ""


class Reference(msgspec.Struct, gc=False, rename={"entity": "wikidata_id"}):
    """A row of the reference."""

    id: str | int
    targets: tuple[Target, ...]
    entity_types: tuple[str, ...] = ()
    entity: str | None = None
    source: str = ""
    target_locale: str | None = None


class _BriefTarget(msgspec.Struct, gc=False, rename={"json": "translation"}):
    """A target with a name, and its translation as JSON.

    The translation stays JSON until it is needed.
    """

    mention: NotEmpty
    json: msgspec.Raw = msgspec.Raw(b'""')

    @property
    def translation(self) -> str:
        """The whole sentence; empty if it is not a text."""
        try:
            value = msgspec.json.decode(self.json)
        except msgspec.ValidationError:  # a number that is out of range
            return ""
        return value if isinstance(value, str) else ""


class BriefReference(msgspec.Struct, gc=False, kw_only=True):
    """The fields of a row that verdicts need, with id and names.

    There are no others, as making strings takes most of the reading time.
    """

    id: NotEmpty
    entity_types: tuple[str, ...] = ()
    targets: Annotated[list[_BriefTarget], msgspec.Meta(min_length=1)]

    @property
    def entity(self) -> str | None:
        """Not read."""
        return None

    @property
    def source(self) -> str:
        """Not read."""
        return ""

    @property
    def target_locale(self) -> str | None:
        """Not read."""
        return None


class LocatedBriefReference(BriefReference, gc=False, kw_only=True, rename={"entity": "wikidata_id"}):
    """A brief row with its own language and entity."""

    entity: str | None = None
    target_locale: str | None = None


class _NamedTarget(msgspec.Struct, gc=False):
    """A target of which only the name was read."""

    mention: NotEmpty

    @property
    def translation(self) -> str:
        """Not read."""
        return ""


class NameReference(BriefReference, gc=False, kw_only=True):
    """A brief row without translations."""

    targets: Annotated[list[_NamedTarget], msgspec.Meta(min_length=1)]  # type: ignore[assignment]


class LocatedNameReference(LocatedBriefReference, gc=False, kw_only=True):
    """A brief row with its language, but without translations.

    Its file is not named after a language.
    """

    targets: Annotated[list[_NamedTarget], msgspec.Meta(min_length=1)]  # type: ignore[assignment]


class Prediction(msgspec.Struct, gc=False):
    """A row of the prediction; null stands for no translation."""

    id: str | int
    prediction: str | None


_REFERENCE = msgspec.json.Decoder(Reference)
_BRIEF = msgspec.json.Decoder(BriefReference)
_NAMES = msgspec.json.Decoder(NameReference)
_LOCATED_BRIEF = msgspec.json.Decoder(LocatedBriefReference)
_LOCATED_NAMES = msgspec.json.Decoder(LocatedNameReference)
UNKNOWN = "und"  # ISO 639: undetermined
_PREDICTION = msgspec.json.Decoder(Prediction)
AnyReference = Reference | BriefReference
Row_co = TypeVar("Row_co", covariant=True)
Row = TypeVar("Row")


class RowBlock(NamedTuple, Generic[Row_co]):
    """Consecutive rows.

    Args:
        places: (rows,) the line or position of each row.
        rows: the rows.
        sound: whether all references are known to have ids, targets and names that are not empty.
        read_texts: decodes the rows again, with their translations; None if these were read.
    """

    places: Sequence[int]
    rows: Sequence[Row_co]
    sound: bool = False
    read_texts: Callable[[], Sequence[Row_co]] | None = None


class Rows(Protocol[Row_co]):
    """Rows of one side, which can be read several times."""

    @property
    def name(self) -> str:
        """The name of the file or argument, for messages."""

    @property
    def source(self) -> Source | None:
        """The file; None for a list."""

    def read_blocks(self) -> Iterator[RowBlock[Row_co]]:
        """Yield all rows in order."""

    def where(self, place: int) -> str:
        """Return the name of a place, for messages."""


@dataclass(frozen=True, eq=False)
class FileRows(Generic[Row]):
    """Rows of a file of JSON lines; a place is a line.

    Args:
        source: the file.
        decoder: decodes a line.
        remedy: an example of a row, for errors.
    """

    source: Source
    decoder: msgspec.json.Decoder[Row]
    remedy: str

    @property
    def name(self) -> str:
        """The name of the file."""
        return self.source.name

    def read_blocks(self) -> Iterator[RowBlock[Row]]:
        """Yield the rows of one block after the other.

        Raises:
            SourceError: if the file cannot be read.
            FormatError: if a line is malformed.
        """
        for block in self.source.blocks(BLOCK, decode=False):
            for places, rows in read_block_lists(self.source, block, self.decoder, self.remedy):
                yield RowBlock(places, rows)

    def where(self, place: int) -> str:
        """Return file and line."""
        return self.source.locate(place)


@dataclass(frozen=True, eq=False)
class BriefRows(FileRows[Reference]):
    """Rows of a reference file, with few fields if all are usual.

    Args:
        language: language that all rows must have; None if the file is named after its language.
        names_only: whether to leave out translations, until one is needed: `RowBlock.read_texts`.
    """

    language: str | None = None
    names_only: bool = False

    def read_blocks(self) -> Iterator[RowBlock[Any]]:
        """Yield the rows of one block after the other.

        Errors are those of `FileRows`.
        """
        names, whole = (_NAMES, _BRIEF) if self.language is None else (_LOCATED_NAMES, _LOCATED_BRIEF)
        decoder: msgspec.json.Decoder[Any] = names if self.names_only else whole

        def read_texts() -> Sequence[Any]:
            nonlocal decoder
            decoder = whole  # where one block needs translations, the next ones probably do, too
            return decode_block(block, whole) or ()

        for block in self.source.blocks(BLOCK, decode=False):
            rows = decode_block(block, decoder)
            if rows is not None and self._is_of_language(rows):
                lines = range(block.first_line, block.first_line + len(rows))
                yield RowBlock(lines, rows, sound=True, read_texts=None if decoder is whole else read_texts)
                continue
            for places, full in read_block_lists(self.source, block, self.decoder, self.remedy):
                yield RowBlock(places, full)

    def _is_of_language(self, rows: Sequence[BriefReference]) -> bool:
        return self.language is None or {row.target_locale or UNKNOWN for row in rows} <= {self.language}


@dataclass(frozen=True, eq=False)
class ListRows(Generic[Row]):
    """Rows of a Python list; a place is a position.

    Args:
        name: name of the argument.
        positions: position of each row in the argument.
        rows: the rows.
    """

    name: str
    positions: Sequence[int]
    rows: Sequence[Row]

    @property
    def source(self) -> None:
        """None: a list is not in a file."""

    def read_blocks(self) -> Iterator[RowBlock[Row]]:
        """Yield some rows at a time."""
        for low in range(0, len(self.rows), LIST_BLOCK):
            yield RowBlock(self.positions[low : low + LIST_BLOCK], self.rows[low : low + LIST_BLOCK])

    def where(self, place: int) -> str:
        """Return argument and position."""
        return f"{self.name}[{place}]"


def list_ids(rows: Sequence[AnyReference] | Sequence[Prediction]) -> list[str]:
    """Return the ids of rows as texts."""
    ids = [row.id for row in rows]
    if rows and isinstance(rows[0], BriefReference):
        return cast("list[str]", ids)
    return cast("list[str]", ids) if set(map(type, ids)) <= {str} else list(map(str, ids))


def open_references(source: Source, columns: ColumnDecoder[Reference] | None = None) -> FileRows[Reference]:
    """Open the rows of a reference file, with additional columns."""
    return FileRows(source, _REFERENCE if columns is None else columns.decoder, REFERENCE_REMEDY)


def make_reference_columns(names: Sequence[str]) -> ColumnDecoder[Reference] | None:
    """Make the reader of additional columns of the reference.

    The reader is None if there are no columns.
    """
    return ColumnDecoder.build(Reference, names) if names else None


def open_brief_references(source: Source, language: str | None = None) -> BriefRows:
    """Open a reference file for the fields that verdicts need.

    All rows must have the language, if it is given.
    """
    return BriefRows(source, _REFERENCE, REFERENCE_REMEDY, language)


def open_predictions(source: Source) -> FileRows[Prediction]:
    """Open the rows of a prediction file."""
    return FileRows(source, _PREDICTION, PREDICTION_REMEDY)


@dataclass(frozen=True, eq=False)
class ReferenceTranslations:
    """The first accepted translation of each reference, as its prediction.

    Args:
        references: the rows of the reference.
    """

    references: Rows[Reference]

    @property
    def name(self) -> str:
        """The name of the file or argument."""
        return self.references.name

    @property
    def source(self) -> Source | None:
        """The file; None for a list."""
        return self.references.source

    def read_blocks(self) -> Iterator[RowBlock[Prediction]]:
        """Yield the rows of one block after the other.

        Errors are those of the references.
        """
        for block in self.references.read_blocks():
            yield RowBlock(block.places, [Prediction(row.id, get_translation(row)) for row in block.rows])

    def where(self, place: int) -> str:
        """Return the name of a place."""
        return self.references.where(place)


def get_translation(row: Reference) -> str | None:
    """Return the first accepted translation, or else its name."""
    return next((target.translation or target.mention for target in row.targets), None)


def has_prediction(source: Source) -> bool:
    """Check whether the first row has a prediction, which may be null."""
    first = next(read_lazy_rows(source, PREDICTION_REMEDY), None)
    return first is None or "prediction" in first.values


def convert_rows(rows: Sequence[Any], kind: type[Row], name: str) -> list[Row]:
    """Convert dictionaries, or objects with attributes, to rows.

    Args:
        rows: the dictionaries or objects.
        kind: `Reference` or `Prediction`.
        name: name of the argument.

    Raises:
        DataError: if a row is malformed.
    """
    result = []
    for position, row in enumerate(rows):
        try:
            result.append(msgspec.convert(row, kind, from_attributes=True))
        except msgspec.ValidationError as error:
            remedy = REFERENCE_REMEDY if kind is Reference else PREDICTION_REMEDY
            raise DataError(str(error), where=f"{name}[{position}]", remedy=remedy) from error
    return result
