"""What texts are looked at with: the sentences, tokens, names and languages that a user asks to be found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, get_args

from isogloss import __version__, providers
from isogloss.errors import UsageError
from isogloss.kernel.arguments import one_of, several
from isogloss.kernel.counting import Find
from isogloss.kernel.metric import Metric
from isogloss.kernel.provenance import Notice
from isogloss.kernel.signature import Signature
from isogloss.providers import BATCH, NameList, Provider, Settings
from isogloss.runs.evidence import Method
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.run import Input, Run
from isogloss.tasks.code_switching.annotator import Annotator, Identifier, Names
from isogloss.tasks.code_switching.annotator import identifier as identifier_of
from isogloss.tasks.code_switching.batches import AnnotatedTexts
from isogloss.tasks.code_switching.excuses import BY_DEFAULT, RULES, Finder
from isogloss.tasks.code_switching.findings import broken_tokens, foreign_tokens
from isogloss.tasks.code_switching.metric import CodeSwitching
from isogloss.tasks.code_switching.profiles import PROFILES, Profile
from isogloss.tasks.code_switching.reading import opened
from isogloss.tasks.code_switching.rows import Rows
from isogloss.tasks.code_switching.segmenting import Cutter
from isogloss.tasks.counting import counted
from isogloss.tasks.document_columns import Known
from isogloss.tasks.scoring_options import By, Wanted, asked
from isogloss.text.alphabets import Alphabet, Level
from isogloss.text.alphabets import alphabet as alphabet_of

DIGITS = 8  # of the digest of listed names
FALLBACK = Notice(
    "sentences-by-terminators",
    "sentences end at terminators, abbreviations or not; for better ones: pip install 'isogloss[sentences]'",
)


@dataclass(frozen=True)
class Equipment:
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
    identifier: Identifier | None = None
    notices: tuple[Notice, ...] = field(default=(), repr=False)

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        splitter: Any = None,
        tokenizer: Any = None,
        recognisers: Iterable[Any] = (),
        names: Iterable[str] = (),
        identify: Any = None,
    ) -> Equipment:
        """What a user gives, as providers.

        Raises:
            UsageError: one of them cannot be meant.
            MissingExtraError: a library is not installed.
            MissingModelError: a model is not on this machine.
        """
        how = {name: getattr(settings, name) for name in ("language", "download", "batch_size", "jobs")}
        wanted = [*several("recognisers", recognisers)]
        if listed := _names(names):
            digest = sha256("\n".join(sorted(set(listed))).encode("utf-8", "surrogatepass")).hexdigest()
            wanted.append(NameList(listed, name=f"{len(listed)} names ({digest[:DIGITS]})"))
        cut = providers.splitter(splitter, **how)
        return cls(
            cut,
            None if tokenizer in (None, "words") else providers.tokenizer(tokenizer, **how),
            tuple(providers.recogniser(each, **how) for each in wanted),
            None if identify is None else identifier_of(identify),
            (FALLBACK,) if splitter is None and cut.name == "terminators" else (),
        )

    def choices(self) -> dict[str, str | int | float]:
        """What the signature says of them."""
        chosen: dict[str, str | int | float] = {"splitter": self.splitter.name}
        chosen["tokenizer"] = "words" if self.tokenizer is None else self.tokenizer.name
        if self.recognisers:
            chosen["recognisers"] = "+".join(recogniser.name for recogniser in self.recognisers)
        return chosen | ({} if self.identifier is None else {"identifier": self.identifier.name})


def _names(names: Iterable[str]) -> list[str]:
    if isinstance(names, str):
        raise UsageError(f"names is {names!r}, but it is a list: [{names!r}]. Names in a file are 'names:FILE'.")
    listed = several("names", names)
    if not all(isinstance(name, str) for name in listed):
        raise UsageError("names is a list of strings.")
    return listed


BLOCK = 1 << 20  # code points that are looked at together
BLOCK_OF_MODELS = 1 << 17  # where models are slow: progress shows sooner
CHOICES = (*RULES, "capitalised")


@dataclass(frozen=True)
class Definition:
    """What is scored and how.

    Args:
        language: code of the language that the texts should be in, such as `uk`.
        profile: another tool whose definition is meant, None for the default one.
        level: how wide the alphabet is.
        letters: the alphabet itself, instead of the table's.
        excuses: the rules that excuse foreign tokens; None for all but `capitalised`.
        names_from: field of a prompt whose names are excused; None for none.
        patterns: regular expressions that excuse what they match.
        neutral: whether tokens without letters are counted among the words.

    Raises:
        UsageError: for what cannot be meant, or what the profile does not have.
    """

    language: str
    profile: str | None = None
    level: Level = "main"
    letters: str | None = None
    excuses: frozenset[str] | None = None
    names_from: str | None = None
    patterns: tuple[str, ...] = ()
    neutral: bool = False

    def __post_init__(self) -> None:
        one_of("level", self.level, get_args(Level))
        for reason in sorted(self.excuses or ()):
            one_of("excuses", reason, CHOICES)
        _ = self.alphabet, self.finder()
        if self.tool() is not None and self.neutral:
            raise UsageError(f"The profile {self.profile} has its own way: neutral cannot be set.")

    @property
    def alphabet(self) -> Alphabet:
        """The letters of the language."""
        return alphabet_of(self.language, self.level, self.letters)

    def tool(self) -> Profile | None:
        """The profile, None for the default."""
        return None if self.profile is None else PROFILES.load(self.profile)

    def metric(self, *, identified: bool) -> Metric[Any]:
        """What is counted and scored.

        Args:
            identified: whether lines are given to a language identifier.
        """
        tool = self.tool()
        return CodeSwitching(self.alphabet, self.neutral, identified) if tool is None else tool.metric(self.alphabet)

    def ingredients(self, *, identified: bool) -> dict[str, Any]:
        """What `measure` needs to make the metric again."""
        names = ("language", "profile", "level", "letters", "neutral")
        return {"definition": {name: getattr(self, name) for name in names}, "identified": identified}

    def finder(self) -> Finder:
        """What finds excuses by rules."""
        return Finder(BY_DEFAULT if self.excuses is None else self.excuses, tuple(map(_compiled, self.patterns)))

    def choices(self) -> dict[str, str | int | float]:
        """What the signature says of them."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        own = self.alphabet
        chosen |= {"language": own.language, "level": own.level, "excuses": self.finder().signature}
        if self.letters is not None:
            chosen["alphabet"] = self.letters
        if self.patterns:
            chosen["patterns"] = " ".join(map(repr, self.patterns))
        if self.names_from is not None:
            chosen["names-from"] = self.names_from
        return chosen | ({"neutral": "counted"} if self.neutral else {})


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
    batch_size: int = BATCH,
    jobs: int = 1,
    by: By = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: Method = "bootstrap",
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
        by: columns whose values are scored apart, too, such as `file`; or per column the value of each text.
        confidence: level of the bootstrap intervals in (0, 1), None for no intervals.
        resamples: number of resamples.
        unit: `document`, or the column whose values are resampled as a whole.
        interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions of independent
            units; the others have the bootstrap then, too.
        seed: seed of the resamples.
        findings: whether to keep every foreign token with its context; a number keeps the first so many.
        context: words of context on each side of a finding.
        input_format: `lines`, `whole`, `jsonl`, `csv` or `parquet`, None to recognise it.
        text_field: key or column of the text.
        id_field: key or column of the id, where there is one.
        prompt_field: key or column of a prompt, whose names are excused in the text.

    Returns:
        The run, with scores, warnings and signature.

    Raises:
        UsageError: options or arguments that cannot be meant.
        DataError: input that cannot be scored; it says where, what and what to do.
        MissingExtraError: a library is not installed.
        MissingModelError: a model is not on this machine.

    Examples:
        >>> run = code_switching(["Це звичайний текст.", "Тут знову забули слово translate."], language="uk")
        >>> run.scores["words"].strict_rate
        0.125
    """
    definition = Definition(
        names_from=prompt_field,
        language=language,
        profile=profile,
        level=level,  # type: ignore[arg-type]  # checked when built
        letters=alphabet,
        excuses=None if excuses is None else frozenset(several("excuses", excuses)),
        patterns=tuple(several("patterns", patterns)),
        neutral=neutral,
    )
    equipment = Equipment.of(
        Settings(definition.alphabet.language, download, batch_size, jobs),
        splitter=splitter,
        tokenizer=tokenizer,
        recognisers=recognisers,
        names=names,
        identify=identifier,
    )
    wanted = asked(confidence, resamples, seed, findings, context, by=by, unit=unit, interval=interval)
    rows = opened(
        texts,
        input_format=input_format,
        text_field=text_field,
        id_field=id_field,
        prompt_field=prompt_field,
        attributes=wanted.attributes,
    )
    return score(rows, definition, equipment, wanted)


def score(
    rows: Rows,
    definition: Definition,
    equipment: Equipment,
    wanted: Wanted,
    progress: Callable[[int], object] | None = None,
) -> Run:
    """Score texts.

    Args:
        rows: the texts.
        definition: what is scored.
        equipment: what they are looked at with.
        wanted: intervals and findings.
        progress: called now and then with the number of texts that are done.

    Raises:
        UsageError: for options that cannot be meant.
        DataError: for input that cannot be scored.
    """
    tool = definition.tool()
    if tool is not None and equipment.identifier is not None:
        raise UsageError(f"The profile {tool.name} has no pass rates: leave out the identifier.")
    metric = definition.metric(identified=equipment.identifier is not None)
    collected, evidence = counted(
        _batches(rows, _annotator(definition, equipment, metric), equipment, progress),
        metric,
        _finder(metric, definition, wanted.context),
        wanted,
        Recipe(f"{__name__}:measure", definition.ingredients(identified=equipment.identifier is not None)),
        Known(rows.columns, file=rows.name if rows.sources else None),
        may_be_empty=tool is not None and tool.scores_nothing,
    )
    choices = definition.choices() | equipment.choices() | wanted.choices()
    if rows.format == "whole":
        choices["texts"] = "whole files"
    return Run(
        task="code-switching",
        system=rows.name,
        signature=Signature("code-switching", __version__, choices),
        evidence=evidence,
        profile=definition.profile,
        findings=tuple(collected.findings),
        warnings=(*equipment.notices, *collected.notices),
        inputs=tuple(Input("texts", source.name, source.sha256 or "") for source in rows.sources),
        listed=wanted.findings != 0,
        native={} if tool is None else tool.native(evidence.numbers),
        every=evidence.every,
        documents_digest=collected.digest,
        again=lambda: score(rows, definition, equipment, wanted.only_documents()),
    )


def measure(definition: Mapping[str, Any], *, identified: bool) -> Metric[Any]:
    """What is counted and scored.

    Args:
        definition: arguments of `Definition` but for the excuses, which are counted already.
        identified: whether lines were given to a language identifier.
    """
    return Definition(**definition).metric(identified=identified)


def _finder(metric: Metric[Any], definition: Definition, context: int) -> Find[Any]:
    """What finds what a person looks at."""
    if definition.tool() is not None:
        return lambda batch, limit: broken_tokens(batch, metric, limit, context)  # type: ignore[arg-type]  # a profile's
    own = definition.alphabet
    return lambda batch, limit: foreign_tokens(batch, own, limit, context)


def _annotator(definition: Definition, equipment: Equipment, metric: Metric[Any]) -> Annotator:
    own, tool = definition.alphabet, definition.tool()
    return Annotator(
        own,
        Cutter(equipment.splitter, equipment.tokenizer),
        definition.finder(),
        Names(own, equipment.recognisers),
        equipment.identifier,
        clean=tool is not None and tool.cleans,
        needs_names=None if tool is None else metric.may_be_broken,  # type: ignore[attr-defined]  # of a profile
    )


def _batches(
    rows: Rows, annotator: Annotator, equipment: Equipment, progress: Callable[[int], object] | None
) -> Iterator[AnnotatedTexts]:
    """The texts in batches; one without texts, if there are none."""
    done = 0
    for piece in rows.pieces(BLOCK_OF_MODELS if equipment.recognisers else BLOCK):
        yield annotator.batch(piece, done, rows.where)
        done += len(piece)
        if progress is not None:
            progress(done)
    if not done:
        yield annotator.batch([], 0, rows.where)


def _compiled(pattern: str) -> re.Pattern[str]:
    try:
        return re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UsageError(f"The pattern {pattern!r} is no regular expression: {error}.") from error
