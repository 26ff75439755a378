from __future__ import annotations

import csv
import io
import json
from collections import Counter
from dataclasses import replace

import pytest

from isogloss.report.tag_tables import (
    format_counts_csv,
    format_counts_json,
    format_invalid_tag,
    format_validation,
    print_counts,
)
from isogloss.tasks.ner.tag_checks import TagColumnCounts, TagFileCounts, TagValidation
from isogloss.tasks.ner.tag_files import InvalidTag

MISFIT = InvalidTag("x.conll", 7, 2, "Ada", "I-PER", "begin", "'I-PER' is wrong", "B-PER")
COLUMN = TagValidation("x.conll", 2, "iob2", "prefix", 1, 2000, 3, 0, {})


def test_token_is_isolated_and_made_visible() -> None:
    for token, shown in [
        ("Ada", "[Ada]"),
        ("ليلى", "[\u2067ليلى\u2069]"),
        ("a\u202eb", "[a<U+202E>b]"),
        ("สมหญิง", "[สมหญิง]"),
    ]:
        line = format_invalid_tag(replace(MISFIT, token=token), "utf-8", several=False)
        assert line == f"x.conll:7: 'I-PER' is wrong {shown}\n"


def test_unencodable_characters_are_code_points() -> None:
    line = format_invalid_tag(replace(MISFIT, token="北", file="北.conll"), "ascii", several=False)
    assert line == "<U+5317>.conll:7: 'I-PER' is wrong [<U+5317>]\n"


def test_column_is_named_if_there_are_several() -> None:
    assert format_invalid_tag(MISFIT, "utf-8", several=True) == "x.conll:7: column 2: 'I-PER' is wrong [Ada]\n"


@pytest.mark.parametrize(
    ("misfits", "shown", "line"),
    [
        (0, 0, "x.conll: all 2,000 tags fit IOB2 (1 sentence, 3 spans)\n"),
        (5, 5, "x.conll: 5 of 2,000 tags do not fit IOB2 (1 sentence, 3 spans)\n"),
        (5, 2, "x.conll: 5 of 2,000 tags do not fit IOB2 (1 sentence, 3 spans; 2 shown)\n"),
    ],
)
def test_column_is_summarized_in_one_line(misfits: int, shown: int, line: str) -> None:
    assert format_validation(replace(COLUMN, misfits=misfits), shown, "utf-8", several=False) == line


def counts(scheme: str = "iob2", column: int = 2) -> TagFileCounts:
    spans = Counter({("PER", 1): 3, ("PER", 9): 2, ("A,B", 4): 1, ("A,B", 5): 1})
    names = Counter({("PER", "Ada"): 3, ("A,B", "x\ty"): 1})
    return TagFileCounts((TagColumnCounts(column, scheme, spans, Counter({"O": 1000, "B-PER": 5}), 0, names),), 7, 1005)


def shown(files: list[tuple[str, TagFileCounts]], names: int = 0) -> list[list[str]]:
    out = io.StringIO()
    print_counts(files, names, out)
    return [line.split() for line in out.getvalue().splitlines() if line]


def test_long_spans_are_counted_together() -> None:
    lines = shown([("x", counts())])
    head = lines.index(["label", "spans", "1", "token", "2", "tokens", "3", "tokens", "4", "tokens", "more"])
    assert lines[head + 1 : head + 4] == [
        ["A,B", "2", "0", "0", "0", "1", "1"],
        ["PER", "5", "3", "0", "0", "0", "2"],
        ["all", "7", "3", "0", "0", "1", "3"],
    ]


def test_most_frequent_tags_come_first() -> None:
    lines = shown([("x", counts())])
    assert lines[-2:] == [["O", "1,000"], ["B-PER", "5"]]


def test_several_files_have_a_table() -> None:
    assert shown([("x", counts())])[0] == ["x", "7", "sentences,", "1,005", "tokens"]
    lines = shown([("x", counts()), ("y", counts("bilou", 3))])
    assert lines[0] == ["2", "files", "14", "sentences,", "2,010", "tokens"]
    assert ["y", "7", "1,005", "7"] in lines
    assert ["Spans", "(column", "of", "tags", "1,", "IOB2", "and", "BILOU)"] in lines


def test_names_are_shown_only_if_requested() -> None:
    assert ["Ada", "PER", "3"] not in shown([("x", counts())])
    assert shown([("x", counts())], 1)[-1] == ["Ada", "PER", "3"]


def test_csv_rows_add_up_to_the_counts() -> None:
    rows = list(csv.DictReader(io.StringIO(format_counts_csv([("x,y", counts())], 9))))
    assert sum(int(row["count"]) for row in rows if row["what"] == "spans") == 7
    assert sum(int(row["count"]) for row in rows if row["what"] == "tags") == 1005
    assert [(row["label"], row["value"]) for row in rows if row["what"] == "names"] == [("PER", "Ada"), ("A,B", "x\ty")]
    assert {row["file"] for row in rows} == {"x,y"}


def test_json_has_names_only_if_requested() -> None:
    (column,) = json.loads(format_counts_json([("x", counts())], 0))["total"]["columns"]
    assert "names" not in column
    (column,) = json.loads(format_counts_json([("x", counts())], 1))["total"]["columns"]
    assert column["names"] == [{"label": "PER", "text": "Ada", "count": 3}]
