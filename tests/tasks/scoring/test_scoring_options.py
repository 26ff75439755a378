from __future__ import annotations

from isogloss.runs.evidence import Resampling
from isogloss.tasks.scoring_options import ScoringOptions, build_resampling, build_scoring_options


def test_without_a_level_there_are_no_intervals() -> None:
    assert build_resampling(None, 0, -1) is None


def test_build_resampling_keeps_the_given_values() -> None:
    assert build_resampling(0.9, 10, 3) == Resampling(0.9, 10, 3)


def test_findings_are_all_none_or_so_many() -> None:
    for asked, number in [(True, None), (False, 0), (1, 1), (0, 0), (20, 20)]:
        assert build_scoring_options(None, 1000, 1, asked, 3).findings == number


def test_the_signature_lists_choices_of_intervals() -> None:
    assert ScoringOptions().list_choices() == {}
    assert list(ScoringOptions(Resampling(0.9, 10, 3)).list_choices().items()) == [
        ("unit", "document"),
        ("confidence", 0.9),
        ("resamples", 10),
        ("seed", 3),
        ("method", "wilson-modified+wilson-deff+mover+bootstrap-percentile"),
    ]
