"""What is counted and how tags are read, said once for batches that nobody sees together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from isogloss.arguments import one_of
from isogloss.batches import Notice
from isogloss.evaluate.ner import Definition
from isogloss.evaluate.pairs import Decode
from isogloss.evaluate.reading import UNCHECKED
from isogloss.exceptions import UsageError
from isogloss.metrics.ner.profiles import PROFILES, Profile
from isogloss.tagging import AUTO, SCHEMES, Decision, Decoder, Notation

Kind = Literal["tags", "spans"]


@dataclass(frozen=True)
class Terms:
    """The terms on which batches are counted.

    Args:
        definition: what is scored and how; its scheme is `auto` where none was named.
        notation: how tags are written, where no profile says it.

    Raises:
        UsageError: they leave something to be told from a whole corpus, or nothing reads them.
    """

    definition: Definition
    notation: Notation = "prefix"

    def __post_init__(self) -> None:
        one_of("notation", self.notation, get_args(Notation))
        if self.notation != "prefix" and (self.profile is not None or self.scheme is None):
            raise UsageError(f"notation is {self.notation!r}, which goes with a scheme and without a profile.")
        if self.profile is not None and self.profile.scores == "reference" and self.definition.labels is None:
            raise UsageError(
                f"The profile {self.profile.name} scores the labels of the whole reference, which no batch has: "
                "name them, labels=['PER', ...]."
            )
        if self.reads_tags:
            self.decoder()

    @property
    def scheme(self) -> str | None:
        """The tag scheme, None where none was named."""
        return None if self.definition.scheme == AUTO else self.definition.scheme

    @property
    def profile(self) -> Profile | None:
        """The tool whose definition is meant."""
        found: Profile | None = None if self.definition.profile is None else PROFILES.load(self.definition.profile)
        return found

    @property
    def reads_tags(self) -> bool:
        """Whether they say how tags are read."""
        return self.scheme is not None or (self.profile is not None and not self.profile.schemes)

    def decoder(self) -> Decode:
        """How tags become spans.

        Raises:
            UsageError: they do not say, or the profile does not offer it.
        """
        if not self.reads_tags:
            raise UsageError(
                "Tags are counted batch by batch, so their scheme cannot be told from all of them: "
                "name it, such as scheme='iob2'."
            )
        if self.profile is not None:
            return self.profile.decoder(self.scheme, self.definition.repair)
        scheme = SCHEMES[self.definition.scheme]
        return Decoder(Decision(scheme, scheme, self.notation), self.definition.repair or "begin")

    def choices(self, kind: Kind | None) -> dict[str, str | int | float]:
        """What a signature says of them.

        Args:
            kind: what was counted, None for nothing yet but empty documents.
        """
        chosen: dict[str, str | int | float] = {}
        if self.reads_tags and kind != "spans":
            default = "begin" if self.profile is None else next(iter(self.profile.repairs), None)
            named = {"scheme": self.scheme, "repair": self.definition.repair or default}
            chosen |= {name: value for name, value in named.items() if value is not None}
        return chosen | self.definition.choices()

    def notices(self, kind: Kind | None) -> tuple[Notice, ...]:
        """What is to be said of all tags, whatever they are.

        Args:
            kind: what was counted, None for nothing yet but empty documents.
        """
        if kind == "spans" or self.profile is None or self.profile.schemes:
            return ()
        return (Notice(UNCHECKED, f"Tags are read as {self.profile.name} reads them; none is checked or counted."),)
