from __future__ import annotations

from pathlib import Path

import pytest
from label_studio_export import annotation, codes, file, one, region, task
from span_texts import read

from isogloss.errors import DataError


@pytest.mark.parametrize(
    ("text", "start", "end", "surface"),
    [
        ("Text: Berlin,  Germany.", 6, 22, "Berlin, Germany"),  # issue 3078: the browser joins white space
        ("a\nb", 0, 3, "a\\nb"),  # the editor writes a line break as two characters
        ("a\r\nb", 0, 4, "a\\n\\nb"),
        ("a\nb", 0, 3, "a b"),
        (r"C:\new", 0, 6, r"C:\new"),
        ("Ada ", 0, 4, "Ada"),
    ],
)
def test_the_text_of_a_region_is_compared_white_space_aside(
    tmp_path: Path,
    text: str,
    start: int,
    end: int,
    surface: str,
) -> None:
    assert one(tmp_path, task(text, annotation(region(start, end, "X", surface)))).spans == [(start, end, "X")]


def test_regions_that_count_code_units_are_told_and_repaired(tmp_path: Path) -> None:
    # issue 1347: the word is [12, 22) in code points.
    text = "💩This is an annotation. "
    path = file(tmp_path, task(text, annotation(region(13, 23, "Annotation", "annotation"))))
    with pytest.raises(
        DataError,
        match=r"export\.json:1: the span \[13, 23\).*\n.*UTF-16 code units: --repair-offsets",
    ):
        read(path)
    (single,) = read(path, repair_offsets=True)
    assert (single.spans, codes(single)) == ([(12, 22, "Annotation")], ["offsets-repaired"])


def test_code_units_and_joined_white_space_are_repaired_together(tmp_path: Path) -> None:
    text = "🚒 ไป  เชียงใหม่\nวันนี้"
    start, end = text.index("ไป"), len(text)
    results = region(start + 1, end + 1, "X", "ไป เชียงใหม่\\nวันนี้"), region(start + 1, start + 3, "Y", "ไป")
    assert one(tmp_path, task(text, annotation(*results)), repair_offsets=True).spans == [(2, end, "X"), (2, 4, "Y")]


def test_a_resized_region_alone_counts_code_units(tmp_path: Path) -> None:
    text = "🚒 Ada met Bob"
    results = region(2, 5, "PER", "Ada"), region(11, 14, "PER", "Bob")
    single = one(tmp_path, task(text, annotation(*results)), repair_offsets=True)
    assert (single.spans, codes(single)) == ([(2, 5, "PER"), (10, 13, "PER")], ["offsets-repaired"])


@pytest.mark.parametrize("emoji", [0, 30])
def test_white_space_hides_no_code_units(tmp_path: Path, emoji: int) -> None:
    # In code units each emoji is two: the first is [0, 2), which in code points is the emoji and a space.
    text = "😀 😀😀😀" + "😀" * emoji + " no no no no"
    first = text.index("no")
    results = region(0, 2, "X", "😀"), region(first + 4 + emoji, first + 6 + emoji, "Y", "no")
    single = one(tmp_path, task(text, annotation(*results)), repair_offsets=True)
    assert single.spans == [(0, 1, "X"), (first, first + 2, "Y")]
    assert [warning.message for warning in single.warnings] == [
        "Offsets that count UTF-16 code units were turned into code points.",
    ]


def test_drawn_regions_without_texts_are_code_points_or_if_asked_for_code_units(tmp_path: Path) -> None:
    tasks = task("🚒 Ada ", annotation(region(3, 6, "PER")))
    single = one(tmp_path, tasks)
    assert (single.spans, codes(single)) == ([(3, 6, "PER")], ["offsets-uncertain"])
    single = one(tmp_path, tasks, repair_offsets=True)
    assert (single.spans, codes(single)) == ([(2, 5, "PER")], ["offsets-repaired"])


def test_regions_without_texts_count_what_those_with_texts_count(tmp_path: Path) -> None:
    results = region(3, 6, "PER", "Ada"), region(11, 14, "PER")
    single = one(tmp_path, task("🚒 Ada met Bob", annotation(*results)), repair_offsets=True)
    assert single.spans == [(2, 5, "PER"), (10, 13, "PER")]


@pytest.mark.parametrize("repair", [False, True])
def test_predictions_without_texts_count_code_points(tmp_path: Path, *, repair: bool) -> None:
    tasks = task("🚒 Ada", predictions=[annotation(region(2, 5, "PER"))])
    single = one(tmp_path, tasks, side="predicted", repair_offsets=repair)
    assert (single.spans, codes(single)) == ([(2, 5, "PER")], [])
