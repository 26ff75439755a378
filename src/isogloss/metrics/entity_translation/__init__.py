"""Entity translation: names that a translation has to hold (m-ETA), and what became of them where it does not."""

from isogloss.metrics.entity_translation.definition import EntityTranslation
from isogloss.metrics.entity_translation.verdicts import Judge, Judged

__all__ = ["EntityTranslation", "Judge", "Judged"]
