"""Folders of brat with texts (`.txt`) and standoff annotations (`.ann`).

Each document has one file of each kind.

The documents of a folder and its subfolders are read in the order of their names; a single `.ann` file is one document.
Only the lines of spans (`T1`) are read. A discontinuous span counts from its first to its last character, unless
`strict_spans` refuses it. The text of a span must be at its offsets.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import chain, islice, pairwise
from pathlib import Path, PurePosixPath

from isogloss.errors import DataError, FormatError, SourceError, UsageError
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FormatOptions,
    get_writable_text,
    make_unwritable_error,
    read_lines,
)
from isogloss.formats.documents import LabelledSpan, SpanDocument
from isogloss.formats.offsets import BLANKS, OTHER_TEXT, MarkedSpan, place_span_lines
from isogloss.kernel.provenance import RunWarning
from isogloss.records.destinations import open_output_folder
from isogloss.records.sources import Source

TEXT, ANNOTATIONS = ".txt", ".ann"


def has_brat_files(folder: str) -> bool:
    """Return whether a folder holds annotations, or nothing but texts.

    Args:
        folder: the path of the folder.

    Raises:
        SourceError: if the folder cannot be read.
    """
    endings = {PurePosixPath(name).suffix for name in list_files(folder)}
    return ANNOTATIONS in endings or endings == {TEXT}


def list_brat_pairs(source: Source) -> Iterator[tuple[str, Source, Source]]:
    """Yield name, annotations and text of each document of a folder.

    Documents are in the order of their names, which have no ending.

    Args:
        source: the folder.

    Raises:
        SourceError: if a folder cannot be read, holds no such files, or one file of a pair is missing.
    """
    names = {name for name in list_files(source.path) if name.endswith((TEXT, ANNOTATIONS))}
    if not names:
        raise SourceError("holds no .txt and .ann files", where=source.name, remedy="Name the folder that holds them.")
    for stem in sorted({name[: -len(TEXT)] for name in names}, key=lambda name: name.split("/")):
        text, annotations = (Source(Path(source.path, stem + ending)) for ending in (TEXT, ANNOTATIONS))
        if stem + ANNOTATIONS not in names:
            remedy = "A text without names has an empty one. Move files that are not documents out of the folder."
            raise _make_unpaired_error(text, annotations, remedy)
        if stem + TEXT not in names:
            raise _make_unpaired_error(annotations, text, "Copy the text that is annotated there.")
        yield os.fsencode(stem).decode("utf-8", "backslashreplace"), annotations, text


def list_files(folder: str) -> Iterator[str]:
    """Yield the paths of all files in a folder and its subfolders.

    Names that begin with a dot are left out.

    Args:
        folder: the path of the folder.

    Raises:
        SourceError: if one of the folders cannot be read.
    """

    def fail(error: OSError) -> None:
        raise SourceError(f"cannot be read: {error.strerror}", where=str(error.filename))

    for root, folders, names in os.walk(folder, onerror=fail, followlinks=True):
        here = os.path.realpath(root)
        folders[:] = [
            name for name in folders if not name.startswith(".") and not _is_link_loop(here, Path(root, name))
        ]
        for name in names:
            if not name.startswith("."):
                yield Path(root, name).relative_to(folder).as_posix()


def _is_link_loop(here: str, folder: Path) -> bool:
    """Return whether a folder is a link to one that contains it."""
    target = os.path.realpath(folder)
    return os.path.commonpath([here, target]) == target


def _make_unpaired_error(has: Source, lacks: Source, remedy: str) -> SourceError:
    return SourceError(f"there is no {PurePosixPath(lacks.name).name} beside it", where=has.name, remedy=remedy)


OTHER_LINES = re.compile(r"[REAMN*][^\t]*\t|#")
BOUNDS_PATTERN = r"-?[0-9]{1,18} -?[0-9]{1,18}"
SPAN_PATTERN = re.compile(rf"T[^\t]*\t([^ \t]+) ({BOUNDS_PATTERN}(?:;{BOUNDS_PATTERN})*) *(?:\t(.*))?")
REMEDY = "A span looks like T1, tab, `PER 0 3`, tab, its text; one of several pieces like `PER 0 3;8 12`."
DISCONTINUOUS = "discontinuous-spans"
SHOWN = 60  # code points of a line in messages
FragmentBounds = tuple[int, int]


@dataclass(frozen=True)
class BratMention:
    """A line of annotations that holds a span.

    Args:
        line: its number.
        label: the label.
        fragments: start and end of each piece as written.
        tail: the text that the line gives for the span, and what follows after a tab; None if it gives none.
    """

    line: int
    label: str
    fragments: Sequence[FragmentBounds]
    tail: str | None

    @property
    def surface(self) -> str:
        """The text that the line gives, up to the first tab."""
        return (self.tail or "").partition("\t")[0]

    def list_pieces(self, text: str) -> list[MarkedSpan]:
        """Return the pieces, each with its share of the given text."""
        pieces = [text[start:end] for start, end in self.fragments]
        surfaces = pieces if self._has_pieces(pieces) else self._split_surface()
        return [(*bounds, self.label, surface) for bounds, surface in zip(self.fragments, surfaces, strict=True)]

    def _has_pieces(self, pieces: Iterable[str]) -> bool:
        """Return whether the given text is these pieces."""
        if self.tail is None:
            return True
        flat, own = [piece.translate(BLANKS) for piece in pieces], self.tail.translate(BLANKS)
        return any(
            own.startswith(joined) and self.tail[len(joined) : len(joined) + 1] in {"", "\t"}
            for joined in (" ".join(flat), "".join(flat))
        )

    def _split_surface(self) -> list[str | None]:
        """Split the given text by the pieces' lengths if they fit."""
        lengths = [end - start for start, end in self.fragments]
        if len(lengths) == 1:
            return [self.surface]
        if sum(lengths) + len(lengths) - 1 != len(self.surface):
            return [None] * len(lengths)
        surface: list[str | None] = []
        at = 0
        for length in lengths:
            surface.append(self.surface[at : at + length])
            at += length + 1
        return surface


