"""Scores where words, names and languages begin and end in text of any script.

>>> import isogloss
>>> run = isogloss.ner([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
>>> run.scores["strict"].f1
1.0
"""

from __future__ import annotations

from isogloss.version import __version__

TYPE_CHECKING = False  # as in typing, whose import takes long enough for an interrupt to fall into it
if TYPE_CHECKING:
    from typing import Any

    from isogloss.errors import DataError, IsoglossError, MissingExtraError, UsageError
    from isogloss.formats.conversion import convert
    from isogloss.runs.comparison import Comparison, compare
    from isogloss.runs.run import Run
    from isogloss.tasks.classification.scoring import classification
    from isogloss.tasks.code_switching.scoring import code_switching
    from isogloss.tasks.entity_translation.scoring import entity_translation
    from isogloss.tasks.ner.scoring import ner
    from isogloss.tasks.segmentation.sample_rows import segmentation_frame
    from isogloss.tasks.segmentation.scoring import segmentation

_PLACES = {  # imported when asked for, so that `isogloss --help` need not wait for numpy
    "Comparison": "isogloss.runs.comparison",
    "DataError": "isogloss.errors",
    "IsoglossError": "isogloss.errors",
    "MissingExtraError": "isogloss.errors",
    "Run": "isogloss.runs.run",
    "UsageError": "isogloss.errors",
    "classification": "isogloss.tasks.classification.scoring",
    "code_switching": "isogloss.tasks.code_switching.scoring",
    "compare": "isogloss.runs.comparison",
    "convert": "isogloss.formats.conversion",
    "entity_translation": "isogloss.tasks.entity_translation.scoring",
    "ner": "isogloss.tasks.ner.scoring",
    "segmentation": "isogloss.tasks.segmentation.scoring",
    "segmentation_frame": "isogloss.tasks.segmentation.sample_rows",
}
__all__ = [
    "Comparison",
    "DataError",
    "IsoglossError",
    "MissingExtraError",
    "Run",
    "UsageError",
    "__version__",
    "classification",
    "code_switching",
    "compare",
    "convert",
    "entity_translation",
    "ner",
    "segmentation",
    "segmentation_frame",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
