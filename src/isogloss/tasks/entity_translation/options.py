"""The options of entity-aware translation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry, load_object
from isogloss.tasks.options import LOCAL, Option, Surface, check_choices, make_profile_option

if TYPE_CHECKING:
    from isogloss.tasks.entity_translation.profiles import TranslationProfile
    from isogloss.tasks.entity_translation.quality import QualityStatistics

PLACE = "isogloss.tasks.entity_translation.profiles"
PROFILES = Registry(kind="profile", group="isogloss.entity_translation_profiles", builtin={"ea-mt": f"{PLACE}:EA_MT"})
NOT_ON_COMMAND_LINE: frozenset[Surface] = frozenset(("python", "service"))
Normalisation = Literal["none", "nfc", "nfkc", "nfkc-quotes", "no-space", "letters"]
Scale = Literal["0-1", "0-100"]


@dataclass(frozen=True)
class Rules:
    """How rows are read.

    Args:
        types: only sentences with one of these entity types, None for all.
        prefix_ids: whether ids of predictions are cut to `Q1_0`.
        empty_mentions: whether an empty name counts as one; it is in every translation.
        missing_comet: the score of a sentence that has none, nan to leave it out.
    """

    types: frozenset[str] | None = None
    prefix_ids: bool = False
    empty_mentions: bool = False
    missing_comet: float = math.nan


def parse_types(given: Sequence[str]) -> tuple[str, ...]:
    """Read entity types, separated by commas or given one by one."""
    return tuple(name.strip() for each in given for name in each.split(","))


def _types(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise UsageError(f"{name} must be a list of types, got {value!r}: write [{value!r}].")
    return tuple(value)


@dataclass(frozen=True, kw_only=True)
class EntityTranslationOptions:
    """What is scored and how.

    Raises:
        UsageError: if a value is not allowed, or the profile does not support it.
    """

    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    types: Annotated[
        tuple[str, ...] | None,
        Option(
            "Score only sentences with one of these entity types.",
            metavar="TYPE[,TYPE]",
            repeats=True,
            parse=parse_types,
            convert=_types,
            body_type=list[str],
        ),
    ] = None
    normalize: Annotated[
        Normalisation,
        Option("Form in which names are compared, ignoring case.", choices=get_args(Normalisation)),
    ] = "none"
    chrf: Annotated[bool, Option("Also compute chrF, with sacrebleu.")] = False
    bleu: Annotated[bool, Option("Also compute BLEU, with sacrebleu.")] = False
    tokenizer: Annotated[
        str | None,
        Option("Tokenizer of BLEU, as sacrebleu names it.", default_text="by language: zh, char or 13a"),
    ] = None
    comet: Annotated[
        tuple[str, ...],
        Option(
            "COMET scores of a system, or a folder of them by language; once per system, in their order.",
            metavar="FILE",
            repeats=True,
            parse=tuple,
            convert=lambda _, value: (str(value),),
            reads_file=True,
            surfaces=LOCAL,
        ),
    ] = ()
    comet_scale: Annotated[
        Scale | None,
        Option("Scale of the COMET scores.", choices=get_args(Scale), surfaces=LOCAL),
    ] = None
    explain: Annotated[bool, Option("Also near misses, boundaries and consistency; with -f json each sentence.")] = (
        False
    )
    hits: Annotated[
        bool,
        Option("Also explain, and list correct translations among the findings.", surfaces=NOT_ON_COMMAND_LINE),
    ] = False

    def __post_init__(self) -> None:
        check_choices(self)
        if self.profile is not None and self.normalize != "none":
            raise UsageError(f"normalize cannot be combined with the profile {self.profile}, which fixes it to 'none'.")
        if self.tokenizer is not None and not self.bleu:
            raise UsageError("tokenizer has no effect without bleu: add --bleu (bleu=True).")

    @property
    def rules(self) -> TranslationProfile:
        """What the profile says.

        Raises:
            UsageError: there is none of this name.
        """
        profile: TranslationProfile = (
            load_object(f"{PLACE}:DEFAULT_PROFILE") if self.profile is None else PROFILES.load(self.profile)
        )
        return profile

    @property
    def reading(self) -> Rules:
        """How rows are read."""
        rules = self.rules
        return Rules(self.kept_types, rules.prefix_ids, rules.empty_mentions, rules.missing_comet)

    @property
    def kept_types(self) -> frozenset[str] | None:
        """The entity types that are scored, None for all."""
        return self.rules.types if self.types is None else frozenset(self.types)

    @property
    def statistics(self) -> tuple[QualityStatistics, ...]:
        """ChrF and BLEU, where asked for."""
        from isogloss.tasks.entity_translation.quality import QualityStatistics

        return (
            *((QualityStatistics("chrf"),) if self.chrf else ()),
            *((QualityStatistics("bleu", self.tokenizer),) if self.bleu else ()),
        )