def read_brat_mentions(source: Source) -> Iterator[BratMention]:
    """Read the lines with spans.

    Args:
        source: the file with the annotations.

    Raises:
        SourceError: if the file cannot be read.
        FormatError: if a line is not an annotation.
    """
    for number, line in read_lines(source):
        if not line.strip() or OTHER_LINES.match(line):
            continue
        match = SPAN_PATTERN.fullmatch(line)
        if match is None:
            message = f"{line[:SHOWN]!r} is not an annotation of brat"
            raise FormatError(message, where=f"{source.name}:{number}", remedy=REMEDY)
        bounds = (tuple(map(int, pair.split(" "))) for pair in match[2].split(";"))
        yield BratMention(number, match[1], [(start, end) for start, end in bounds], match[3])


def read_brat_spans(
    text: str, mentions: Sequence[BratMention], name: str, options: FormatOptions
) -> tuple[list[LabelledSpan], tuple[RunWarning, ...]]:
    """Return the spans of a document, and warnings.

    Each span is from its first to its last character.

    Args:
        text: the text of the document.
        mentions: its lines with spans.
        name: the name of the file with the lines.
        options: whether to repair offsets, and whether to refuse discontinuous spans.

    Raises:
        DataError: if a span is not within the text, or the text that its line gives is not at its offsets.
    """
    lines = [mention.line for mention in mentions for _ in mention.fragments]
    marked = list(chain.from_iterable(mention.list_pieces(text) for mention in mentions))
    placed, warnings = place_span_lines(text, marked, lambda at: f"{name}:{lines[at]}", offsets=options.offsets)
    pieces = iter((start, end) for start, end, _ in placed)
    spans: list[LabelledSpan] = []
    broken: list[str] = []
    for mention in mentions:
        fragments, where = list(islice(pieces, len(mention.fragments))), f"{name}:{mention.line}"
        if len(fragments) > 1:
            if all(warning.where != where for warning in warnings):  # otherwise its pieces have a warning
                warnings = (*warnings, *_warn_other_text(text, mention, fragments, where, options))
            broken += [where] if _is_discontinuous(text, mention, fragments, where, options) else []
        spans.append((min(fragments)[0], max(end for _, end in fragments), mention.label))
    if broken:
        said = "Discontinuous spans were counted from their first character to their last."
        warnings = (*warnings, RunWarning(DISCONTINUOUS, said, len(broken), broken[0]))
    return spans, warnings


def _warn_other_text(
    text: str, mention: BratMention, fragments: Sequence[FragmentBounds], where: str, options: FormatOptions
) -> Iterator[RunWarning]:
    """Warn if a span does not cover its given text.

    The pieces of the span are compared with the text that its line gives.
    """
    covered = [text[start:end] for start, end in fragments]
    if mention.tail is None or _remove_spaces(*covered) in {
        _remove_spaces(mention.surface),
        _remove_spaces(mention.tail),
    }:
        return
    message = f"the pieces of the span cover {' '.join(covered)[:SHOWN]!r}, but its own text is"
    message = f"{message} {mention.surface[:SHOWN]!r}"
    if options.offsets != "unchecked":
        raise DataError(message, where=where, remedy=REMEDY)
    yield RunWarning(OTHER_TEXT, message, 1, where)


def _is_discontinuous(
    text: str, mention: BratMention, fragments: Sequence[FragmentBounds], where: str, options: FormatOptions
) -> bool:
    """Return whether more than white space separates a span's pieces."""
    covered = [text[start:end] for start, end in fragments]
    broken = any(text[end:start].strip() for (_, end), (start, _) in pairwise(sorted(fragments)))
    if broken and options.strict_spans:
        raise DataError(
            f"the span {' '.join(covered)[:SHOWN]!r} {mention.label!r} is discontinuous, in {len(fragments)} pieces",
            where=where,
            remedy="Without --strict-spans it is counted from its first character to its last.",
        )
    return broken


def _remove_spaces(*pieces: str) -> str:
    return "".join("".join(pieces).split())


