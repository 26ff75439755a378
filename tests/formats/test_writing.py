from __future__ import annotations

import json
from pathlib import Path

import pytest

from isogloss.errors import DataError
from isogloss.formats.annotation import get_writable_text, make_unwritable_error, write_json_array
from isogloss.formats.documents import SpanDocument


def document(text: str | None, *spans: tuple[int, int, str], **more: object) -> SpanDocument:
    return SpanDocument(**{"line": 3, "id": None, "text": text, "spans": spans, "file": "f"} | more)  # type: ignore[arg-type]


def test_a_text_that_holds_its_spans_can_be_written() -> None:
    assert get_writable_text(document("Ada", (0, 3, "P"))) == "Ada"


def test_a_document_that_cannot_be_written_is_refused_with_its_place() -> None:
    for whole, says in [
        (document(None), "has no text"),
        (document("Ada", (0, 4, "P")), "reaches beyond its text"),
        (document("Ada", (1, 1, "P")), "has no extent"),
        (document("a\ud800"), "half a surrogate pair"),
        (document("Ada", unlocated=[("Bob", "P")]), "names that are not in its text"),
    ]:
        with pytest.raises(DataError, match=says) as error:
            get_writable_text(whole)
        assert error.value.where == "f:3"


@pytest.mark.parametrize(("line", "where"), [(3, "f:3"), ("row 3", "f:row 3")])
def test_an_error_names_the_place_of_the_document(line: int | str, where: str) -> None:
    assert (
        str(make_unwritable_error(document("x", line=line), "is odd", "Mend it."))
        == f"{where}: the document is odd\nMend it."
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_an_array_has_a_line_for_each_document(tmp_path: Path, count: int) -> None:
    sent = [SpanDocument(line, str(line), "Ada", ()) for line in range(count)]
    write_json_array(lambda each: {"id": each.id})(sent, str(tmp_path / "f.json"))
    text = (tmp_path / "f.json").read_text(encoding="utf-8")
    assert json.loads(text) == [{"id": str(line)} for line in range(count)]
    assert text.count("\n") == count + 2
