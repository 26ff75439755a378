"""The options of entity-aware translation, and its profile. Imports nothing heavy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry
from isogloss.tasks.options import LOCAL, NOT_ON_COMMAND_LINE, Option, check_choices, make_profile_option

if TYPE_CHECKING:
    from isogloss.tasks.entity_translation.quality import QualityStatistics

PROFILES = Registry(
    kind="profile",
    group="isogloss.entity_translation_profiles",
    builtin={"ea-mt": "isogloss.tasks.entity_translation.options:EA_MT"},
)
Normalisation = Literal["none", "nfc", "nfkc", "nfkc-quotes", "no-space", "letters"]
Scale = Literal["0-1", "0-100"]


@dataclass(frozen=True)
class Rules:
    """How rows are read; a profile has its own rules.

    Args:
        types: entity types that are scored, None for all.
        prefix_ids: whether to cut ids of predictions to the form `Q1_0`.
        empty_mentions: whether an empty name counts as a name; every translation contains it.
        missing_comet: COMET score of a sentence without one; nan to leave the sentence out.
        zero_for_missing: whether a language without predictions scores 0; if not, it is an error.
    """

    types: frozenset[str] | None = None
    prefix_ids: bool = False
    empty_mentions: bool = False
    missing_comet: float = math.nan
    zero_for_missing: bool = False


# The scorer of SemEval-2025 Task 2 (SapienzaNLP/ea-mt-eval, `notebooks/entity_eval.ipynb` and `comet_eval.ipynb`).
# `metric` lists how it differs from the default. Two exceptions: a null prediction counts as wrong, but crashes that
# scorer; malformed ids and repeated ids of the reference are errors with their place, there without it.
EA_MT = Rules(
    types=frozenset(
        (
            "Animal",
            "Artwork",
            "Book",
            "Book series",
            "Fictional entity",
            "Food",
            "Landmark",
            "Movie",
            "Musical work",
            "Natural place",
            "Person",
            "Place of worship",
            "Plant",
            "TV series",
        ),
    ),
    prefix_ids=True,
    empty_mentions=True,
    missing_comet=0.0,
    zero_for_missing=True,
)


def parse_types(given: Sequence[str]) -> tuple[str, ...]:
    """Parse entity types or languages from the command line.

    Each item is one of them, or several with commas.
    """
    return tuple(name.strip() for each in given for name in each.split(","))


def _convert_types(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise UsageError(f"{name} must be a list, got {value!r}: write [{value!r}].")
    return tuple(value)


@dataclass(frozen=True, kw_only=True)
class EntityTranslationOptions:
    """Options of entity-aware translation.

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
            convert=_convert_types,
            body_type=list[str],
        ),
    ] = None
    languages: Annotated[
        tuple[str, ...] | None,
        Option(
            "Score only these languages, by the names of their files.",
            metavar="LANG[,LANG]",
            repeats=True,
            parse=parse_types,
            convert=_convert_types,
            surfaces=LOCAL,
        ),
    ] = None
    normalize: Annotated[
        Normalisation,
        Option("Normalisation of names; case is always ignored.", choices=get_args(Normalisation)),
    ] = "none"
    chrf: Annotated[bool, Option("Also compute chrF, with sacrebleu.")] = False
    bleu: Annotated[bool, Option("Also compute BLEU, with sacrebleu.")] = False
    tokenizer: Annotated[
        str | None,
        Option("Tokenizer of BLEU, by its name in sacrebleu.", default_text="by language: zh, char or 13a"),
    ] = None
    comet: Annotated[
        tuple[str, ...],
        Option(
            "File of COMET scores, or a folder with one per language; once per system, in order.",
            metavar="FILE",
            repeats=True,
            parse=tuple,
            convert=lambda _, value: (str(value),),
            reads_file=True,
            surfaces=LOCAL,
            group="Input",
        ),
    ] = ()
    comet_scale: Annotated[
        Scale | None,
        Option("Scale of the COMET scores.", choices=get_args(Scale), surfaces=LOCAL, group="Input"),
    ] = None
    explain: Annotated[bool, Option("Report near misses, boundaries, consistency; with -f json each sentence.")] = False
    hits: Annotated[
        bool,
        Option("Explain, and include correct translations in the findings.", surfaces=NOT_ON_COMMAND_LINE),
    ] = False

    def __post_init__(self) -> None:
        check_choices(self)
        if self.profile is not None and self.normalize != "none":
            raise UsageError(f"normalize cannot be combined with the profile {self.profile}, which fixes it to 'none'.")
        if self.tokenizer is not None and not self.bleu:
            raise UsageError("tokenizer has no effect without bleu: add --bleu (bleu=True).")

    @property
    def rules(self) -> Rules:
        """The rules of the profile, with the given entity types.

        Raises:
            UsageError: if the profile is unknown.
        """
        rules: Rules = Rules() if self.profile is None else PROFILES.load(self.profile)
        return rules if self.types is None else replace(rules, types=frozenset(self.types))

    @property
    def statistics(self) -> tuple[QualityStatistics, ...]:
        """The statistics of chrF and BLEU, if these are set."""
        from isogloss.tasks.entity_translation.quality import QualityStatistics

        return (
            *((QualityStatistics("chrf"),) if self.chrf else ()),
            *((QualityStatistics("bleu", self.tokenizer),) if self.bleu else ()),
        )
