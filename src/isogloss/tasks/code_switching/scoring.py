"""What texts are looked at with: the sentences, tokens, names and languages that a user asks to be found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Any

from isogloss import providers
from isogloss.errors import UsageError
from isogloss.kernel.counting import FindInBatch
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import RunWarning
from isogloss.providers import DEFAULT_BATCH_SIZE, NameList, Provider, ProviderSettings
from isogloss.runs.evidence import ResamplingMethod
from isogloss.runs.metric_spec import MetricSpec
from isogloss.runs.run import InputFile, Run
from isogloss.tasks.calls import score_call
from isogloss.tasks.code_switching.annotator import ForeignWordAnnotator, LanguageIdentifier, NameFinder
from isogloss.tasks.code_switching.annotator import make_identifier as identifier_of
from isogloss.tasks.code_switching.batches import AnnotatedTexts
from isogloss.tasks.code_switching.findings import find_broken_tokens, find_foreign_tokens
from isogloss.tasks.code_switching.options import CodeSwitchingOptions
from isogloss.tasks.code_switching.reading import opened
from isogloss.tasks.code_switching.rows import Rows
from isogloss.tasks.code_switching.segmenting import TextSegmenter
from isogloss.tasks.code_switching.task import TASK
from isogloss.tasks.counting import build_run, count_with_evidence
from isogloss.tasks.document_columns import DocumentFacts
from isogloss.tasks.scoring_options import ScoringOptions, SliceColumns
from isogloss.tasks.task import ShowsProgress

DIGEST_DIGITS = 8  # of the digest of listed names
SPLITTER_WARNING = RunWarning(
    "sentences-by-terminators",
    "sentences end at terminators, abbreviations or not; for better ones: pip install 'isogloss[sentences]'",
)


@dataclass(frozen=True)
class AnnotationTools:
    """What texts are looked at with.

    Args:
        splitter: finds sentences.
        tokenizer: finds tokens; None for the one that needs no package.
        recognisers: find names.
        identifier: tells the language of lines.
    """

    splitter: Provider
    tokenizer: Provider | None = None
    recognisers: tuple[Provider, ...] = ()
    identifier: LanguageIdentifier | None = None
    warnings: tuple[RunWarning, ...] = field(default=(), repr=False)

    @classmethod
    def from_settings(
        cls,
        settings: ProviderSettings,
        *,
        splitter: Any = None,
        tokenizer: Any = None,
        recognisers: Iterable[Any] = (),
        names: Iterable[str] = (),
        identify: Any = None,
    ) -> AnnotationTools:
        """What a user gives, as providers.

        Raises:
            UsageError: one of them cannot be meant.
            MissingExtraError: a library is not installed.
            MissingModelError: a model is not on this machine.
        """
        how = {name: getattr(settings, name) for name in ("language", "download", "batch_size", "jobs")}
        wanted = [*recognisers]
        if listed := list(names):
            digest = sha256("\n".join(sorted(set(listed))).encode("utf-8", "surrogatepass")).hexdigest()
            wanted.append(NameList(listed, name=f"{len(listed)} names ({digest[:DIGEST_DIGITS]})"))
        cut = providers.open_splitter(splitter, **how)
        return cls(
            cut,
            None if tokenizer in (None, "words") else providers.open_tokenizer(tokenizer, **how),
            tuple(providers.open_recogniser(each, **how) for each in wanted),
            None if identify is None else identifier_of(identify),
            (SPLITTER_WARNING,) if splitter is None and cut.name == "terminators" else (),
        )

    def list_choices(self) -> dict[str, str | int | float]:
        """What the signature says of them."""
        chosen: dict[str, str | int | float] = {"splitter": self.splitter.name}
        chosen["tokenizer"] = "words" if self.tokenizer is None else self.tokenizer.name
        if self.recognisers:
            chosen["recognisers"] = "+".join(recogniser.name for recogniser in self.recognisers)
        return chosen | ({} if self.identifier is None else {"identifier": self.identifier.name})


BLOCK_CHARACTERS = 1 << 20  # code points that are looked at together
MODEL_BLOCK_CHARACTERS = 1 << 17  # where models are slow: progress shows sooner


def code_switching(  # noqa: PLR0913  the fixed public call: each option is independent
    texts: Any,
    *,
    language: str,
    recognisers: Iterable[Any] = (),
    profile: str | None = None,
    level: str = "main",
    alphabet: str | None = None,
    names: Iterable[str] = (),
    excuses: Iterable[str] | None = None,
    patterns: Iterable[str] = (),
    neutral: bool = False,
    splitter: Any = None,
    tokenizer: Any = None,
    identifier: Any = None,
    download: bool = False,
    batch_size: int = DEFAULT_BATCH_SIZE,
    jobs: int = 1,
    by: SliceColumns = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: ResamplingMethod = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    text_field: str = "text",
    id_field: str = "id",
    prompt_field: str | None = None,
) -> Run:
    """Score how often texts leave the language that they should be in.

    Args:
        texts: a path, a list of strings, or a list of dicts with `text` and, if known, `sentences`, `tokens` and
            `entities`.
        language: code of the language, such as `uk`, `hi` or `zh`.
        recognisers: specs such as `spacy:uk_core_news_sm`, callables or providers that find names.
        profile: the tool whose figures are wanted: `pnacos`.
        level: how wide the alphabet is: `main`, `main+auxiliary` or `script`.
        alphabet: the letters of the language, instead of those of the table.
        names: names to excuse, as they are written.
        excuses: the rules that excuse foreign tokens; None for all but `capitalised`. See `docs/code-switching.md`.
        patterns: regular expressions that excuse what they match.
        neutral: whether tokens without letters are counted among the words.
        splitter: finds sentences: a spec, callable or provider; None for `sentencex`, or `terminators` without it.
        tokenizer: finds tokens; None for `words`, which needs no package.
        identifier: tells the language of lines, for the pass rates: `python:module:function` or a callable.
        download: whether a model that is not on this machine may be downloaded.
        batch_size: sentences that a model is given at once.
        jobs: processes of recognisers that can use several.
        by: columns to slice by, such as `file`; or per column a value for each text.
        confidence: level of the intervals in (0, 1); None for no intervals.
        resamples: number of bootstrap resamples, 1 or more.
        unit: `document`, or the column of clusters, which are resampled as a whole.
        interval: method of the intervals: `bootstrap`, or `wilson` for scores that are proportions of independent
            documents; other scores keep the bootstrap.
        seed: seed of the resamples, 0 or more.
        findings: whether to keep a finding for each foreign token; a number keeps at most so many.
        context: words of context on each side of a finding, 0 or more.
        input_format: format of the files; None to detect it. Choose from `lines`, `whole`, `jsonl`, `csv`, `parquet`.
        text_field: key or column of the text.
        id_field: key or column of the id, where there is one.
        prompt_field: key or column of a prompt, whose names are excused in the text.

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
    """The texts of one system, and what they are looked at with.

    Args:
        rows: the texts.
        equipment: what they are looked at with.
        progress: called now and then with the number of texts that are done.
    """

    rows: Rows
    equipment: AnnotationTools
    progress: Callable[[int], object] | None = None


