"""Open providers, and annotate texts with one annotator for each language."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from string import ascii_lowercase
from typing import Any

from isogloss import providers
from isogloss.errors import DataError, UsageError
from isogloss.kernel.provenance import RunWarning
from isogloss.providers import LanguageIdentifier, NameList, Provider
from isogloss.tasks.code_switching.annotator import (
    ForeignWordAnnotator,
    LanguageCheck,
    NameFinder,
    TextSegmenter,
)
from isogloss.tasks.code_switching.batches import AnnotatedTexts
from isogloss.tasks.code_switching.inputs import TextRows
from isogloss.tasks.code_switching.language_confusion import LanguageConfusionAnnotator, load_english_words
from isogloss.tasks.code_switching.options import CodeSwitchingOptions
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.text.alphabets import Alphabet

DIGEST_DIGITS = 8  # digits of the digest of given names in the signature
SHOWN_LANGUAGES = 5  # in a warning
SPLITTER_WARNING = RunWarning(
    "sentences-by-terminators",
    "sentences end at every full stop, also after abbreviations; to split better: pip install 'isogloss[sentences]'",
)


@dataclass(frozen=True)
class AnnotationTools:
    """The providers that annotate texts.

    Args:
        splitter: finds sentences.
        tokenizer: finds tokens; None for `words`, which needs no package.
        recognisers: providers that find names.
        identifier: identifies the language of lines; None for no identification.
        warnings: what isogloss chose instead of a better provider.
    """

    splitter: Provider
    tokenizer: Provider | None = None
    recognisers: tuple[Provider, ...] = ()
    identifier: LanguageIdentifier | None = None
    warnings: tuple[RunWarning, ...] = field(default=(), repr=False)

    @classmethod
    def from_options(cls, options: CodeSwitchingOptions) -> AnnotationTools:
        """Open the providers that the options name.

        Args:
            options: options of the task.

        Raises:
            UsageError: if a provider is not known.
            MissingExtraError: if a library is not installed.
            MissingModelError: if a model is not on this machine.
        """
        settings: dict[str, Any] = {name: getattr(options, name) for name in ("download", "batch_size", "jobs")}
        settings["language"] = options.letters.language
        identifier = options.identifier
        recognisers = [*options.recognisers]
        if names := options.names:
            recognisers.append(NameList(list(names), name=f"{len(names)} names ({_digest(names)})"))
        splitter, tokenizer = providers.open_splitter(options.splitter, **settings), options.tokenizer
        return cls(
            splitter,
            None if tokenizer in (None, "words") else providers.open_tokenizer(tokenizer, **settings),
            tuple(providers.open_recogniser(each, **settings) for each in recognisers),
            None if identifier is None else providers.open_identifier(identifier, language=options.letters.language),
            (SPLITTER_WARNING,) if options.splitter is None and splitter.name == "terminators" else (),
        )

    def change_language(self, options: CodeSwitchingOptions, language: str) -> AnnotationTools:
        """Return tools for texts in another language.

        Recognisers and identifier are the same.

        Args:
            options: options of the task.
            language: language of the texts.
        """
        settings: dict[str, Any] = {name: getattr(options, name) for name in ("download", "batch_size", "jobs")}
        settings["language"] = language
        tokenizer = None if self.tokenizer is None else providers.open_tokenizer(options.tokenizer, **settings)
        return replace(self, splitter=providers.open_splitter(options.splitter, **settings), tokenizer=tokenizer)

    def list_choices(self) -> dict[str, str | int | float]:
        """Return the entries of the signature."""
        chosen: dict[str, str | int | float] = {"splitter": self.splitter.name}
        chosen["tokenizer"] = "words" if self.tokenizer is None else self.tokenizer.name
        if self.recognisers:
            chosen["recognisers"] = "+".join(recogniser.name for recogniser in self.recognisers)
        if self.identifier is not None:
            chosen["identifier"] = self.identifier.name
        used = [self.splitter, *self.recognisers, *([] if self.tokenizer is None else [self.tokenizer])]
        versions = providers.format_versions(providers.merge_versions(used))
        return chosen | ({"versions": versions} if versions else {})


def _digest(words: Iterable[str]) -> str:
    """Return some digits that differ for other words."""
    return sha256("\n".join(sorted(set(words))).encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_DIGITS]


class Annotators:
    """The annotators of the texts, one for each language.

    Args:
        options: options of the task.
        tools: the providers.
        rows: the texts, for messages.
    """

    def __init__(self, options: CodeSwitchingOptions, tools: AnnotationTools, rows: TextRows) -> None:
        self._options, self._tools, self._rows = options, tools, rows
        self._profile = options.load_profile()
        self._known: dict[str, ForeignWordAnnotator] = {}
        self.has_models = bool(tools.recognisers)

    def annotate(self, rows: list[TextRow], first: int) -> Iterator[AnnotatedTexts]:
        """Yield annotated texts, a batch for each run in one language.

        Args:
            rows: the texts.
            first: number of the first text.

        Raises:
            DataError: if a text has no language, or an unknown one.
        """
        options, locate = self._options, self._rows.locate
        if self._profile is not None and self._profile.is_benchmark:
            yield self._benchmark.annotate(rows, first, locate)
        elif options.language_field is None or not rows:
            yield self._load(options.language or options.letters.language).annotate(rows, first, locate)
        else:
            for language, group in groupby(rows, self._find_language):
                part = list(group)
                yield self._load(language, part[0]).annotate(part, first, locate)
                first += len(part)

    def list_choices(self) -> dict[str, str | int | float]:
        """Return the entry of the English words in the signature."""
        words = self._benchmark.words if self._profile is not None and self._profile.is_benchmark else None
        return {} if words is None else {"english-words": f"{len(words)} ({_digest(words)})"}

    def group_languages(self) -> dict[str, list[str]]:
        """Group the languages of the texts, as `find_language_warnings` takes them."""
        names = [] if self._profile is not None else list(self._known)
        known = {code: self._known[code].alphabet for code in names}
        shared = [code for code in names if self._tools.identifier is None and _has_english_letters(known[code])]
        measured = [] if self._options.count_unit is not None else names
        by_character = [code for code in measured if known[code].is_unspaced]
        by_token = [code for code in measured if code not in by_character]
        return {"shared_letters": shared, "by_character": by_character, "by_token": by_token}

    @cached_property
    def _benchmark(self) -> LanguageConfusionAnnotator:
        assert self._tools.identifier is not None  # noqa: S101  checked before
        path = self._options.english_words
        words = None if path is None else load_english_words(path)
        return LanguageConfusionAnnotator(self._tools.identifier, words, self._find_language)

    def _find_language(self, row: TextRow) -> str:
        """Return the language of a text.

        Raises:
            DataError: if it has none.
        """
        field = self._options.language_field
        language = (row.columns or {}).get(field) if field is not None else None
        if language or self._options.language:
            return language or self._options.language or ""
        raise DataError(
            f"the text has no language in `{field}`",
            where=self._rows.locate(row.place, 0),
            remedy="Give every text a code such as uk there, or name the language of the others with --language.",
        )

    def _load(self, language: str, row: TextRow | None = None) -> ForeignWordAnnotator:
        if language not in self._known:
            try:
                alphabet = self._options.load_letters(language)
            except UsageError as error:
                if row is None:
                    raise
                raise DataError(str(error), where=self._rows.locate(row.place, 0)) from error
            own = language == (self._options.language or self._options.letters.language)
            tools = self._tools if own else self._tools.change_language(self._options, alphabet.language)
            self._known[language] = _make_annotator(self._options, tools, alphabet)
        return self._known[language]


def _join_names(names: Iterable[str]) -> str:
    every = sorted(names)
    return ", ".join(every[:SHOWN_LANGUAGES]) + (", …" if len(every) > SHOWN_LANGUAGES else "")


def find_language_warnings(languages: Mapping[str, Sequence[str]]) -> Iterator[RunWarning]:
    """Yield warnings about the languages of the texts.

    They tell what these languages make of the scores.

    Args:
        languages: those with the letters of English, if nothing identifies them; and those whose words are counted by
            `by_character` and `by_token`, if no unit is chosen.
    """
    if languages["shared_letters"]:
        yield RunWarning(
            "same-script",
            f"English words count as native in {_join_names(languages['shared_letters'])}, which has the same letters; "
            "to find them: --identifier lingua --window 8",
        )
    if languages["by_character"] and languages["by_token"]:
        yield RunWarning(
            "mixed-units",
            f"words are characters in {_join_names(languages['by_character'])} and tokens in other languages, and "
            "rates of all texts add both; compare languages by sentences or texts, or count one unit: "
            "--count-by tokens",
        )


def _has_english_letters(alphabet: Alphabet) -> bool:
    """Return whether a language other than English has most letters of English."""
    if alphabet.language.split("_")[0] == "en" or alphabet.level == "own":
        return False
    return sum(map(alphabet.is_native, ascii_lowercase)) > len(ascii_lowercase) // 2


def _make_annotator(options: CodeSwitchingOptions, tools: AnnotationTools, alphabet: Alphabet) -> ForeignWordAnnotator:
    profile = options.load_profile()
    return ForeignWordAnnotator(
        alphabet,
        TextSegmenter(tools.splitter, tools.tokenizer),
        options.make_excuse_finder(),
        NameFinder(alphabet, tools.recognisers),
        None if tools.identifier is None else LanguageCheck(tools.identifier, options.window),
        clean=profile is not None and profile.clean_texts,
        needs_names=None if profile is None else profile.make_metric(alphabet).mark_undecided,
    )
