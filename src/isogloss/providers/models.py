"""The provider protocol, providers with a model, and their shared text helpers.

Recognisers also mark dates, amounts and the like. Unless `labels=` names the wanted labels, those of `NOT_NAMES` are
dropped: the labels of OntoNotes for times and quantities, and their equivalents in pipelines of single languages (KLUE
and SUC among others). Kinds of providers that are not listed keep all labels.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Protocol, runtime_checkable

from isogloss.errors import DataError, IsoglossError, MissingModelError, UsageError, import_extra
from isogloss.text.display import KATAKANA, UNSPACED, split_graphemes

TIMES = frozenset(("DATE", "TIME", "DATETIME", "PERIOD", "DAT", "TIM", "TME", "DT", "TI"))
QUANTITIES = frozenset(
    (
        *("CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "PERCENTAGE", "MONEY", "NUMBER", "NUMERIC", "NUMERIC_VALUE"),
        *("NUM", "QT", "MSR", "AGE", "ADAGE"),
    ),
)
NOT_NAMES: Mapping[str, frozenset[str]] = {
    kind: TIMES | QUANTITIES | {label.lower() for label in TIMES | QUANTITIES}
    for kind in ("spacy", "stanza", "transformers")
}


def check_labels(requested: Sequence[str] | None, model_labels: Iterable[str], name: str) -> None:
    """Refuse labels that a model cannot give.

    Args:
        requested: the labels that `labels=` lists.
        model_labels: the labels of the model; empty if unknown.
        name: the provider as the user wrote it.

    Raises:
        UsageError: if a label is not among those of the model; it suggests the closest.
    """
    labels = sorted(set(model_labels))
    for label in requested or ():
        if labels and label not in labels:
            close = get_close_matches(label, labels, n=3) or labels
            raise UsageError(f"In {name!r}: the model has no label {label!r}. Is it one of: {', '.join(close)}?")


PATH_PATTERN = re.compile(r"[./~\\]|[A-Za-z]:[/\\]")  # the beginning of a path, but not of a model name


@dataclass
class ModelProvider:
    """A provider with a model, which one thread uses at a time.

    Args:
        name: its name as the user wrote it.
        open_model: loads the model.
        find_spans: returns the spans of texts, given the model.
    """

    name: str
    open_model: Callable[[], Any]
    find_spans: Callable[[Any, Sequence[str]], list[list[Span]]]
    _model: Any = field(default=None, repr=False)
    _lock: RLock = field(default_factory=RLock, repr=False)

    def load(self) -> None:
        """Load the model once, however many threads call this.

        Raises:
            MissingExtraError: if the library is not installed.
            MissingModelError: if the model is not on this machine, and cannot be downloaded.
            DataError: if the library fails to load it.
        """
        with self._lock:
            if self._model is None:
                self._model = self._open_model()

    def _open_model(self) -> Any:
        try:
            return self.open_model()
        except IsoglossError:
            raise
        except Exception as error:
            raise make_unusable_model_error(self.name, self.name, error) from error

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text."""
        with self._lock:
            self.load()
            return self.find_spans(self._model, texts)


def find_model_path(name: str, argument: str, file: str, extra: str, *, download: bool) -> str:
    """Return the path or name to load a Hugging Face model from.

    It is a folder, unless downloads are allowed.

    The folder in the cache is looked up here, because the library's own look-up queries its server even if only local
    files are allowed.

    Args:
        name: the provider as the user wrote it.
        argument: a folder, or the name of a model.
        file: a file that every such model has.
        extra: the extra of isogloss that installs the library.
        download: whether the model may be downloaded, so that its name is enough.

    Raises:
        MissingExtraError: if the library is not installed.
        MissingModelError: if there is no such folder, and the model is not in the cache.
    """
    if download or Path(argument).is_dir():
        return argument
    hub = import_extra("huggingface_hub", name, extra)
    cached = None if PATH_PATTERN.match(argument) else hub.try_to_load_from_cache(argument, file)
    if not isinstance(cached, str):
        raise make_missing_model_error(name, argument, f"hf download {argument}")
    return str(Path(cached).parent)