def open_systems(
    reference: None,
    predictions: Sequence[Any],
    options: CodeSwitchingOptions,
    wanted: ScoringOptions,
    progress: ShowsProgress | None = None,
) -> list[System]:
    """Open the texts of systems.

    Args:
        reference: None: texts are not compared with a reference.
        predictions: the texts of each system: a path, or a list.
        options: how texts are read and annotated.
        wanted: what is wanted of texts.
        progress: told how many texts are done.

    Raises:
        UsageError: if an option cannot be used.
        MissingExtraError: if a library is not installed.
        MissingModelError: if a model is not on this machine.
    """
    del reference
    equipment = AnnotationTools.from_settings(
        ProviderSettings(options.letters.language, options.download, options.batch_size, options.jobs),
        splitter=options.splitter,
        tokenizer=options.tokenizer,
        recognisers=options.recognisers,
        names=options.names,
        identify=options.identifier,
    )
    systems = []
    for texts in predictions:
        rows = opened(
            texts,
            input_format=options.input_format,
            text_field=options.text_field,
            id_field=options.id_field,
            prompt_field=options.prompt_field,
            whole=options.whole,
            attributes=wanted.attributes,
        )
        systems.append(System(rows, equipment, None if progress is None else partial(_show_progress, progress, rows)))
    return systems


