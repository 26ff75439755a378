from __future__ import annotations

from dataclasses import replace

import pytest

from isogloss.report.tag_tables import format_invalid_tag, format_validation
from isogloss.tasks.ner.tag_checks import TagValidation
from isogloss.tasks.ner.tag_files import InvalidTag

MISFIT = InvalidTag("x.conll", 7, 2, "Ada", "I-PER", "begin", "'I-PER' is wrong", "B-PER")
COLUMN = TagValidation("x.conll", 2, "iob2", "prefix", 1, 2000, 3, 0, {})


def test_a_token_cannot_upset_the_line() -> None:
    for token, shown in [
        ("Ada", "[Ada]"),
        ("ليلى", "[\u2067ليلى\u2069]"),
        ("a\u202eb", "[a<U+202E>b]"),
        ("สมหญิง", "[สมหญิง]"),
    ]:
        line = format_invalid_tag(replace(MISFIT, token=token), "utf-8", several=False)
        assert line == f"x.conll:7: 'I-PER' is wrong {shown}\n"


def test_what_the_output_cannot_show_is_named_by_its_code_point() -> None:
    line = format_invalid_tag(replace(MISFIT, token="北", file="北.conll"), "ascii", several=False)
    assert line == "<U+5317>.conll:7: 'I-PER' is wrong [<U+5317>]\n"


def test_the_column_is_named_where_there_are_several() -> None:
    assert format_invalid_tag(MISFIT, "utf-8", several=True) == "x.conll:7: column 2: 'I-PER' is wrong [Ada]\n"


@pytest.mark.parametrize(
    ("misfits", "shown", "line"),
    [
        (0, 0, "x.conll: all 2,000 tags fit IOB2 (1 sentence, 3 spans)\n"),
        (5, 5, "x.conll: 5 of 2,000 tags do not fit IOB2 (1 sentence, 3 spans)\n"),
        (5, 2, "x.conll: 5 of 2,000 tags do not fit IOB2 (1 sentence, 3 spans; 2 shown)\n"),
    ],
)
def test_a_column_is_summed_up_in_one_line(misfits: int, shown: int, line: str) -> None:
    assert format_validation(replace(COLUMN, misfits=misfits), shown, "utf-8", several=False) == line
