"""Find foreign tokens, and lay out such findings.

Each finding has a verdict, a reason and a place in the text.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain, islice

import msgspec
import numpy as np

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import TextExcerpt
from isogloss.runs.finding_view import (
    EXCUSED,
    FindingContext,
    FindingExcerpt,
    FindingView,
    RoleSpans,
    build_span_lane,
    count_kinds,
    get_language_code,
)
from isogloss.tasks.code_switching.batches import AnnotatedTexts, iterate_marked
from isogloss.tasks.code_switching.profiles import PnacosMetric
from isogloss.tasks.code_switching.reasons import NO_REASON
from isogloss.tasks.code_switching.verdicts import (
    FOREIGN_KINDS,
    OTHER_LANGUAGE,
    OWN_SCRIPT,
    WRONG_LINE,
    TokenVerdicts,
)
from isogloss.text.alphabets import Alphabet
from isogloss.text.scripts import load_character_table

SHARED_WORDS = 1 << 14  # words whose findings share their values, because a million findings repeat words


def find_foreign_tokens(batch: AnnotatedTexts, alphabet: Alphabet, limit: int, context: int) -> Iterator[Finding]:
    """Return the foreign tokens in text order, excused ones last.

    Lines and stretches in another language come first. A run of foreign tokens without anything between them is one
    finding.

    Args:
        batch: annotated texts.
        alphabet: the letters of the language.
        limit: largest number of findings.
        context: words of context on each side.
    """
    verdicts = TokenVerdicts.from_batch(batch, alphabet)
    begins, excused = verdicts.begins_finding, FOREIGN_KINDS.index("excused")
    at = chain.from_iterable(
        iterate_marked(begins & ((verdicts.kind_code == excused) == is_last)) for is_last in (False, True)
    )
    tokens = (
        _build_finding(verdicts, token, verdicts.find_last_token(token, begins), context)
        for token in chain.from_iterable(map(np.ndarray.tolist, at))
    )
    return islice(chain(_find_identified(batch, context), tokens), limit)


def _find_identified(batch: AnnotatedTexts, context: int) -> Iterator[Finding]:
    """Yield the lines, then the stretches, in another language."""
    for kind, found in ((WRONG_LINE, batch.lines), (OTHER_LANGUAGE, batch.stretches)):
        if found is None:
            continue
        for at in np.flatnonzero(found.wrong).tolist():
            finding = _locate_span(batch, int(found.spans.start[at]), int(found.spans.end[at]), kind, None, context)
            language = found.languages[at]
            yield msgspec.structs.replace(finding, extra={**finding.extra, "identified_as": language or "unknown"})


def find_broken_tokens(batch: AnnotatedTexts, metric: PnacosMetric, limit: int, context: int) -> list[Finding]:
    """Return the broken tokens under the profile `pnacos`, in text order.

    Args:
        batch: annotated texts.
        metric: the metric of the profile.
        limit: largest number of findings.
        context: words of context on each side.
    """
    marked = chain.from_iterable(iterate_marked(metric.mark_broken(batch)))
    at = np.fromiter(islice(marked, limit), np.int64)
    spans = zip(batch.tokens.start[at].tolist(), batch.tokens.end[at].tolist(), strict=True)
    return [_locate_span(batch, *span, "foreign", None, context) for span in spans]


def find_confusions(batch: AnnotatedTexts, limit: int, context: int) -> Iterator[Finding]:
    """Return wrong lines and English words under the profile `language-confusion`.

    Args:
        batch: texts judged as the benchmark does; their tokens are the English words.
        limit: largest number of findings.
        context: words of context on each side.
    """
    spans = zip(batch.tokens.start.tolist(), batch.tokens.end.tolist(), strict=True)
    words = (_locate_span(batch, *span, "english_word", None, context) for span in spans)
    return islice(chain(_find_identified(batch, context), words), limit)


def _build_finding(verdicts: TokenVerdicts, token: int, last: int, context: int) -> Finding:
    reason, script = int(verdicts.reason_code[token]), int(verdicts.script[token])
    label = None if reason == NO_REASON else verdicts.batch.reason_names[reason]
    tokens = verdicts.batch.tokens
    start, end = int(tokens.start[token]), int(tokens.end[last])
    written = verdicts.alphabet.script if script == OWN_SCRIPT else "/".join(load_character_table().script_sets[script])
    return _locate_span(
        verdicts.batch, start, end, FOREIGN_KINDS[verdicts.kind_code[token]], label, context, script=written
    )


def _locate_span(  # noqa: PLR0913  all of them are in the finding
    batch: AnnotatedTexts,
    begin: int,
    stop: int,
    kind: str,
    reason: str | None,
    context: int,
    *,
    script: str | None = None,
) -> Finding:
    """Build a finding at its place in the original text."""
    row = batch.find_text(begin)
    first = int(batch.offsets[row])
    start, end = begin - first, stop - first
    passage = batch.provenance.get_excerpt(row)
    if passage is not None:
        start, end = passage.locate_span(start, end)
        passage = TextExcerpt(passage.text)
    spelt = batch.get_text(slice(begin, stop)) if passage is None else passage.text[start:end]
    finding = Finding(
        kind=kind,
        document=batch.provenance.name(row),
        where=sys.intern(batch.provenance.where(row, start, "predicted")),
        marks=(Mark("predicted", reason, start, end),),
        extra=_build_extra(spelt, "foreign" if reason is None else "excused", script),
    )
    return add_context(finding, passage, context)


@lru_cache(SHARED_WORDS)
def _build_extra(token: str, verdict: str, script: str | None) -> dict[str, str]:
    """Build further values, which findings of the same word share."""
    return {"token": token, "verdict": verdict} | ({} if script is None else {"script": script})


def _build_mixed_context(excerpt: FindingExcerpt) -> FindingContext:
    """Return a text with foreign words marked and excused words outlined.

    The reasons of the words are listed with it.
    """
    spans: RoleSpans = []
    facts: dict[str, list[str]] = defaultdict(list)
    for finding in excerpt.findings:
        excused = finding.kind == EXCUSED
        for mark in finding.marks:
            begin, stop = (excerpt.to_excerpt_position(finding, at or 0) for at in (mark.text_start, mark.text_end))
            spans.append((begin, stop, "excused" if excused else "foreign"))
            if finding.kind in {WRONG_LINE, OTHER_LANGUAGE}:
                facts[f"identified as {finding.extra.get('identified_as')}"].append(excerpt.text[begin:stop])
            elif finding.kind != "foreign":
                facts[_describe_reason(finding, mark)].append(excerpt.text[begin:stop])
    described = tuple((name, tuple(dict.fromkeys(words))) for name, words in facts.items())
    first = excerpt.findings[0]
    return FindingContext(
        count_kinds(excerpt.findings),
        first.where,
        get_language_code(first),
        (build_span_lane(excerpt, "text", spans),),
        described,
    )


def _describe_reason(finding: Finding, mark: Mark) -> str:
    """Return the excuse of a word, or the kind of mixture.

    A kind of mixture is followed by its script.
    """
    if finding.kind == EXCUSED:
        return f"excused: {mark.label or 'no reason'}".replace("_", " ")
    script = finding.extra.get("script")
    return finding.kind.replace("_", " ") + (f", {script}" if script else "")


VIEW = FindingView(title="Foreign words, excused ones last", names_sides=False, passage=_build_mixed_context)
