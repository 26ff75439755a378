"""The rows of both sides, from files and from Python values, each with its place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, NamedTuple, Protocol, TypeVar, cast

import msgspec

from isogloss.errors import DataError
from isogloss.records.json_fields import ColumnDecoder
from isogloss.records.json_lines import decode_block, read_block_lists
from isogloss.records.row_shape import RowShape
from isogloss.records.sources import Source

BLOCK = 1 << 16  # bytes: more, and the text of a block is no longer in memory that is used again
LIST_PIECE = 512  # rows
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
    """A target with a name; its translation is left as JSON until somebody asks for it."""

    mention: NotEmpty
    json: msgspec.Raw = msgspec.Raw(b'""')

    @property
    def translation(self) -> str:
        """The whole sentence; empty where it is no text."""
        value = msgspec.json.decode(self.json)
        return value if isinstance(value, str) else ""


class BriefReference(msgspec.Struct, gc=False, kw_only=True):
    """What verdicts need of a row: most of the time of reading is spent on making strings. It has an id, and names."""

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
    """What verdicts need of a row of a file that is not named after a language, whose rows say language and entity."""

    entity: str | None = None
    target_locale: str | None = None


class Prediction(msgspec.Struct, gc=False):
    """A row of the prediction; null is no translation."""

    id: str | int
    prediction: str | None


_REFERENCE = msgspec.json.Decoder(Reference)
_BRIEF = msgspec.json.Decoder(BriefReference)
_LOCATED_BRIEF = msgspec.json.Decoder(LocatedBriefReference)
UNKNOWN = "und"  # ISO 639: undetermined
_PREDICTION = msgspec.json.Decoder(Prediction)
AnyReference = Reference | BriefReference
Row_co = TypeVar("Row_co", covariant=True)
Row = TypeVar("Row")


class Piece(NamedTuple, Generic[Row_co]):
    """Consecutive rows.

    Args:
        places: (rows,) numbers of their places.
        rows: the rows.
        sound: whether it is known that references have ids, targets and names that are not empty.
    """

    places: Sequence[int]
    rows: Sequence[Row_co]
    sound: bool = False


class Rows(Protocol[Row_co]):
    """Rows that can be read again."""

    @property
    def name(self) -> str:
        """What messages call them all."""

    @property
    def source(self) -> Source | None:
        """The file they are in; None of a list."""

    def pieces(self) -> Iterator[Piece[Row_co]]:
        """All rows in their order."""

    def where(self, place: int) -> str:
        """What messages call a place."""


@dataclass(frozen=True, eq=False)
class FileRows(Generic[Row]):
    """Rows of a file of JSON lines; a place is a line.

    Args:
        source: the file.
        decoder: gives a line its type.
        remedy: what a row looks like.
    """

    source: Source
    decoder: msgspec.json.Decoder[Row]
    remedy: str

    @property
    def name(self) -> str:
        """The file's name."""
        return self.source.name

    def pieces(self) -> Iterator[Piece[Row]]:
        """Lines and rows of one block after the other.

        Raises:
            SourceError: the file cannot be read.
            FormatError: a line is not what it should be.
        """
        for block in self.source.blocks(BLOCK, decode=False):
            for places, rows in read_block_lists(self.source, block, self.decoder, self.remedy):
                yield Piece(places, rows)

    def where(self, place: int) -> str:
        """File and line."""
        return self.source.locate(place)


@dataclass(frozen=True, eq=False)
class BriefRows(FileRows[Reference]):
    """Rows of a reference file, as far as verdicts need them; in full where one is not sound.

    Args:
        language: that all rows have to be in; None where the file is named after it, and rows are not asked.
    """

    language: str | None = None

    def pieces(self) -> Iterator[Piece[Any]]:
        """Lines and rows of one block after the other, with the errors of `FileRows`."""
        decoder: msgspec.json.Decoder[Any] = _BRIEF if self.language is None else _LOCATED_BRIEF
        for block in self.source.blocks(BLOCK, decode=False):
            rows = decode_block(block, decoder)
            if rows is not None and self._is_of_language(rows):
                yield Piece(range(block.first_line, block.first_line + len(rows)), rows, sound=True)
                continue
            for places, full in read_block_lists(self.source, block, self.decoder, self.remedy):
                yield Piece(places, full)

    def _is_of_language(self, rows: Sequence[BriefReference]) -> bool:
        return self.language is None or {row.target_locale or UNKNOWN for row in rows} <= {self.language}


@dataclass(frozen=True, eq=False)
class ListRows(Generic[Row]):
    """Rows of a Python list; a place is a position.

    Args:
        name: name of the argument.
        positions: where each row stands in it.
        rows: the rows.
    """

    name: str
    positions: Sequence[int]
    rows: Sequence[Row]

    @property
    def source(self) -> None:
        """A list is in no file."""

    def pieces(self) -> Iterator[Piece[Row]]:
        """Positions and rows, some at a time."""
        for low in range(0, len(self.rows), LIST_PIECE):
            yield Piece(self.positions[low : low + LIST_PIECE], self.rows[low : low + LIST_PIECE])

    def where(self, place: int) -> str:
        """Argument and position."""
        return f"{self.name}[{place}]"


def keys_of(rows: Sequence[AnyReference] | Sequence[Prediction]) -> list[str]:
    """The ids of rows as texts."""
    ids = [row.id for row in rows]
    if rows and isinstance(rows[0], BriefReference):
        return cast("list[str]", ids)
    return cast("list[str]", ids) if set(map(type, ids)) <= {str} else list(map(str, ids))


def references_of(source: Source, columns: ColumnDecoder[Reference] | None = None) -> FileRows[Reference]:
    """The rows of a reference file, with these columns."""
    return FileRows(source, _REFERENCE if columns is None else columns.decoder, REFERENCE_REMEDY)


def with_columns(names: Sequence[str]) -> ColumnDecoder[Reference] | None:
    """What reads columns of the reference beside; None where none are wanted."""
    return ColumnDecoder.build(Reference, names) if names else None


def brief_references_of(source: Source, language: str | None = None) -> BriefRows:
    """The rows of a reference file, as far as verdicts need them; all of a language, where one is given."""
    return BriefRows(source, _REFERENCE, REFERENCE_REMEDY, language)


def predictions_of(source: Source) -> FileRows[Prediction]:
    """The rows of a prediction file."""
    return FileRows(source, _PREDICTION, PREDICTION_REMEDY)


def converted(rows: Sequence[Any], kind: type[Row], name: str) -> list[Row]:
    """Python dictionaries, or objects with attributes, as rows.

    Args:
        rows: one per row.
        kind: `Reference` or `Prediction`.
        name: name of the argument.

    Raises:
        DataError: a row is not what it should be.
    """
    result = []
    for position, row in enumerate(rows):
        try:
            result.append(msgspec.convert(row, kind, from_attributes=True))
        except msgspec.ValidationError as error:
            remedy = REFERENCE_REMEDY if kind is Reference else PREDICTION_REMEDY
            raise DataError(str(error), where=f"{name}[{position}]", remedy=remedy) from error
    return result
