"""Find switch points.

Kinds
    switch_point: a token in another language than the token with a language before it.
"""

from __future__ import annotations

from itertools import islice

import numpy as np

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.runs.finding_view import FindingView
from isogloss.tasks.code_mixing.batches import TaggedTexts
from isogloss.tasks.code_mixing.metric import SWITCH, find_spans


def find_switches(batch: TaggedTexts, limit: int, context: int) -> list[Finding]:
    """Return the switch points in order.

    Args:
        batch: utterances.
        limit: largest number of findings.
        context: words of context on each side.
    """
    spans = find_spans(batch)
    switches = []
    for at in islice(np.flatnonzero(spans.is_switch).tolist(), limit):
        before, after = (batch.languages[int(spans.language[k])] for k in (at - 1, at))
        switches.append(_build_finding(batch, int(spans.text[at]), int(spans.first[at]), before, after, context))
    return switches


def _build_finding(batch: TaggedTexts, row: int, token: int, before: str, after: str, context: int) -> Finding:
    """Build the finding of a token.

    Offsets count code points of the text, or tokens if there is no text.
    """
    given, at = batch.rows[row], token - int(batch.offsets[row])
    start, end = at, at + 1
    if given.starts is not None and given.ends is not None:
        start, end = given.starts[at], given.ends[at]
    extra = {"from": before, "to": after, "unit": "token" if given.starts is None else "code point"}
    finding = Finding(
        kind=SWITCH,
        document=given.name,
        where=batch.where(row, at, "predicted"),
        marks=(Mark("predicted", after, start, end),),
        extra=extra if given.tokens is None else {"token": given.tokens[at], **extra},
    )
    return add_context(finding, batch.get_excerpt(row), context)


VIEW = FindingView(title="Switch points", names_sides=False, shows_labelled_spans=True)
