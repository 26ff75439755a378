"""What texts are looked at with: the sentences, tokens, names and languages that a user asks to be found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from isogloss import providers
from isogloss.annotate import Identifier
from isogloss.annotate import identifier as identifier_of
from isogloss.arguments import several
from isogloss.batches import Notice
from isogloss.exceptions import UsageError
from isogloss.providers import NameList, Provider, Settings

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
