"""Documents with what one tag a token can say."""

from __future__ import annotations

import msgspec

from isogloss.formats.documents import LabelledSpan, SpanDocument


def flat(whole: SpanDocument) -> SpanDocument:
    """The document without spans that overlap one before them, or that begin or end with white space."""
    kept: list[LabelledSpan] = []
    for start, end, label in sorted(whole.spans):
        inside = (whole.text or "")[start:end]
        if inside == inside.strip() and (not kept or kept[-1][1] <= start):
            kept.append((start, end, label))
    return msgspec.structs.replace(whole, spans=kept)
