"""The score that stands for a run of each task, and which way is better. One place for the store, reports and gates.

    task                 main score            or else, where the run has not that one
    ner                  strict.f1             strict.f (beta is not 1); of the profile `fair` fair.f1
    segmentation         word.f1               boundary.f1, character.f1
    entity-translation   m_eta.accuracy
    code-switching       words.excused_rate    words.strict_rate (a profile that excuses nothing); lower is better
    classification       overall.accuracy      micro.f1, micro.f, roc_auc.macro (no labels were decided on)

A run that has none of them is stood for by its first ratio.
"""

from __future__ import annotations

from isogloss.scores import keys_of

MAIN: dict[str, tuple[str, ...]] = {
    "ner": ("fair.f1", "strict.f1", "strict.f"),
    "segmentation": ("word.f1", "boundary.f1", "character.f1"),
    "entity-translation": ("m_eta.accuracy",),
    "code-switching": ("words.excused_rate", "words.strict_rate"),
    "classification": ("overall.accuracy", "micro.f1", "micro.f", "roc_auc.macro"),
}
LOWER_IS_BETTER = frozenset(("strict_rate", "excused_rate", "cmi", "m_index", "i_index"))


def higher_is_better(name: str) -> bool:
    """Whether more of the score at this path, or of its mean over documents, is better."""
    key = keys_of(name)
    return key[-2 if key[0] == "per_document" else -1] not in LOWER_IS_BETTER
