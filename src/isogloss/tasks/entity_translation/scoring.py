"""Score names in translations, and build a `Run`.

Both sides are read and paired by id; then sentences are judged and counted.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from functools import cached_property, partial
from itertools import repeat
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.counted_corpus import CountedCorpus
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import ScoreKey
from isogloss.records.block_pairing import OutOfStepError
from isogloss.records.shards import open_source
from isogloss.records.sources import Progress, Source, is_path
from isogloss.runs.evidence import Evidence, MetricSpec, ResamplingMethod, ScoreNumber, TallyEvidence
from isogloss.runs.run import Run
from isogloss.tasks.counted_system import CountedSystem, PartError, list_counted_files
from isogloss.tasks.document_columns import DocumentFacts
from isogloss.tasks.entity_translation.batches import ReferenceSentence, TranslationBatch
from isogloss.tasks.entity_translation.comet import NO_COMET
from isogloss.tasks.entity_translation.findings import build_translation_findings
from isogloss.tasks.entity_translation.inputs import TranslationInput, has_languages, open_translation_input
from isogloss.tasks.entity_translation.metric import EntityTranslation
from isogloss.tasks.entity_translation.options import EntityTranslationOptions, Normalisation, Scale
from isogloss.tasks.entity_translation.pairing import TranslationProvenance, parse_entity, read_language
from isogloss.tasks.entity_translation.quality import choose_bleu_tokenizer, get_sacrebleu_version
from isogloss.tasks.entity_translation.task import TASK
from isogloss.tasks.entity_translation.verdicts import (
    Aliases,
    ConsistencyCounter,
    JudgedTranslations,
    TranslationJudge,
    merge_verdicts,
)
from isogloss.tasks.run_building import build_evidence, build_run, count_corpus
from isogloss.tasks.scoring import score_call
from isogloss.tasks.scoring_options import UNIT_DOCUMENT, ScoringOptions, SliceColumns


@dataclass(frozen=True, eq=False)
class ConsistencyEvidence(TallyEvidence):
    """Scores from a tally, and the consistency of the system.

    Consistency about entities is not a function of sums.

    Args:
        consistency: scores of consistency; None if verdicts are not explained.
    """

    consistency: Mapping[ScoreKey, ScoreNumber] | None = None

    @cached_property
    def numbers(self) -> dict[ScoreKey, ScoreNumber]:
        """All scores, nan if undefined; counts are integers."""
        return super().numbers | dict(self.consistency or {})


def entity_translation(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any,
    *,
    profile: str | None = None,
    types: Iterable[str] | None = None,
    languages: Iterable[str] | None = None,
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
    interval: ResamplingMethod = "auto",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    system: str | None = None,
) -> Run:
    """Score the names in a system's translations (m-ETA).

    Args:
        reference: a file of JSON lines, a folder with one file per language, or rows: dictionaries or objects with
            `id`, `targets` (each with `mention` and optionally `translation`), and optionally `wikidata_id`,
            `entity_types`, `source` and `target_locale`; or a dictionary of such rows by language.
        prediction: a file, folder or rows with `id` and `prediction`; if the reference is rows, also texts by id, or
            texts in the order of the references. None stands for no translation.
        profile: `ea-mt` for the definition of SemEval-2025 Task 2, None for the default definition.
        types: entity types; only sentences with one of them are scored. None for all sentences.
        languages: languages to score, by the names of their files or their keys; None for all of the reference.
        normalize: normalisation of names: `none`, `nfc`, `nfkc`, `nfkc-quotes`, `no-space` or `letters`.
        chrf: whether to compute chrF too.
        bleu: whether to compute BLEU too.
        tokenizer: tokenizer of BLEU, by its name in sacrebleu; None to choose it by language.
        comet: file or folder of COMET scores.
        comet_scale: scale of the COMET scores, `0-1` or `0-100`.
        explain: whether to report near misses, boundaries of names and consistency.
        hits: whether to explain, and to keep correct translations as findings too.
        by: columns to slice by: `language`, `entity_type`, `entity`, `file`, or columns of the references; or, if these
            are a list of rows, per column a value for each row.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole. None for `entity`, if ids carry
            one.
        interval: method of the intervals: `auto` for the one that fits each score; `bootstrap`; or `wilson` for
            proportions of independent documents, and the bootstrap for other scores.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each wrong translation; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        system: name of the system in tables and comparisons; None for the path of the prediction, or `prediction`.

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
    scoring_options: ScoringOptions,
    progress: Progress | None = None,
) -> list[TranslationInput]:
    """Open the reference and the prediction of each system.

    Args:
        reference: a path or source of a file or folder, or rows.
        predictions: one per system, of the same kinds as the reference.
        options: options of the task, with the files of COMET scores.
        scoring_options: options of scoring, with the columns of slices.
        progress: called with the number of bytes read.

    Raises:
        UsageError: if the number of files of COMET scores differs from the number of systems.
    """
    if options.comet and len(options.comet) != len(predictions):
        raise UsageError(
            f"--comet is given {len(options.comet)} times, but there are {len(predictions)} predictions: "
            "give it once for each prediction, in the same order.",
        )
    shared = open_source(reference, has_languages) if is_path(reference) else reference  # one source for all systems
    comets = map(Source, options.comet) if options.comet else repeat(None)
    options = _with_explanations(options, scoring_options)
    systems = [
        open_translation_input(shared, prediction, options, comet, progress, scoring_options.attributes)
        for prediction, comet in zip(predictions, comets, strict=False)
    ]
    if scoring_options.caller_columns and any(system.sentence_count is None for system in systems):
        raise UsageError(
            "by can be a mapping only if the references are a list of rows: name columns of the references instead."
        )
    return systems