def make_missing_model_error(name: str, argument: str, command: str) -> MissingModelError:
    """Return the error for a model that is not on this machine.

    Args:
        name: the provider as the user wrote it.
        argument: the model or path.
        command: the command that downloads a model that is not a path.
    """
    if PATH_PATTERN.match(argument):
        folder = next((each for each in Path(argument).parents if each.is_dir()), Path())
        return MissingModelError(
            f"{name}: there is no model at {argument}. Name the folder that the library saved the model to",
            f"ls {folder}",
        )
    return MissingModelError(f"{name}: the model {argument} is not on this machine", f"{command} (or add --download)")


def make_unusable_model_error(name: str, argument: str, error: Exception) -> DataError | MissingModelError:
    """Return the error for a folder without a usable model.

    If the library could not reach the network, the error says so.

    Args:
        name: the provider as the user wrote it.
        argument: the model or path.
        error: what the library raised.
    """
    if is_network_error(error):
        return make_network_error(name, f"{type(error).__name__}: {error}")
    remedy = "Name the folder that the library saved the model to, and check the versions of both."
    return DataError(f"{name} cannot be loaded: {type(error).__name__}: {error}", where=argument, remedy=remedy)


NETWORK_WORDS = re.compile(
    r"connect|resolve|proxy|getaddrinfo|timed out|unreachable|offline|max retries|network", re.IGNORECASE
)
SHOWN_ERROR = 200  # characters of a library's message


def is_network_error(error: BaseException | None) -> bool:
    """Return whether an error or its cause is about the network."""
    while error is not None:
        if isinstance(error, (ConnectionError, TimeoutError)):
            return True
        if isinstance(error, OSError) and not isinstance(error, FileNotFoundError) and NETWORK_WORDS.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False


def make_network_error(name: str, fault: str) -> MissingModelError:
    """Return the error for a model that cannot be downloaded.

    Args:
        name: the provider as the user wrote it.
        fault: what the library said.
    """
    return MissingModelError(
        f"{name}: the model cannot be downloaded, because the network cannot be reached ({fault:.{SHOWN_ERROR}})",
        "the same command on a machine with a network, then copy the model here and name its folder",
    )


BREAKS = (re.compile(r"\n"), re.compile(r"[.!?…]\s|[\u3002\uff01\uff1f]"), re.compile(r"\s"))


