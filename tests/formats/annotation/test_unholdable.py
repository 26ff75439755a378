from __future__ import annotations

from pathlib import Path

import pytest
from span_texts import document, write

from isogloss.errors import DataError
from isogloss.formats.documents import SpanDocument


@pytest.mark.parametrize("name", ["argilla", "doccano", "label-studio", "prodigy", "spacy"])
@pytest.mark.parametrize(
    "faulty",
    [
        document(None),
        document("Ada", unlocated=[("Bob", "PER")]),
        document("Ada", (0, 4, "X")),
        document("\ud800"),
    ],
    ids=["no text", "a name that is not in the text", "a span beyond the text", "half a character"],
)
def test_what_a_format_cannot_hold_is_refused_and_leaves_no_file(
    tmp_path: Path,
    name: str,
    faulty: SpanDocument,
) -> None:
    with pytest.raises(DataError, match=r"source\.jsonl:7"):
        write([faulty], name, tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