def _with_explanations(options: EntityTranslationOptions, scoring_options: ScoringOptions) -> EntityTranslationOptions:
    """Set `explain` if findings are kept, because these need explanations."""
    return replace(options, explain=options.explain or options.hits or scoring_options.findings != 0)


def count(
    translation_input: TranslationInput, options: EntityTranslationOptions, scoring_options: ScoringOptions
) -> CountedSystem:
    """Count one system.

    Args:
        translation_input: both sides of each language.
        options: options of the task.
        scoring_options: intervals, slices and findings.

    Raises:
        UsageError: if the profile or the tokenizer is unknown.
        DataError: if the input cannot be scored.
        MissingExtraError: if chrF or BLEU is set, but sacrebleu is not installed.
    """
    options = _with_explanations(options, scoring_options)
    scoring_options = replace(scoring_options, findings=None) if options.hits else scoring_options
    scoring_options = _add_entity_clusters(translation_input, scoring_options)
    rules = options.rules
    arguments: dict[str, Any] = {
        "types": None if rules.types is None else sorted(rules.types),
        "explained": options.explain,
        "languages": [] if translation_input.comet is None else [part.language for part in translation_input.languages],
        "statistics": {"chrf": options.chrf, "bleu": options.bleu, "tokenizer": options.tokenizer},
    }
    judge = _make_judge(translation_input, options, scoring_options)
    find = partial(build_translation_findings, context=scoring_options.context, hits=options.hits)
    has_lists = any(part.references.source is None for part in translation_input.languages)
    facts: DocumentFacts[JudgedTranslations] = DocumentFacts(
        translation_input.list_columns,
        _read_texts,
        positions=_list_places,
        document_count=translation_input.sentence_count,
        digest_reference=_digest_references if has_lists else None,
    )
    metric = make_metric(**arguments)
    counting = partial(count_corpus, metric=metric, find=find, options=scoring_options, facts=facts)
    collected, consistency = _count_system(translation_input, options, judge, counting)
    return CountedSystem(
        translation_input.system,
        collected,
        _list_choices(translation_input, options),
        arguments,
        list_counted_files(translation_input.sources),
        options.profile,
        translation_input.warnings,
        state=_build_state(options, scoring_options, consistency, judge.aliases),
        numbers=collected.tally.documents,
    )


def _build_state(
    options: EntityTranslationOptions,
    scoring_options: ScoringOptions,
    consistency: ConsistencyCounter | None,
    aliases: Aliases | None,
) -> dict[str, Any]:
    """Return what `finish` needs besides counts."""
    state: dict[str, Any] = {"types": options.types, "unit": scoring_options.unit, "all_findings": options.hits}
    if consistency is not None:
        state["consistency"] = [[*key, *counts] for key, counts in consistency.outcomes.items()]
    if scoring_options.for_partial and aliases is not None:
        state["aliases"] = [[*key, *sorted(names)] for key, names in aliases.items()]
    return state


