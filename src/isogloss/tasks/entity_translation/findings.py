"""Build findings of entity translation, and lay them out.

A finding is shown with source, translation and the accepted names.
"""

from __future__ import annotations

from itertools import islice

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.runs.finding_view import FindingLane, FindingView, TextPiece, build_lane
from isogloss.tasks.entity_translation.batches import ReferenceSentence, TranslationBatch
from isogloss.tasks.entity_translation.verdicts import VERDICT_KINDS, Explanation, JudgedTranslations


def build_translation_findings(batch: JudgedTranslations, limit: int, context: int, *, hits: bool) -> list[Finding]:
    """Return the findings of a batch, in the order of its sentences.

    Args:
        batch: verdicts with explanations.
        limit: largest number of findings.
        context: words of context on each side of a found name.
        hits: whether correct translations are findings too.

    Raises:
        ValueError: if the verdicts have no explanations.
    """
    if batch.explanation is None or batch.batch is None:
        raise ValueError("the verdicts are not explained: give the judge the aliases of entities")
    rows = (k for k, correct in enumerate(batch.correct.tolist()) if hits or not correct)
    return [_build_finding(batch.batch, batch.explanation, k, context) for k in islice(rows, limit)]


def _build_finding(batch: TranslationBatch, explanation: Explanation, row: int, context: int) -> Finding:
    """Build the finding of a sentence.

    It marks the found name in its context, or else the whole translation.
    """
    provenance, match, translation = batch.provenance, explanation.matches[row], batch.translations[row] or ""
    extra = _describe_sentence(batch.language, batch.sentences[row])
    start, end = 0, len(translation)
    if match is not None:
        start, end = match.start, match.end
        extra |= {"mention": match.mention, "boundary": match.boundary}
    finding = Finding(
        kind=VERDICT_KINDS[explanation.kinds[row]],
        document=provenance.name(row),
        where=provenance.where(row, start, "predicted"),
        marks=(Mark("predicted", None, start, end, start, end),),
        text=translation if match is None else None,
        extra=extra,
    )
    return finding if match is None else add_context(finding, provenance.get_excerpt(row), context)


def _describe_sentence(language: str, sentence: ReferenceSentence) -> dict[str, object]:
    """Return what JSON says of a sentence, without empty values."""
    row = {
        "language": language,
        "entity": sentence.entity,
        "entity_types": list(sentence.entity_types),
        "source": sentence.source,
        "accepted": list(dict.fromkeys(target.mention for target in sentence.targets)),
    }
    return {name: value for name, value in row.items() if value}


def _build_translation_lanes(finding: Finding) -> tuple[FindingLane, ...]:
    """Return source, translation and accepted names."""
    lanes = [FindingLane("source", "", (TextPiece(str(finding.extra["source"])),))] if "source" in finding.extra else []
    for mark in finding.marks:
        whole = mark.text_start == 0 and finding.text is not None and mark.text_end == len(finding.text)
        lanes.append(build_lane(finding, mark, "plain" if whole else f"side-{mark.side}"))
    accepted = tuple(TextPiece(str(name), "word word-reference") for name in finding.extra.get("accepted", ()))
    return (*lanes, *([FindingLane("accepted", "", accepted)] if accepted else []))


VIEW = FindingView(lanes=_build_translation_lanes)
