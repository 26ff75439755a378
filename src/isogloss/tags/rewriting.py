"""A file with other tags in its columns, everything else byte for byte as it was.

Comments, other columns, blank lines, tabs and spaces, carriage returns, a byte order mark, `-DOCSTART-` lines and a
missing last newline stay. Memory is bounded by a block or the longest sentence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from isogloss.batches import Notice
from isogloss.exceptions import TagError
from isogloss.formats.conll.rewriting import rewritten
from isogloss.scores import Ints
from isogloss.sources import BOM
from isogloss.tagging import Notation
from isogloss.tagging.notation import relettered
from isogloss.tagging.schemes import OUTSIDE
from isogloss.tags.columns import TagColumn, TagFile


@dataclass(frozen=True, eq=False)
class Change:
    """What becomes of one column of a block.

    Args:
        at: (changed tags,) positions in the block, ascending.
        tags: (changed tags,) what takes their places.
        used: the tags that the column has then; left empty where nobody asks.
        notices: what else is to be said.
    """

    at: Ints
    tags: Sequence[bytes]
    used: frozenset[bytes] = frozenset()
    notices: tuple[Notice, ...] = ()


Changing = Callable[[TagColumn], Change]
Write = Callable[[bytes], object]


@dataclass(frozen=True)
class Rewritten:
    """What was done to one column of a file.

    Args:
        column: the column, from 1.
        tokens: number of its tags.
        changed: how many of them are others now.
        first: file and line of the first of these.
        used: the tags that it has now, where that was asked for.
        notices: what else is to be said.
    """

    column: int
    tokens: int = 0
    changed: int = 0
    first: str | None = None
    used: frozenset[bytes] = field(default=frozenset(), repr=False)
    notices: tuple[Notice, ...] = ()

    def after(self, column: TagColumn, change: Change) -> Rewritten:
        """The same with what was done to one more block."""
        first = self.first or (column.where(int(change.at[0])) if len(change.at) else None)
        return replace(
            self,
            tokens=self.tokens + len(column.batch.reference),
            changed=self.changed + len(change.at),
            first=first,
            used=self.used | change.used,
            notices=Notice.merge((*self.notices, *change.notices)),
        )


def rewrite(file: TagFile, change: Changing, write: Write) -> tuple[Rewritten, ...]:
    """Write a file with other tags.

    Args:
        file: the file.
        change: says what becomes of a column of a block.
        write: takes the bytes of the result, piece by piece.

    Returns:
        What was done to each column of tags.

    Raises:
        DataError: what stands in the file cannot be read, or cannot be changed like this.
    """
    done = tuple(map(Rewritten, file.numbers))
    held = b""  # the newline that the file may lack
    for number, block in enumerate(file.blocks()):
        changes = [(column, change(column)) for column in file.columns_of(block)]
        done = tuple(each.after(*changed) for each, changed in zip(done, changes, strict=True))
        fields = [block.rows.column(column.number - 1).take(made.at) for column, made in changes]
        text = rewritten(block.text, [(at, made.tags) for at, (_, made) in zip(fields, changes, strict=True)])
        write(held if number else BOM * file.source.has_mark)
        write(text[:-1])
        held = text[-1:]
    write(b"" if file.source.is_unended else held)
    return done


def outside(change: Change, at: Ints) -> Change:
    """The same change with O at further positions.

    Args:
        change: what becomes of a column of a block.
        at: (further tags,) positions that it does not have, ascending.
    """
    both = np.concatenate([change.at, at])  # (changed tags,)
    tags = [*change.tags, *[OUTSIDE.encode()] * len(at)]
    order = np.argsort(both, kind="stable")
    return replace(change, at=both[order], tags=[tags[place] for place in order.tolist()])


def relettering(column: TagColumn, at: Ints, letter: Ints, letters: str, write: Notation) -> Change:
    """Other letters for some tags of a column.

    Args:
        column: the tags.
        at: (tags,) positions in the block, ascending; none of them is O.
        letter: (tags,) positions in `letters`.
        letters: the letters.
        write: how the tags are written.

    Returns:
        Those that are other tags then, and all tags that are used then at these positions.

    Raises:
        TagError: a tag cannot be written like this.
    """
    key = column.batch.reference.take(at).astype(np.int64) * len(letters) + letter  # (tags,)
    keys, first, nth = np.unique(key, return_index=True, return_inverse=True)  # (different tags,) twice, and (tags,)
    words, other = [], []
    for each, place in zip(keys.tolist(), at[first].tolist(), strict=True):
        tag, to = column.tag(place), letters[each % len(letters)]
        try:
            word = relettered(tag, to, column.decision.notation, write)
        except TagError as error:
            raise TagError(error.message, where=column.where(place), remedy=error.remedy) from error
        words.append(word.encode())
        other.append(word != tag)
    changed = np.flatnonzero(np.array(other, np.bool_).take(nth))  # (changed tags,)
    return Change(at.take(changed), [words[each] for each in nth[changed].tolist()], frozenset(words))
