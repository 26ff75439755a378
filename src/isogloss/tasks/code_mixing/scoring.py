"""Score code-mixing: open utterances, count, and build a `Run`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any

import numpy as np

from isogloss.kernel.counts import Counts
from isogloss.records.attributes import NO_VALUES
from isogloss.records.sources import Source
from isogloss.runs.evidence import MetricSpec, ResamplingMethod
from isogloss.runs.run import Run
from isogloss.tasks.code_mixing.batches import TaggedRow, TaggedTexts
from isogloss.tasks.code_mixing.findings import find_switches
from isogloss.tasks.code_mixing.inputs import UtteranceInput, open_utterances
from isogloss.tasks.code_mixing.metric import CodeMixing
from isogloss.tasks.code_mixing.options import CodeMixingOptions, Identifier
from isogloss.tasks.code_mixing.task import TASK
from isogloss.tasks.counted_system import CountedSystem, PartError, list_counted_files
from isogloss.tasks.document_columns import DocumentFacts
from isogloss.tasks.run_building import build_evidence, build_run, count_corpus
from isogloss.tasks.scoring import score_call
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns
from isogloss.tasks.task import ProgressReceiver


def code_mixing(  # noqa: PLR0913  the fixed public call: each option is independent
    texts: Any,
    *,
    languages_from: str = "tags",
    identifier: Identifier | str | None = None,
    independent: Iterable[str] | None = None,
    language_column: int = 2,
    by: SliceColumns = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "auto",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    system: str | None = None,
) -> Run:
    """Measure how texts mix languages, from a language tag for each token.

    Args:
        texts: a path, or a list of utterances: dicts with `tokens` and `languages`, or lists of pairs (token,
            language); without tags also lists of tokens, and texts.
        languages_from: `tags` for the tags of the data, `scripts` for the script of each token.
        identifier: identifier of the language of each token, such as `lingua`; or a function from the tokens of an
            utterance to a language or None for each; None for no identifier.
        independent: tags of tokens that belong to no language, in upper or lower case; None for `other`, `ne`,
            `ambiguous`, `mixed`, `fw` and `unk`.
        language_column: column of the tags in CoNLL files, from 1, or from -1 for the last.
        by: columns to slice by, such as `file`; or per column a value for each text.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `auto` for the one that fits each score; `bootstrap`; or `wilson` for
            proportions of independent documents, and the bootstrap for other scores.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each switch point; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        input_format: format of the files; None to detect it. Choose from `conll`, `jsonl`, `csv`, `parquet`, `lines`.
        system: name of the system in tables and comparisons; None for the path of the prediction, or `prediction`.

    Returns:
        The run, with its scores, warnings and signature.

    Raises:
        UsageError: if an option is unknown, has a value that is not allowed, or conflicts with another.
        DataError: if the input cannot be scored; the message says where, what was found and what to do.
        MissingExtraError: if a library is not installed.

    Examples:
        >>> rows = [{"tokens": ["I", "want", "tacos", "ahora"], "languages": ["en", "en", "es", "es"]}]
        >>> run = code_mixing(rows)
        >>> run.scores["utterances"].cmi, run.scores["utterances"].cu
        (50.0, 37.5)
    """
    return score_call(TASK, dict(locals()))


def open_systems(
    reference: None,
    predictions: Sequence[Any],
    options: CodeMixingOptions,
    scoring_options: ScoringOptions,
    progress: ProgressReceiver | None = None,
) -> list[UtteranceInput]:
    """Open the utterances of each corpus.

    Args:
        reference: None, because the task has no reference.
        predictions: the utterances of each corpus: a path, or a list.
        options: options of the task.
        scoring_options: options of scoring, with the columns of slices.
        progress: called with the number of bytes read.

    Raises:
        UsageError: if an option is not allowed.
        DataError: if a file cannot be read.
    """
    del reference
    return [open_utterances(texts, options, scoring_options.attributes, progress) for texts in predictions]


def count(system: UtteranceInput, options: CodeMixingOptions, scoring_options: ScoringOptions) -> CountedSystem:
    """Count the utterances of one corpus.

    Args:
        system: the utterances.
        options: options of the task.
        scoring_options: intervals, slices and findings.

    Raises:
        DataError: if the input cannot be scored.
    """
    sources = system.sources
    state: dict[str, Any] = {"format": system.format, "opening": None, "closing": None}
    collected = count_corpus(
        _note_boundaries(system.read_batches(), state),
        CodeMixing(),
        lambda batch, limit: find_switches(batch, limit, scoring_options.context),
        scoring_options,
        DocumentFacts(
            system.list_columns, lengths=count_tokens, file=partial(_find_file, sources[0]) if sources else None
        ),
    )
    return CountedSystem(
        system.name,
        collected,
        options.list_choices(),
        files=list_counted_files(("texts", source) for source in sources),
        state=state,
        numbers=collected.tally.documents,
    )


def _note_boundaries(batches: Iterable[TaggedTexts], state: dict[str, Any]) -> Iterator[TaggedTexts]:
    """Note the opening utterance and the last matrix language.

    The opening utterance is the first with a matrix language. Whether it is a change depends on the part before.
    """
    for batch in batches:
        known = np.flatnonzero(batch.matrix >= 0)
        if state["opening"] is None and len(known):
            row = int(known[0])
            state["opening"] = {"document": int(batch.documents[row]), "languages": list(batch.rows[row].languages)}
        state["closing"] = batch.last_matrix
        yield batch


def merge_states(parts: Sequence[CountedSystem], merged: CountedSystem) -> CountedSystem:
    """Return the merged parts, with the changes between them.

    Args:
        parts: the parts, in order.
        merged: the parts merged, with the state of the first.

    Raises:
        PartError: if the parts have different formats.
    """
    before: list[Counts] = []
    after: list[Counts] = []
    opening = matrix = None
    firsts = accumulate((part.numbers for part in parts), initial=0)
    for number, (part, first) in enumerate(zip(parts, firsts, strict=False)):
        own = part.state["opening"]
        if part.state["format"] != merged.state["format"]:
            raise PartError(
                f"is read as {part.state['format']}, the first part as {merged.state['format']}",
                part=number,
                remedy="Name the format with --input-format when you count.",
            )
        if own is None:
            continue
        at = own["document"] + first
        opening = opening or {**own, "document": at}
        if matrix is not None:
            before.append(_count_utterance(own["languages"], at, None))
            after.append(_count_utterance(own["languages"], at, matrix))
        matrix = part.state["closing"]
    state = {**merged.state, "opening": opening, "closing": matrix}
    corpus = merged.counts
    if before:
        corpus = corpus.replace_documents(Counts.merge(before), Counts.merge(after))
    return replace(merged, corpus=corpus, state=state)


def _count_utterance(languages: Sequence[str | None], number: int, before: str | None) -> Counts:
    row = TaggedRow(languages, None, None, None, None, 0, None, "", NO_VALUES)
    return CodeMixing().count(TaggedTexts.from_rows([row], number, before, str))


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    """Score a counted corpus.

    Args:
        counted: the corpus.
        scoring_options: options with which it was counted; intervals may differ.
    """
    spec = MetricSpec("code-mixing", {}, make_metric)
    return build_run(
        TASK, counted, build_evidence(counted.counts, CodeMixing(), scoring_options, spec), scoring_options
    )


def list_sources(system: UtteranceInput) -> Sequence[tuple[str, Source]]:
    """List role and file of an opened corpus."""
    return [("texts", source) for source in system.sources]


def make_metric() -> CodeMixing:
    """Make the metric of a stored run again."""
    return CodeMixing()


def count_tokens(batch: TaggedTexts) -> list[int | None]:
    """Return the number of tokens of each utterance: (documents,)."""
    return [len(row.languages) for row in batch.rows]


def _find_file(source: Source, batch: TaggedTexts, row: int) -> str:
    """Return the file of an utterance."""
    place = batch.rows[row].place
    return source.get_file(place) if isinstance(place, int) else source.name
