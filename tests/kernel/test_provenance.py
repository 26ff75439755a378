from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from isogloss.kernel.provenance import Signature


def test_a_signature_has_task_choices_and_version() -> None:
    signature = Signature("ner", "0.1.0", {"scheme": "iob2", "repair": "begin", "labels": 3})
    assert str(signature) == "ner|scheme:iob2|repair:begin|labels:3|version:0.1.0"


def test_a_signature_without_choices_has_task_and_version() -> None:
    assert str(Signature("ner", "0.1.0")) == "ner|version:0.1.0"


def test_bars_in_signature_values_are_escaped() -> None:
    assert str(Signature("ner", "1", {"label": "a|b"})) == r"ner|label:a\|b|version:1"


def test_numbers_are_shown_short() -> None:
    for value, shown in [(1.0, "1"), (0.5, "0.5"), (math.nan, "nan"), (2, "2"), (1e22, "1e+22")]:
        assert str(Signature("t", "1", {"beta": value})) == f"t|beta:{shown}|version:1"


@given(st.floats(allow_nan=False))
def test_numbers_are_shown_in_full(value: float) -> None:
    shown = str(Signature("t", "1", {"beta": value})).split("|")[1].removeprefix("beta:")
    assert float(shown) == value
