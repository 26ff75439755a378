"""DocBin files of spaCy (`.spacy`), read and written by spaCy.

They are held in memory as a whole.

Spans are the entities of a document, `doc.ents`. With a key as the only column, such as `--columns sc`, they are the
spans of that key, `doc.spans["sc"]`, which may overlap. The text is that of the document. If it was built from words
without white space, they are joined by spaces, and may differ in white space from the other side.

If no token of a document says whether it is in an entity (`doc.has_annotation("ENT_IOB")` is false), a reference is
left out, as spaCy's own scorer does, and a prediction counts as without spans. Warnings count both. Single tokens that
do not say it are outside of entities.

Documents have an id and columns if the file was written with its user data: `doc.user_data["id"]` or `doc._.id`.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec

from isogloss.errors import FormatError, IsoglossError, UsageError, import_extra
from isogloss.formats.annotation import (
    AnnotationFile,
    AnnotationFormat,
    DocumentReader,
    FileHead,
    FormatOptions,
    get_writable_text,
    make_unwritable_error,
)
from isogloss.formats.documents import SpanDocument
from isogloss.formats.offsets import trim_spans
from isogloss.formats.tokens import tokenize_text
from isogloss.formats.two_sided_files import NOT_PREDICTED, UNPREDICTED, leave_out
from isogloss.kernel.provenance import RunWarning
from isogloss.records.attributes import as_text
from isogloss.records.destinations import open_binary_output
from isogloss.records.sources import Source

ZLIB_MAGIC = b"\x78"  # first byte of zlib data
CHECKED_BYTES = 64  # decompressed bytes to search for the first key
UNANNOTATED = "Documents of the reference without entity annotation were left out."
REMEDY = "Write it with `DocBin(docs=docs).to_disk(...)` of spaCy 3."
ATTRIBUTES = ("ENT_IOB", "ENT_TYPE")  # token attributes to write
EXTENSION = "._."  # spaCy's mark of `doc._.name` in the user data


def _can_read(head: FileHead) -> bool:
    if not head.data.startswith(ZLIB_MAGIC):
        return False
    try:
        begin = zlib.decompressobj().decompress(head.data, CHECKED_BYTES)
    except zlib.error:
        return False
    return b"version" in begin or b"attrs" in begin


def _read(source: Source, options: FormatOptions) -> AnnotationFile:
    key = _choose_span_key(options)
    return AnnotationFile(
        spans=DocumentReader(source.name, partial(_read_documents, source, key, options)),
        list_columns=lambda: _list_columns(source),
    )


def _choose_span_key(options: FormatOptions) -> str | None:
    """Return the key of the spans to read, None for the entities."""
    if options.columns is None:
        return None
    if len(options.columns) != 1:
        given = ",".join(map(str, options.columns))
        raise UsageError(f"columns {given} cannot be read: give the one key of doc.spans to read.")
    return str(options.columns[0])


def _read_documents(source: Source, key: str | None, options: FormatOptions) -> Iterator[SpanDocument]:
    for number, doc in enumerate(_load_docs(source), 1):
        with _catch_spacy_errors(source):
            document = _convert_doc(doc, f"document {number}", source.name, key, options)
        yield document


def _convert_doc(doc: Any, place: str, name: str, key: str | None, options: FormatOptions) -> SpanDocument:
    where = f"{name}:{place}"
    values = _read_user_data(doc)
    wanted = {column: as_text(values[column], column, where) for column in options.attributes if column in values}
    known = values.get("id")
    spans_of_doc = [(span.start_char, span.end_char, span.label_) for span in _list_spans(doc, key, where)]
    spans, warnings = trim_spans(doc.text, spans_of_doc, where) if options.repair_offsets else (spans_of_doc, ())
    document = SpanDocument(
        place,
        str(known) if isinstance(known, str | int) else None,
        doc.text,
        spans,
        warnings,
        columns={column: value for column, value in wanted.items() if value is not None} if wanted else None,
        joined=doc.has_unknown_spaces,
        tokens=[(token.idx, token.idx + len(token)) for token in doc],
    )
    if key is not None or doc.has_annotation("ENT_IOB"):
        return document
    if options.side == "reference":
        return leave_out(document, UNANNOTATED, where)
    return msgspec.structs.replace(document, warnings=(RunWarning(UNPREDICTED, NOT_PREDICTED, 1, where),))


def _list_spans(doc: Any, key: str | None, where: str) -> Iterable[Any]:
    if key is None:
        return doc.ents  # type: ignore[no-any-return]
    if key not in doc.spans:
        keys = ", ".join(map(repr, doc.spans)) or "none"
        raise FormatError(f"the document has no spans {key!r}", where=where, remedy=f"The keys of its spans: {keys}.")
    return doc.spans[key]  # type: ignore[no-any-return]


def _read_user_data(doc: Any) -> dict[str, Any]:
    """Return the user data that belongs to a document as a whole."""
    plain = {key: value for key, value in doc.user_data.items() if isinstance(key, str)}
    marked = [(key, value) for key, value in doc.user_data.items() if isinstance(key, tuple)]
    return plain | {key[1]: value for key, value in marked if key[0] == EXTENSION and key[2:] == (None, None)}


def _list_columns(source: Source) -> list[str]:
    """List the columns of the first document."""
    for doc in _load_docs(source):
        return [key for key, value in _read_user_data(doc).items() if isinstance(value, str | int | float)]
    return []


def _load_docs(source: Source) -> Iterator[Any]:
    """Load the documents of a file."""
    spacy = import_extra("spacy", f"reading {source.name}, a DocBin of spaCy,", "spacy")
    source.compute_digest()
    with source.open_stored() as file:
        file.seek(0)
        data = file.read()
    source.bytes_read = len(data)
    with _catch_spacy_errors(source):
        yield from spacy.tokens.DocBin().from_bytes(data).get_docs(spacy.vocab.Vocab())


@contextmanager
def _catch_spacy_errors(source: Source) -> Iterator[None]:
    """Report spaCy's errors on a damaged file as errors of the file."""
    try:
        yield
    except IsoglossError:
        raise
    except Exception as error:
        raise FormatError("is not a DocBin of spaCy, or damaged", where=source.name, remedy=REMEDY) from error


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    spacy = import_extra("spacy", f"writing {path}, a DocBin of spaCy,", "spacy")
    vocab = spacy.vocab.Vocab()
    docbin = spacy.tokens.DocBin(attrs=ATTRIBUTES, store_user_data=True)
    for document in documents:
        docbin.add(_build_doc(document, spacy, vocab))
    with open_binary_output(path, text=False) as file:
        file.write(docbin.to_bytes())


