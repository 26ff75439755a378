"""Score code-switching: open texts and providers, annotate, count, and build a `Run`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from typing import Any

from isogloss.errors import UsageError
from isogloss.kernel.counted_corpus import FindInBatch
from isogloss.kernel.metric import Metric
from isogloss.providers import DEFAULT_BATCH_SIZE
from isogloss.records.sources import Source
from isogloss.runs.evidence import MetricSpec, ResamplingMethod
from isogloss.runs.run import Run
from isogloss.tasks.code_switching.annotators import AnnotationTools, Annotators, find_language_warnings
from isogloss.tasks.code_switching.batches import AnnotatedTexts, TextProvenance
from isogloss.tasks.code_switching.findings import find_broken_tokens, find_confusions, find_foreign_tokens
from isogloss.tasks.code_switching.inputs import TextRows, open_texts
from isogloss.tasks.code_switching.language_confusion import SOURCE_COLUMN, find_empty_rates
from isogloss.tasks.code_switching.options import PROFILES, CodeSwitchingOptions
from isogloss.tasks.code_switching.task import TASK
from isogloss.tasks.counted_system import CountedSystem, list_counted_files
from isogloss.tasks.document_columns import DocumentFacts
from isogloss.tasks.run_building import build_evidence, build_run, count_corpus
from isogloss.tasks.scoring import score_call
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns
from isogloss.tasks.task import ProgressReceiver

# A process that counts one part after another loads its models once.
_load_tools = lru_cache(maxsize=1)(AnnotationTools.from_options)

BLOCK_CHARACTERS = 1 << 20  # code points that are annotated together
MODEL_BLOCK_CHARACTERS = 1 << 17  # models are slow: smaller blocks show progress sooner


def code_switching(  # noqa: PLR0913  the fixed public call: each option is independent
    texts: Any,
    *,
    language: str | None = None,
    recognisers: Iterable[Any] = (),
    profile: str | None = None,
    level: str = "main",
    alphabet: str | None = None,
    names: Iterable[str] = (),
    excuses: Iterable[str] | None = None,
    patterns: Iterable[str] = (),
    neutral: bool = False,
    count_by: str | None = None,
    splitter: Any = None,
    tokenizer: Any = None,
    identifier: Any = None,
    window: int | None = None,
    english_words: str | None = None,
    download: bool = False,
    batch_size: int = DEFAULT_BATCH_SIZE,
    jobs: int = 1,
    by: SliceColumns = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "auto",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    text_field: str = "text",
    id_field: str = "id",
    prompt_field: str | None = None,
    language_field: str | None = None,
    system: str | None = None,
) -> Run:
    """Score how often texts leave the language that they should be in.

    Args:
        texts: a path, a list of strings, or a list of dicts with `text` and, if known, `sentences`, `tokens` and
            `entities`.
        language: code of the language, such as `uk`, `hi` or `zh`; None if each text names its own.
        recognisers: specs such as `spacy:uk_core_news_sm`, callables or providers that find names.
        profile: `pnacos` for the figures of PNaCoS-NER, `language-confusion` for those of the Language Confusion
            Benchmark, None for the default definition.
        level: letters of the alphabet: `main`, `main+auxiliary` or `script`.
        alphabet: letters of the language; None for those of the table.
        names: names to excuse, spelled as in the texts.
        excuses: the rules that excuse foreign tokens; None for all but `capitalised`. See `docs/code-switching.md`.
        patterns: regular expressions that excuse what they match.
        neutral: whether tokens without letters count as words.
        count_by: whether words are counted in `tokens` or in `characters`; None for characters in languages that are
            written without spaces if no tokenizer is named, and tokens in others.
        splitter: finds sentences: a spec, callable or provider; None for `sentencex` if installed, else `terminators`.
        tokenizer: finds tokens; None for `words`, which needs no package.
        identifier: identifies the language of lines: `lingua`, `py3langid`, `cld3`, `fasttext:PATH`,
            `python:module:function` or a callable.
        window: also identify the language of so many words at a time, 2 or more; None for lines only.
        english_words: file with English words, for the word pass rate of the profile `language-confusion`.
        download: whether to download models that are missing on this machine.
        batch_size: sentences per batch of a model, at least 1.
        jobs: processes for recognisers that can use several, at least 1.
        by: columns to slice by, such as `file`; or per column a value for each text.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `auto` for the one that fits each score; `bootstrap`; or `wilson` for
            proportions of independent documents, and the bootstrap for other scores.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each foreign token; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        input_format: format of the files; None to detect it. Choose from `lines`, `whole`, `jsonl`, `csv`, `parquet`.
        text_field: key or column of the text.
        id_field: key or column of the id, if there is one.
        prompt_field: key or column of a prompt, whose names are excused in the text.
        language_field: key or column with the language of each text; scores are also sliced by it.
        system: name of the system in tables and comparisons; None for the path of the prediction, or `prediction`.

    Returns:
        The run, with its scores, warnings and signature.

    Raises:
        UsageError: if an option is unknown, has a value that is not allowed, or conflicts with another.
        DataError: if the input cannot be scored; the message says where, what was found and what to do.
        MissingExtraError: if a library is not installed.
        MissingModelError: if a model is not on this machine.

    Examples:
        >>> run = code_switching(["Це звичайний текст.", "Тут знову забули слово translate."], language="uk")
        >>> run.scores["words"].strict_rate
        0.125
    """
    return score_call(TASK, dict(locals()))


@dataclass(frozen=True, eq=False)
class System:
    """The texts of one system, and the providers that annotate them.

    Args:
        rows: the texts.
        tools: the providers.
        progress: called with the number of annotated texts.
    """

    rows: TextRows
    tools: AnnotationTools
    progress: Callable[[int], object] | None = None


def open_systems(
    reference: None,
    predictions: Sequence[Any],
    options: CodeSwitchingOptions,
    scoring_options: ScoringOptions,
    progress: ProgressReceiver | None = None,
) -> list[System]:
    """Open the texts of each system.

    Args:
        reference: None, because the task has no reference.
        predictions: the texts of each system: a path, or a list.
        options: options of the task, with how texts are read and annotated.
        scoring_options: options of scoring, with the columns of slices.
        progress: called with the number of annotated texts.

    Raises:
        UsageError: if an option is not allowed.
        MissingExtraError: if a library is not installed.
        MissingModelError: if a model is not on this machine.
    """
    del reference
    tools = _load_tools(options) if scoring_options.for_partial else AnnotationTools.from_options(options)
    systems = []
    for texts in predictions:
        rows = open_texts(
            texts,
            input_format=options.input_format,
            text_field=options.text_field,
            id_field=options.id_field,
            prompt_field=options.prompt_field,
            whole=options.whole,
            attributes=_list_columns(options, scoring_options),
        )
        systems.append(System(rows, tools, None if progress is None else partial(_show_progress, progress, rows)))
    return systems


def _show_progress(progress: ProgressReceiver, rows: TextRows, done: int) -> None:
    """Report the number of annotated texts, and their share if known.

    The share is known if the size of the file is known.
    """
    source = rows.sources[0]
    progress.report_texts(done, source.bytes_read / source.size if source.size else None)


def count(system: System, options: CodeSwitchingOptions, scoring_options: ScoringOptions) -> CountedSystem:
    """Count the texts of one system.

    Args:
        system: the texts, and the providers that annotate them.
        options: options of the task.
        scoring_options: intervals, slices and findings.

    Raises:
        UsageError: if the profile does not support an option.
        DataError: if the input cannot be scored.
    """
    rows, tools = system.rows, system.tools
    profile, identified = options.load_profile(), tools.identifier is not None
    if profile is not None and profile.is_benchmark and not identified:
        raise UsageError(
            f"The profile {profile.name} needs an identifier: add --identifier fasttext:lid.176.bin?confidence=0.3 for "
            "the benchmark's own, or --identifier lingua."
        )
    scoring_options = _slice_by_language(scoring_options, options.language_field)
    metric = options.make_metric(identified=identified)
    annotators = Annotators(options, tools, rows)
    collected = count_corpus(
        _annotate_batches(rows, annotators, system.progress),
        metric,
        _make_finder(metric, options, scoring_options.context),
        scoring_options,
        DocumentFacts(rows.list_columns, file=partial(_find_file, rows.sources[0]) if rows.sources else None),
        may_be_empty=profile is not None and profile.scores_nothing,
    )
    choices = options.list_choices() | tools.list_choices() | annotators.list_choices()
    return CountedSystem(
        rows.name,
        collected,
        choices,
        options.list_metric_arguments(identified=identified),
        list_counted_files(("texts", source) for source in rows.sources),
        options.profile,
        tools.warnings,
        state={
            "whole": rows.format == "whole",
            "language_field": options.language_field,
            "languages": annotators.group_languages(),
        },
        numbers=collected.tally.documents,
    )


def finish(counted: CountedSystem, scoring_options: ScoringOptions) -> Run:
    """Score a counted system.

    Args:
        counted: the system.
        scoring_options: options with which it was counted; intervals may differ.
    """
    scoring_options = _slice_by_language(scoring_options, counted.state["language_field"])
    metric = make_metric(**counted.arguments)
    spec = MetricSpec("code-switching", counted.arguments, make_metric)
    evidence = build_evidence(counted.counts, metric, scoring_options, spec)
    profile = None if counted.profile is None else PROFILES.load(counted.profile)
    empty = find_empty_rates(evidence.numbers) if profile is not None and profile.is_benchmark else ()
    return build_run(
        TASK,
        replace(counted, warnings=(*counted.warnings, *find_language_warnings(counted.state["languages"]))),
        evidence,
        scoring_options,
        choices={"texts": "whole files"} if counted.state["whole"] else None,
        warnings=empty,
        tool_output=None if profile is None else profile.tool_output(evidence.numbers),
    )


def merge_states(parts: Sequence[CountedSystem], merged: CountedSystem) -> CountedSystem:
    """Return the merged parts of a system with the languages of all.

    Args:
        parts: the parts, in order.
        merged: the parts merged, with the state of the first.
    """
    groups = [part.state["languages"] for part in parts]
    languages = {name: list(dict.fromkeys(chain.from_iterable(each[name] for each in groups))) for name in groups[0]}
    return replace(merged, state={**merged.state, "languages": languages})


def _slice_by_language(scoring_options: ScoringOptions, column: str | None) -> ScoringOptions:
    """Return options that also slice by the languages of texts."""
    if column is None or column in scoring_options.by:
        return scoring_options
    return replace(scoring_options, by=(*scoring_options.by, column))


def _find_file(source: Source, batch: AnnotatedTexts, row: int) -> str:
    """Return the file of a text."""
    provenance = batch.provenance
    return source.get_file(provenance.rows[row].place) if isinstance(provenance, TextProvenance) else source.name


def list_sources(system: System) -> Sequence[tuple[str, Source]]:
    """List role and file of an opened system."""
    for source in system.rows.sources:
        source.has_line_records = system.rows.format == "lines"
    return [("texts", source) for source in system.rows.sources]


def make_metric(definition: Mapping[str, Any], *, identified: bool) -> Metric[Any]:
    """Make the metric of a stored run again.

    Args:
        definition: options of the task, without excuses; the alphabet is named `letters`.
        identified: whether a language identifier has judged the lines of texts.
    """
    given = {"alphabet" if name == "letters" else name: value for name, value in definition.items()}
    if identified:
        given["identifier"] = "python"  # options with a window need one
    return CodeSwitchingOptions(**given).make_metric(identified=identified)


def _list_columns(options: CodeSwitchingOptions, scoring_options: ScoringOptions) -> tuple[str, ...]:
    """Return the columns to read of each text."""
    profile = options.load_profile()
    of_profile = (SOURCE_COLUMN,) if profile is not None and profile.is_benchmark else ()
    wanted = (*scoring_options.attributes, options.language_field, *of_profile)
    return tuple(dict.fromkeys(name for name in wanted if name is not None))


def _make_finder(metric: Metric[Any], options: CodeSwitchingOptions, context: int) -> FindInBatch[Any]:
    profile = options.load_profile()
    if profile is not None and profile.is_benchmark:
        return lambda batch, limit: find_confusions(batch, limit, context)
    if profile is not None:
        return lambda batch, limit: find_broken_tokens(batch, metric, limit, context)  # type: ignore[arg-type]  # a profile's
    alphabet = options.letters
    return lambda batch, limit: find_foreign_tokens(batch, alphabet, limit, context)


def _annotate_batches(
    rows: TextRows, annotators: Annotators, progress: Callable[[int], object] | None
) -> Iterator[AnnotatedTexts]:
    """Yield annotated texts in batches.

    There is one empty batch if there are no texts.
    """
    done = 0
    for piece in rows.read_batches(MODEL_BLOCK_CHARACTERS if annotators.has_models else BLOCK_CHARACTERS):
        yield from annotators.annotate(piece, done)
        done += len(piece)
        if progress is not None:
            progress(done)
    if not done:
        yield from annotators.annotate([], 0)
