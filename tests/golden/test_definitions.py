"""A change of the scores of the demo data needs a new definition of its task."""

from __future__ import annotations

import pytest
from defined_scores import PROFILES, find_differences, load_record, score_demo


@pytest.mark.parametrize("task", PROFILES)
def test_scores_change_only_with_their_definition(task: str) -> None:
    recorded, found = load_record()[task], score_demo(task)
    assert found.version == recorded.version, "write the record again: python tests/support/defined_scores.py"
    changed = sorted(find_differences(recorded, found))
    assert changed == [], (
        f"raise `definition` in the declaration of {task}, then python tests/support/defined_scores.py"
    )


def test_record_is_of_scores_that_exist() -> None:
    assert all(len(scores) > 10 for task in load_record().values() for scores in task.scores.values())
