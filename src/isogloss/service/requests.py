"""The bodies of requests: the arguments of the Python calls, as far as they hold data and no paths.

Types are all that is checked here, and they bound how deep a body can be nested; values are checked where they are
used. What a request leaves out has the default of the call. A string where Python takes a path fits no type below, so
no path of a client is ever opened. Nothing here is compiled as a pattern.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

MOST_RESAMPLES = 10_000
MOST_CONTEXT = 100
Number = int | float
Beta = Annotated[Number, Meta(description="Weight of recall in the F-measure.")]
Labels = Annotated[list[str], Meta(description="Score only these labels.", min_length=1)]
ZeroDivision = Annotated[int | None, Meta(description="The value of 0/0: 0, 1, or null for undefined.")]
ProfileName = Annotated[str | None, Meta(description="The tool whose figures are wanted; see `GET /v1/profiles`.")]
Confidence = Annotated[Number | None, Meta(description="Level of the intervals, such as 0.95.")]
Interval = Annotated[
    Literal["bootstrap", "wilson"],
    Meta(description="How intervals are made; `wilson` where a score is a plain proportion of independent units."),
]
Resamples = Annotated[int, Meta(description="Number of resamples.", ge=1, le=MOST_RESAMPLES)]
Seed = Annotated[int, Meta(description="Seed of the resamples.", ge=0)]
Slices = Annotated[
    dict[str, list[str | Number | bool | None]],
    Meta(description="Per column the value of each document: the documents with each value are scored apart, too."),
]
Unit = Annotated[str, Meta(description="`document`, or the column of `by` whose values are resampled as a whole.")]
Context = Annotated[int, Meta(description="Words of context on each side of a finding.", ge=0, le=MOST_CONTEXT)]
MacroOver = Annotated[Literal["union", "reference"], Meta(description="Labels that enter a mean.")]


class Body(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """What all requests have."""

    profile: ProfileName | UnsetType = UNSET
    by: Slices | UnsetType = UNSET
    unit: Unit | UnsetType = UNSET
    confidence: Confidence | UnsetType = UNSET
    interval: Interval | UnsetType = UNSET
    resamples: Resamples | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        """The arguments that the request has."""
        values = ((name, getattr(self, name)) for name in self.__struct_fields__)
        return {name: value for name, value in values if value is not UNSET}

    @property
    def documents(self) -> int:
        """How many documents it asks to score."""
        first = getattr(self, self.__struct_fields__[0])
        return sum(map(len, first.values())) if isinstance(first, dict) else len(first)


class Span(msgspec.Struct, gc=False):
    """A span as an object; `[start, end, label]` means the same."""

    start: int
    end: int
    label: str


Document = list[str | tuple[int, int, str] | Span]


class NerRequest(Body):
    """Predicted named entities against a reference: a list of tags, or of half-open spans, for each document."""

    reference: Annotated[list[Document], Meta(description="Per document its tags, or its spans.")]
    prediction: Annotated[list[Document], Meta(description="Likewise, as many documents.")]
    scheme: Annotated[str, Meta(description="Tag scheme, or `auto`.")] | UnsetType = UNSET
    repair: Annotated[str | None, Meta(description="Of tags that do not fit: begin, discard, error.")] | UnsetType = (
        UNSET
    )
    labels: Labels | UnsetType | None = UNSET
    zero_division: ZeroDivision | UnsetType = UNSET
    beta: Beta | UnsetType = UNSET
    macro_over: MacroOver | UnsetType = UNSET
    context: Context | UnsetType = UNSET


class SegmentationRequest(Body):
    """Texts cut into words against a reference: a list of words for each text."""

    reference: Annotated[list[list[str]], Meta(description="The words of each text.")]
    prediction: Annotated[list[list[str]], Meta(description="Likewise, as many texts.")]
    vocabulary: Annotated[list[str], Meta(description="Words of the training data.")] | UnsetType | None = UNSET
    on_mismatch: Annotated[str, Meta(description="Of texts that differ: error, skip, zero.")] | UnsetType = UNSET
    align: Annotated[str, Meta(description="Form in which texts are compared: none, nfc, thai.")] | UnsetType = UNSET
    whitespace: Annotated[str | None, Meta(description="ignore, separate or keep.")] | UnsetType = UNSET
    zero_division: ZeroDivision | UnsetType = UNSET
    context: Context | UnsetType = UNSET


class Target(msgspec.Struct, gc=False):
    """An accepted translation, and the name in it."""

    mention: str
    translation: str = ""


class TranslationReference(msgspec.Struct, gc=False):
    """A sentence to translate that names an entity."""

    id: str | int
    targets: list[Target]
    entity_types: list[str] = []
    wikidata_id: str | None = None
    source: str = ""
    target_locale: str | None = None


class Translation(msgspec.Struct, gc=False):
    """What a system made of a sentence; null is no translation."""

    id: str | int
    prediction: str | None


Translations = list[str | Translation | None]


class EntityTranslationRequest(Body):
    """Names in translations (m-ETA): rows, or rows by language."""

    references: Annotated[
        list[TranslationReference] | dict[str, list[TranslationReference]],
        Meta(description="Sentences with the names that count as right; or such lists by language."),
    ]
    predictions: Annotated[
        Translations | dict[str, str | Translations | None],
        Meta(description="Rows with id and prediction, texts in the order of the references, or texts by id."),
    ]
    types: Annotated[list[str], Meta(description="Score only these entity types.", min_length=1)] | UnsetType | None = (
        UNSET
    )
    normalize: Annotated[str, Meta(description="The form in which names are compared.")] | UnsetType = UNSET
    chrf: Annotated[bool, Meta(description="Also compute chrF.")] | UnsetType = UNSET
    bleu: Annotated[bool, Meta(description="Also compute BLEU.")] | UnsetType = UNSET
    tokenizer: Annotated[str | None, Meta(description="Of BLEU, as sacrebleu names it.")] | UnsetType = UNSET
    explain: Annotated[bool, Meta(description="Tell near misses apart.")] | UnsetType = UNSET
    hits: Annotated[bool, Meta(description="Likewise, with right translations among the findings.")] | UnsetType = UNSET
    context: Context | UnsetType = UNSET


class ClassificationRequest(Body):
    """Text classification: labels, or scores of labels, against gold."""

    gold: Annotated[
        list[str | list[str | Number] | dict[str, Number | bool | None]],
        Meta(description="Per document its label, a list of its labels, or 0, 1 or null for each label."),
    ]
    scores: Annotated[
        list[str | list[str | Number] | dict[str, Number]],
        Meta(description="Per document numbers by label, its label, or a list of its labels; or rows of numbers."),
    ]
    labels: Annotated[list[str], Meta(description="What the columns of rows of numbers are.")] | UnsetType | None = (
        UNSET
    )
    threshold: (
        Annotated[Number | dict[str, Number], Meta(description="Of labels, where several may be given.")] | UnsetType
    ) = UNSET
    multi_label: Annotated[bool | None, Meta(description="Whether a document may have several.")] | UnsetType = UNSET
    zero_division: ZeroDivision | UnsetType = UNSET
    beta: Beta | UnsetType = UNSET
    macro_over: MacroOver | UnsetType = UNSET
    best_threshold: Annotated[bool, Meta(description="Also find the best threshold.")] | UnsetType = UNSET
    positive_label: Annotated[str | None, Meta(description="Of the profile spacy.")] | UnsetType = UNSET


Pair = tuple[int, int]


class AnnotatedText(msgspec.Struct, gc=False, omit_defaults=True, forbid_unknown_fields=True):
    """A text with its sentences, tokens and names, so far as they are known: half-open spans of code points."""

    text: str
    id: str | int | None = None
    sentences: list[Pair] | None = None
    tokens: list[Pair | str] | None = None
    entities: list[list[int | str]] | None = None
    prompt: str | None = None


class CodeSwitchingRequest(Body):
    """Words in letters that the language does not have, with names and the like excused."""

    texts: Annotated[
        list[str | AnnotatedText], Meta(description="Texts, or objects with sentences, tokens and entities.")
    ]
    language: Annotated[str, Meta(description="Of the texts; that of the service by default.")] | UnsetType = UNSET
    recognisers: (
        Annotated[list[str], Meta(description="Which of the service's recognisers to use; see `GET /v1/profiles`.")]
        | UnsetType
    ) = UNSET
    level: Annotated[str, Meta(description="main, main+auxiliary or script.")] | UnsetType = UNSET
    alphabet: Annotated[str | None, Meta(description="The letters of the language.")] | UnsetType = UNSET
    names: Annotated[list[str], Meta(description="Names to excuse, as they are written.")] | UnsetType = UNSET
    excuses: (
        Annotated[list[str], Meta(description="Rules that excuse, such as url and quotation; all by default.")]
        | UnsetType
        | None
    ) = UNSET
    neutral: (
        Annotated[bool, Meta(description="Whether tokens without letters are counted among the words.")] | UnsetType
    ) = UNSET
    prompt_field: (
        Annotated[Literal["prompt"], Meta(description="Also excuse names that stand in the prompts.")] | UnsetType
    ) = UNSET
    context: Context | UnsetType = UNSET

    def given(self) -> dict[str, Any]:
        """The arguments that the request has; texts with annotations as Python has them."""
        return super().given() | {"texts": msgspec.to_builtins(self.texts)}


class CalculateRequest(msgspec.Struct):
    """Texts, as clients of PNaCoS send them; other members are ignored."""

    texts: list[str]

    @property
    def documents(self) -> int:
        """How many texts it has."""
        return len(self.texts)


TEXTS = ("Зранку я п'ю coffee.", "Книжку видали у Львові.", "Погода today чудова.")  # noqa: RUF001  Ukrainian


@dataclass(frozen=True)
class Task:
    """A task.

    Args:
        name: as in the path and on the command line.
        call: name of the Python call.
        body: the type of its bodies.
        example: a body.
        profiles: where its profiles are registered, `module:attribute`.
    """

    name: str
    call: str
    body: type[Body]
    example: Mapping[str, Any]
    profiles: str

    @property
    def arguments(self) -> frozenset[str]:
        """Names of the members of a body."""
        return frozenset(self.body.__struct_fields__)


_ALL = (
    Task(
        "ner",
        "ner",
        NerRequest,
        {"reference": [["B-PER", "I-PER", "O"]], "prediction": [["B-PER", "O", "O"]]},
        "isogloss.tasks.ner.profiles:PROFILES",
    ),
    Task(
        "segmentation",
        "segmentation",
        SegmentationRequest,
        {"reference": [["ab", "c"]], "prediction": [["a", "b", "c"]]},
        "isogloss.tasks.segmentation.profiles:PROFILES",
    ),
    Task(
        "entity-translation",
        "entity_translation",
        EntityTranslationRequest,
        {
            "references": [{"id": "Q1_0", "targets": [{"mention": "Duna"}]}],
            "predictions": [{"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}],
        },
        "isogloss.tasks.entity_translation.profiles:PROFILES",
    ),
    Task(
        "code-switching",
        "code_switching",
        CodeSwitchingRequest,
        {"texts": [*TEXTS], "language": "uk"},
        "isogloss.tasks.code_switching.profiles:PROFILES",
    ),
    Task(
        "classification",
        "classification",
        ClassificationRequest,
        {"gold": ["toxic", "fine"], "scores": [{"toxic": 0.9, "fine": 0.1}, {"toxic": 0.6, "fine": 0.4}]},
        "isogloss.tasks.classification.profiles:PROFILES",
    ),
)
TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in _ALL})
