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
from isogloss.kernel.counting import Collected, Find
from isogloss.kernel.provenance import Notice
from isogloss.kernel.scores import Key
from isogloss.kernel.signature import Signature
from isogloss.records.sources import Progress, Source
from isogloss.runs.evidence import Evidence, Method, Number, TallyEvidence
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.run import Run
from isogloss.tasks.calls import score_call
from isogloss.tasks.counting import collect, evidence_of
from isogloss.tasks.document_columns import Known
from isogloss.tasks.entity_translation.batches import Translations, TranslationTask
from isogloss.tasks.entity_translation.comet import NO_COMET
from isogloss.tasks.entity_translation.inputs import Opened, opened
from isogloss.tasks.entity_translation.metric import EntityTranslation
from isogloss.tasks.entity_translation.options import EntityTranslationOptions, Normalisation, Scale
from isogloss.tasks.entity_translation.pairing import OutOfStepError, TranslationOrigin, entity_of, read
from isogloss.tasks.entity_translation.quality import sacrebleu_version, tokenizer_of
from isogloss.tasks.entity_translation.task import SCORES, TASK
from isogloss.tasks.entity_translation.verdicts import Aliases, Consistency, Judge, Judged, joined
from isogloss.tasks.entity_translation.verdicts import findings as findings_of
from isogloss.tasks.scoring_options import DOCUMENT, By, Wanted
from isogloss.version import __version__


@dataclass(frozen=True, eq=False)
class WithConsistency(TallyEvidence):
    """Numbers from a tally, and how consistent the system is about each entity: that is no function of sums.

    Args:
        consistency: these numbers.
    """

    consistency: Mapping[Key, Number] | None = None

    @cached_property
    def numbers(self) -> dict[Key, Number]:
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
    by: By = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str | None = None,
    interval: Method = "bootstrap",
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
        by: columns whose values are scored apart, too: `language`, `entity_type`, `entity`, `file`, or others of the
            references; or, where these are a list of rows, per column the value of each.
        confidence: level of the bootstrap intervals in (0, 1), None for no intervals.
        resamples: number of resamples.
        unit: `document`, or the column whose values are resampled as a whole; None for `entity` where ids carry one.
        interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions of independent
            units; the others have the bootstrap then, too.
        seed: seed of the resamples.
        findings: whether to keep every wrong translation; a number keeps the first so many.
        context: words of context on each side of a name that was found.

    Returns:
        The run, with scores, warnings and signature.

    Raises:
        UsageError: options or arguments that cannot be meant.
        DataError: input that cannot be scored; it says where, what and what to do.
        MissingExtraError: chrF or BLEU without sacrebleu.

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
    wanted: Wanted,
    progress: Progress | None = None,
) -> list[Opened]:
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
        opened(shared, prediction, options, comet, progress, wanted.attributes)
        for prediction, comet in zip(predictions, comets, strict=False)
    ]
    if wanted.given and any(system.number is None for system in systems):
        raise UsageError("by has values of sentences, for which references are a list of rows: write a column instead.")
    return systems


def _with_explanations(options: EntityTranslationOptions, wanted: Wanted) -> EntityTranslationOptions:
    """Findings are explanations, so they need some."""
    return replace(options, explain=options.explain or options.hits or wanted.findings != 0)


def score(system: Opened, options: EntityTranslationOptions, wanted: Wanted) -> Run:
    """Score one system.

    Raises:
        UsageError: for an unknown profile or tokenizer.
        DataError: for input that cannot be scored.
        MissingExtraError: for chrF or BLEU without sacrebleu.
    """
    options = _with_explanations(options, wanted)
    wanted = replace(wanted, findings=None) if options.hits else wanted
    scored_again = wanted.only_documents()
    wanted = _with_clusters(system, wanted)
    ingredients: dict[str, Any] = {
        "types": None if options.kept_types is None else sorted(options.kept_types),
        "explained": options.explain,
        "languages": [] if system.comet is None else [part.language for part in system.parts],
        "statistics": {"chrf": options.chrf, "bleu": options.bleu, "tokenizer": options.tokenizer},
    }
    metric = measure(**ingredients)
    choices = _choices(system, options) | wanted.choices()
    judge = Judge(options.normalize, options.rules.empty_mentions, _aliases(system) if options.explain else None)
    find = _finder(wanted.context, hits=options.hits) if options.explain and wanted.findings != 0 else None
    kept = bool(wanted.kept or wanted.columns)
    listed = any(part.references.source is None for part in system.parts)
    said = _references_of if listed else None
    known: Known[Judged] = Known(system.columns, _texts, positions=_places, number=system.number, reference=said)
    counting = partial(collect, metric=metric, find=find, wanted=wanted, known=known)
    collected, consistency = _counted(system, options, judge, counting, kept=kept)
    found = evidence_of(collected, metric, wanted, Recipe("entity-translation", ingredients, measure))
    evidence = WithConsistency(
        metric,
        found.tally,
        found.resampling,
        found.every,
        found.by,
        found.unit,
        consistency=consistency,
    )
    return Run(
        task="entity-translation",
        system=system.system,
        signature=Signature("entity-translation", __version__, choices),
        evidence=evidence,
        profile=options.profile,
        findings=tuple(collected.findings),
        warnings=Notice.merge((*system.notices, *collected.notices, *_said(options, wanted, evidence))),
        inputs=system.inputs(),
        listed=wanted.findings != 0,
        every=evidence.every,
        documents_digest=collected.digest,
        catalogue=SCORES,
        again=lambda: score(system, options, scored_again),
    )


