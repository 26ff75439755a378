"""Hold sentences that name an entity, with the translations of a system."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from isogloss.kernel.provenance import Provenance, RunWarning
from isogloss.kernel.scores import Floats, Ints


class AcceptedTranslation(Protocol):
    """A reference translation, and the name of the entity in it."""

    @property
    def translation(self) -> str:
        """The whole sentence; empty if unknown."""

    @property
    def mention(self) -> str:
        """The name of the entity, spelled as in the translation."""


class ReferenceSentence(Protocol):
    """A sentence to translate that names an entity."""

    @property
    def id(self) -> str | int:
        """The id in the reference."""

    @property
    def entity(self) -> str | None:
        """The identifier of the entity in a knowledge base.

        Its Wikidata item is an example.
        """

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The types of the entity; possibly none or several."""

    @property
    def source(self) -> str:
        """The sentence in the source language; empty if unknown."""

    @property
    def targets(self) -> Sequence[AcceptedTranslation]:
        """The accepted translations, in the order of the reference."""


@dataclass(frozen=True, eq=False)
class TranslationBatch:
    """Sentences of one target language, with the translations of a system.

    Args:
        documents: (documents,) number of each sentence.
        language: the target language, such as `it_IT`.
        sentences: (documents,) the sentences; each has at least one target.
        translations: (documents,) their translations; None for no translation.
        provenance: where they come from; its text excerpt is the translation.
        comet: (documents,) COMET scores between 0 and 100, nan for no score; None if COMET is not scored.
        warnings: what was done about the input.
        read_texts: reads the sentences again, with their translations; None if these were read.
    """

    documents: Ints
    language: str
    sentences: Sequence[ReferenceSentence]
    translations: Sequence[str | None]
    provenance: Provenance
    comet: Floats | None = None
    warnings: tuple[RunWarning, ...] = field(default=())
    read_texts: Callable[[], Sequence[ReferenceSentence]] | None = None

    def __post_init__(self) -> None:
        if not len(self.documents) == len(self.sentences) == len(self.translations):
            raise ValueError(
                f"there must be one sentence and one translation per document, got {len(self.sentences)} sentences and "
                f"{len(self.translations)} translations for {len(self.documents)} documents"
            )