ID_DIGITS = 6  # digits of file names for documents without ids
ID_REMEDY = "An id becomes the name of a file, with folders before slashes."
LABEL_REMEDY = "A label of brat has no white space; convert it first."
LINE_PATTERN = re.compile(r"[^\r\n]+")


def write_brat_folder(documents: Iterable[SpanDocument], path: str) -> None:
    """Write a folder with a text and its annotations for each document.

    Files are named by the id of the document, or else by its number.

    Args:
        documents: texts with spans.
        path: a folder that is absent or empty.

    Raises:
        UsageError: if the path is standard output.
        DataError: if brat cannot hold a document: it has no text, an id that is not a file name, or a label with white
            space.
        SourceError: if the folder is not empty or cannot be written.
    """
    if path == "-":
        raise UsageError("Documents of brat are written to a folder: name one.")
    with open_output_folder(path) as folder:
        for number, document in enumerate(documents, 1):
            _write_document(document, folder, f"{number:0{ID_DIGITS}}" if document.id is None else document.id)


def _write_document(document: SpanDocument, folder: Path, name: str) -> None:
    text = get_writable_text(document)
    if "\0" in text or text.startswith("\ufeff"):
        raise make_unwritable_error(
            document, "holds a NUL, or begins with a byte order mark", "Take it out of the text."
        )
    lines = [_format_span(document, number, span, text) for number, span in enumerate(document.spans, 1)]
    parts = name.split("/")
    if "\0" in name or any(not part or part.startswith(".") for part in parts):
        raise make_unwritable_error(document, "has an id that is not a file name", ID_REMEDY)
    place = folder / PurePosixPath(*parts)
    place.parent.mkdir(parents=True, exist_ok=True)
    for ending, content in ((TEXT, text), (ANNOTATIONS, "".join(lines))):
        try:
            with place.with_name(place.name + ending).open("xb") as file:
                file.write(content.encode())
        except FileExistsError as error:
            raise make_unwritable_error(document, "has an id that another has too", ID_REMEDY) from error


def _format_span(document: SpanDocument, number: int, span: LabelledSpan, text: str) -> str:
    """Format a span for brat, in pieces if it contains line breaks."""
    start, end, label = span
    if not label or any(character.isspace() for character in label):
        raise make_unwritable_error(document, f"has a label that brat cannot hold, {label!r}", LABEL_REMEDY)
    pieces = [(start + match.start(), start + match.end()) for match in LINE_PATTERN.finditer(text[start:end])]
    if not pieces or (pieces[0][0], pieces[-1][1]) != (start, end):
        pieces = [(start, end)]
    own = " ".join(text[first:last] for first, last in pieces).translate(BLANKS)
    return f"T{number}\t{label} {';'.join(f'{first} {last}' for first, last in pieces)}\t{own}\n"


FOLDER = "folder"  # the column with the subfolder of a document


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    if source.path == "-":
        raise UsageError("Standard input holds no text beside its annotations: name a folder or an .ann file.")
    return AnnotationFile(
        spans=DocumentReader(source.name, partial(_read_documents, source, options)),
        list_columns=lambda: [FOLDER] if Path(source.path).is_dir() else [],
    )


def _read_documents(source: Source, options: FormatOptions) -> Iterator[SpanDocument]:
    """Read the documents of a folder, or the document of a file.

    A folder is read in the order of the names of its documents.
    """
    if not Path(source.path).is_dir():
        yield _read_document(source, Source(Path(source.path).with_suffix(".txt")), None, options)
        return
    digest, size = sha256(), 0  # of the folder: of the digests of its files as `sha256sum` prints them
    for name, lines, text in list_brat_pairs(source):
        yield _read_document(lines, text, name, options)
        for file, ending in ((lines, ANNOTATIONS), (text, TEXT)):
            digest.update(f"{file.sha256}  {name}{ending}\n".encode())
            size += file.bytes_read
        source.bytes_read = size
    source.sha256 = digest.hexdigest()


def _read_document(lines: Source, text: Source, name: str | None, options: FormatOptions) -> SpanDocument:
    if not Path(text.path).is_file():
        message = f"there is no {Path(text.path).name} beside it"
        raise SourceError(message, where=lines.name, remedy="Copy the text that is annotated there.")
    content = "".join(block.text for block in text.blocks())
    content = content[:-1] if content and text.is_unended else content
    mentions = list(read_brat_mentions(lines))
    spans, warnings = read_brat_spans(content, mentions, lines.name, options)
    columns = None
    if options.attributes:
        columns = {FOLDER: str(PurePosixPath(name).parent)} if name and FOLDER in options.attributes else {}
    of_spans = [mention.line for mention in mentions]
    return SpanDocument(1, name, content, spans, warnings, columns, file=lines.name, lines=of_spans, padded=True)


FORMAT = AnnotationFormat(
    "brat",
    lambda head: has_brat_files(head.path) if head.is_folder else head.path.endswith(ANNOTATIONS),
    _read,
    write_brat_folder,
    options=("strict_spans", "repair_offsets"),
)
