"""How much, and in what way, the scripts of a text mix: four indices of the literature, from summed counts.

The words of a text are tagged by script; all scripts of the language are one tag. Neutral and excused words have no
tag and are left out. With n tagged words, w of each of k scripts:

    cmi          100 (1 - max w / n), the Code-Mixing Index of Gambäck and Das (2016)
    m_index      (1 - Σ (w/n)²) / ((k - 1) Σ (w/n)²), the Multilingual Index of Barnett et al. (2000); 0 for one script
    i_index      places where the script changes / places where it could, the Integration Index of Guzmán et al. (2017)
    burstiness   (s - m) / (s + m) of the lengths of runs in one script, after Goh and Barabási (2008)

In `scores` n and w are those of the whole corpus; the mean over texts is in `per_document`. Runs do not go beyond a
text. Of the lengths m is the mean and s the deviation as they are (divided by their number), as in the paper.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from isogloss.metrics.code_switching.verdicts import NONE, Mask, Verdicts
from isogloss.scores import Floats, Ints, ratio

COLUMNS = ("tagged", "places", "switches", "runs", "squares")


def columns(verdicts: Verdicts) -> dict[str, Ints]:
    """What the indices need beside the words of each script: (documents,) each.

    Returns:
        Tagged words; places between two of them in a text; places where the script changes; runs; the sum of the
        squares of their lengths.
    """
    number = len(verdicts.batch.documents)
    at = np.flatnonzero(tagged(verdicts))
    text, script = verdicts.text[at], verdicts.script[at]
    begins = np.ones(len(at), np.bool_)  # (tagged,) whether a run begins here
    begins[1:] = (text[1:] != text[:-1]) | (script[1:] != script[:-1])
    first = np.flatnonzero(begins)
    length = np.diff(np.append(first, len(at)))  # (runs,)
    words = np.bincount(text, minlength=number)
    runs = np.bincount(text[first], minlength=number)
    present = words > 0
    return {
        "tagged": words,
        "places": words - present,
        "switches": runs - present,
        "runs": runs,
        "squares": _summed(text[first], length * length, number),
    }


def tagged(verdicts: Verdicts) -> Mask:
    """(tokens,) whether each counts for the indices."""
    free: Mask = verdicts.reason == NONE
    return verdicts.lettered & free


def indices(count: Mapping[str, Ints], words: Ints) -> dict[str, Floats]:
    """The four indices.

    Args:
        count: (...) sum of each column.
        words: (..., scripts) tagged words of each script.
    """
    total = count["tagged"]
    most = words.max(axis=-1, initial=0)
    share = ratio(words, total[..., None], 0.0)
    squares = (share * share).sum(axis=-1)
    scripts = (words > 0).sum(axis=-1)
    mean = ratio(total, count["runs"])
    spread = np.sqrt(np.maximum(ratio(count["squares"], count["runs"]) - mean * mean, 0))
    return {
        "cmi": 100 * (1 - ratio(most, total)),
        "m_index": np.where(scripts == 1, 0.0, ratio(1 - squares, (scripts - 1) * squares)),
        "i_index": ratio(count["switches"], count["places"]),
        "burstiness": ratio(spread - mean, spread + mean),
    }


def _summed(group: Ints, values: Ints, number: int) -> Ints:
    """Sum of the integers of each group: (number,). Exact: a text has fewer than 2^26 words."""
    return np.bincount(group, weights=values, minlength=number).astype(np.int64)
