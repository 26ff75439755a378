"""Faults of texts: the error says what is wrong, where, and what to do."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from text_rows import read_rows

from isogloss.errors import DataError, FormatError, SourceError

Row = tuple[Any, ...]
JSON = {"input_format": "jsonl"}
PROMPT = {"prompt_field": "prompt"}
KEY = {"id_field": "key"}
NESTED = {"text_field": "response.text"}
HALF_OPEN = "A span begins at `start` and ends before `end`"
WITHIN = "Each token must be within one sentence"
IN_ORDER = "in the order of the text, without overlap"
QUOTES = "in double quotes"
EXAMPLE = "A row looks like"
ALL_OR_NONE = "Give all rows an id, or none"

# content of `f`; location, parts of message, remedy and detail; options
TEXTS: list[Row] = [
    (
        '{"text": "1"}\n\n{"id": 1, "answer": "A"}\n',
        "f:3",
        "`text` is missing",
        "--text-field answer",
        "`id`, `answer`",
    ),
    ('{"texts": "a", "model": "a long name"}\n', "f:1", "is missing, but a text is a string", "--text-field texts", ""),
    ("{}\n", "f:1", "is missing", "--text-field NAME", "The row has no fields.", JSON),
    ('{"text": null}\n', "f:1", "`text` is null", "--text-field", "The row has `text`."),
    ('{"text": 1}\n', "f:1", "`text` is of type int", "--text-field", "has `text`."),
    ('{"response": {"a": 1}}\n', "f:1", "`response.text` is missing", "--text-field", "has `response`.", NESTED),
    ('{"text": "a"}\n', "f:1", "`prompt` is missing", "a row without a prompt has null", "", PROMPT),
    ('{"text": "a", "prompt": []}\n', "f:1", "`prompt` is of type list", "--prompt-field", "", PROMPT),
    ('{"text": "a"}\n{"text": \n', "f:2:10", "broken JSON", EXAMPLE, ""),
    ('["a"]\n', "f:1", "expected `object`, got `array`", "jq", "", JSON),
    ('{"id": 1.5, "text": "1"}\n', "f:1", "`id` is 1.5", "whole number", ""),
    ('{"id": true, "text": "1"}\n', "f:1", "`id` is True", "whole number", ""),
    ('{"text": "1"}\n', "f:1", "the row has no `key`", "--id-field", "", KEY),
]
SOURCES: list[Row] = [
    (b"one\nr\xe9\n", "f:2", "byte 0xE9 at column 2", "iconv", ""),
    (b"one\0\n", "f", "is binary", "as plain text", ""),
    (gzip.compress(b"one\n")[:-4], "f", "damaged or cut short", "gzip -t f", ""),
    (None, "f", "no such file", "similar name", ""),
]
IDS: list[Row] = [
    ('{"id": "a", "text": ""}\n' * 2, "f:2", "the id 'a' stands twice", "another field with --id-field", "at f:1."),
    ('{"id": 7, "text": ""}\n\n{"id": "7", "text": ""}\n', "f:3", "'7' stands twice", "empty --id-field", "at f:1."),
    ('{"id": "a", "text": ""}\n{"text": ""}\n', "f:2", "has no id in `id`, but the first has one", ALL_OR_NONE, ""),
    ('{"text": ""}\n{"id": 3, "text": ""}\n', "f:2", "has an id in `id`, but the first has none", ALL_OR_NONE, ""),
    ([{"id": 1, "text": "a"}] * 2, "texts[1]", "twice", "Give every text an id of its own", "texts[0]"),
]
LISTS: list[Row] = [
    (["a", 1], "texts[1]", "1 is of type int, but a text is a string", "Give a string", ""),
    ([None], "texts[0]", "None is of type NoneType", "Give a string", ""),
    (["a", float("nan")], "texts[1]", "nan is of type float", "Give a string", ""),
    ([["a"]], "texts[0]", "['a'] is of type list", "Give a string", ""),
    (["a", {"response": "b"}], "texts[1]", "`text` is missing", "--text-field response", "has `response`."),
]
HALF_PAIRS: list[Row] = [
    (["a", "\ud800"], "texts[1]", "half a surrogate pair", "Replace it", ""),
    ([{"text": "\udfff"}], "texts[0]", "half a surrogate pair", "Replace it", ""),
    ([{"text": "a", "prompt": "\udfff"}], "texts[0]", "half a surrogate pair", "Replace it", "", PROMPT),
]


@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        *((FormatError, fault) for fault in [*TEXTS, *LISTS]),
        *((SourceError, fault) for fault in SOURCES),
        *((DataError, fault) for fault in [*IDS, *HALF_PAIRS]),
    ],
)
def test_a_fault_has_a_place_and_a_remedy(
    kind: type[DataError], fault: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content, *expected = fault
    check_fault(content, kind, tuple(expected))


def check_fault(content: Any, kind: type[DataError], expected: Row, file: str = "f") -> None:
    where, says, remedy, detail, *options = expected
    if isinstance(content, str | bytes):
        Path(file).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as raised:
        read_rows(content if isinstance(content, list) else file, **(options[0] if options else {}))
    error = raised.value
    assert (type(error), error.where) == (kind, where)
    assert says in error.message
    assert remedy in error.remedy
    assert detail in error.detail


# content of `f.csv`; line, parts of message, remedy and detail; options
TABLES: list[Row] = [
    ("id,answer,texts\n1,a,b\n", 1, "no column is called 'text'", "--text-field texts", "are `id`, `answer`, `texts`."),
    ("\nid;answer\n1;a\n", 2, "no column is called 'text'", "--text-field NAME", "`id`, `answer`"),
    ("text,text\na,b\n", 1, "two columns", "--text-field", ""),
    ("text,promt\na,b\n", 1, "no column is called 'prompt'", "--prompt-field promt", "", PROMPT),
    ("text,id\na,b\n", 1, "no column is called 'key'", "--id-field", "", KEY),
    ('id,text\n1,"a\nb"\n2,b,c\n', 4, "the row has 3 cells, but the header has 2", QUOTES, ""),
    ("id;text\n1\n", 2, "has 1 cells", QUOTES, ""),
    ('id,text\n1,a\n2,"b\n3,c\n', 3, "broken CSV: unexpected end of data", "begins here never closed?", ""),
    ('text\n"a"b\n', 2, "broken CSV: ',' expected", QUOTES, ""),
    ("text\na\rb\n", 2, "broken CSV", QUOTES, ""),
]


@pytest.mark.parametrize("fault", TABLES)
def test_a_fault_of_a_table_has_its_line(fault: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    content, line, *expected = fault
    check_fault(content, FormatError, (f"f.csv:{line}", *expected), "f.csv")


@pytest.mark.parametrize(
    ("content", "says", "remedy"),
    [("id,text\n1,a\n1,b\n", "twice", "own"), ("id,text\n1,a\n,b\n", "no id", ALL_OR_NONE)],
)
def test_a_fault_of_ids_in_a_table_has_its_line(
    content: str, says: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    check_fault(content, DataError, ("f.csv:3", says, remedy, ""), "f.csv")


# segments of "Ada ran. Bob sat." | part of the message
MISFITS = {
    HALF_OPEN: """
        "tokens": [[0, 3], [13, 18]] | `tokens[1]`, [13, 18), is not within the text, which has 17 code points
        "entities": [[-1, 2]] | `entities[0]`, [-1, 2), is not within
        "tokens": [[3, 3]] | [3, 3), is empty
        "sentences": [{"start": 8, "end": 0}] | `sentences[0]`, [8, 0), ends before it begins
        "tokens": [[3, 99], "a"] | `tokens[0]`, [3, 99), is not within
    """,
    IN_ORDER: """
        "tokens": [[0, 3], [2, 7]] | `tokens[1]`, [2, 7), begins before the end of `tokens[0]`, which is 3
        "sentences": [[9, 17], [0, 8]] | `sentences[1]`, [0, 8), begins before the end of `sentences[0]`, which is 17
        "tokens": ["Ada", "ran", "Ada"] | `tokens[2]`, 'Ada', is not in the text from code point 7 on
        "tokens": [""] | `tokens[0]`, ''
    """,
    WITHIN: """
        "sentences": [[9, 17]], "tokens": [[0, 3]] | `tokens[0]`, [0, 3), is in no sentence
        "sentences": [[0, 8]], "tokens": [[0, 3], [9, 12]] | `tokens[1]`, [9, 12), is in no sentence
        "sentences": [[0, 8], [8, 17]], "tokens": [[0, 3], [7, 12]] | [7, 12), is not within `sentences[0]`, [0, 8)
        "sentences": [[0, 3], [9, 12]], "tokens": [[0, 4]] | `tokens[0]`, [0, 4), is not within `sentences[0]`, [0, 3)
        "sentences": [], "tokens": [[0, 3]] | is in no sentence
    """,
}
WRONG_TYPES = """
    "tokens": 12 | `tokens`: expected `array`
    "tokens": [[1]] | `tokens[0]`: expected `array` of l
    "tokens": ["Ada", {"start": 1}] | `tokens[1]`: object missing required field `end`
    "sentences": ["Ada"] | `sentences[0]`: expected
    "entities": [[0, 3], [0, 3, "PER", 1]] | `entities[1]` is neither [start, end] nor [start, end, label]
    "entities": [[0, 3, 1]] | `entities[0]`
    "entities": [{"start": 0.5, "end": 3}] | `entities[0].start`: expected `int`, got `float`
"""


@pytest.mark.parametrize(
    ("kind", "remedy", "table"),
    [*((DataError, remedy, table) for remedy, table in MISFITS.items()), (FormatError, EXAMPLE, WRONG_TYPES)],
)
def test_a_fault_of_segments_has_the_line_of_its_row(
    kind: type[DataError], remedy: str, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for line in table.strip().splitlines():
        segments, says = line.strip().split(" | ")
        content = f'{{"text": "one"}}\n{{"text": "Ada ran. Bob sat.", {segments}}}\n'
        missing_token = "text from code point" in says or "''" in says
        check_fault(content, kind, ("f:2", says, "in their order" if missing_token else remedy, ""))


def test_an_error_of_a_missing_token_shows_its_context() -> None:
    rows = ["one", {"text": "Ada ran. Bob sat.", "tokens": ["Ada", "ran", "Ada"]}]
    detail = "There '. Bob sat.' follows 'Ada ran'."
    check_fault(rows, DataError, ("texts[1]", "`tokens[2]`", "as they are written in the text", detail))
