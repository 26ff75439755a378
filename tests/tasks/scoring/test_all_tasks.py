"""What the Python calls of all tasks do alike: intervals, warnings of few resamples, and wrong options."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from genre_corpora import CASES, Corpus

import isogloss
from isogloss.errors import DataError, UsageError
from isogloss.runs.run import Run

EMPTY: dict[str, Callable[[], Run]] = {
    "ner": lambda: isogloss.ner([], []),
    "segmentation": lambda: isogloss.segmentation([], []),
    "entity-translation": lambda: isogloss.entity_translation([], []),
    "code-switching": lambda: isogloss.code_switching([], language="uk"),
    "classification": lambda: isogloss.classification([], []),
}


@CASES
def test_intervals_depend_on_the_seed_and_hold_the_score(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    assert corpus.score().intervals == {}
    first, again, other = (
        corpus.score(confidence=0.9, resamples=50, seed=seed, unit="document", interval="bootstrap")
        for seed in (1, 1, 2)
    )
    drawn = [run.to_dict()["intervals"] for run in (first, again, other)]
    assert drawn[0] == drawn[1] != drawn[2]
    for interval in first.intervals.values():
        assert interval.level == 0.9
        assert math.isnan(interval.low) or interval.low <= interval.high
    main = corpus.main_score
    assert 0 <= first.intervals[main].low <= first.score(main) <= first.intervals[main].high <= 1


@CASES
@pytest.mark.parametrize(("how", "count"), [({"resamples": 99}, 1), ({"resamples": 100}, 0), ({"confidence": None}, 0)])
def test_few_resamples_give_a_warning(name: str, how: dict[str, Any], count: int, tmp_path: Path) -> None:
    run = Corpus.draw(name, tmp_path).score(**{"confidence": 0.9, "resamples": 10, **how})
    assert [warning.code for warning in run.warnings].count("few-resamples") == count


@CASES
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence": 95}, "confidence must be a number above 0 and below 1"),
        ({"confidence": 0.9, "resamples": 0}, "resamples must be a whole number"),
        ({"confidence": 0.9, "seed": 1.5}, "seed must be a whole number"),
        ({"interval": "wilson"}, r"no effect without intervals: add confidence=0\.95"),
        ({"confidence": 0.9, "interval": "normal"}, r"Unknown interval 'normal'\. Choose from auto, bootstrap, wilson"),
        ({"profile": "oxam"}, "Unknown profile 'oxam'"),
        ({"unit": "author"}, "'author'"),
    ],
    ids=str,
)
def test_a_wrong_scoring_option_is_refused(name: str, options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        Corpus.draw(name, tmp_path).score(**options)


@pytest.mark.parametrize("task", EMPTY)
def test_zero_documents_are_an_error(task: str) -> None:
    with pytest.raises(DataError, match="no document to score"):
        EMPTY[task]()
