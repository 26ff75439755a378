from __future__ import annotations

import gzip
import hashlib
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import UsageError
from isogloss.records.sources import Source, is_path
from isogloss.tasks.ner.scoring import ner

# Three reference spans, two predicted; "New York" is right, "Ada" has another label, "Bell" is missed.
WORDS = [["Ada", "saw", "New", "York"], ["Bell", "ran"]]
GOLD = [["B-PER", "O", "B-LOC", "I-LOC"], ["B-ORG", "O"]]
SYSTEM = [["B-ORG", "O", "B-LOC", "I-LOC"], ["O", "O"]]
COUNTS = {"correct": 1, "wrong_type": 1, "wrong_boundary": 0, "wrong_type_and_boundary": 0, "missed": 1, "spurious": 0}


@dataclass
class Entity:
    start: int
    end: int
    label: str


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(conll(WORDS, GOLD), encoding="utf-8")
    Path("system").write_text(conll(WORDS, SYSTEM), encoding="utf-8")


def conll(*columns: list[list[str]], separator: str = "\t") -> str:
    sentences = zip(*columns, strict=True)
    return "\n".join("".join(separator.join(row) + "\n" for row in zip(*s, strict=True)) for s in sentences)


def spans(make: Callable[[int, int, str], Any], documents: list[list[str]]) -> list[list[Any]]:
    """The spans of tags in which every I follows its B."""
    found: list[list[tuple[int, int, str]]] = []
    for tags in documents:
        found.append([])
        for at, tag in enumerate(tags):
            if tag[0] == "B":
                found[-1].append((at, at + 1, tag[2:]))
            elif tag[0] == "I":
                found[-1][-1] = (found[-1][-1][0], at + 1, tag[2:])
    return [[make(*span) for span in document] for document in found]


def as_dict(start: int, end: int, label: str) -> dict[str, Any]:
    return {"start": start, "end": end, "label": label}


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


FORMS: dict[str, tuple[Any, Any]] = {
    "paths": ("gold", "system"),
    "path objects": (Path("gold"), Path("system")),
    "tags": (GOLD, SYSTEM),
    "tuples": (spans(lambda *span: span, GOLD), spans(lambda *span: span, SYSTEM)),
    "dicts": (spans(as_dict, GOLD), spans(as_dict, SYSTEM)),
    "objects": (spans(Entity, GOLD), spans(Entity, SYSTEM)),
}


def test_every_form_of_the_same_spans_has_the_same_counts() -> None:
    for reference, prediction in FORMS.values():
        assert ner(reference, prediction).kinds == COUNTS


def test_a_source_can_be_given_and_shared() -> None:
    source = Source("gold")
    assert ner(source, Source("system")).kinds == COUNTS
    assert ner(source, Source("system")).kinds == COUNTS


def test_standard_input_is_read_where_a_path_is_a_dash(monkeypatch: pytest.MonkeyPatch) -> None:
    content = Path("system").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    run = ner("gold", "-")
    assert run.kinds == COUNTS
    assert run.system == "<stdin>"
    assert run.inputs[1].sha256 == hashlib.sha256(content).hexdigest()


def test_one_file_can_hold_both_sides() -> None:
    Path("both").write_text(conll(WORDS, GOLD, SYSTEM), encoding="utf-8")
    run = ner("both")
    assert run.kinds == COUNTS
    assert [(entry.role, entry.path) for entry in run.inputs] == [("reference", "both"), ("prediction", "both")]


@pytest.mark.parametrize("columns", [(1, 2, 4), (1, -3, -1)])
def test_columns_of_one_file_are_chosen(columns: tuple[int, ...]) -> None:
    other = [["NNP"] * len(words) for words in WORDS]
    Path("both").write_text(conll(WORDS, GOLD, other, SYSTEM, separator=" "), encoding="utf-8")
    assert ner("both", columns=columns).kinds == COUNTS


def test_columns_that_were_chosen_are_in_the_signature() -> None:
    Path("both").write_text(conll(WORDS, GOLD, SYSTEM), encoding="utf-8")
    assert str(ner("both", columns=(1, 3, 2)).signature).startswith("ner|format:conll|columns:1,3,2|scheme:iob2|")
    assert "columns" not in str(ner("both").signature)


