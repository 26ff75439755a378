"""Provider specs of the command line: `KIND:ARGUMENT?key=value&key=value`.

    spacy:uk_core_news_sm?labels=PER,LOC
    transformers:./model?labels=PER,ORG&stride=32
    python:module:function

The argument ends at the first question mark; each kind defines its meaning. In the value of an option, write `%26` for
`&`, `%2C` for a comma within a label, and `%25` for `%`. An unknown option is an error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TypeVar
from urllib.parse import unquote

from isogloss.errors import UsageError
from isogloss.providers.models import Provider

DEFAULT_BATCH_SIZE = 32  # texts to pass to a model at once

Number = TypeVar("Number", int, float)


@dataclass(frozen=True)
class ProviderSettings:
    """Settings that all providers of a run share.

    Args:
        language: the language of the texts, such as `uk` or `zh_TW`.
        download: whether a model that is not on this machine may be downloaded.
        batch_size: number of texts to pass to a model at once, at least 1.
        jobs: number of processes, for providers that can use several, at least 1.
    """

    language: str
    download: bool = False
    batch_size: int = DEFAULT_BATCH_SIZE
    jobs: int = 1

    def __post_init__(self) -> None:
        for name in ("batch_size", "jobs"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}")

    @property
    def base_language(self) -> str:
        """The language without region and script: `zh` for `zh_TW`."""
        return self.language.replace("_", "-").partition("-")[0].lower()


@dataclass(frozen=True)
class ProviderSpec:
    """A parsed spec.

    Args:
        text: the spec as the user wrote it.
        kind: the part before the first colon.
        argument: the part between the first colon and the first question mark; may be empty.
        options: key to value, as written.
    """

    text: str
    kind: str
    argument: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    def require_argument(self, what: str) -> str:
        """Return the argument, which this kind requires.

        Args:
            what: a name for the argument, for the error.

        Raises:
            UsageError: if it is empty.
        """
        if not self.argument:
            raise UsageError(f"In {self.text!r}: {self.kind} needs {what} after a colon, as in {self.kind}:{what}")
        return self.argument

    def refuse_argument(self) -> None:
        """Refuse an argument, for a kind that has none.

        Raises:
            UsageError: if there is one.
        """
        if self.argument:
            raise UsageError(f"In {self.text!r}: {self.kind} takes nothing after a colon. Write {self.kind}.")

    def check_options(self, *names: str) -> None:
        """Refuse options other than these.

        Args:
            *names: the options that the kind supports.

        Raises:
            UsageError: if there is another one; it suggests the closest.
        """
        for name in self.options:
            if name not in names:
                close = get_close_matches(name, names, n=1) or names
                known = f"Is it one of: {', '.join(close)}?" if names else "It has no options."
                raise UsageError(f"In {self.text!r}: {self.kind} has no option {name!r}. {known}")

    def parse_labels(self) -> tuple[str, ...] | None:
        """Return the labels of the option `labels=PER,LOC`; None without the option.

        Raises:
            UsageError: if a label is empty.
        """
        if "labels" not in self.options:
            return None
        labels = tuple(unquote(label).strip() for label in self.options["labels"].split(","))
        if not all(labels):
            raise UsageError(f"In {self.text!r}: labels={self.options['labels']} has an empty label")
        return labels

    def parse_integer(self, name: str, default: int | None = None, *, minimum: int = 1) -> int | None:
        """Return the whole number of an option, at least `minimum`.

        If the option is not given, return the default.
        """
        if name not in self.options:
            return default
        return self._parse_number(name, int, minimum, None, f"a whole number from {minimum}")

    def parse_share(self, name: str, default: float) -> float:
        """Return the number from 0 to 1 of an option.

        If the option is not given, return the default.
        """
        return self._parse_number(name, float, 0.0, 1.0, "a number from 0 to 1") if name in self.options else default

    def _parse_number(
        self, name: str, kind: Callable[[str], Number], low: Number, high: Number | None, description: str
    ) -> Number:
        try:
            value = kind(self.options[name])
            if low <= value <= (value if high is None else high):
                return value
        except ValueError:
            pass
        raise UsageError(f"In {self.text!r}: {name}={self.options[name]} is not {description}")


ProviderFactory = Callable[[ProviderSpec, ProviderSettings], Provider]
"""The factory of a kind of provider, which an entry point names."""


def parse_spec(text: str) -> ProviderSpec:
    """Parse a spec.

    Args:
        text: the spec as the user wrote it.

    Raises:
        UsageError: if it has no kind, or an option has no value or occurs twice.
    """
    head, _, tail = text.partition("?")
    kind, _, argument = head.partition(":")
    if not kind.strip():
        raise UsageError(
            f"In {text!r}: it names no kind of provider. Write KIND or KIND:ARGUMENT, as in python:module:function."
        )
    options: dict[str, str] = {}
    for part in filter(None, tail.split("&")):
        name, equals, value = part.partition("=")
        if not equals or not value:
            raise UsageError(f"In {text!r}: {part!r} has no value; write {name or 'key'}=value")
        if name in options:
            raise UsageError(f"In {text!r}: {name} is given twice")
        options[name] = value
    return ProviderSpec(text, kind.strip(), argument, options)