def _show_progress(progress: ShowsProgress, rows: Rows, done: int) -> None:
    """Tell how many texts are done, and, where it is known, of how many."""
    source = rows.sources[0]
    progress.report_texts(done, source.bytes_read / source.size if source.size else None)


def score(system: System, options: CodeSwitchingOptions, scoring_options: ScoringOptions) -> Run:
    """Score the texts of one system.

    Args:
        system: the texts, and what they are looked at with.
        options: what is scored.
        wanted: intervals and findings.

    Raises:
        UsageError: if the profile does not support an option.
        DataError: if the input cannot be scored.
    """
    rows, tools = system.rows, system.equipment
    tool = options.tool()
    if tool is not None and tools.identifier is not None:
        raise UsageError(f"The profile {tool.name} has no pass rates: leave out the identifier.")
    metric = options.metric(identified=tools.identifier is not None)
    collected, evidence = count_with_evidence(
        _annotate_batches(rows, _make_annotator(options, tools, metric), tools, system.progress),
        metric,
        _make_finder(metric, options, scoring_options.context),
        scoring_options,
        MetricSpec("code-switching", options.ingredients(identified=tools.identifier is not None), make_metric),
        DocumentFacts(rows.columns, file=rows.name if rows.sources else None),
        may_be_empty=tool is not None and tool.scores_nothing,
    )
    choices = options.choices() | tools.list_choices() | scoring_options.list_choices()
    if rows.format == "whole":
        choices["texts"] = "whole files"
    return build_run(
        TASK,
        rows.name,
        collected,
        evidence,
        scoring_options,
        choices,
        rescore=lambda: score(system, options, scoring_options.reduce_to_documents()),
        profile=options.profile,
        inputs=[InputFile("texts", source.name, source.sha256 or "") for source in rows.sources],
        warnings=(*tools.warnings, *collected.warnings),
        tool_output=None if tool is None else tool.tool_output(evidence.numbers),
    )


def make_metric(definition: Mapping[str, Any], *, identified: bool) -> Metric[Any]:
    """What is counted and scored.

    Args:
        definition: options, but for the excuses, which are counted already.
        identified: whether lines were given to a language identifier.
    """
    given = {"alphabet" if name == "letters" else name: value for name, value in definition.items()}
    return CodeSwitchingOptions(**given).metric(identified=identified)


def _make_finder(metric: Metric[Any], options: CodeSwitchingOptions, context: int) -> FindInBatch[Any]:
    """What finds what a person looks at."""
    if options.tool() is not None:
        return lambda batch, limit: find_broken_tokens(batch, metric, limit, context)  # type: ignore[arg-type]  # a profile's
    own = options.letters
    return lambda batch, limit: find_foreign_tokens(batch, own, limit, context)


def _make_annotator(options: CodeSwitchingOptions, tools: AnnotationTools, metric: Metric[Any]) -> ForeignWordAnnotator:
    own, tool = options.letters, options.tool()
    return ForeignWordAnnotator(
        own,
        TextSegmenter(tools.splitter, tools.tokenizer),
        options.finder(),
        NameFinder(own, tools.recognisers),
        tools.identifier,
        clean=tool is not None and tool.clean_texts,
        needs_names=None if tool is None else metric.can_be_broken,  # type: ignore[attr-defined]  # of a profile
    )


def _annotate_batches(
    rows: Rows,
    annotator: ForeignWordAnnotator,
    tools: AnnotationTools,
    progress: Callable[[int], object] | None,
) -> Iterator[AnnotatedTexts]:
    """The texts in batches; one without texts, if there are none."""
    done = 0
    for piece in rows.pieces(MODEL_BLOCK_CHARACTERS if tools.recognisers else BLOCK_CHARACTERS):
        yield annotator.annotate(piece, done, rows.where)
        done += len(piece)
        if progress is not None:
            progress(done)
    if not done:
        yield annotator.annotate([], 0, rows.where)