def _build_doc(document: SpanDocument, spacy: Any, vocab: Any) -> Any:
    """Build a spaCy document with the spans as entities."""
    text = get_writable_text(document)
    ordered = sorted(document.spans)
    for (_, end, _), (start, after, label) in pairwise(ordered):
        if start < end:
            why = f"has spans that overlap, the last of them [{start}, {after}) {label!r}"
            raise make_unwritable_error(
                document, why, "Entities of spaCy do not: keep one of them, or write JSON lines."
            )
    if any(not label for *_, label in ordered):
        raise make_unwritable_error(document, "has a span with an empty label", "spaCy forgets such spans: name them.")
    words, spaces = _split_words(text, document)
    doc = spacy.tokens.Doc(vocab, words=words, spaces=spaces)
    starts = {token.idx: token.i for token in doc}
    ends = {token.idx + len(token): token.i + 1 for token in doc}
    doc.set_ents([spacy.tokens.Span(doc, starts[start], ends[end], label=label) for start, end, label in ordered])
    if document.id is not None:
        doc.user_data["id"] = document.id
    return doc


def _split_words(text: str, document: SpanDocument) -> tuple[list[str], list[bool]]:
    """Split the whole text into tokens.

    Also return whether a space follows each token.

    A space after a token belongs to no token, unless a span begins or ends with it. Other white space becomes tokens.
    """
    spans = document.spans
    own = tokenize_text(text, document.tokens, spans)
    tokens = {start for start, _ in own}
    begins, ends = {start for start, *_ in spans}, {end for _, end, _ in spans}
    edges = {0, len(text), *tokens, *(end for _, end in own), *begins, *ends}
    words: list[str] = []
    spaces: list[bool] = []
    for start, end in pairwise(sorted(edges)):
        piece = text[start:end]
        alone = start in tokens or start in begins or (len(piece) == 1 and end in ends)
        if words and not spaces[-1] and not alone and piece.startswith(" "):
            spaces[-1] = True
            piece = piece[1:]
        if piece:
            words.append(piece)
            spaces.append(False)
    return words, spaces


FORMAT = AnnotationFormat("docbin", _can_read, _read, _write, options=("columns", "repair_offsets"))
