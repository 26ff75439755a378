"""Digests of references: two runs have the same reference if their digests are equal.

They are needed if no file holds the reference alone: for lists, and for files with both sides. Otherwise the SHA-256
of the file is used. The joined bytes of batches do not depend on the borders of batches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b, sha256

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.records.sources import Source

STRING_END = "\0"


def has_own_file(sources: Iterable[tuple[str, Source]]) -> bool:
    """Return whether a file holds the reference alone, from (role, file) pairs."""
    return len({source.name for _, source in sources}) > 1


def add_words_to_digest(digest: str | None, samples: Iterable[Sequence[str]] | None) -> str | None:
    """Add the words of a reference given as a list to the digest of its documents.

    Args:
        digest: digest of the documents, None if single documents were not kept.
        samples: the words of each document; None if the reference is a file.
    """
    if digest is None or samples is None:
        return digest
    whole = sha256(digest.encode())
    for words in samples:
        whole.update(
            (str(len(words)) + STRING_END + "".join(word + STRING_END for word in words)).encode(
                "utf-8", "surrogatepass"
            )
        )
    return whole.hexdigest()


def hash_labels(labels: Sequence[str]) -> Ints:
    """Return a number for each label that does not depend on other labels: (labels,)."""
    digests = (blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(digests), np.int64)
