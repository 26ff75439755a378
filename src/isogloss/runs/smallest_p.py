"""Messages about the smallest p-value that a test can give.

They also say how to get below a significance level.
"""

from __future__ import annotations

from isogloss.runs.score_tables import format_beside
from isogloss.stats.smallest_p import SmallestP
from isogloss.text.display import format_count

TRIAL_NOUNS = {"randomization": "trial", "rank_randomization": "trial", "bootstrap": "resample"}
TRIAL_OPTIONS = {"randomization": "--trials", "rank_randomization": "--resamples", "bootstrap": "--resamples"}


def explain_smallest_p(least: SmallestP, alpha: float) -> str:
    """Say which p-value is the smallest that the test can give.

    The text is empty if this p-value is below the significance level.

    Args:
        least: the smallest p-value.
        alpha: the significance level, in (0, 1).
    """
    causes = [format_count(number, noun) for number, noun, _ in _list_causes(least, alpha)]
    if not causes:
        return ""
    corrected = f" after Holm's correction for {least.tests:,} tests" if least.tests > 1 else ""
    about = "about " if least.by_units > least.by_trials and least.trials else ""  # trials are random
    return f"with {' and '.join(causes)} the smallest p-value{corrected} is {about}{format_beside(least.value, alpha)}"


def recommend_smaller_p(least: SmallestP, alpha: float) -> str:
    """Say how to get a p-value below a significance level.

    The text is empty if nothing is needed.

    Args:
        least: the smallest p-value.
        alpha: the significance level, in (0, 1).
    """
    return " and ".join(f"{remedy} or more" for _, _, remedy in _list_causes(least, alpha))


def _list_causes(least: SmallestP, alpha: float) -> list[tuple[int, str, str]]:
    """Return the causes that keep the p-value from getting below alpha.

    Each cause is a number, a noun and a remedy.
    """
    causes = []
    if least.units is not None and least.by_units >= alpha:
        noun = "document" if least.unit is None else "cluster"
        causes.append((least.units, noun, f"score {format_count(least.find_needed_units(alpha), noun)}"))
    if least.by_trials >= alpha:
        remedy = f"use {TRIAL_OPTIONS[least.method]} {least.find_needed_trials(alpha)}"
        causes.append((least.trials, TRIAL_NOUNS[least.method], remedy))
    return causes