def split_pieces(text: str, max_length: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of the pieces of a text.

    Each has at most `max_length` code points (at least 2).
    """
    begin = 0
    while len(text) - begin > max_length:
        end = _find_break(text, begin + max_length // 2, begin + max_length)
        yield begin, end
        begin = end
    yield begin, len(text)


def annotate_in_pieces(
    texts: Sequence[str],
    max_length: int,
    annotate: Callable[[list[str]], Sequence[Sequence[Span]]],
) -> list[list[Span]]:
    """Return the spans of texts whose pieces are annotated.

    Args:
        texts: texts of any length.
        max_length: maximum number of code points of a piece.
        annotate: returns the spans of pieces, one list for each.
    """
    every = ((number, *cut) for number, text in enumerate(texts) for cut in split_pieces(text, max_length))
    cuts = [cut for cut in every if texts[cut[0]][cut[1] : cut[2]].strip()]
    spans: list[list[Span]] = [[] for _ in texts]
    answers = annotate([texts[number][start:end] for number, start, end in cuts])
    for (number, start, _), answer in zip(cuts, answers, strict=True):
        spans[number] += [Span(start + span.start, start + span.end, span.label) for span in answer]
    return spans


def _find_break(text: str, low: int, high: int) -> int:
    """Return the best place to end a piece of a text.

    The place is after `low` and not after `high`.
    """
    for wanted in BREAKS:
        places = [match.end() for match in wanted.finditer(text, low, high)]
        if places:
            return places[-1]
    return high


HANGUL = "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff"
LATIN = "A-Za-z\u00aa-\u024f\u1e00-\u1eff"
APOSTROPHE = "['\u2019]"
JOINERS = "\u200c\u200d"
PLANES_WITH_MARKS = (range(0x20000), range(0xE0100, 0xE01F0))


def split_units(text: str) -> list[tuple[str, int, int]]:
    """Return the units of a text, each with start and end.

    Only whitespace lies between two units.

    A unit is given in composed form (NFC), so that canonically equivalent units are equal.
    """
    units = []
    for match in _build_unit_pattern().finditer(text):
        start, end = match.span()
        if match.lastgroup:
            units += [
                (_compose_unit(text[start + a : start + b]), start + a, start + b) for a, b in split_graphemes(match[0])
            ]
        else:
            units.append((_compose_unit(match[0]), start, end))
    return units


def _compose_unit(unit: str) -> str:
    return unit if unit.isascii() else unicodedata.normalize("NFC", unit)


@cache
def _build_unit_pattern() -> re.Pattern[str]:
    """Build the pattern of units once: collecting the combining marks takes milliseconds."""
    marks = _list_combining_marks() + JOINERS
    letter = rf"[^\W_{UNSPACED}{KATAKANA}{HANGUL}]"
    foreign = rf"[^\W\d_{LATIN}{UNSPACED}{KATAKANA}{HANGUL}]"
    return re.compile(
        rf"(?P<unspaced>[{UNSPACED}][{UNSPACED}{marks}]*)|[{KATAKANA}][{KATAKANA}{marks}]*|[{HANGUL}][{HANGUL}{marks}]*"
        rf"|{letter}(?:{letter}|[{marks}]|(?<={foreign}){APOSTROPHE}(?={foreign}))*|\S[{marks}]*",
    )


def _list_combining_marks() -> str:
    """Return all combining marks as text for a regular expression.

    The text is the inside of a character class.
    """
    codes = {code for plane in PLANES_WITH_MARKS for code in plane if unicodedata.category(chr(code))[0] == "M"}
    starts = sorted(code for code in codes if code - 1 not in codes)
    ends = sorted(code for code in codes if code + 1 not in codes)
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


class Span(NamedTuple):
    """A span of a text.

    Args:
        start: its first code point, from 0.
        end: the code point after its last.
        label: the kind of name; None for sentences, tokens, and names of unknown kind.
    """

    start: int
    end: int
    label: str | None = None


@runtime_checkable
class Provider(Protocol):
    """A finder of names, sentences or tokens in texts."""

    @property
    def name(self) -> str:
        """Its name as written by the user; signatures of runs hold it."""

    def annotate(self, texts: Sequence[str]) -> list[list[Span]]:
        """Return the spans of each text, in the order of the texts."""


@runtime_checkable
class Loadable(Protocol):
    """A provider that can load its model before the first text."""

    def load(self) -> None:
        """Load the model once."""


@runtime_checkable
class Versioned(Protocol):
    """A provider that knows the versions of its packages."""

    def versions(self) -> Mapping[str, str]:
        """Return versions by package; signatures of runs hold them."""


PACKAGES: Mapping[str, tuple[str, ...]] = {  # by kind of provider
    "gliner": ("gliner", "torch"),
    "icu": ("PyICU",),
    "pythainlp": ("pythainlp",),
    "sentencex": ("sentencex",),
    "spacy": ("spacy",),
    "stanza": ("stanza", "torch"),
    "transformers": ("transformers", "torch"),
}


def find_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of the packages that are installed.

    Args:
        packages: names of packages; a name that is not one, such as a path, is left out.
    """
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  few runs have providers

    versions = {}
    for name in packages:
        with suppress(PackageNotFoundError, ValueError):
            versions[name] = version(name)
    return versions


def merge_versions(providers: Iterable[Provider]) -> dict[str, str]:
    """Return the versions of the packages of all providers, by name."""
    found: dict[str, str] = {}
    for provider in providers:
        if isinstance(provider, Versioned):
            found |= provider.versions()
    return dict(sorted(found.items()))


def format_versions(versions: Mapping[str, str]) -> str:
    """Write versions for a signature: `sentencex=1.0.32,spacy=3.8.0`."""
    return ",".join(f"{name}={version}" for name, version in versions.items())


def get_sort_key(span: tuple[Any, ...]) -> tuple[int, int, str]:
    """Return start, end and label of a span, for sorting."""
    return span[0], span[1], span[2] or ""


def trim_span(text: str, start: int, end: int, label: str | None = None) -> list[Span]:
    """Return the span without whitespace at its ends.

    The list is empty if the span is whitespace alone.
    """
    piece = text[start:end]
    inner = piece.strip()
    if not inner:
        return []
    begin = start + len(piece) - len(piece.lstrip())
    return [Span(begin, begin + len(inner), label)]
