"""brat standoff: folders of texts, `NAME.txt`, and their annotations, `NAME.ann`; or one such pair, named by its .ann.

    T1	PER 0 3	Ada
    T2	LOC 8 12;17 20	Oslo Bay

Each pair is a document. In a folder its id is its path there without the ending, so that two folders are paired by
name; subfolders are read too, names that begin with a dot are not. The text is what the .txt holds, line breaks as they
are. Lines that begin with T are the spans; those with R, E, A, M, N, # or * say more about them and are skipped.

The fragments of a span are joined by spaces in its own text, or as in versions before 1.3 by nothing. Fragments with
nothing but white space between them are one piece: so brat writes a span over a line break. Others are counted from
their first character to their last, with a notice, or refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path, PurePosixPath

from isogloss.exceptions import SourceError, UsageError
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.brat.folders import ANNOTATIONS, Digest, is_of_pairs, pairs_of
from isogloss.formats.brat.lines import mentions_of, spans_of
from isogloss.formats.brat.writer import write
from isogloss.formats.span_pairing import SpanDocument
from isogloss.sources import Source

FOLDER = "folder"  # a column: where in the folder a document is


def _recognises(head: Head) -> bool:
    return is_of_pairs(head.path) if head.is_folder else head.path.endswith(ANNOTATIONS)


def _read(source: Source, options: Options) -> Annotations:
    options.only("brat", "strict_spans", "repair_offsets")
    if source.path == "-":
        raise UsageError("Standard input holds no text beside its annotations: name a folder or an .ann file.")
    return Annotations(
        spans=Documents(source.name, partial(_documents, source, options)),
        columns=lambda: [FOLDER] if Path(source.path).is_dir() else [],
    )


def _documents(source: Source, options: Options) -> Iterator[SpanDocument]:
    """The documents of a folder in the order of their names, or that of a file."""
    if not Path(source.path).is_dir():
        yield _document(source, Source(Path(source.path).with_suffix(".txt")), None, options)
        return
    digest = Digest(source)
    for name, lines, text in pairs_of(source):
        yield _document(lines, text, name, options)
        digest.take(name, lines, text)
    digest.end()


def _document(lines: Source, text: Source, name: str | None, options: Options) -> SpanDocument:
    if not Path(text.path).is_file():
        message = f"there is no {Path(text.path).name} beside it"
        raise SourceError(message, where=lines.name, remedy="Copy the text that is annotated there.")
    content = "".join(block.text for block in text.blocks())
    content = content[:-1] if content and text.is_unended else content
    mentions = list(mentions_of(lines))
    spans, notices = spans_of(content, mentions, lines.name, options)
    columns = None
    if options.attributes:
        columns = {FOLDER: str(PurePosixPath(name).parent)} if name and FOLDER in options.attributes else {}
    of_spans = [mention.line for mention in mentions]
    return SpanDocument(1, name, content, spans, notices, columns, file=lines.name, lines=of_spans, padded=True)


FORMAT = AnnotationFormat("brat", _recognises, _read, write)
