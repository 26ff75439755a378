"""Faults of texts, one row each: what is said, where, and what to do."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import DataError, FormatError, SourceError
from isogloss.tasks.code_switching.inputs import open_texts


@dataclass(frozen=True)
class Fault:
    """A row of the table.

    Args:
        name: what is wrong.
        content: of the file, or a Python list; None leaves the file out.
        kind: the error.
        where: the place that it names.
        says: what it says is wrong.
        remedy: what it says to do.
        detail: what it shows.
        file: name of the file.
        options: of the call.
    """

    name: str
    content: bytes | list[Any] | None
    kind: type[DataError]
    where: str
    says: str
    remedy: str
    detail: str = ""
    file: str = "f"
    options: Mapping[str, Any] = field(default_factory=dict)


def row(segments: str, text: str = "Ada ran. Bob sat.") -> bytes:
    """The second line of a file, after a sound one."""
    return f'{{"text": "one"}}\n{{"text": "{text}", {segments}}}\n'.encode()


HALF_OPEN = "A span begins at `start` and ends before `end`"
WITHIN = "Each token must be within one sentence"
IN_ORDER = "in the order of the text, without overlap"
QUOTES = "in double quotes"
JSON = {"input_format": "jsonl"}
PROMPTED = {"prompt_field": "prompt"}

TEXTS = [
    Fault(
        "text missing",
        b'{"text": "one"}\n\n{"id": "a", "answer": "A long answer", "model": "m"}\n',
        FormatError,
        "f:3",
        "`text` is missing, but a text is a string",
        "Name the field with the text: --text-field answer",
        "The row has `id`, `answer`, `model`.",
    ),
    Fault(
        "a text field with a similar name",
        b'{"texts": "a", "model": "a long name of a model"}\n',
        FormatError,
        "f:1",
        "is missing",
        "--text-field texts",
    ),
    Fault(
        "no fields",
        b"{}\n",
        FormatError,
        "f:1",
        "missing",
        "--text-field NAME",
        "The row has no fields.",
        "f",
        JSON,
    ),
    Fault("text null", b'{"text": null}\n', FormatError, "f:1", "`text` is null", "--text-field", "has `text`."),
    Fault(
        "text a number",
        b'{"text": 1}\n',
        FormatError,
        "f:1",
        "`text` is of type int",
        "--text-field",
        "has `text`.",
    ),
    Fault(
        "a field of a field missing",
        b'{"response": {"content": "x"}}\n',
        FormatError,
        "f:1",
        "`response.text` is missing",
        "--text-field",
        "has `response`.",
        options={"text_field": "response.text"},
    ),
    Fault("prompt missing", b'{"text": "a"}\n', FormatError, "f:1", "`prompt` is missing", "null", options=PROMPTED),
    Fault(
        "prompt a list",
        b'{"text": "a", "prompt": []}\n',
        FormatError,
        "f:1",
        "`prompt` is of type list",
        "--prompt-field",
        options=PROMPTED,
    ),
    Fault("broken JSON", b'{"text": "a"}\n{"text": \n', FormatError, "f:2:10", "broken JSON", "A row looks like"),
    Fault("an array of strings", b'["a"]\n', FormatError, "f:1", "expected `object`, got `array`", "jq", options=JSON),
    Fault("not UTF-8", b"one\nr\xe9\n", SourceError, "f:2", "byte 0xE9 at column 2", "iconv"),
    Fault("binary", b"one\0\n", SourceError, "f", "is binary", "as plain text"),
    Fault("cut gzip", gzip.compress(b"one\n")[:-4], SourceError, "f", "damaged or cut short", "gzip -t f"),
    Fault("absent", None, SourceError, "f", "no such file", "similar name"),
]

IDS = [
    Fault(
        "an id twice",
        b'{"id": "a", "text": "1"}\n{"id": "b", "text": "2"}\n{"id": "a", "text": "3"}\n',
        DataError,
        "f:3",
        "the id 'a' stands twice",
        "Give every text an id of its own, name another field with --id-field",
        "It first stands at f:1.",
    ),
    Fault(
        "an id as a number and a string",
        b'{"id": 7, "text": "1"}\n\n{"id": "7", "text": "2"}\n',
        DataError,
        "f:3",
        "the id '7' stands twice",
        "empty --id-field",
        "It first stands at f:1.",
    ),
    Fault(
        "an id missing",
        b'{"id": "a", "text": "1"}\n{"text": "2"}\n',
        DataError,
        "f:2",
        "the row has no id in `id`, but the first has one",
        "Give all rows an id, or none",
    ),
    Fault(
        "an id too many",
        b'{"text": "1"}\n{"id": null, "text": "2"}\n{"id": 3, "text": "2"}\n',
        DataError,
        "f:3",
        "the row has an id in `id`, but the first has none",
        "Give all rows an id, or none",
    ),
    Fault("an id of another type", b'{"id": 1.5, "text": "1"}\n', FormatError, "f:1", "`id` is 1.5", "whole number"),
    Fault("an id that is true", b'{"id": true, "text": "1"}\n', FormatError, "f:1", "`id` is True", "whole number"),
    Fault(
        "a named id field that is not there",
        b'{"text": "1"}\n',
        FormatError,
        "f:1",
        "the row has no `key`",
        "--id-field",
        options={"id_field": "key"},
    ),
    Fault("an id twice in a list", [{"id": 1, "text": "a"}] * 2, DataError, "texts[1]", "twice", "own", "texts[0]"),
    Fault("an id twice in a table", b"id,text\n1,a\n1,b\n", DataError, "f.csv:3", "twice", "own", "f.csv:2", "f.csv"),
]

SEGMENTS = [
    Fault(
        "a token after the end",
        row('"tokens": [[0, 3], [13, 18]]'),
        DataError,
        "f:2",
        "`tokens[1]`, [13, 18), is not within the text, which has 17 code points",
        HALF_OPEN,
    ),
    Fault(
        "a position below 0",
        row('"entities": [[-1, 2]]'),
        DataError,
        "f:2",
        "`entities[0]`, [-1, 2), is not",
        HALF_OPEN,
    ),
    Fault("an empty token", row('"tokens": [[3, 3]]'), DataError, "f:2", "[3, 3), is empty", HALF_OPEN),
    Fault(
        "a sentence that ends first",
        row('"sentences": [{"start": 8, "end": 0}]'),
        DataError,
        "f:2",
        "`sentences[0]`, [8, 0), ends before it begins",
        HALF_OPEN,
    ),
    Fault(
        "overlapping tokens",
        row('"tokens": [[0, 3], [2, 7]]'),
        DataError,
        "f:2",
        "`tokens[1]`, [2, 7), begins before the end of `tokens[0]`, which is 3",
        IN_ORDER,
    ),
    Fault(
        "unordered sentences",
        row('"sentences": [[9, 17], [0, 8]]'),
        DataError,
        "f:2",
        "`sentences[1]`, [0, 8), begins before the end of `sentences[0]`, which is 17",
        IN_ORDER,
    ),
    Fault(
        "a token before all sentences",
        row('"sentences": [[9, 17]], "tokens": [[0, 3]]'),
        DataError,
        "f:2",
        "`tokens[0]`, [0, 3), is in no sentence",
        WITHIN,
    ),
    Fault(
        "a token after all sentences",
        row('"sentences": [[0, 8]], "tokens": [[0, 3], [9, 12]]'),
        DataError,
        "f:2",
        "`tokens[1]`, [9, 12), is in no sentence",
        WITHIN,
    ),
    Fault(
        "a token across two sentences",
        row('"sentences": [[0, 8], [8, 17]], "tokens": [[0, 3], [7, 12]]'),
        DataError,
        "f:2",
        "`tokens[1]`, [7, 12), is not within `sentences[0]`, [0, 8)",
        WITHIN,
    ),
    Fault(
        "a token that reaches one further",
        row('"sentences": [[0, 3], [9, 12]], "tokens": [[0, 4]]'),
        DataError,
        "f:2",
        "`tokens[0]`, [0, 4), is not within `sentences[0]`, [0, 3)",
        WITHIN,
    ),
    Fault(
        "a token where there are no sentences",
        row('"sentences": [], "tokens": [[0, 3]]'),
        DataError,
        "f:2",
        "is in no sentence",
        WITHIN,
    ),
    Fault(
        "a token that is not in the text",
        row('"tokens": ["Ada", "ran", "Ada"]'),
        DataError,
        "f:2",
        "`tokens[2]`, 'Ada', is not in the text from code point 7 on",
        "as they are written in the text, in their order",
        "There '. Bob sat.' follows 'Ada ran'.",
    ),
    Fault(
        "an empty string as token",
        row('"tokens": [""]'),
        DataError,
        "f:2",
        "`tokens[0]`, ''",
        "as they are written",
    ),
    Fault(
        "a token beyond the text before a string",
        row('"tokens": [[3, 99], "a"]'),
        DataError,
        "f:2",
        "`tokens[0]`, [3, 99), is not within",
        HALF_OPEN,
    ),
    Fault(
        "a number of tokens",
        row('"tokens": 12'),
        FormatError,
        "f:2",
        "`tokens`: expected `array`",
        "Rename a field",
    ),
    Fault("a token of one", row('"tokens": [[1]]'), FormatError, "f:2", "`tokens[0]`: expected `array` of l", "A row"),
    Fault(
        "a token without end",
        row('"tokens": ["Ada", {"start": 1}]'),
        FormatError,
        "f:2",
        "`tokens[1]`: object missing required field `end`",
        "A row looks like",
    ),
    Fault("a sentence as string", row('"sentences": ["Ada"]'), FormatError, "f:2", "`sentences[0]`: expected", "A row"),
    Fault(
        "an entity of four",
        row('"entities": [[0, 3], [0, 3, "PER", 1]]'),
        FormatError,
        "f:2",
        "`entities[1]` is neither [start, end] nor [start, end, label]",
        "A row looks like",
    ),
    Fault("a label that is no string", row('"entities": [[0, 3, 1]]'), FormatError, "f:2", "`entities[0]`", "A row"),
    Fault(
        "a fraction",
        row('"entities": [{"start": 0.5, "end": 3}]'),
        FormatError,
        "f:2",
        "`entities[0].start`: expected `int`, got `float`",
        "A row looks like",
    ),
    Fault(
        "a token in a list",
        ["one", {"text": "Ada", "tokens": [(0, 4)]}],
        DataError,
        "texts[1]",
        "`tokens[0]`, [0, 4), is not within the text, which has 3 code points",
        HALF_OPEN,
    ),
]

TABLES = [
    Fault(
        "no such column",
        b"id,answer,texts\n1,a,b\n",
        FormatError,
        "f.csv:1",
        "no column is called 'text'",
        "Name the column: --text-field texts",
        "The columns are `id`, `answer`, `texts`.",
        "f.csv",
    ),
    Fault(
        "no column with a similar name",
        b"\nid;answer\n1;a\n",
        FormatError,
        "f.csv:2",
        "no column is called 'text'",
        "Name the column: --text-field NAME",
        "`id`, `answer`",
        "f.csv",
    ),
    Fault("a column twice", b"text,text\na,b\n", FormatError, "f.csv:1", "two columns", "--text-field", "", "f.csv"),
    Fault(
        "no such column of prompts",
        b"text,promt\na,b\n",
        FormatError,
        "f.csv:1",
        "no column is called 'prompt'",
        "--prompt-field promt",
        "",
        "f.csv",
        PROMPTED,
    ),
    Fault(
        "no such column of ids",
        b"text,id\na,b\n",
        FormatError,
        "f.csv:1",
        "no column is called 'key'",
        "--id-field",
        "",
        "f.csv",
        {"id_field": "key"},
    ),
    Fault(
        "a row too wide",
        b'id,text\n1,"a\nb"\n2,b,c\n',
        FormatError,
        "f.csv:4",
        "the row has 3 cells, but the header has 2",
        QUOTES,
        "",
        "f.csv",
    ),
    Fault("a row too narrow", b"id\ttext\n1\n", FormatError, "f.tsv:2", "has 1 cells", QUOTES, "", "f.tsv"),
    Fault(
        "a quote that is not closed",
        b'id,text\n1,a\n2,"b\n3,c\n',
        FormatError,
        "f.csv:3",
        "broken CSV: unexpected end of data",
        "Is a quoted text that begins here never closed?",
        "",
        "f.csv",
    ),
    Fault(
        "text after a quote",
        b'text\n"a"b\n',
        FormatError,
        "f.csv:2",
        "broken CSV: ',' expected",
        QUOTES,
        "",
        "f.csv",
    ),
    Fault("a carriage return inside", b"text\na\rb\n", FormatError, "f.csv:2", "broken CSV", QUOTES, "", "f.csv"),
    Fault("an id missing", b"id,text\n1,a\n,b\n", DataError, "f.csv:3", "no id", "Give all rows", "", "f.csv"),
]

LISTS = [
    Fault("a number", ["a", 1], FormatError, "texts[1]", "1 is of type int, but a text is a string", "Give a string"),
    Fault("None", [None], FormatError, "texts[0]", "None is of type NoneType", "Give a string"),
    Fault("a missing value", ["a", float("nan")], FormatError, "texts[1]", "nan is of type float", "Give a string"),
    Fault("a list in a list", [["a"]], FormatError, "texts[0]", "['a'] is of type list", "Give a string"),
    Fault(
        "a dictionary without text",
        ["a", {"response": "b"}],
        FormatError,
        "texts[1]",
        "`text` is missing",
        "--text-field response",
        "The row has `response`.",
    ),
    Fault("half a character", ["a", "\ud800"], DataError, "texts[1]", "half a surrogate pair", "Replace it"),
    Fault("half a character in a field", [{"text": "\udfff"}], DataError, "texts[0]", "half a surrogate", "Replace it"),
]


def given(fault: Fault) -> Any:
    if isinstance(fault.content, bytes):
        Path(fault.file).write_bytes(fault.content)
    return fault.content if isinstance(fault.content, list) else fault.file


@pytest.mark.parametrize("fault", [*TEXTS, *IDS, *SEGMENTS, *TABLES, *LISTS], ids=lambda fault: fault.name)
def test_a_fault_is_refused_with_its_place_and_what_to_do(
    fault: Fault,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError) as raised:
        list(open_texts(given(fault), **fault.options).read_batches(1))
    error = raised.value
    assert (type(error), error.where) == (fault.kind, fault.where)
    assert fault.says in error.message
    assert fault.remedy in error.remedy
    assert fault.detail in error.detail