def measure(
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


def _texts(batch: Judged) -> list[str]:
    """(documents,) the first accepted translation of each sentence, or the name in it where that is not known."""
    first = (task.targets[0] for task in (batch.batch.tasks if batch.batch is not None else ()))
    return [target.translation or target.mention for target in first]


def _references_of(batch: Judged) -> bytes:
    return b"" if batch.batch is None else digest_tasks(batch.batch.tasks)


def _places(batch: Judged) -> Sequence[int]:
    origin = batch.origin
    return origin.places if isinstance(origin, TranslationOrigin) else ()


def _with_clusters(system: Opened, wanted: Wanted) -> Wanted:
    """Entities as what is resampled, where nobody said what and ids carry them: sentences about one are dependent.

    A run without intervals, slices and kept documents resamples nothing. To keep every sentence and its entity for such
    a run took more time than to score it; `Run.with_documents` reads the input again where they are wanted later.
    """
    if wanted.unit is not None:
        return wanted
    if wanted.resampling is None and not wanted.kept and not wanted.by:
        return replace(wanted, unit=DOCUMENT)
    first = (row for part in system.parts for piece in part.references.pieces() for row in piece.rows)
    known = next((row.entity or entity_of(str(row.id)) for row in first), None)
    return replace(wanted, unit=DOCUMENT if known is None else EntityTranslation.clusters)


def _counted(
    system: Opened,
    options: EntityTranslationOptions,
    judge: Judge,
    counting: Callable[[Iterable[Judged]], Collected],
    *,
    kept: bool,
) -> tuple[Collected, dict[Key, int] | None]:
    """What a pass leaves: in step as far as that goes, else with the predictions of each language in a dictionary."""
    for in_step in (True, False):
        consistency = Consistency()
        judged: Iterable[Judged] = map(judge, _batches(system, options, in_step=in_step))
        if options.explain:
            judged = consistency.watched(judged)
        elif not options.statistics and not kept:
            judged = joined(judged)
        try:
            with _no_garbage_collection():
                collected = counting(judged)
        except OutOfStepError:
            continue
        return collected, consistency.numbers() if options.explain else None
    raise AssertionError("a dictionary is never out of step")


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Rows hold no cycles, but to look for some takes a twentieth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _batches(system: Opened, options: EntityTranslationOptions, *, in_step: bool) -> Iterator[Translations]:
    """The sentences of all languages."""
    rules = options.reading
    first = done = 0
    for part in system.parts:
        comet = None if system.comet is None else system.comet.get(part.language, NO_COMET)
        for batch in read(part, rules, first, comet, in_step=in_step):
            first += len(batch.documents)
            yield batch
            if system.progress is not None:
                system.progress(done + sum(source.bytes_read for _, source in part.sources))
        done += sum(source.bytes_read for _, source in part.sources)


def _aliases(system: Opened) -> Aliases:
    """The names that are accepted for each entity in each language, from a pass over the references."""
    aliases: dict[tuple[str, str], set[str]] = {}
    for part in system.parts:
        for piece in part.references.pieces():
            for row in piece.rows:
                if row.entity:
                    names = (target.mention for target in row.targets if target.mention.strip())
                    aliases.setdefault((part.language, row.entity), set()).update(names)
    return {key: frozenset(names) for key, names in aliases.items()}


def _finder(context: int, *, hits: bool) -> Find[Judged]:
    return lambda batch, limit: findings_of(batch, limit, context, hits=hits)


def _choices(system: Opened, options: EntityTranslationOptions) -> dict[str, str | int | float]:
    """What the signature says."""
    chosen: dict[str, str | int | float] = {} if options.profile is None else {"profile": options.profile}
    if options.profile is None:
        chosen |= {"ids": "exact", "normalize": options.normalize}
    if options.types is not None:
        chosen["types"] = ",".join(sorted(options.types))
    if options.statistics:
        chosen["sacrebleu"] = sacrebleu_version()
    if options.bleu:
        languages = sorted(part.language for part in system.parts)
        chosen["bleu-tokenizer"] = options.tokenizer or ",".join(f"{own}={tokenizer_of(own)}" for own in languages)
    if system.comet is not None:
        chosen |= {"comet": "file", "comet-scale": options.comet_scale or ""}
    return chosen


def _said(options: EntityTranslationOptions, wanted: Wanted, evidence: Evidence) -> Iterator[Notice]:
    """What is to be said of the options."""
    found = {key[1] for key in evidence.numbers if key[0] == "by_label"}
    for name in options.types or ():
        if name not in found:
            yield Notice("type-absent", f"No sentence has the entity type {name!r}.")
    if wanted.resampling is not None and wanted.clusters is None:
        yield Notice(
            "dependent-sentences",
            "intervals take sentences to be independent; those about one entity are not, so that they are too narrow",
        )


def digest_tasks(tasks: Iterable[TranslationTask]) -> bytes:
    """Id, and what counts as right, of each sentence."""
    accepted = (text for task in tasks for text in (str(task.id), *_accepted(task)))
    return "".join(text + "\0" for text in accepted).encode("utf-8", "surrogatepass")


def _accepted(task: TranslationTask) -> Iterable[str]:
    yield str(len(task.targets))
    for target in task.targets:
        yield from (target.mention, target.translation)