def test_columns_of_two_files_are_chosen_for_both_alike() -> None:
    for name, tags in (("gold", GOLD), ("system", SYSTEM)):
        Path(name).write_text(conll(tags, WORDS), encoding="utf-8")
    assert ner("gold", "system", columns=(2, 1)).kinds == COUNTS


def test_compressed_files_are_read_as_they_are() -> None:
    Path("system.gz").write_bytes(gzip.compress(Path("system").read_bytes()))
    assert ner("gold", "system.gz").kinds == COUNTS


def test_rows_with_spans_are_recognised() -> None:
    texts = [" ".join(words) for words in WORDS]
    found = [[(0, 3, "PER"), (8, 16, "LOC")], [(0, 4, "ORG")]], [[(0, 3, "ORG"), (8, 16, "LOC")], []]
    for name, side in zip(("gold", "system"), found, strict=True):
        rows = [{"text": text, "entities": spans} for text, spans in zip(texts, side, strict=True)]
        Path(name).write_text(lines(rows), encoding="utf-8")
    assert ner("gold", "system").kinds == COUNTS


def test_rows_with_tokens_that_differ_are_compared_by_characters() -> None:
    whole = {"text": "New York", "tokens": [{"start": 0, "end": 8}], "tags": ["B-LOC"]}
    parts = {"text": "New York", "tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 8}], "tags": ["B-LOC", "I-LOC"]}
    Path("gold").write_text(lines([whole]), encoding="utf-8")
    Path("system").write_text(lines([parts]), encoding="utf-8")
    run = ner("gold", "system")
    assert run.scores["strict"].f1 == 1
    assert "tokens" not in run.scores


def test_rows_with_tags_are_compared_with_rows_with_spans() -> None:
    Path("gold").write_text(lines([{"text": "New York", "entities": [(0, 8, "LOC")]}]), encoding="utf-8")
    tokens = [{"start": 0, "end": 3}, {"start": 4, "end": 8}]
    row = {"text": "New York", "tokens": tokens, "tags": ["I-LOC", "I-LOC"]}
    Path("system").write_text(lines([row]), encoding="utf-8")
    run = ner("gold", "system", scheme="iob2")
    assert run.scores["strict"].f1 == 1
    assert [(notice.code, notice.count) for notice in run.warnings] == [("tags-repaired", 1)]


def test_digests_are_those_of_the_bytes_as_stored() -> None:
    Path("gold.gz").write_bytes(gzip.compress(Path("gold").read_bytes()))
    for entry in ner("gold.gz", "system").inputs:
        assert entry.sha256 == hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()


def test_python_values_have_no_inputs() -> None:
    run = ner(GOLD, SYSTEM)
    assert run.inputs == ()
    assert run.system == "prediction"


@pytest.mark.parametrize("arguments", [("gold", SYSTEM), (GOLD, "system")])
def test_a_path_and_a_list_cannot_be_compared(arguments: tuple[Any, Any]) -> None:
    with pytest.raises(UsageError, match="two paths or two lists"):
        ner(*arguments)


def test_a_single_file_of_rows_has_no_other_side() -> None:
    Path("gold").write_text(lines([{"text": "a", "entities": []}]), encoding="utf-8")
    with pytest.raises(UsageError, match="gold is jsonl, which holds one side"):
        ner("gold")


def test_rows_have_no_columns() -> None:
    Path("gold").write_text(lines([{"text": "a", "entities": []}]), encoding="utf-8")
    with pytest.raises(UsageError, match="The format jsonl has no --columns"):
        ner("gold", "gold", columns=(1, 2))


def test_a_named_format_is_believed() -> None:
    Path("braces").write_text('{" O\n', encoding="utf-8")  # a token that looks like the begin of an object
    assert ner("braces", "braces", input_format="conll").documents == 1


def test_strings_paths_and_sources_name_files() -> None:
    for value, path in [("a", True), (Path("a"), True), (Source("a"), True), ([], False)]:
        assert is_path(value) is path
