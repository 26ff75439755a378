from __future__ import annotations

from isogloss.tasks.document_columns import LENGTH_BOUNDS, bucket_number, find_dominant_script


def test_lengths_fall_into_classes() -> None:
    for number, name in [
        (0, "0"),
        (1, "1-10"),
        (10, "1-10"),
        (11, "11-20"),
        (50, "21-50"),
        (100, "51-100"),
        (500, "101-500"),
        (501, ">500"),
    ]:
        assert bucket_number(number, LENGTH_BOUNDS) == name


def test_the_script_of_a_text_is_that_of_most_of_its_letters() -> None:
    for text, script in [
        ("", "Zyyy"),
        ("12 – 34!", "Zyyy"),
        ("Ada ran", "Latn"),
        ("Це так, OK", "Cyrl"),
        ("กขค ab", "Thai"),
        ("漢字かな仮", "Hani"),
        ("ab вг", "Cyrl"),  # as many of both: the first by its code
        ("\ud800 a", "Latn"),
    ]:
        assert find_dominant_script(text) == script
