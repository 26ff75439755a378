"""Scores where words, names and languages begin and end in text of any script.

>>> import isogloss
>>> run = isogloss.ner([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
>>> run.scores["strict"].f1
1.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from isogloss.comparison import Comparison, compare
    from isogloss.conversion import convert
    from isogloss.evaluate.classification import classification
    from isogloss.evaluate.code_switching import code_switching
    from isogloss.evaluate.entity_translation import entity_translation
    from isogloss.evaluate.ner import ner
    from isogloss.evaluate.sample_rows import segmentation_frame
    from isogloss.evaluate.segmentation import segmentation
    from isogloss.exceptions import DataError, IsoglossError, MissingExtraError, UsageError
    from isogloss.run import Run

__version__ = "0.1.0"

_PLACES = {  # imported when asked for, so that `isogloss --help` need not wait for numpy
    "Comparison": "isogloss.comparison.systems",
    "DataError": "isogloss.exceptions",
    "IsoglossError": "isogloss.exceptions",
    "MissingExtraError": "isogloss.exceptions",
    "Run": "isogloss.run",
    "UsageError": "isogloss.exceptions",
    "classification": "isogloss.evaluate.classification",
    "code_switching": "isogloss.evaluate.code_switching",
    "compare": "isogloss.comparison.systems",
    "convert": "isogloss.conversion",
    "entity_translation": "isogloss.evaluate.entity_translation",
    "ner": "isogloss.evaluate.ner",
    "segmentation": "isogloss.evaluate.segmentation",
    "segmentation_frame": "isogloss.evaluate.sample_rows",
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
    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
