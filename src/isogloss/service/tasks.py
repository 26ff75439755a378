"""The five tasks as the service offers them: a body's type, the Python call that it is handed to, and an example."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from isogloss.service.requests import (
    Body,
    ClassificationRequest,
    CodeSwitchingRequest,
    EntityTranslationRequest,
    NerRequest,
    SegmentationRequest,
)

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
        "isogloss.metrics.ner.profiles:PROFILES",
    ),
    Task(
        "segmentation",
        "segmentation",
        SegmentationRequest,
        {"reference": [["ab", "c"]], "prediction": [["a", "b", "c"]]},
        "isogloss.metrics.segmentation.profiles:PROFILES",
    ),
    Task(
        "entity-translation",
        "entity_translation",
        EntityTranslationRequest,
        {
            "references": [{"id": "Q1_0", "targets": [{"mention": "Duna"}]}],
            "predictions": [{"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}],
        },
        "isogloss.metrics.entity_translation.profiles:PROFILES",
    ),
    Task(
        "code-switching",
        "code_switching",
        CodeSwitchingRequest,
        {"texts": [*TEXTS], "language": "uk"},
        "isogloss.metrics.code_switching.profiles:PROFILES",
    ),
    Task(
        "classification",
        "classification",
        ClassificationRequest,
        {"gold": ["toxic", "fine"], "scores": [{"toxic": 0.9, "fine": 0.1}, {"toxic": 0.6, "fine": 0.4}]},
        "isogloss.metrics.classification.profiles:PROFILES",
    ),
)
TASKS: Mapping[str, Task] = MappingProxyType({task.name: task for task in _ALL})
