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

from collections.abc import Sequence

from isogloss.errors import UsageError
from isogloss.kernel.scores import keys_of, path
from isogloss.runs.run import Run

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


BESIDE: dict[str, tuple[str, ...]] = {
    "ner": (
        "fair.precision",
        "fair.recall",
        "strict.f1",
        "strict.precision",
        "strict.recall",
        "exact.f1",
        "partial.f1",
        "type.f1",
    ),
    "segmentation": ("word.precision", "word.recall", "boundary.f1", "character.f1", "oov.recall", "iv.recall"),
    "entity-translation": ("languages.accuracy", "comet.score", "chrf.score", "bleu.score", "harmonic_mean.score"),
    "code-switching": ("words.strict_rate", "sentences.excused_rate", "texts.excused_rate"),
    "classification": ("micro.f1", "macro.label.f1", "roc_auc.macro", "average_precision.macro"),
}
OF_LABELS: dict[str, tuple[tuple[str, str], ...]] = {  # group and name by label
    "ner": (("fair", "f1"), ("strict", "f1"), ("strict", "f")),
    "entity-translation": (("m_eta", "accuracy"),),
    "classification": (("label", "f1"), ("label", "f"), ("ranking", "roc_auc")),
}
TITLES = {
    "m_eta": "m-ETA",
    "roc_auc": "ROC-AUC",
    "f1": "F1",
    "f": "F",
    "oov": "OOV",
    "iv": "IV",
    "comet": "COMET",
    "chrf": "chrF",
    "bleu": "BLEU",
    "cmi": "CMI",
}
TASKS = {
    "ner": "Named entities",
    "segmentation": "Word segmentation",
    "entity-translation": "Entity translation",
    "code-switching": "Code-switching",
    "classification": "Classification",
}
LEFT_OUT = frozenset(("label", "score"))  # they tell nothing beside what stands around them
CORPUS_WIDE = 2  # group and name


def main_score(runs: Sequence[Run], wanted: str | None = None) -> str:
    """The path of the score that stands for runs of one task.

    Args:
        runs: at least one, of one task.
        wanted: the path that was asked for; None for the task's own.

    Raises:
        UsageError: no run has the score that was asked for, or the runs have no ratio in common.
    """
    if wanted is not None:
        if any(value_of(run, wanted) is not None for run in runs):
            return wanted
        having = ", ".join(ratios_of(runs[0])) or "none"
        raise UsageError(f"No run has the score {wanted!r}. Overall scores are: {having}.")
    common = (name for name in MAIN.get(runs[0].task, ()) if all(value_of(run, name) is not None for run in runs))
    found = next(common, None) or next(
        (name for name in ratios_of(runs[0]) if value_of(runs[-1], name) is not None), None
    )
    if found is None:
        raise UsageError(
            "The runs have no score in common that could stand for them; isogloss compare and report have --score PATH."
        )
    return found


def scores_beside(runs: Sequence[Run], main: str) -> list[str]:
    """The paths shown beside the main score: those of the task that any of the runs has."""
    chosen = (*MAIN.get(runs[0].task, ())[:1], *BESIDE.get(runs[0].task, ()))
    return [name for name in chosen if name != main and any(value_of(run, name) is not None for run in runs)]


def score_of_labels(runs: Sequence[Run]) -> tuple[str, str] | None:
    """Group and name of the score by label that stands for labels; None where labels have none."""
    for group, name in OF_LABELS.get(runs[0].task, ()):
        if any(group in own and name in own[group] for run in runs for own in run.by_label.values()):
            return group, name
    return None


def title(name: str) -> str:
    """A path as people read it: `Strict F1`."""
    keys = [key for key in keys_of(name) if key not in LEFT_OUT]
    words = " ".join(TITLES.get(key, key.replace("_", " ")) for key in keys)
    return words if keys and keys[0] in TITLES else words[:1].upper() + words[1:]


def ratios_of(run: Run) -> list[str]:
    """Paths of the overall scores of a run that are no counts."""
    groups = run.scores.items()
    return [path((group, name)) for group, own in groups for name, value in own.items() if isinstance(value, float)]


def value_of(run: Run, name: str) -> float | None:
    """The score at a path, nan where it is undefined and None where the run has none."""
    try:
        return float(run.score(name))
    except KeyError:
        return None
