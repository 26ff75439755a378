"""Sentences that name an entity, with what a system made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Floats, Ints


class AcceptedTranslation(Protocol):
    """A translation that counts as right, and the entity's name in it."""

    @property
    def translation(self) -> str:
        """The whole sentence, empty where it is not known."""

    @property
    def mention(self) -> str:
        """The name as it stands in the translation."""


class ReferenceSentence(Protocol):
    """A sentence to translate that names an entity."""

    @property
    def id(self) -> str | int:
        """As the reference has it."""

    @property
    def entity(self) -> str | None:
        """The name of the entity in a knowledge base, such as its Wikidata item."""

    @property
    def entity_types(self) -> tuple[str, ...]:
        """Kinds of the entity, none or several."""

    @property
    def source(self) -> str:
        """The sentence in the source language, empty where it is not known."""

    @property
    def targets(self) -> Sequence[AcceptedTranslation]:
        """What counts as right, in the order of the reference."""


@dataclass(frozen=True, eq=False)
class TranslationBatch:
    """Sentences of one target language with what a system made of them.

    Args:
        documents: (documents,) number of each sentence.
        language: the target language, such as `it_IT`.
        tasks: (documents,) the sentences; each has at least one target.
        answers: (documents,) their translations; None where there is none.
        origin: where they come from; a passage is the translation.
        comet: (documents,) COMET scores between 0 and 100, nan where there is none; None where none were asked for.
        notices: what was done about the input on the way here.
    """

    documents: Ints
    language: str
    sentences: Sequence[ReferenceSentence]
    translations: Sequence[str | None]
    origin: Provenance
    comet: Floats | None = None
    warnings: tuple[RunWarning, ...] = field(default=())

    def __post_init__(self) -> None:
        if not len(self.documents) == len(self.sentences) == len(self.translations):
            raise ValueError(
                f"{len(self.sentences)} sentences and {len(self.translations)} translations do not belong together"
            )
