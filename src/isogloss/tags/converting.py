"""Tags in another scheme, or written in another way.

The spans stay as the decoder reads them, and each token of a span gets the letter that the other scheme has for it; its
label stays as it is written. From tags that all fit, there and back is the identity, except through IO, which cannot
part touching spans of one label: they are joined, and that is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isogloss.batches import Notice, Spans
from isogloss.exceptions import UsageError
from isogloss.tagging import SCHEMES, Decision, Notation, Repair, Scheme, scheme_of
from isogloss.tagging.encoder import lettered, touching
from isogloss.tagging.misfits import BEGIN, END, Misfits
from isogloss.tagging.notation import detect, split
from isogloss.tags.columns import TagColumn, TagFile
from isogloss.tags.misfits import checked
from isogloss.tags.rewriting import Change, Changing, Rewritten, outside, relettering

IO = SCHEMES["io"]


def converting(to: str, notation: Notation | None = None, repair: Repair = "error") -> Changing:
    """What a conversion makes of a column.

    Args:
        to: the scheme to write.
        notation: how tags are written; None for as they were, but bare labels only where they are IO.
        repair: what to do about tags that do not fit.

    Returns:
        A function that raises `TagError` at a tag that the scheme does not have or, with `error`, that does not fit.

    Raises:
        UsageError: an unknown scheme, or bare labels in another than IO.
    """
    scheme = scheme_of(to)
    if notation == "bare" and scheme != IO:
        raise UsageError(f"Bare labels cannot say where {scheme.title} begins and ends spans: they are for io only.")

    def change(column: TagColumn) -> Change:
        misfits = checked(column, repair)
        spans = column.decoded(repair).reference
        made = _converted(column, spans, scheme, written_as(column.decision, scheme, notation))
        return replace(made, notices=_notices(column, misfits, spans, scheme, repair))

    return change


def written_as(decision: Decision, scheme: Scheme, notation: Notation | None) -> Notation:
    """How tags that are read like this are written in a scheme, where `notation` may leave it open."""
    return notation or ("prefix" if decision.notation == "bare" and scheme != IO else decision.notation)


def misread(file: TagFile, done: Sequence[Rewritten], to: str, notation: Notation | None) -> list[str]:
    """Sentences on columns that will be read in another notation than they are written in: labels look like letters.

    Args:
        file: the file before it was converted.
        done: what was done to its columns.
        to: the scheme that was written.
        notation: how tags were to be written.
    """
    scheme, lines = scheme_of(to), []
    for each, decision in zip(done, file.decisions, strict=True):
        texts = sorted(tag.decode() for tag in each.used)
        seen, meant, letters = detect(texts), written_as(decision, scheme, notation), set(scheme.letters)
        if any(split(tag, seen, letters) != split(tag, meant, letters) for tag in texts):
            like = next(tag for tag in texts if "-" in tag and split(tag, seen))
            end = "first" if seen == "prefix" else "last"
            seems = f"looks as if its letter stood {end}, and all tags will be read like that"
            lines.append(f"Column {each.column}: {like!r} {seems}.")
    return lines


def _converted(column: TagColumn, spans: Spans, scheme: Scheme, notation: Notation) -> Change:
    batch = column.batch
    found = lettered(spans, batch.offsets, scheme)
    made = relettering(column, found.at, found.letter.astype(np.int64), scheme.letters, notation)
    tagged = batch.reference != 0  # (tokens,)
    tagged[found.at] = False
    return outside(made, np.flatnonzero(tagged))


def _notices(column: TagColumn, misfits: Misfits, spans: Spans, scheme: Scheme, repair: Repair) -> tuple[Notice, ...]:
    notices = []
    wrong = misfits.at[(misfits.kind == BEGIN) | (misfits.kind == END)]
    if len(wrong):
        message = f"tags did not fit {column.scheme.title} and were repaired by {repair!r}"
        notices.append(Notice("tags-repaired", message, len(wrong), column.where(int(wrong[0]))))
    joined = np.flatnonzero(touching(spans)) + 1  # (joined spans,)
    if scheme == IO and len(joined):
        token = column.batch.offsets[spans.row[joined[0]]] + spans.start[joined[0]]
        message = "spans touch one of their label and were joined with it, for IO cannot part them"
        notices.append(Notice("spans-joined", message, len(joined), column.where(int(token))))
    return tuple(notices)
