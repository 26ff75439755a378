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
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.classification.label_matrix import LabelledDocuments
from isogloss.tasks.entity_translation.batches import TranslationTask

END = "\0"  # of a string


def held_alone(sources: Iterable[tuple[str, Source]]) -> bool:
    """Whether one of these files, by role, holds the reference and nothing else."""
    return len({source.name for _, source in sources}) > 1


def digest_spans(batch: SpanPairs) -> bytes:
    """Document, bounds and label of each span of the reference."""
    spans = batch.reference
    rows = (batch.documents[spans.row], spans.start, spans.end, _hashes(batch.labels)[spans.label])
    return np.column_stack(rows).tobytes()


def digest_labels(batch: LabelledDocuments) -> bytes:
    """Document and label of each label of the gold."""
    rows, columns = np.nonzero(batch.gold == 1)
    hashes = _hashes(batch.labels)[columns]
    order = np.lexsort((hashes, rows))  # systems may know of other labels
    return np.column_stack((batch.documents[rows][order], hashes[order])).tobytes()


def of_tasks(tasks: Iterable[TranslationTask]) -> bytes:
    """Id, and what counts as right, of each sentence."""
    accepted = (text for task in tasks for text in (str(task.id), *_accepted(task)))
    return "".join(text + END for text in accepted).encode("utf-8", "surrogatepass")


def _accepted(task: TranslationTask) -> Iterable[str]:
    yield str(len(task.targets))
    for target in task.targets:
        yield from (target.mention, target.translation)


def with_words(digest: str | None, samples: Iterable[Sequence[str]] | None) -> str | None:
    """The digest of documents with the words of a reference that is a list.

    Args:
        digest: of the documents, None where they were not kept.
        samples: the words of each; None for a reference that is a file.
    """
    if digest is None or samples is None:
        return digest
    whole = sha256(digest.encode())
    for words in samples:
        whole.update((str(len(words)) + END + "".join(word + END for word in words)).encode("utf-8", "surrogatepass"))
    return whole.hexdigest()


def _hashes(labels: Sequence[str]) -> Ints:
    """(labels,) a number for each, whatever the others are."""
    digests = (blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8).digest() for label in labels)
    return np.frombuffer(b"".join(digests), np.int64)
