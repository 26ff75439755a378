"""What a person looks at: every foreign token, with its verdict, the reason and its place in the original text."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import TextExcerpt
from isogloss.tasks.code_switching.batches import AnnotatedTexts
from isogloss.tasks.code_switching.profiles import PnacosMetric
from isogloss.tasks.code_switching.verdicts import FOREIGN_KINDS, NO_REASON, OWN_SCRIPT, TokenVerdicts
from isogloss.text.alphabets import Alphabet
from isogloss.text.scripts import load_character_table


def find_foreign_tokens(batch: AnnotatedTexts, alphabet: Alphabet, limit: int, context: int) -> list[Finding]:
    """The foreign tokens of a batch in the order of the text; broken ones and mixtures before excused ones.

    Args:
        batch: annotated texts.
        alphabet: the letters of the language.
        limit: at most so many.
        context: words to show on each side.
    """
    verdicts = TokenVerdicts.from_batch(batch, alphabet)
    kind = verdicts.kind_code
    at = np.flatnonzero(kind >= 0)
    order = np.argsort(kind[at] == FOREIGN_KINDS.index("excused"), kind="stable")
    return [_build_finding(verdicts, token, context) for token in islice(at[order].tolist(), limit)]


def find_broken_tokens(batch: AnnotatedTexts, metric: PnacosMetric, limit: int, context: int) -> list[Finding]:
    """The broken tokens of a batch under the profile `pnacos`, in the order of the text.

    Args:
        batch: annotated texts.
        metric: of the profile.
        limit: at most so many.
        context: words to show on each side.
    """
    at = np.flatnonzero(metric.mark_broken(batch))
    return [_locate_token(batch, token, "foreign", None, context) for token in islice(at.tolist(), limit)]


def _build_finding(verdicts: TokenVerdicts, token: int, context: int) -> Finding:
    reason, script = int(verdicts.reason_code[token]), int(verdicts.script[token])
    label = None if reason == NO_REASON else verdicts.batch.reason_names[reason]
    finding = _locate_token(verdicts.batch, token, FOREIGN_KINDS[verdicts.kind_code[token]], label, context)
    written = verdicts.alphabet.script if script == OWN_SCRIPT else "/".join(load_character_table().script_sets[script])
    return replace(finding, extra={**finding.extra, "script": written})


def _locate_token(batch: AnnotatedTexts, token: int, kind: str, reason: str | None, context: int) -> Finding:
    """A token at its place in the text as the user gave it."""
    begin, stop = int(batch.tokens.start[token]), int(batch.tokens.end[token])
    row = int(np.searchsorted(batch.offsets, begin, side="right")) - 1
    first = int(batch.offsets[row])
    start, end = begin - first, stop - first
    passage = batch.origin.passage(row)
    if passage is not None:
        start, end = passage.locate_span(start, end)
        passage = TextExcerpt(passage.text)
    spelt = "".join(map(chr, batch.text[begin:stop].tolist())) if passage is None else passage.text[start:end]
    finding = Finding(
        kind=kind,
        document=batch.origin.name(row),
        where=batch.origin.where(row, start, "predicted"),
        marks=(Mark("predicted", reason, start, end),),
        extra={"token": spelt, "verdict": "foreign" if reason is None else "excused"},
    )
    return add_context(finding, passage, context)
