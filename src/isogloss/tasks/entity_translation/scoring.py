"""Score names in translations: read, pair by id, judge, count, and hand out a `Run`."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import repeat
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.counting import CountedCorpus, FindInBatch
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import ScoreKey
from isogloss.records.pairing import OutOfStepError
from isogloss.records.sources import Progress, Source
from isogloss.runs.evidence import Evidence, ResamplingMethod, ScoreNumber, TallyEvidence
from isogloss.runs.metric_spec import MetricSpec
from isogloss.runs.run import Run
from isogloss.tasks.calls import score_call
from isogloss.tasks.counting import build_evidence, build_run, count_corpus
from isogloss.tasks.document_columns import DocumentFacts
from isogloss.tasks.entity_translation.batches import ReferenceSentence, TranslationBatch
from isogloss.tasks.entity_translation.comet import NO_COMET
from isogloss.tasks.entity_translation.inputs import TranslationInput, open_translation_input
from isogloss.tasks.entity_translation.metric import EntityTranslation
from isogloss.tasks.entity_translation.options import EntityTranslationOptions, Normalisation, Scale
from isogloss.tasks.entity_translation.pairing import TranslationOrigin, entity_of, read
from isogloss.tasks.entity_translation.quality import choose_bleu_tokenizer, get_sacrebleu_version
from isogloss.tasks.entity_translation.task import TASK
from isogloss.tasks.entity_translation.verdicts import (
    Aliases,
    ConsistencyCounter,
    JudgedTranslations,
    TranslationJudge,
    merge_verdicts,
)
from isogloss.tasks.entity_translation.verdicts import build_translation_findings as findings_of
from isogloss.tasks.scoring_options import UNIT_DOCUMENT, ScoringOptions, SliceColumns


@dataclass(frozen=True, eq=False)
class ConsistencyEvidence(TallyEvidence):
    """Numbers from a tally, and how consistent the system is about each entity: that is no function of sums.

    Args:
        consistency: these numbers.
    """

    consistency: Mapping[ScoreKey, ScoreNumber] | None = None

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """Every score; nan where undefined. Counts are integers."""
        return super().numbers | dict(self.consistency or {})


def entity_translation(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any,
    *,
    profile: str | None = None,
    types: Iterable[str] | None = None,
    normalize: Normalisation = "none",
    chrf: bool = False,
    bleu: bool = False,
    tokenizer: str | None = None,
    comet: str | os.PathLike[str] | None = None,
    comet_scale: Scale | None = None,
    explain: bool = False,
    hits: bool = False,
    by: SliceColumns = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str | None = None,
    interval: ResamplingMethod = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
) -> Run:
    """Score the names in a system's translations (m-ETA).

    Args:
        reference: a file of JSON lines, a folder with one for each language, or rows: dictionaries or objects with
            `id`, `targets` (each with `mention` and perhaps `translation`), and perhaps `wikidata_id`, `entity_types`,
            `source` and `target_locale`; or a dictionary of such rows by language.
        prediction: likewise, with `id` and `prediction`; for rows also texts by id, or texts in the order of the
            references. None is no translation.
        profile: `ea-mt` for the definition of SemEval-2025 Task 2.
        types: score only sentences with one of these entity types.
        normalize: `none`, `nfc`, `nfkc`, `nfkc-quotes`, `no-space` or `letters`, before names are looked for.
        chrf: also compute chrF.
        bleu: also compute BLEU.
        tokenizer: of BLEU, as sacrebleu names it; None for that of each language.
        comet: a file, or a folder, of COMET scores.
        comet_scale: their scale, `0-1` or `0-100`.
        explain: also tell near misses apart, what stands beside names, and how consistent the system is.
        hits: likewise, and keep a finding also of each right translation.
        by: columns to slice by: `language`, `entity_type`, `entity`, `file`, or columns of the references; or, if these
            are a list of rows, per column a value for each row.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole. None for `entity`, if ids carry
            one.
        interval: method of the intervals: `bootstrap`, or `wilson` for scores that are proportions of independent
            documents; other scores keep the bootstrap.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each wrong translation; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.

    Returns:
        The run, with its scores, warnings and signature.

    Raises:
        UsageError: if an option is unknown, has a value that is not allowed, or conflicts with another.
        DataError: if the input cannot be scored; the message says where, what was found and what to do.
        MissingExtraError: if chrF or BLEU is requested without sacrebleu.

    Examples:
        >>> references = [{"id": "Q1_0", "targets": [{"mention": "Duna"}]}]
        >>> run = entity_translation(references, ["Chi ha scritto Duna?"])
        >>> run.scores["m_eta"].accuracy
        1.0
    """
    return score_call(TASK, dict(locals()))


def open_systems(
    reference: Any,
    predictions: Sequence[Any],
    options: EntityTranslationOptions,
    wanted: ScoringOptions,
    progress: Progress | None = None,
) -> list[TranslationInput]:
    """Open the systems that are compared with a reference.

    Args:
        reference: a path or source of a file or folder, or rows.
        predictions: one per system, of the same kinds.
        options: with the COMET scores of each system, where there are some.
        wanted: what is wanted of sentences.
        progress: called now and then with the bytes read.

    Raises:
        UsageError: if there are COMET scores of more or fewer systems.
    """
    if options.comet and len(options.comet) != len(predictions):
        raise UsageError(
            f"--comet is given {len(options.comet)} times, but there are {len(predictions)} predictions: "
            "give it once for each.",
        )
    shared = Source(reference) if isinstance(reference, str) else reference  # keeps standard input for the next system
    comets = map(Source, options.comet) if options.comet else repeat(None)
    options = _with_explanations(options, wanted)
    systems = [
        open_translation_input(shared, prediction, options, comet, progress, wanted.attributes)
        for prediction, comet in zip(predictions, comets, strict=False)
    ]
    if wanted.caller_columns and any(system.sentence_count is None for system in systems):
        raise UsageError("by has values of sentences, for which references are a list of rows: write a column instead.")
    return systems


def _with_explanations(options: EntityTranslationOptions, wanted: ScoringOptions) -> EntityTranslationOptions:
    """Findings are explanations, so they need some."""
    return replace(options, explain=options.explain or options.hits or wanted.findings != 0)


def score(
    translation_input: TranslationInput, options: EntityTranslationOptions, scoring_options: ScoringOptions
) -> Run:
    """Score one system.

    Raises:
        UsageError: for an unknown profile or tokenizer.
        DataError: for input that cannot be scored.
        MissingExtraError: for chrF or BLEU without sacrebleu.
    """
    options = _with_explanations(options, scoring_options)
    scoring_options = replace(scoring_options, findings=None) if options.hits else scoring_options
    scored_again = scoring_options.reduce_to_documents()
    scoring_options = _add_entity_clusters(translation_input, scoring_options)
    ingredients: dict[str, Any] = {
        "types": None if options.kept_types is None else sorted(options.kept_types),
        "explained": options.explain,
        "languages": [] if translation_input.comet is None else [part.language for part in translation_input.languages],
        "statistics": {"chrf": options.chrf, "bleu": options.bleu, "tokenizer": options.tokenizer},
    }
    metric = make_metric(**ingredients)
    choices = _list_choices(translation_input, options) | scoring_options.list_choices()
    judge = TranslationJudge(
        options.normalize,
        options.rules.empty_mentions,
        _collect_aliases(translation_input) if options.explain else None,
    )
    find = (
        _make_finder(scoring_options.context, hits=options.hits)
        if options.explain and scoring_options.findings != 0
        else None
    )
    kept = bool(scoring_options.keep_documents or scoring_options.needed_columns)
    listed = any(part.references.source is None for part in translation_input.languages)
    said = _digest_references if listed else None
    known: DocumentFacts[JudgedTranslations] = DocumentFacts(
        translation_input.list_columns,
        _read_texts,
        positions=_list_places,
        document_count=translation_input.sentence_count,
        digest_reference=said,
    )
    counting = partial(count_corpus, metric=metric, find=find, options=scoring_options, facts=known)
    collected, consistency = _count_system(translation_input, options, judge, counting, kept=kept)
    found = build_evidence(
        collected, metric, scoring_options, MetricSpec("entity-translation", ingredients, make_metric)
    )
    evidence = ConsistencyEvidence(
        metric,
        found.tally,
        found.resampling,
        found.document_counts,
        found.slice_columns,
        found.unit,
        consistency=consistency,
    )
    return build_run(
        TASK,
        translation_input.system,
        collected,
        evidence,
        scoring_options,
        choices,
        rescore=lambda: score(translation_input, options, scored_again),
        profile=options.profile,
        inputs=translation_input.list_input_files(),
        warnings=RunWarning.merge(
            (*translation_input.warnings, *collected.warnings, *_find_warnings(options, scoring_options, evidence))
        ),
    )


def make_metric(
    types: Iterable[str] | None,
    languages: Iterable[str],
    statistics: Mapping[str, Any],
    *,
    explained: bool,
) -> EntityTranslation:
    """What is counted and scored.

    Args:
        types: only sentences with one of these entity types, None for all.
        languages: those with COMET scores.
        statistics: options that ask for chrF and BLEU.
        explained: whether each verdict is explained.
    """
    return EntityTranslation(
        types=None if types is None else frozenset(types),
        explained=explained,
        languages=tuple(languages),
        statistics=EntityTranslationOptions(**statistics).statistics,
    )


def _read_texts(batch: JudgedTranslations) -> list[str]:
    """(documents,) the first accepted translation of each sentence, or the name in it where that is not known."""
    first = (task.targets[0] for task in (batch.batch.sentences if batch.batch is not None else ()))
    return [target.translation or target.mention for target in first]


def _digest_references(batch: JudgedTranslations) -> bytes:
    return b"" if batch.batch is None else digest_sentences(batch.batch.sentences)


def _list_places(batch: JudgedTranslations) -> Sequence[int]:
    origin = batch.origin
    return origin.places if isinstance(origin, TranslationOrigin) else ()


def _add_entity_clusters(system: TranslationInput, wanted: ScoringOptions) -> ScoringOptions:
    """Entities as what is resampled, where nobody said what and ids carry them: sentences about one are dependent.

    A run without intervals, slices and kept documents resamples nothing. To keep every sentence and its entity for such
    a run took more time than to score it; `Run.with_documents` reads the input again where they are wanted later.
    """
    if wanted.unit is not None:
        return wanted
    if wanted.resampling is None and not wanted.keep_documents and not wanted.by:
        return replace(wanted, unit=UNIT_DOCUMENT)
    first = (row for part in system.languages for piece in part.references.pieces() for row in piece.rows)
    known = next((row.entity or entity_of(str(row.id)) for row in first), None)
    return replace(wanted, unit=UNIT_DOCUMENT if known is None else EntityTranslation.clusters)


def _count_system(
    system: TranslationInput,
    options: EntityTranslationOptions,
    judge: TranslationJudge,
    counting: Callable[[Iterable[JudgedTranslations]], CountedCorpus],
    *,
    kept: bool,
) -> tuple[CountedCorpus, dict[ScoreKey, int] | None]:
    """What a pass leaves: in step as far as that goes, else with the predictions of each language in a dictionary."""
    for in_step in (True, False):
        consistency = ConsistencyCounter()
        judged: Iterable[JudgedTranslations] = map(judge, _read_batches(system, options, in_step=in_step))
        if options.explain:
            judged = consistency.count_batches(judged)
        elif not options.statistics and not kept:
            judged = merge_verdicts(judged)
        try:
            with _pause_garbage_collection():
                collected = counting(judged)
        except OutOfStepError:
            continue
        return collected, consistency.to_scores() if options.explain else None
    raise AssertionError("a dictionary is never out of step")


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Rows hold no cycles, but to look for some takes a twentieth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_batches(
    system: TranslationInput, options: EntityTranslationOptions, *, in_step: bool
) -> Iterator[TranslationBatch]:
    """The sentences of all languages."""
    rules = options.reading
    first = done = 0
    for part in system.languages:
        comet = None if system.comet is None else system.comet.get(part.language, NO_COMET)
        for batch in read(part, rules, first, comet, in_step=in_step):
            first += len(batch.documents)
            yield batch
            if system.progress is not None:
                system.progress(done + sum(source.bytes_read for _, source in part.sources))
        done += sum(source.bytes_read for _, source in part.sources)


def _collect_aliases(system: TranslationInput) -> Aliases:
    """The names that are accepted for each entity in each language, from a pass over the references."""
    aliases: dict[tuple[str, str], set[str]] = {}
    for part in system.languages:
        for piece in part.references.pieces():
            for row in piece.rows:
                if row.entity:
                    names = (target.mention for target in row.targets if target.mention.strip())
                    aliases.setdefault((part.language, row.entity), set()).update(names)
    return {key: frozenset(names) for key, names in aliases.items()}


def _make_finder(context: int, *, hits: bool) -> FindInBatch[JudgedTranslations]:
    return lambda batch, limit: findings_of(batch, limit, context, hits=hits)


def _list_choices(system: TranslationInput, options: EntityTranslationOptions) -> dict[str, str | int | float]:
    """What the signature says."""
    chosen: dict[str, str | int | float] = {} if options.profile is None else {"profile": options.profile}
    if options.profile is None:
        chosen |= {"ids": "exact", "normalize": options.normalize}
    if options.types is not None:
        chosen["types"] = ",".join(sorted(options.types))
    if options.statistics:
        chosen["sacrebleu"] = get_sacrebleu_version()
    if options.bleu:
        languages = sorted(part.language for part in system.languages)
        chosen["bleu-tokenizer"] = options.tokenizer or ",".join(
            f"{own}={choose_bleu_tokenizer(own)}" for own in languages
        )
    if system.comet is not None:
        chosen |= {"comet": "file", "comet-scale": options.comet_scale or ""}
    return chosen


def _find_warnings(
    options: EntityTranslationOptions, wanted: ScoringOptions, evidence: Evidence
) -> Iterator[RunWarning]:
    """What is to be said of the options."""
    found = {key[1] for key in evidence.numbers if key[0] == "by_label"}
    for name in options.types or ():
        if name not in found:
            yield RunWarning("type-absent", f"No sentence has the entity type {name!r}.")
    if wanted.resampling is not None and wanted.cluster_column is None:
        yield RunWarning(
            "dependent-sentences",
            "intervals take sentences to be independent; those about one entity are not, so that they are too narrow",
        )


def digest_sentences(tasks: Iterable[ReferenceSentence]) -> bytes:
    """Id, and what counts as right, of each sentence."""
    accepted = (text for task in tasks for text in (str(task.id), *_list_accepted(task)))
    return "".join(text + "\0" for text in accepted).encode("utf-8", "surrogatepass")


def _list_accepted(task: ReferenceSentence) -> Iterable[str]:
    yield str(len(task.targets))
    for target in task.targets:
        yield from (target.mention, target.translation)
