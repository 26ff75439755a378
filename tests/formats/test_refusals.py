"""What each format refuses, one table for all: rows, columns to read, and documents to write."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from format_samples import CONTENTS, make, read_all, text_of, usable
from label_studio_export import TEXT, annotation, task
from span_texts import document, write

from isogloss.errors import DataError, FormatError, UsageError
from isogloss.formats.documents import SpanDocument
from isogloss.records.sources import Source

SPAN = {"start": 0, "end": 3, "label": "PER"}
GLINER = {"tokenized_text": ["Ada", "met", "Bob"], "ner": [[0, 0, "PER"]]}
PRODIGY = CONTENTS["prodigy"]
MARKUP = {"start": "/p[1]/text()[1]", "end": "/p[1]/text()[1]", "startOffset": 0, "endOffset": 3}


def argilla(**more: Any) -> dict[str, Any]:
    return {"id": "d1", "fields": {"text": "Ada met Bob"}, "suggestions": {}, "responses": {}, **more}


def region(value: dict[str, Any]) -> dict[str, Any]:
    return task(TEXT, annotation({"value": value}))


# A row after a good one, and what the error says of it.
ROWS: dict[str, list[tuple[Any, str]]] = {
    "argilla": [
        (argilla(fields={"image": None}), "the record has no text"),
        (argilla(responses={"spans": 3}), r"`responses`: expected `array \| null`, got `int`|`responses\[\.\.\.\]`"),
        (argilla(suggestions="x"), "`suggestions`: expected `object"),
        *(
            (argilla(responses={"spans": [{"value": [SPAN, span]}]}), "a span cannot be read: .*\nA span looks like")
            for span in ({"start": "0", "end": 3, "label": "A"}, ["A", 0], [0, 3, "A"], {**SPAN, "end": 3.5})
        ),
    ],
    "doccano": [
        ({"text": "x"}, "the row has neither `label` nor `entities`"),
        ({"label": []}, "the row has no `text`"),
        ({"text": 3, "label": []}, "`text`: expected `str`, got `int`"),
        ({"text": "x", "label": [[0, 1, 2]]}, r"`label\[0\]\[2\]`: expected `str`, got `int`"),
        ({"text": "x", "label": [[0, 1]]}, r"`label\[0\]`: expected `array` of length 3"),
        ({"text": "x", "annotations": [{"label": 2, "start_offset": 0, "end_offset": 1}]}, r"JSONL \(Text-Labels\)"),
    ],
    "gliner": [
        (GLINER | {"ner": [[0, 0, "X"], [1, 3, "X"]]}, r"`ner\[1\]`, \[1, 3\], is not within 3 tokens"),
        (GLINER | {"ner": [[-1, 0, "X"]]}, r"`ner\[0\]`, \[-1, 0\], is not within"),
        (GLINER | {"ner": [[2, 1, "X"]]}, r"`ner\[0\]`, \[2, 1\], is not within"),
        (GLINER | {"ner": [[0, 0]]}, r"ner\[0\]"),
        (GLINER | {"ner": [[0, "0", "X"]]}, r"ner\[0\]"),
        (GLINER | {"ner": None}, "ner"),
        ({"tokenized_text": ["a"]}, "ner"),
        ({"ner": []}, "tokenized_text"),
        (GLINER | {"tokenized_text": "Ada met Bob"}, "tokenized_text"),
        (GLINER | {"tokenized_text": ["Ada", "", "Bob"]}, r"`tokenized_text\[1\]` is empty"),
        ([1], "got `array`"),
    ],
    "label-studio": [
        (region({"start": "/p[1]", "end": "/p[1]", "labels": ["A"]}), r"a region begins at '/p\[1\]', which is hyper"),
        (region({"start": 0.5, "end": 1.2, "labels": ["A"]}), "a region cannot be read"),
        (region({"start": 0, "labels": ["A"]}), "a region cannot be read"),
        (region({"start": 0, "end": 1, "labels": "A"}), "a region cannot be read"),
        (region({"start": 0, "end": 1, "labels": [3]}), "a label is 3"),
        *(
            (region({**MARKUP, f"{kind}labels": ["PER"]}), rf"the task is .*`{kind}labels`\nExport a project")
            for kind in ("hypertext", "paragraph", "rectangle", "timeseries")
        ),
        (task() | {"annotations": [3]}, "the task has only the numbers of its annotations"),
        (task() | {"predictions": [3]}, "the task has only the numbers"),
        (task() | {"annotations": [{"result": "x"}]}, r"`annotations\[0\]\.result`: expected `array \| null`, got"),
        (task() | {"data": {"image": 3}}, "the task has no text"),
    ],
    "mentions": [
        ({"text": "Ada"}, "neither `mentions` nor `entities`"),
        ({"text": "Ada", "mentions": "Ada"}, "must be a list, got 'Ada'.*--answers mentions"),
        ({"text": "Ada", "mentions": [["Ada", "PER"], "Bob"]}, "holds 'Bob', which is not a name with a label"),
        ({"text": "Ada", "entities": [{"start": 1, "end": 3, "label": "PER"}]}, "not a name with a label.*jsonl"),
        ({"text": 3, "mentions": []}, "`text`: expected `str`"),
        ({"id": 0.5, "mentions": []}, "`id`"),
    ],
    "prodigy": [
        (PRODIGY | {"answer": "maybe"}, "`answer` is 'maybe'\nAn answer is 'accept', 'reject' or 'ignore'"),
        (PRODIGY | {"text": None}, "the row has no `text`"),
        (PRODIGY | {"spans": [{"start": 0, "end": 3}]}, r"the span \[0, 3\) has no label"),
        (PRODIGY | {"spans": [{"x": 1.5, "label": "A"}]}, r"`spans\[0\]`: object missing required field `start`"),
    ],
    "spacy": [
        ({"ents": []}, "the row has no `text`"),
        ({"text": "x", "spans": {"b": [], "a": []}}, "the row has spans in several groups: a, b"),
        ({"text": "x", "ents": [{"start": 0, "end": 1}]}, r"`ents\[0\]`: object missing required field `label`"),
    ],
    "token-tags": [
        ({"tokens": ["a"]}, "the row has no `ner_tags`"),
        ({"ner_tags": ["O"]}, "the row has no `tokens`"),
        ({"tokens": ["a", "b"], "ner_tags": ["O"]}, "the document has 2 tokens, but 1 tag"),
        ({"tokens": [""], "ner_tags": ["O"]}, "token 1 is empty"),
        ({"tokens": ["a"], "ner_tags": [""]}, r"`ner_tags\[0\]` is not a tag"),
        ({"tokens": ["a"], "ner_tags": [True]}, r"`ner_tags\[0\]`: expected `int \| str`, got `bool`"),
        ({"tokens": [1], "ner_tags": ["O"]}, "expected `str`, got `int`"),
        ({"tokens": "a", "ner_tags": ["O"]}, "`tokens`: expected `array`, got `str`"),
    ],
}


@pytest.mark.parametrize(("name", "row", "says"), [(name, *each) for name, cases in ROWS.items() for each in cases])
def test_a_malformed_row_is_refused_at_its_line(name: str, row: Any, says: str) -> None:
    Path("file").write_text(text_of(name) + json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(FormatError) as error:
        read_all(Source("file"), name)
    assert (error.value.where or "").startswith("file:2")
    assert error.value.remedy
    assert re.search(says, str(error.value), re.DOTALL)


CONLLU = "cannot be read: give that of the tags"
NAMES = "give names, such as tokens,ner_tags"
# Columns that a format cannot read, whether the file stands for both sides, and what the error says.
COLUMNS: dict[str, list[tuple[tuple[Any, ...] | None, bool, str]]] = {
    "argilla": [((1,), False, "give the names"), (("a", "b", "c"), False, "give the names")],
    "arrow": [((1, 2), False, "give names"), (("tokens", "ner_tags"), True, "such as tokens,ner_tags,predicted_tags")],
    "conll": [
        ((1,), False, "give 2 numbers, for token, tag, or names"),
        ((1, "NER"), False, "so there is no column 'NER': name others with --columns"),
        ((1, 2), True, "give 3 numbers, for token, reference tag, predicted tag"),
    ],
    "conllu": [
        (("NER",), False, "file has no column NER: it has ID, FORM"),
        (("MISC:",), False, "no column MISC:"),
        ((11,), False, "no column 11"),
        ((0,), False, "no column 0"),
        ((2, 10, 10, 10), False, CONLLU),
        (("MISC:A",), True, "give those of the reference's and the prediction's tags"),
        (None, True, "name both, such as --columns MISC:NER,MISC:Predicted"),
    ],
    "docbin": [(("a", "b"), False, "columns a,b cannot be read")],
    "label-studio": [((1,), False, "give the key")],
    "spacy": [((1, 2), False, "give the name of a span group")],
    "token-tags": [
        ((1, 2), False, f"columns 1,2 cannot be read: {NAMES}"),
        (("a",), False, "columns a cannot be read"),
        (("a", "b", "c", "d"), False, "cannot be read"),
        (("a", "b"), True, "such as tokens,ner_tags,predicted_tags"),
    ],
}


@pytest.mark.parametrize(
    ("name", "columns", "single", "says"), [(name, *each) for name, cases in COLUMNS.items() for each in cases]
)
def test_columns_that_a_format_cannot_read_are_refused(name: str, columns: Any, single: bool, says: str) -> None:  # noqa: FBT001  a parameter
    source = make(name)
    with pytest.raises(UsageError, match=says):
        read_all(source, name, columns=columns, single_file=single)


BLANK_ENDS = r"has a span that begins or ends with white space, \[{}, {}\) 'X'"
TOKEN_FAULTS = [
    (document(" "), "has no tokens"),
    (document("x", (0, 1, "a\tb")), "in the tag"),
    (document("x", (0, 1, "a ")), "white space at its ends in the tag"),
    (document("\0"), "in the token"),
]
# A document after a good one, and what the error says of it.
DOCUMENTS: dict[str, list[tuple[SpanDocument, str]]] = {
    "brat": [
        (document("a\0b"), "holds a NUL"),
        (document("\ufeffa"), "byte order mark"),
        *((document("Ada", (0, 3, label)), f"label that brat cannot hold, '{label}'") for label in ("A B", "")),
        *((document("Ada", id=each), "not a file name") for each in ("../a", "/a", "", "a//b", ".a", "a\0")),
        (document("Ada", id="1"), "an id that another has too"),
    ],
    "conll": [
        *TOKEN_FAULTS,
        (document("-DOCSTART-", tokens=[(0, 10)]), "has the token '-DOCSTART-'"),
        (document("-DOCSTART- x", tokens=[(0, 12)]), "which ends a sentence"),
    ],
    "conllu": [
        *TOKEN_FAULTS,
        (document("x", id="a\tb"), "in the id"),
        (document("x", (0, 1, "a|b")), r"the character '\|' in the tag"),
    ],
    "docbin": [
        (document("Ada met Bob", (4, 11, "X"), (0, 7, "Y")), r"spans that overlap, the last of them \[4, 11\) 'X'"),
        (document("Ada", (0, 3, "X"), (0, 3, "X")), "spans that overlap"),
        (document("Ada", (0, 3, "")), "empty label"),
    ],
    "gliner": [
        (document("Ada \t Bob", (3, 6, "X")), BLANK_ENDS.format(3, 6)),
        (document("Ada met Bob", (3, 7, "X")), BLANK_ENDS.format(3, 7)),
        (document("Ada met Bob", (0, 4, "X")), BLANK_ENDS.format(0, 4)),
    ],
    "mentions": [
        (document("Ada, Ada", (5, 8, "X")), r"has 'Ada' 'X' at \[5, 8\), where it would not be found again"),
        (document("Ada", (0, 3, "X"), (0, 3, "X")), "would not be found again"),
        (document("Ada ", (0, 4, "X")), "would not be found again"),
        (document("น้ำ", (0, 1, "X")), "would not be found again"),
        (document("Ada", (0, 3, " ")), "has the label ' '"),
        (document(None, (0, 3, "X")), "has no text"),
        (document("Ada", unlocated=(("Ada", "X"),)), "a name beside its text that is in it"),
    ],
    "pubtator": [
        *((document(text), "line breaks or NUL") for text in ("a\nb", "a\r", "a\0")),
        *((document("Ada", id=each), "id that PubTator cannot hold") for each in ("a|b", "")),
        *((document("Ada", (0, 3, label)), "label that PubTator cannot hold") for label in ("A\tB", "")),
    ],
}


@pytest.mark.parametrize(
    ("name", "faulty", "says"), [(name, *each) for name, cases in DOCUMENTS.items() for each in cases]
)
def test_a_document_that_it_cannot_hold_leaves_no_file(name: str, faulty: SpanDocument, says: str) -> None:
    usable(name)
    with pytest.raises(DataError, match=says) as error:
        write([document("Ada", id="1"), faulty], name, "out")
    assert error.value.where == "source.jsonl:7"
    assert error.value.remedy
    assert list(Path.cwd().iterdir()) == []
