"""Options of word segmentation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry, lazy, load_object
from isogloss.tasks.options import (
    ZERO_DIVISION,
    Option,
    check_choices,
    check_zero_division,
    make_format_option,
    make_prediction_format_option,
    make_profile_option,
)

if TYPE_CHECKING:
    from isogloss.kernel.metric import Metric
    from isogloss.tasks.segmentation.profiles import SegmentationProfile

PLACE = "isogloss.tasks.segmentation.profiles"
PROFILES = Registry(
    kind="profile",
    group="isogloss.segmentation_profiles",
    builtin={
        "conll18": f"{PLACE}.conll18:PROFILE",
        "pythainlp": f"{PLACE}.thai_benchmarks:PYTHAINLP",
        "sighan": f"{PLACE}.sighan:PROFILE",
        "spacy": f"{PLACE}.spacy:PROFILE",
        "thai-benchmark": f"{PLACE}.thai_benchmarks:THAI_BENCHMARK",
    },
)
FORMATS = ("conllu", "jsonl", "lst20", "columns", "best", "vistec", "pipe", "spaces", "raw")
OnMismatch = Literal["error", "skip", "zero"]
Align = Literal["none", "nfc", "thai"]
Whitespace = Literal["ignore", "separate", "keep"]


@dataclass(frozen=True, kw_only=True)
class SegmentationOptions:
    """Options of the definition of scores, and of reading files.

    Raises:
        UsageError: if a value is not allowed, or the profile does not support an option.
    """

    profile: Annotated[str | None, make_profile_option(PROFILES)] = None
    vocabulary: Annotated[
        frozenset[str] | None,
        Option(
            "Words of the training data, one per line: adds oov and iv.",
            metavar="FILE",
            parse=lazy("isogloss.tasks.segmentation.inputs:load_vocabulary"),
            convert=lambda _, value: load_object("isogloss.tasks.segmentation.inputs:load_vocabulary")(value),
            reads_file=True,
            body_type=list[str],
        ),
    ] = None
    on_mismatch: Annotated[
        OnMismatch,
        Option("How samples whose texts differ are handled.", choices=get_args(OnMismatch)),
    ] = "error"
    align: Annotated[
        Align,
        Option("Form in which differing texts are compared.", choices=get_args(Align)),
    ] = "none"
    whitespace: Annotated[
        Whitespace | None,
        Option("How whitespace is handled.", choices=get_args(Whitespace), default_text="ignore"),
    ] = None
    zero_division: Annotated[float | None, ZERO_DIVISION] = None
    input_format: Annotated[str | None, make_format_option(FORMATS)] = None
    prediction_format: Annotated[str | None, make_prediction_format_option(FORMATS)] = None

    def __post_init__(self) -> None:
        check_choices(self)
        check_zero_division(self.zero_division)
        if self.profile is not None:
            self._check_profile(PROFILES.load(self.profile))

    def load_profile(self) -> SegmentationProfile | None:
        """Return the profile, None for the default definition."""
        return None if self.profile is None else PROFILES.load(self.profile)

    def choose_whitespace(self) -> Whitespace:
        """Return how whitespace is handled."""
        tool = self.load_profile()
        return self.whitespace or ("ignore" if tool is None else tool.whitespace)

    def make_metric(self) -> Metric[Any]:
        """Build the metric; its vocabulary has whitespace only if whitespace is kept."""
        from isogloss.tasks.segmentation.metric import WordSegmentation

        vocabulary = self.vocabulary
        if vocabulary is not None and self.choose_whitespace() != "keep":
            vocabulary = frozenset("".join(word.split()) for word in vocabulary)
        tool = self.load_profile()
        if tool is not None:
            return tool.make_metric(vocabulary)
        return WordSegmentation(vocabulary, math.nan if self.zero_division is None else float(self.zero_division))

    def to_metric_arguments(self) -> dict[str, Any]:
        """Return the arguments with which `make_metric` builds the metric again."""
        known = self.vocabulary is not None
        return {"profile": self.profile, "zero_division": self.zero_division, "vocabulary": known}

    def list_choices(self) -> dict[str, str | int | float]:
        """Return the choices for the signature."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        chosen |= {"whitespace": self.choose_whitespace(), "on-mismatch": self.on_mismatch, "align": self.align}
        if self.profile is None:
            chosen["zero-division"] = "undefined" if self.zero_division is None else self.zero_division
        return chosen | ({} if self.vocabulary is None else {"vocabulary": len(self.vocabulary)})

    def _check_profile(self, profile: SegmentationProfile) -> None:
        unsupported = {
            "whitespace": self.whitespace is not None,
            "zero_division": self.zero_division is not None,
            "vocabulary": self.vocabulary is not None and not profile.can_use_vocabulary,
            "on_mismatch": self.on_mismatch != "error" and profile.batches == "sentences",
            "align": self.align != "none" and profile.batches == "sentences",
        }
        refused = [name for name, is_set in unsupported.items() if is_set]
        if refused:
            raise UsageError(f"{', '.join(refused)} cannot be combined with the profile {profile.name}.")
