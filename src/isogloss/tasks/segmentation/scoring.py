"""Score word segmentation: read, compare the texts, count, and hand out a `Run`."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from isogloss import __version__
from isogloss.errors import UsageError
from isogloss.kernel.counting import Find
from isogloss.kernel.metric import Metric
from isogloss.kernel.signature import Signature
from isogloss.runs.evidence import Method
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.run import Run
from isogloss.tasks.counting import counted
from isogloss.tasks.document_columns import Known
from isogloss.tasks.reference_digest import with_words
from isogloss.tasks.scoring_options import By, Wanted, asked
from isogloss.tasks.segmentation.batches import SentencePairs, WordPairs
from isogloss.tasks.segmentation.inputs import Sides, cut, opened, word_list
from isogloss.tasks.segmentation.metric import WordSegmentation, errors
from isogloss.tasks.segmentation.pairing import ALIGNMENTS, ON_MISMATCH, Pairing
from isogloss.tasks.segmentation.profiles import PROFILES, Profile
from isogloss.tasks.segmentation.reading import Reading
from isogloss.tasks.segmentation.segmented import POLICIES


@dataclass(frozen=True)
class Definition:
    """What is scored and how.

    Args:
        profile: another tool whose definition is meant, None for the default one.
        vocabulary: the words of the training data, None where they are not known.
        on_mismatch: what becomes of samples whose texts differ.
        align: in which form texts are compared that differ as they are.
        whitespace: what whitespace means; None for `ignore`, or what the profile does.
        zero_division: the value of 0/0, None for undefined, or what the profile takes.

    Raises:
        UsageError: for what cannot be meant, or what the profile does not have.
    """

    profile: str | None = None
    vocabulary: frozenset[str] | None = None
    on_mismatch: str = "error"
    align: str = "none"
    whitespace: str | None = None
    zero_division: float | None = None

    def __post_init__(self) -> None:
        _one_of("on_mismatch", self.on_mismatch, ON_MISMATCH)
        _one_of("align", self.align, ALIGNMENTS)
        if self.whitespace is not None:
            _one_of("whitespace", self.whitespace, POLICIES)
        if self.zero_division not in (None, 0, 1):
            raise UsageError(f"zero_division is {self.zero_division}, but it is 0, 1 or left out.")
        if self.profile is not None:
            self._check_profile(PROFILES.load(self.profile))

    def tool(self) -> Profile | None:
        """The profile, None for the default."""
        return None if self.profile is None else PROFILES.load(self.profile)

    def metric(self) -> Metric[Any]:
        """What is counted and scored."""
        tool = self.tool()
        vocabulary = self.words()
        if tool is not None:
            return tool.metric(vocabulary)
        return WordSegmentation(vocabulary, math.nan if self.zero_division is None else float(self.zero_division))

    def words(self) -> frozenset[str] | None:
        """The vocabulary, written as words are compared."""
        if self.vocabulary is None or self.policy() == "keep":
            return self.vocabulary
        return frozenset("".join(word.split()) for word in self.vocabulary)

    def policy(self) -> str:
        """What whitespace means."""
        tool = self.tool()
        return self.whitespace or ("ignore" if tool is None else tool.whitespace)

    def reading(self) -> Reading:
        """How samples are read."""
        tool = self.tool()
        return Reading(whitespace=self.policy(), clean=None if tool is None else tool.clean)  # type: ignore[arg-type] # checked when built

    def pairing(self) -> Pairing:
        """How samples are paired."""
        tool = self.tool()
        drop = tool is not None and tool.drops_empty
        return Pairing(self.on_mismatch, self.align, drop_empty=drop)  # type: ignore[arg-type] # checked when built

    def ingredients(self) -> dict[str, Any]:
        """What `measure` needs to make the metric again."""
        known = self.vocabulary is not None
        return {"profile": self.profile, "zero_division": self.zero_division, "vocabulary": known}

    def choices(self) -> dict[str, str | int | float]:
        """What the signature says of them."""
        chosen: dict[str, str | int | float] = {} if self.profile is None else {"profile": self.profile}
        chosen |= {"whitespace": self.policy(), "on-mismatch": self.on_mismatch, "align": self.align}
        if self.profile is None:
            chosen["zero-division"] = "undefined" if self.zero_division is None else self.zero_division
        return chosen | ({} if self.vocabulary is None else {"vocabulary": len(self.vocabulary)})

    def _check_profile(self, profile: Profile) -> None:
        asked = {
            "whitespace": self.whitespace is not None,
            "zero_division": self.zero_division is not None,
            "vocabulary": self.vocabulary is not None and not profile.takes_vocabulary,
            "on_mismatch": self.on_mismatch != "error" and profile.batches == "sentences",
            "align": self.align != "none" and profile.batches == "sentences",
        }
        refused = [name for name, wanted in asked.items() if wanted]
        if refused:
            raise UsageError(f"The profile {profile.name} has its own way: {', '.join(refused)} cannot be set.")


def segmentation(  # noqa: PLR0913  the fixed public call: each option is independent
    reference: Any,
    prediction: Any,
    *,
    profile: str | None = None,
    vocabulary: Any = None,
    on_mismatch: str = "error",
    align: str = "none",
    whitespace: str | None = None,
    zero_division: float | None = None,
    by: By = (),
    confidence: float | None = None,
    resamples: int = 1000,
    unit: str = "document",
    interval: Method = "bootstrap",
    seed: int = 12345,
    findings: bool | int = False,
    context: int = 3,
    input_format: str | None = None,
    prediction_format: str | None = None,
) -> Run:
    """Score texts cut into words against a reference.

    Args:
        reference: a path, or a list of words for each sample.
        prediction: likewise; it may be in another format than the reference.
        profile: the tool whose figures are wanted: `thai-benchmark`, `pythainlp`, `conll18`, `sighan`, `spacy`.
        vocabulary: the words of the training data, as a path to a file with one a line, or as a collection of strings:
            adds the recall of words that are and are not in it.
        on_mismatch: what becomes of samples whose texts differ: `error`, `skip` them, or `zero` for a score of 0.
        align: in which form texts are compared that differ as they are: `none`, `nfc` or `thai`.
        whitespace: `ignore` it (the default), let it `separate` words, or `keep` it as text.
        zero_division: the value of 0/0: 0, 1, or None for undefined (nan).
        by: columns whose values are scored apart, too, such as `file`; or per column the value of each sample.
        confidence: level of the bootstrap intervals in (0, 1), None for no intervals.
        resamples: number of resamples.
        unit: `document`, or the column whose values are resampled as a whole.
        interval: how intervals are made: `bootstrap`, or `wilson` for scores that are plain proportions of independent
            units; the others have the bootstrap then, too.
        seed: seed of the resamples.
        findings: whether to keep every split, merge and shift with its context; a number keeps the first so many.
        context: words of context on each side of a finding.
        input_format: of both files, None to recognise each; see `docs/formats.md`.
        prediction_format: of the prediction, where it is another one.

    Returns:
        The run, with scores, warnings and signature.

    Raises:
        UsageError: options or arguments that cannot be meant.
        DataError: input that cannot be scored; it says where, what and what to do.

    Examples:
        >>> run = segmentation([["ab", "c"]], [["a", "b", "c"]])
        >>> run.scores["word"].recall
        0.5
    """
    definition = Definition(
        profile=profile,
        vocabulary=None if vocabulary is None else word_list(vocabulary),
        on_mismatch=on_mismatch,
        align=align,
        whitespace=whitespace,
        zero_division=zero_division,
    )
    wanted = asked(confidence, resamples, seed, findings, context, by=by, unit=unit, interval=interval)
    sides = opened(reference, prediction, input_format, prediction_format, attributes=wanted.attributes)
    return score(sides, definition, wanted)


def score(sides: Sides, definition: Definition, wanted: Wanted) -> Run:
    """Score one system.

    Raises:
        UsageError: for options that cannot be meant.
        DataError: for input that cannot be scored.
    """
    tool = definition.tool()
    samples = cut(sides, definition.reading(), definition.pairing(), sentences=_of_sentences(tool))
    metric = definition.metric()
    collected, evidence = counted(
        samples.batches,
        metric,
        _finder(wanted.context, tool),
        wanted,
        Recipe(f"{__name__}:measure", definition.ingredients()),
        Known(sides.columns, _texts, _words, number=sides.number),
    )
    return Run(
        task="segmentation",
        system=sides.system,
        signature=Signature("segmentation", __version__, definition.choices() | wanted.choices()),
        evidence=evidence,
        profile=definition.profile,
        findings=tuple(collected.findings),
        warnings=(*samples.notices, *collected.notices),
        inputs=sides.inputs(),
        listed=wanted.findings != 0,
        native={} if tool is None or tool.native is None else tool.native(evidence.numbers),
        every=evidence.every,
        documents_digest=with_words(collected.digest, sides.listed_reference),
        again=lambda: score(sides, definition, wanted.only_documents()),
    )


def measure(profile: str | None, zero_division: float | None, *, vocabulary: bool) -> Metric[Any]:
    """What is counted and scored, but for the words of a vocabulary: they are counted already.

    Args:
        profile: another tool whose definition is meant, None for the default one.
        zero_division: the value of 0/0, None for undefined.
        vocabulary: whether there is one.
    """
    words = ["word"] if vocabulary else None
    return Definition(profile, None if words is None else frozenset(words), zero_division=zero_division).metric()


def _words(batch: WordPairs | SentencePairs) -> list[int | None]:
    """(documents,) words of the reference."""
    pairs = batch.words if isinstance(batch, SentencePairs) else batch
    before = np.append(0, np.cumsum(pairs.reference))
    return [*np.diff(before[pairs.offsets]).tolist()]


def _texts(batch: WordPairs | SentencePairs) -> list[str | None]:
    """(documents,) the text of each as it was compared."""
    pairs = batch.words if isinstance(batch, SentencePairs) else batch
    text = pairs.text.astype("<u4").tobytes().decode("utf-32-le", "surrogatepass")
    return [text[a:b] for a, b in pairwise(pairs.offsets.tolist())]


def _of_sentences(tool: Profile | None) -> bool:
    return tool is not None and tool.batches == "sentences"


def _finder(context: int, tool: Profile | None) -> Find[Any]:
    if _of_sentences(tool):
        return lambda batch, limit: errors(batch.words, context, limit)
    return lambda batch, limit: errors(batch, context, limit)


def _one_of(name: str, value: str, choices: Iterable[str]) -> None:
    if value not in choices:
        raise UsageError(f"{name} is {value!r}, but it is one of: {', '.join(choices)}.")
