"""Identify the language of texts with other libraries.

A spec names the library: `lingua`, `py3langid`, `cld3`, `fasttext:PATH` with a model of fastText, and
`python:module:function`. The first three come with their models and need no network. Options limit the answers:
`languages=uk,en,ru` to these languages (not for `cld3` and `fasttext`), and `confidence=0.3` to answers with a
probability above a number; other texts have an unknown language, None.

A function takes a list of texts and returns a language code, or None, for each. Codes are those of ISO 639-1 where
there is one; `is_same_language` compares them without script and region, and takes codes of three letters too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock
from typing import Any

from isogloss.errors import DataError, IsoglossError, MissingModelError, UsageError, import_extra
from isogloss.kernel.registry import Registry
from isogloss.providers.functions import load_function
from isogloss.providers.specs import DEFAULT_BATCH_SIZE, ProviderSettings, ProviderSpec, parse_spec
from isogloss.text.languages import shorten_language_code

IdentifyLanguages = Callable[[list[str]], Iterable[str | None]]
IdentifierFactory = Callable[[ProviderSpec, ProviderSettings], Callable[[], IdentifyLanguages]]
"""The factory of a kind of identifier: it checks a spec, and returns what loads the model."""

IDENTIFIERS = Registry(
    "identifier",
    "isogloss.identifiers",
    {
        "cld3": "isogloss.providers.identifiers:build_cld3",
        "fasttext": "isogloss.providers.identifiers:build_fasttext",
        "lingua": "isogloss.providers.identifiers:build_lingua",
        "py3langid": "isogloss.providers.identifiers:build_py3langid",
        "python": "isogloss.providers.identifiers:build_function",
    },
)
EXTRA = "lid"
FASTTEXT_LABEL = "__label__"
FASTTEXT_MODEL = "https://dl.fbaipublicfiles.com/fasttext/supervised-models/lid.176.bin"
CLD3_MAX_BYTES = 1 << 16
SYNONYMS = {"iw": "he", "in": "id", "ji": "yi", "tl": "fil", "mo": "ro", "nb": "no", "cmn": "zh", "sh": "sr"}
NO_LANGUAGE = "zxx"  # what py3langid answers to digits and punctuation
SHOWN = 40  # characters of an answer in a message


@dataclass
class LanguageIdentifier:
    """An identifier whose answers are checked.

    Args:
        name: its name as the user wrote it.
        open_model: loads the model, and returns the function that identifies texts.
    """

    name: str
    open_model: Callable[[], IdentifyLanguages]
    _identify: IdentifyLanguages | None = field(default=None, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def load(self) -> None:
        """Load the model once, however many threads call this.

        Raises:
            UsageError: if the user's function cannot be found.
            MissingExtraError: if the library is not installed.
            MissingModelError: if the model is not on this machine.
        """
        with self._lock:
            if self._identify is None:
                self._identify = self.open_model()

    def identify(self, texts: Sequence[str]) -> list[str | None]:
        """Return the language of each text, None if it is unknown.

        Args:
            texts: texts without newlines.

        Raises:
            DataError: if the identifier fails, or does not return a code or None for each text.
        """
        if not texts:
            return []
        self.load()
        answers = self._ask(list(texts))
        if len(answers) != len(texts):
            raise DataError(
                f"the identifier {self.name} returns {len(answers)} languages for {len(texts)} texts",
                remedy="It must return one language or None for each text, in order.",
            )
        for text, answer in zip(texts, answers, strict=True):
            if not (answer is None or isinstance(answer, str)):
                raise DataError(
                    f"the identifier {self.name} returns {answer!r:.{SHOWN}} of type {type(answer).__name__}",
                    detail=f"The text begins with: {text[:SHOWN]}",
                    remedy="It must return a language code such as 'uk', or None.",
                )
        return answers

    def _ask(self, texts: list[str]) -> list[str | None]:
        assert self._identify is not None  # noqa: S101  for the type checker
        try:
            return list(self._identify(texts))
        except (IsoglossError, KeyboardInterrupt, SystemExit, GeneratorExit):
            raise
        except BaseException as error:  # a panic of a Rust library is not an Exception
            raise DataError(
                f"the identifier {self.name} fails: {type(error).__name__}: {error}",
                detail=f"Its {len(texts)} texts begin with: {texts[0][:SHOWN]}",
                remedy="It must take a list of strings, and return a language code or None for each.",
            ) from error


def open_identifier(given: Any, *, language: str = "en") -> LanguageIdentifier:
    """Open an identifier of languages.

    Args:
        given: a spec such as `lingua` or `python:module:function`, a callable, or an identifier.
        language: the language of the texts, if there is one.

    Raises:
        UsageError: if it is something else, or there is no such kind of identifier.
        MissingExtraError: if the library is not installed.
        MissingModelError: if there is no such model.
    """
    if isinstance(given, LanguageIdentifier):
        return given
    if not isinstance(given, str):
        if not callable(given):
            raise UsageError(
                f"identifier must be a spec such as lingua or python:module:function, or a callable, got {given!r}."
            )
        name = f"{given.__module__}:{getattr(given, '__qualname__', type(given).__qualname__)}"
        return LanguageIdentifier(name, lambda: given)
    spec = parse_spec(given)
    try:
        factory: IdentifierFactory = IDENTIFIERS.load(spec.kind)
    except UsageError as error:
        raise UsageError(f"In identifier {spec.text!r}: {error}") from error
    return LanguageIdentifier(given, factory(spec, ProviderSettings(language, batch_size=DEFAULT_BATCH_SIZE)))


def is_same_language(one: str | None, other: str | None) -> bool:
    """Return whether two codes stand for one language.

    Scripts and regions are ignored. An unknown language, None, is not the same as another one.
    """
    return one is not None and other is not None and _strip_region(one) == _strip_region(other)


def _strip_region(code: str) -> str:
    base = shorten_language_code(code.replace("-", "_").split("_")[0].lower())
    return SYNONYMS.get(base, base)


def build_function(spec: ProviderSpec, _settings: ProviderSettings) -> Callable[[], IdentifyLanguages]:
    """Build `python:module:function`.

    The function is imported now, so that a wrong name is found early.
    """
    spec.check_options()
    function = load_function(spec)
    if not callable(function):
        kind = type(function).__name__
        raise UsageError(f"In {spec.text!r}: it names a {kind}, not a function. Write python:module:function.")
    return lambda: function


def build_lingua(spec: ProviderSpec, _settings: ProviderSettings) -> Callable[[], IdentifyLanguages]:
    """Build an identifier of 75 languages, which works best on short texts."""
    spec.refuse_argument()
    spec.check_options("languages", "confidence")
    library = import_extra("lingua", "The identifier lingua", EXTRA)
    known = {language.iso_code_639_1.name.lower(): language for language in library.Language.all()}
    chosen = _parse_languages(spec, known)
    least = spec.parse_share("confidence", 0.0)

    def load() -> IdentifyLanguages:
        languages = [known[code] for code in chosen]
        builder = library.LanguageDetectorBuilder.from_languages(*languages)
        detector = builder.with_preloaded_language_models().build()

        def identify(texts: list[str]) -> list[str | None]:
            if not least:
                found = detector.detect_languages_in_parallel_of(texts)
            else:
                values = detector.compute_language_confidence_values_in_parallel(texts)
                found = [each[0].language if each and each[0].value > least else None for each in values]
            return [None if each is None else each.iso_code_639_1.name.lower() for each in found]

        return identify

    return load


def build_py3langid(spec: ProviderSpec, _settings: ProviderSettings) -> Callable[[], IdentifyLanguages]:
    """Build an identifier of 97 languages, which is small and fast."""
    spec.refuse_argument()
    spec.check_options("languages")
    library = import_extra("py3langid.langid", "The identifier py3langid", EXTRA)

    def load() -> IdentifyLanguages:
        model = library.LanguageIdentifier.from_model_file(library.MODEL_FILE)
        if "languages" in spec.options:
            model.set_languages(list(_parse_languages(spec, dict.fromkeys(model.labels))))
        return lambda texts: [None if (code := model.classify(text)[0]) == NO_LANGUAGE else code for text in texts]

    return load


def build_cld3(spec: ProviderSpec, _settings: ProviderSettings) -> Callable[[], IdentifyLanguages]:
    """Build an identifier of 107 languages.

    Six of them are also known in Latin letters, such as `ru-Latn`.
    """
    spec.refuse_argument()
    spec.check_options("confidence")
    library = import_extra("gcld3", "The identifier cld3", EXTRA)
    least = spec.parse_share("confidence", 0.0)

    def load() -> IdentifyLanguages:
        model = library.NNetLanguageIdentifier(min_num_bytes=0, max_num_bytes=CLD3_MAX_BYTES)

        def identify(texts: list[str]) -> Iterator[str | None]:
            for answer in (model.FindLanguage(text=text) for text in texts):
                yield answer.language if answer.language != "und" and answer.probability > least else None

        return identify

    return load


def build_fasttext(spec: ProviderSpec, _settings: ProviderSettings) -> Callable[[], IdentifyLanguages]:
    """Build an identifier by a fastText model, such as lid.176.bin.

    Args:
        spec: the parsed spec, with the path of the model.
        _settings: not used.

    Raises:
        UsageError: if the spec has no path.
        MissingExtraError: if fastText is not installed.
        MissingModelError: if there is no such file.
    """
    spec.check_options("confidence")
    path = Path(spec.require_argument("PATH"))
    least = spec.parse_share("confidence", 0.0)
    library = import_extra("fasttext", "The identifier fasttext", EXTRA)
    if not path.is_file():
        what = f"{path} is a folder" if path.is_dir() else f"there is no file {path} in {Path.cwd()}"
        raise MissingModelError(
            f"{spec.text}: {what}. Name the file of a model, as in fasttext:lid.176.bin, or download the benchmark's",
            f"curl -O {FASTTEXT_MODEL}",
        )

    def load() -> IdentifyLanguages:
        try:
            model = library.load_model(str(path)).f
        except ValueError as error:
            raise DataError(
                f"{spec.text} cannot be loaded: {error}",
                where=str(path),
                remedy="Name a model that fastText saved, such as lid.176.bin or lid.176.ftz.",
            ) from error

        def identify(texts: list[str]) -> Iterator[str | None]:
            for text in texts:
                answers = model.predict(f"{text.replace(chr(10), ' ')}\n", 1, 0.0, "strict")
                score, label = answers[0] if answers else (0.0, "")
                yield label.removeprefix(FASTTEXT_LABEL) if score > least else None

        return identify

    return load


def _parse_languages(spec: ProviderSpec, known: Iterable[str]) -> list[str]:
    """Return the languages of the option `languages=uk,en`.

    Without the option they are all known ones.
    """
    every = sorted(known)
    if "languages" not in spec.options:
        return every
    chosen = [code.strip().lower() for code in spec.options["languages"].split(",")]
    wrong = next((code for code in chosen if code not in every), None)
    if wrong is not None:
        raise UsageError(f"In {spec.text!r}: {spec.kind} does not know the language {wrong!r}; codes are like uk or en")
    if len(set(chosen)) == 1:
        raise UsageError(f"In {spec.text!r}: languages needs two codes or more, as in languages=uk,en")
    return chosen
