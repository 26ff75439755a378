"""What references say, as bytes: two runs have the same reference if these agree.

They are asked for where no file holds the reference alone, whose SHA-256 would tell: of lists, and of files that hold
both sides. Joined, the bytes of batches do not depend on where one batch ends and the next begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b, sha256

import numpy as np

from isogloss.kernel.scores import Ints
from isogloss.records.sources import Source

STRING_END = "\0"  # of a string


def has_own_file(sources: Iterable[tuple[str, Source]]) -> bool:
    """Whether one of these files, by role, holds the reference and nothing else."""
    return len({source.name for _, source in sources}) > 1


def add_words_to_digest(digest: str | None, samples: Iterable[Sequence[str]] | None) -> str | None:
    """The digest of documents with the words of a reference that is a list.

    Args:
        digest: of the documents, None where they were not kept.
        samples: the words of each; None for a reference that is a file.
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
    """(labels,) a number for each, whatever the others are."""
    digests = (blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(digests), np.int64)
