"""CoNLL-U recognised, read and written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import pairwise

from isogloss.destinations import written
from isogloss.formats.annotation import AnnotationFormat, Annotations, Documents, Head, Options
from isogloss.formats.attributes import columns_of_comments
from isogloss.formats.conllu.columns import GLOBAL, STANDARD, layout_of
from isogloss.formats.conllu.sentences import ESCAPES, ID, rows
from isogloss.formats.span_pairing import SpanDocument
from isogloss.formats.token_writing import Tagged, in_one_line, tagged
from isogloss.formats.writing import unwritable
from isogloss.sources import Source

HEAD_COLUMN = STANDARD.index("HEAD")
ESCAPED = str.maketrans({text: escape for escape, text in ESCAPES.items()})
CONTROLS = frozenset("\0\t\n\r")


def _recognises(head: Head) -> bool:
    """Whether the first line that is no comment has ten columns, an id and a head, or the columns have names."""
    if head.is_folder or head.row is not None:
        return False
    for line in head.data.decode("utf-8", "replace").split("\n"):
        if GLOBAL.match(line):
            return True
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\r").split("\t")
            first = ID.fullmatch(fields[0])
            if len(fields) != len(STANDARD) or first is None or int(first[1]) > 1:
                return False
            return fields[HEAD_COLUMN] == "_" or fields[HEAD_COLUMN].isdecimal()
    return False


def _read(source: Source, options: Options) -> Annotations:
    options.only("conllu", "columns")
    layout = layout_of(source, options)
    return Annotations(
        tags=Documents(source.name, partial(rows, source, layout, options.attributes)),
        columns=lambda: columns_of_comments(source),
        words=True,
    )


def _write_tags(documents: Iterable[SpanDocument], path: str, scheme: str) -> None:
    with written(path) as file:
        for each in tagged(documents, scheme):
            file.write("".join(_lines(each)).encode())


def _lines(each: Tagged) -> Iterator[str]:
    """A sentence, its tags in MISC: all of them, so that a file without spans shows where they would be."""
    document, text = each.document, each.document.text or ""
    if not each.bounds:
        raise unwritable(document, "has no tokens", "Leave it out, or write a format with texts.")
    if document.id is not None:
        yield f"# sent_id = {in_one_line(document, 'id', document.id)}\n"
    if text == text.strip() and CONTROLS.isdisjoint(text):
        yield f"# text = {text}\n"
    edges = [(0, 0), *each.bounds, (len(text), len(text))]
    gaps = [text[end:start] for (_, end), (start, _) in pairwise(edges)]
    for at, (word, tag) in enumerate(zip(each.words, each.tags, strict=True)):
        misc = [f"NER={in_one_line(document, 'tag', tag, '|')}"]
        misc += _space_after(gaps[at + 1], is_last=at + 2 == len(gaps))
        misc += [f"SpacesBefore={gaps[0].translate(ESCAPED)}"] if at == 0 and gaps[0] else []
        fields = [str(at + 1), in_one_line(document, "token", word), *"_" * (len(STANDARD) - 3), "|".join(misc)]
        yield "\t".join(fields) + "\n"
    yield "\n"


def _space_after(gap: str, *, is_last: bool) -> list[str]:
    if gap == " " and not is_last:
        return []
    if gap:
        return [f"SpacesAfter={gap.translate(ESCAPED)}"]
    return [] if is_last else ["SpaceAfter=No"]


def _write(documents: Iterable[SpanDocument], path: str) -> None:
    _write_tags(documents, path, "iob2")


FORMAT = AnnotationFormat("conllu", _recognises, _read, _write, both_sides=True, write_tags=_write_tags)
