"""Which names of labels are similar."""

from __future__ import annotations

import pytest

from isogloss.spans.label_names import find_similar_name, has_similar_name


@pytest.mark.parametrize(
    ("one", "other", "is_similar"),
    [
        ("PER", "Person", True),
        ("DATE_TIME", "datetime", True),
        ("ORGANISATION", "ORGANIZATION", True),
        ("บุคคล", "บุคคล", True),
        ("PRE", "PER", True),
        ("PRE", "PXR", False),
        ("GPE", "EPG", False),
        ("PER", "GPE", False),
        ("LOC", "ORG", False),
        ("DATE", "TIME", False),
        ("", "PER", False),
        ("--", "__", False),
    ],
)
def test_names_are_similar_by_their_beginning_or_most_letters(one: str, other: str, *, is_similar: bool) -> None:
    assert has_similar_name(one, other) is has_similar_name(other, one) is is_similar


def test_the_most_similar_label_is_found() -> None:
    assert find_similar_name("PER", ["GPE", "PERCENTAGE", "PERSON", "ORG"]) == "PERSON"
    assert find_similar_name("CITY", ["GPE", "City"]) == "City"
    assert find_similar_name("PER", ["GPE", "ORG"]) is None
    assert find_similar_name("PER", []) is None