def merge_states(parts: Sequence[CountedSystem], merged: CountedSystem) -> CountedSystem:
    """Return the merged parts of a system with their state.

    Args:
        parts: the parts, in order.
        merged: the parts merged, with the state of the first.

    Raises:
        PartError: if an entity has other accepted names in another part, or the parts have different units.
    """
    state = dict(merged.state)
    known: dict[tuple[str, str], list[str]] = {}
    outcomes: dict[tuple[str, str], list[int]] = {}
    for k, part in enumerate(parts):
        if part.state["unit"] != state["unit"]:
            message = f"its unit is {part.state['unit']}, that of the first part {state['unit']}"
            raise PartError(message, part=k, remedy="Count all parts with --unit document, or --unit entity.")
        for language, entity, *names in part.state.get("aliases", ()):
            if known.setdefault((language, entity), names) != names:
                raise PartError(
                    f"the entity {entity} has other accepted names in another part, and near misses depend on them",
                    part=k,
                    remedy="Keep all sentences about an entity in one part, or leave out --explain and --errors.",
                )
        for language, entity, correct, total in part.state.get("consistency", ()):
            own = outcomes.setdefault((language, entity), [0, 0])
            own[0] += correct
            own[1] += total
    if "consistency" in state:
        state["consistency"] = [[*key, *counts] for key, counts in outcomes.items()]
    if "aliases" in state:
        state["aliases"] = [[*key, *names] for key, names in known.items()]
    languages = dict.fromkeys(name for part in parts for name in part.arguments["languages"])
    return replace(merged, state=state, arguments={**merged.arguments, "languages": list(languages)})


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    """Score a counted system.

    Args:
        counted: the system.
        scoring_options: options with which it was counted; intervals may differ.
    """
    collected, state = counted.counts, counted.state
    findings = scoring_options.findings if not state["all_findings"] else None
    scoring_options = replace(scoring_options, findings=findings, unit=state["unit"])
    metric = make_metric(**counted.arguments)
    base = build_evidence(
        collected, metric, scoring_options, MetricSpec("entity-translation", counted.arguments, make_metric)
    )
    consistency = None
    if "consistency" in state:
        outcomes = {(language, entity): [*counts] for language, entity, *counts in state["consistency"]}
        consistency = ConsistencyCounter(outcomes).to_scores()
    evidence = ConsistencyEvidence(
        **{each.name: getattr(base, each.name) for each in fields(base)}, consistency=consistency
    )
    found = _find_warnings(state["types"], scoring_options, evidence)
    return build_run(TASK, counted, evidence, scoring_options, warnings=found)


def _make_judge(
    translation_input: TranslationInput, options: EntityTranslationOptions, scoring_options: ScoringOptions
) -> TranslationJudge:
    """Make the judge of translations.

    It keeps sentences only if they are needed after the verdict.
    """
    aliases = _collect_aliases(translation_input) if options.explain else None
    needed = (options.explain, options.statistics, scoring_options.keep_documents, scoring_options.needed_columns)
    return TranslationJudge(options.normalize, options.rules.empty_mentions, aliases, keep_sentences=any(needed))


def list_sources(translation_input: TranslationInput) -> Sequence[tuple[str, Source]]:
    """List role and file of an opened system."""
    return translation_input.sources


def make_metric(
    types: Iterable[str] | None,
    languages: Iterable[str],
    statistics: Mapping[str, Any],
    *,
    explained: bool,
) -> EntityTranslation:
    """Make the metric from plain arguments, as a stored run has them.

    Args:
        types: entity types that are scored, None for all.
        languages: languages with COMET scores.
        statistics: the options `chrf`, `bleu` and `tokenizer`.
        explained: whether verdicts are explained.
    """
    return EntityTranslation(
        types=None if types is None else frozenset(types),
        explained=explained,
        languages=tuple(languages),
        statistics=EntityTranslationOptions(**statistics).statistics,
    )


def _read_texts(batch: JudgedTranslations) -> list[str]:
    """Return the first accepted translation of each sentence: (documents,).

    If the translation is unknown, the accepted name stands for it.
    """
    first = (sentence.targets[0] for sentence in (batch.batch.sentences if batch.batch is not None else ()))
    return [target.translation or target.mention for target in first]


def _digest_references(batch: JudgedTranslations) -> bytes:
    return b"" if batch.batch is None else digest_sentences(batch.batch.sentences)


def _list_places(batch: JudgedTranslations) -> Sequence[int]:
    provenance = batch.provenance
    return provenance.places if isinstance(provenance, TranslationProvenance) else ()


def _add_entity_clusters(system: TranslationInput, scoring_options: ScoringOptions) -> ScoringOptions:
    """Choose the unit if none is given.

    Entities are the unit if ids name them, as sentences about one entity are dependent. A run without intervals, slices
    and kept documents resamples nothing, and keeping each sentence with its entity would take longer than scoring. Its
    unit stays unknown, so it has no standard errors. `Run.with_documents` reads the input again if documents are needed
    later.
    """
    if scoring_options.unit is not None:
        return scoring_options
    if scoring_options.resampling is None and not scoring_options.keep_documents and not scoring_options.by:
        return scoring_options
    rows = (row for part in system.languages for block in part.references.read_blocks() for row in block.rows)
    entity = next((row.entity or parse_entity(str(row.id)) for row in rows), None)
    return replace(scoring_options, unit=UNIT_DOCUMENT if entity is None else EntityTranslation.clusters)


