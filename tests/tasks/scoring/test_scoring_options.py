from __future__ import annotations

import math

import pytest

from isogloss.errors import UsageError
from isogloss.runs.evidence import Resampling
from isogloss.tasks.scoring_options import ScoringOptions, build_resampling, build_scoring_options


def test_what_gives_no_interval_is_refused() -> None:
    for level, resamples, seed, says in [
        (0, 10, 1, "above 0 and below 1, such as 0.95"),
        (95, 10, 1, "above 0 and below 1, such as 0.95"),
        (math.nan, 10, 1, "above 0 and below 1"),
        (0.9, 0, 1, "resamples must be a whole number, 1 or more; got 0"),
        (0.9, 10, -1, "0 or more"),
    ]:
        with pytest.raises(UsageError, match=says):
            build_resampling(level, resamples, seed)


def test_without_a_level_there_are_no_intervals_whatever_else_is_said() -> None:
    assert build_resampling(None, 0, -1) is None


def test_intervals_are_made_as_asked_for() -> None:
    assert build_resampling(0.9, 10, 3) == Resampling(0.9, 10, 3)


def test_findings_are_all_none_or_so_many() -> None:
    for asked, number in [(True, None), (False, 0), (1, 1), (0, 0), (20, 20)]:
        assert build_scoring_options(None, 1000, 1, asked, 3).findings == number


def test_the_signature_says_how_intervals_are_made_and_nothing_where_there_are_none() -> None:
    assert ScoringOptions().list_choices() == {}
    assert list(ScoringOptions(Resampling(0.9, 10, 3)).list_choices().items()) == [
        ("unit", "document"),
        ("confidence", 0.9),
        ("resamples", 10),
        ("seed", 3),
        ("method", "bootstrap-percentile"),
    ]
