"""What a person looks at: every foreign token, with its verdict, the reason and its place in the original text."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from isogloss.kernel.findings import Finding, Mark, in_context
from isogloss.kernel.provenance import Passage
from isogloss.tasks.code_switching.batches import AnnotatedTexts
from isogloss.tasks.code_switching.profiles import Pnacos
from isogloss.tasks.code_switching.verdicts import KINDS, NONE, OWN, Verdicts
from isogloss.text.alphabets import Alphabet
from isogloss.text.scripts import characters


def foreign_tokens(batch: AnnotatedTexts, alphabet: Alphabet, limit: int, context: int) -> list[Finding]:
    """The foreign tokens of a batch in the order of the text; broken ones and mixtures before excused ones.

    Args:
        batch: annotated texts.
        alphabet: the letters of the language.
        limit: at most so many.
        context: words to show on each side.
    """
    verdicts = Verdicts.of(batch, alphabet)
    kind = verdicts.kind
    at = np.flatnonzero(kind >= 0)
    order = np.argsort(kind[at] == KINDS.index("excused"), kind="stable")
    return [_finding(verdicts, token, context) for token in islice(at[order].tolist(), limit)]


def broken_tokens(batch: AnnotatedTexts, metric: Pnacos, limit: int, context: int) -> list[Finding]:
    """The broken tokens of a batch under the profile `pnacos`, in the order of the text.

    Args:
        batch: annotated texts.
        metric: of the profile.
        limit: at most so many.
        context: words to show on each side.
    """
    at = np.flatnonzero(metric.broken(batch))
    return [_located(batch, token, "foreign", None, context) for token in islice(at.tolist(), limit)]


def _finding(verdicts: Verdicts, token: int, context: int) -> Finding:
    reason, script = int(verdicts.reason[token]), int(verdicts.script[token])
    label = None if reason == NONE else verdicts.batch.names[reason]
    finding = _located(verdicts.batch, token, KINDS[verdicts.kind[token]], label, context)
    written = verdicts.alphabet.script if script == OWN else "/".join(characters().scripts[script])
    return replace(finding, more={**finding.more, "script": written})


def _located(batch: AnnotatedTexts, token: int, kind: str, reason: str | None, context: int) -> Finding:
    """A token at its place in the text as the user gave it."""
    begin, stop = int(batch.tokens.start[token]), int(batch.tokens.end[token])
    row = int(np.searchsorted(batch.offsets, begin, side="right")) - 1
    first = int(batch.offsets[row])
    start, end = begin - first, stop - first
    passage = batch.origin.passage(row)
    if passage is not None:
        start, end = passage.span(start, end)
        passage = Passage(passage.text)
    spelt = "".join(map(chr, batch.text[begin:stop].tolist())) if passage is None else passage.text[start:end]
    finding = Finding(
        kind=kind,
        document=batch.origin.name(row),
        where=batch.origin.where(row, start, "predicted"),
        marks=(Mark("predicted", reason, start, end),),
        more={"token": spelt, "verdict": "foreign" if reason is None else "excused"},
    )
    return in_context(finding, passage, context)