def _count_system(
    system: TranslationInput,
    options: EntityTranslationOptions,
    judge: TranslationJudge,
    counting: Callable[[Iterable[JudgedTranslations]], CountedCorpus],
) -> tuple[CountedCorpus, ConsistencyCounter | None]:
    """Count the translations of a system.

    Both sides are read in step if ids allow it; otherwise predictions are kept by id in memory.
    """
    for in_step in (True, False):
        consistency = ConsistencyCounter()
        judged: Iterable[JudgedTranslations] = map(
            judge, _read_batches(system, options, in_step=in_step, texts=judge.keep_sentences)
        )
        if options.explain:
            judged = consistency.count_batches(judged)
        elif not judge.keep_sentences:
            judged = merge_verdicts(judged)
        try:
            with _pause_garbage_collection():
                collected = counting(judged)
        except OutOfStepError:
            continue
        return collected, consistency if options.explain else None
    raise AssertionError("predictions in memory are never out of step")


@contextmanager
def _pause_garbage_collection() -> Iterator[None]:
    """Pause garbage collection.

    Rows have no cycles, and searching for them takes 5% of the time.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_batches(
    system: TranslationInput, options: EntityTranslationOptions, *, in_step: bool, texts: bool
) -> Iterator[TranslationBatch]:
    """Yield the sentences of all languages, with the system's translations.

    `texts` adds accepted translations.
    """
    rules = options.rules
    first = done = 0
    for part in system.languages:
        comet = None if system.comet is None else system.comet.get(part.language, NO_COMET)
        read = part if texts else part.leave_out_texts()
        for batch in read_language(read, rules, first, comet, in_step=in_step):
            first += len(batch.documents)
            yield batch
            if system.progress is not None:
                system.progress(done + sum(source.bytes_read for _, source in part.sources))
        done += sum(source.bytes_read for _, source in part.sources)


def _collect_aliases(system: TranslationInput) -> Aliases:
    """Collect the accepted names of each entity in each language.

    This takes a pass over the references.
    """
    aliases: dict[tuple[str, str], set[str]] = {}
    for part in system.languages:
        for block in part.references.read_blocks():
            for row in block.rows:
                if row.entity:
                    names = (target.mention for target in row.targets if target.mention.strip())
                    aliases.setdefault((part.language, row.entity), set()).update(names)
    return {key: frozenset(names) for key, names in aliases.items()}


def _list_choices(system: TranslationInput, options: EntityTranslationOptions) -> dict[str, str | int | float]:
    """Return the entries of the signature."""
    chosen: dict[str, str | int | float] = {} if options.profile is None else {"profile": options.profile}
    if options.profile is None:
        chosen |= {"ids": "exact", "normalize": options.normalize}
    if options.types is not None:
        chosen["types"] = ",".join(sorted(options.types))
    if options.languages is not None:
        chosen["languages"] = ",".join(sorted(options.languages))
    if options.statistics:
        chosen["sacrebleu"] = get_sacrebleu_version()
    if options.bleu:
        languages = sorted(part.language for part in system.every_language)
        chosen["bleu-tokenizer"] = options.tokenizer or ",".join(
            f"{own}={choose_bleu_tokenizer(own)}" for own in languages
        )
    if system.comet is not None:
        chosen |= {"comet": "file", "comet-scale": options.comet_scale or ""}
    return chosen


def _find_warnings(
    types: Iterable[str] | None, scoring_options: ScoringOptions, evidence: Evidence
) -> Iterator[RunWarning]:
    """Yield warnings about options that have no effect or need care."""
    scored = {key[1] for key in evidence.numbers if key[0] == "by_label"}
    for name in types or ():
        if name not in scored:
            yield RunWarning("type-absent", f"No sentence has the entity type {name!r}.")
    if scoring_options.resampling is not None and scoring_options.cluster_column is None:
        yield RunWarning(
            "dependent-sentences",
            "intervals are too narrow: they take sentences as independent, but those about one entity are not",
        )


def digest_sentences(sentences: Iterable[ReferenceSentence]) -> bytes:
    """Return id, names and accepted translations of each sentence, as bytes."""
    texts: list[str] = []
    for sentence in sentences:
        texts += [str(sentence.id), str(len(sentence.targets))]
        for target in sentence.targets:
            texts += [target.mention, target.translation]
    return "".join(text + "\0" for text in texts).encode("utf-8", "surrogatepass")
