"""One document in every format of named entities: `Ada`, a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from libraries import library
from span_texts import document, write

from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import detect_format, open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.records.sources import Source
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme

TEXT = "Ada"
NEEDS = {"arrow": "pyarrow", "datasets": "pyarrow", "docbin": "spacy"}
READ_ONLY = (
    *("azure", "comprehend", "datasets", "flair", "google-nl", "presidio"),
    *("spacy-training", "stanza", "transformers"),
)  # formats that are not written
SPAN = {"start": 0, "end": 3, "label": "PER"}
REGION = {
    "from_name": "label",
    "to_name": "text",
    "type": "labels",
    "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]},
}
# Written by hand; those in binary are made by their libraries.
CONTENTS: dict[str, Any] = {
    "argilla": {"id": "1", "fields": {"text": "Ada"}, "responses": {"spans": [{"value": [SPAN], "user_id": "u"}]}},
    "conll": "Ada\tB-PER\n",
    "conllu": "1\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n",
    "doccano": {"id": 1, "text": "Ada", "label": [[0, 3, "PER"]]},
    "gliner": {"tokenized_text": ["Ada"], "ner": [[0, 0, "PER"]]},
    "jsonl": {"text": "Ada", "entities": [SPAN]},
    "label-studio": {"id": 7, "data": {"text": "Ada"}, "annotations": [{"id": 1, "result": [REGION]}]},
    "mentions": {"text": "Ada", "mentions": [{"text": "Ada", "label": "PER"}]},
    "prodigy": {"text": "Ada", "spans": [SPAN], "answer": "accept", "_input_hash": 1, "_task_hash": 2},
    "pubtator": "1|t|Ada\n1\t0\t3\tAda\tPER\n",
    "spacy": {"text": "Ada", "ents": [SPAN], "tokens": [{"id": 0, "start": 0, "end": 3}]},
    "token-tags": {"tokens": ["Ada"], "ner_tags": ["B-PER"]},
    "azure": {"text": "Ada", "entities": [{"text": "Ada", "category": "PER", "offset": 0, "length": 3}]},
    "comprehend": {"text": "Ada", "Entities": [{"BeginOffset": 0, "EndOffset": 3, "Text": "Ada", "Type": "PER"}]},
    "flair": {
        "text": "Ada",
        "entities": [{"text": "Ada", "start_pos": 0, "end_pos": 3, "labels": [{"value": "PER", "confidence": 0.9}]}],
    },
    "google-nl": {
        "text": "Ada",
        "entities": [{"name": "Ada", "type": "PER", "mentions": [{"text": {"content": "Ada", "beginOffset": 0}}]}],
    },
    "presidio": {"text": "Ada", "results": [{"entity_type": "PER", "start": 0, "end": 3, "score": 0.85}]},
    "spacy-training": {
        "id": 0,
        "paragraphs": [{"raw": "Ada", "sentences": [{"tokens": [{"orth": "Ada", "ner": "B-PER"}]}]}],
    },
    "stanza": {"text": "Ada", "ents": [{"text": "Ada", "type": "PER", "start_char": 0, "end_char": 3}]},
    "transformers": {"text": "Ada", "output": [{"entity_group": "PER", "word": "Ada", "start": 0, "end": 3}]},
}
JSON = [name for name, content in CONTENTS.items() if isinstance(content, dict)]
MORE = {"genre": "news", "year": 7}
# The same with two columns.
COLUMNS: dict[str, str] = {
    **{name: json.dumps(CONTENTS[name] | MORE) for name in JSON},
    "argilla": json.dumps(CONTENTS["argilla"] | {"metadata": MORE}),
    "label-studio": json.dumps(
        CONTENTS["label-studio"] | {"data": {"text": "Ada", "genre": "news"}, "meta": {"year": 7}},
    ),
    "conll": "# genre = news\n# year = 7\n" + CONTENTS["conll"],
    "conllu": "# genre = news\n# year = 7\n" + CONTENTS["conllu"],
}


def usable(name: str) -> None:
    """Skip the test where what a format needs is not installed."""
    if name in NEEDS:
        library(NEEDS[name])


def text_of(name: str) -> str:
    """The sample of a format that is text, as a file holds it."""
    content = CONTENTS[name]
    return content if isinstance(content, str) else json.dumps(content) + "\n"


def make(name: str) -> Source:
    """The sample of a format as the file or folder `file`."""
    usable(name)
    if name in CONTENTS:
        Path("file").write_text(text_of(name), encoding="utf-8")
    elif name == "brat":
        Path("file").mkdir()
        Path("file/a.txt").write_text("Ada", encoding="utf-8")
        Path("file/a.ann").write_text("T1\tPER 0 3\tAda\n", encoding="utf-8")
    elif name == "datasets":
        write([document("Ada", (0, 3, "PER"))], "arrow", "data.arrow")
        Path("file").mkdir()
        Path("data.arrow").rename("file/data.arrow")
        Path("file/state.json").write_text('{"_data_files": [{"filename": "data.arrow"}]}', encoding="utf-8")
        Path("file/dataset_info.json").write_text("{}", encoding="utf-8")
    else:
        write([document("Ada", (0, 3, "PER"))], name, "file")
    return Source("file")


def read_all(source: Source, name: str | None = None, **options: Any) -> list[SpanDocument]:
    """The documents of a file with their spans, also where it has tags (of IOB2)."""
    file = open_annotations(source, detect_format(source) if name is None else name, FormatOptions(**options))
    return list(file.as_spans("reference", Decoder(use_named_scheme("iob2"))))
