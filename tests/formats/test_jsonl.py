import json
import random
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from span_texts import content, documents, read
from span_texts import write as write_format

import isogloss
from isogloss.errors import DataError, FormatError, MismatchError, TagError
from isogloss.formats import jsonl
from isogloss.formats.annotation import AnnotationFile, FormatOptions
from isogloss.formats.detection import open_annotations
from isogloss.formats.documents import SpanDocument
from isogloss.formats.span_pairing import batch_document_pairs
from isogloss.formats.tagged_documents import batch_file_tags
from isogloss.kernel.provenance import Side
from isogloss.records.sources import Source
from isogloss.spans.batches import SpanPairs
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import SchemeDecision, decide_schemes, use_named_scheme
from isogloss.spans.tag_evidence import TagEvidence

DATA = Path(__file__).parents[3] / "shared" / "data" / "ner"
Triple = tuple[int, int, str]
TEXTS = ["แม่น้ำเจ้าพระยา", "زار أحمد القاهرة أمس", "𐌲𐌿𐍄𐌰𐌽𐍃 𐌸𐌰𐌽𐌰", 'a "quoted" \\ line\nand more', "e\u0301"]


def write(path: Path, *rows: Any) -> Source:
    """A file with a line a row: strings as they are, other values as JSON."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return Source(path)


def open_file(source: Source, side: Side) -> AnnotationFile:
    return open_annotations(source, "jsonl", FormatOptions(side))


def pair(reference: Source, prediction: Source, decision: SchemeDecision | None = None) -> Iterator[SpanPairs]:
    """Pair two files, with tags in IOB2 unless decided otherwise."""
    decode = Decoder(decision or use_named_scheme("iob2"))
    sides: tuple[tuple[Source, Side], ...] = (reference, "reference"), (prediction, "predicted")
    return batch_document_pairs(*(open_file(source, side).as_spans(side, decode) for source, side in sides))


def spans_by_name(batches: Iterable[SpanPairs]) -> dict[str, tuple[str | None, list[Triple], list[Triple]]]:
    """Text and spans of both sides by the document's name."""
    documents = {}
    for batch in batches:
        for row in range(len(batch.documents)):
            sides: list[list[Triple]] = []
            for side in (batch.reference, batch.predicted):
                at = np.flatnonzero(side.row == row)
                columns = side.start[at].tolist(), side.end[at].tolist(), side.label[at].tolist()
                sides.append([(start, end, batch.labels[label]) for start, end, label in zip(*columns, strict=True)])
            passage = batch.provenance.get_excerpt(row)
            documents[batch.provenance.name(row)] = (passage.text if passage else None, sides[0], sides[1])
    return documents


def naive(path: Path) -> dict[str, tuple[str | None, list[Triple]]]:
    """A file by the json module: text and spans by id, or by number from 1."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]
    documents = {}
    for number, row in enumerate(rows, 1):
        spans = row.get("entities", row.get("spans"))
        triples = [
            tuple(span) if isinstance(span, list) else (span["start"], span["end"], span["label"]) for span in spans
        ]
        name = number if row.get("id") is None else row["id"]
        documents[str(name)] = (row.get("text"), sorted(triples))
    return documents


@st.composite
def rows(draw: st.DrawFn) -> tuple[list[str], list[str]]:
    """Lines of both files: spans written in any way, ids or none, other keys, blank lines, the prediction shuffled."""
    with_ids = draw(st.sampled_from(["none", "null", "string", "number"]))
    sides: tuple[list[str], list[str]] = ([], [])
    for number in range(draw(st.integers(1, 6))):
        text = draw(st.sampled_from(TEXTS))
        for lines in sides:
            row: dict[str, Any] = {"other": {"id": [1]}, "text": text, "meta": None}
            if with_ids != "none":
                row["id"] = {"null": None, "string": f"s{number}", "number": number}[with_ids]
            row[draw(st.sampled_from(["entities", "spans"]))] = draw(st.lists(written_spans(text), max_size=4))
            lines.append(json.dumps(row, ensure_ascii=draw(st.booleans())))
    prediction = draw(st.permutations(sides[1])) if with_ids in ("string", "number") else sides[1]
    return with_blanks(draw, sides[0]), with_blanks(draw, prediction)


def with_blanks(draw: st.DrawFn, lines: Sequence[str]) -> list[str]:
    return [part for line in lines for part in (*draw(st.sampled_from([(), (), ("",), (" \t",), ("\r",)])), line)]


@st.composite
def written_spans(draw: st.DrawFn, text: str) -> Any:
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    label = draw(st.sampled_from(["PER", "LOC", "人名"]))
    if draw(st.booleans()):
        return [start, end, label]
    return {"label": label, "start": start, "text": text[start:end], "end": end}


@settings(max_examples=80)
@given(rows(), st.sampled_from([1, 50, 400, 1 << 16]))
def test_files_are_read_as_the_json_module_reads_them(
    tmp_path_factory: pytest.TempPathFactory, files: tuple[list[str], list[str]], block: int
) -> None:
    folder = tmp_path_factory.mktemp("rows")
    reference, prediction = write(folder / "gold.jsonl", *files[0]), write(folder / "pred.jsonl", *files[1])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "BLOCK", block)
        read = spans_by_name(pair(reference, prediction))
    gold, predicted = naive(folder / "gold.jsonl"), naive(folder / "pred.jsonl")
    assert read == {name: (text, spans, predicted[name][1]) for name, (text, spans) in gold.items()}


@pytest.mark.parametrize("corpus", ["uner_en_ewt", "uner_sr_set", "uner_zh_gsdsimp"])
def test_real_files_are_read_as_the_json_module_reads_them(corpus: str) -> None:
    if not (DATA / corpus).is_dir():
        pytest.skip("the shared corpora are not beside the repository")
    gold_path = DATA / corpus / "gold.test.jsonl"
    (system,) = [path for path in (DATA / corpus).glob("*.jsonl") if path != gold_path]
    read = spans_by_name(pair(Source(gold_path), Source(system)))
    gold, predicted = naive(gold_path), naive(system)
    assert len(read) == len(gold)
    assert read == {name: (text, spans, predicted[name][1]) for name, (text, spans) in gold.items()}


def test_shuffling_the_prediction_changes_nothing(tmp_path: Path) -> None:
    rng = random.Random(2)
    rows = [{"id": number, "entities": [[number % 5, 7, "A"]]} for number in range(3000)]
    gold = write(tmp_path / "gold.jsonl", *rows)
    expected = spans_by_name(pair(gold, gold))
    rng.shuffle(rows)
    assert spans_by_name(pair(gold, write(tmp_path / "pred.jsonl", *rows))) == expected


def test_the_prediction_needs_no_text(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", {"id": 1, "text": "Ada", "entities": []})
    prediction = write(tmp_path / "pred.jsonl", {"id": "1", "entities": [[0, 3, "PER"]]})
    assert spans_by_name(pair(gold, prediction)) == {"1": ("Ada", [], [(0, 3, "PER")])}


def test_other_keys_may_hold_anything_where_there_are_entities(tmp_path: Path) -> None:
    row = {"entities": [[0, 3, "PER"]], "spans": {"sc": []}, "tokens": ["Ada"], "tags": {"a": 1}}
    gold = write(tmp_path / "gold.jsonl", row)
    assert spans_by_name(pair(gold, gold))["1"][1] == [(0, 3, "PER")]


def test_places_are_file_and_line_with_blank_lines_counted(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", "", {"entities": []}, "   ", {"entities": []})
    prediction = write(tmp_path / "pred.jsonl", {"entities": []}, "", "", "", {"entities": []})
    (batch,) = pair(gold, prediction)
    assert [batch.provenance.where(row, 0, "reference") for row in (0, 1)] == [f"{gold.name}:2", f"{gold.name}:4"]
    assert [batch.provenance.where(row, 0, "predicted") for row in (0, 1)] == [
        f"{prediction.name}:1",
        f"{prediction.name}:5",
    ]


GOOD = {"id": "a", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}
LOOKS = "A row looks like"
TAGGED = {"id": "a", "tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 7}], "tags": ["B-PER", "O"]}
FAULTS: dict[str, tuple[list[Any], type[Exception], str, str, str]] = {
    # lines of the prediction: the error, what follows the file's name, a part of the message, a part of the remedy
    "cut short": ([GOOD, '{"id": "b", "ent'], FormatError, ":2:13", "broken JSON: ", LOOKS),
    "no number": (['{"score": NaN, "entities": []}'], FormatError, ":1:11", "invalid character", LOOKS),
    "a row of an array": (["[", "{}", "]"], FormatError, ":2", "neither `entities` nor `tags`", LOOKS),
    "no entities": ([{"id": "a", "text": "Ada"}], FormatError, ":1", "neither `entities` nor `tags`", LOOKS),
    "entities null": ([{"entities": None}], FormatError, ":1", "`entities`: expected `array`, got `null`", LOOKS),
    "spans null": ([{"spans": None}], FormatError, ":1", "`spans`: expected `array`, got `null`", LOOKS),
    "start missing": (
        [{"entities": [[0, 1, "A"], {"end": 1, "label": "A"}]}],
        FormatError,
        ":1",
        "`entities[1]`: object missing required field `start`",
        LOOKS,
    ),
    "start a string": (
        [GOOD, {"id": "b", "spans": [{"start": "0", "end": 1, "label": "A"}]}],
        FormatError,
        ":2",
        "`spans[0].start`: expected `int`, got `str`",
        LOOKS,
    ),
    "end a fraction": (
        [{"entities": [[0, 1.0, "A"]]}],
        FormatError,
        ":1",
        "`entities[0][1]`: expected `int`, got `float`",
        LOOKS,
    ),
    "start true": ([{"entities": [[True, 2, "A"]]}], FormatError, ":1", "expected `int`, got `bool`", LOOKS),
    "label missing": (
        [{"entities": [[0, 1]]}],
        FormatError,
        ":1",
        "`entities[0]`: expected `array` of length 3",
        LOOKS,
    ),
    "label null": ([{"entities": [[0, 1, None]]}], FormatError, ":1", "`entities[0][2]`: expected `str`", LOOKS),
    "id a list": ([{"id": ["a"], "entities": []}], FormatError, ":1", "`id`: expected `int | str | null`", LOOKS),
    "text a number": ([{"text": 3, "entities": []}], FormatError, ":1", "`text`: expected `str | null`", LOOKS),
    "an id missing": ([GOOD, {"entities": []}], FormatError, ":2", "has no id, but the 1 before it", "every document"),
    "an empty file": ([], FormatError, "", "holds no documents", "a row for each document"),
    "only blank lines": (["", "  "], FormatError, "", "holds no documents", "a row for each document"),
    "end before start": ([GOOD | {"entities": [[3, 1, "A"]]}], DataError, ":1", "[3, 1) 'A' has no extent", "`end`"),
    "beyond the text": ([GOOD | {"entities": [[8, 12, "A"]]}], DataError, ":1", "has 11 code points", "not bytes"),
    "an id twice": ([GOOD, GOOD], DataError, ":2", "the id 'a' stands twice", "an id of its own"),
    "another text": (
        [GOOD | {"text": "Ada met Rob"}],
        MismatchError,
        ":1",
        "differ from code point 8",
        "the reference",
    ),
    "tags after entities": ([GOOD, TAGGED | {"id": "b"}], FormatError, ":2", "has tags, but the first row", "all with"),
    "entities after tags": ([TAGGED, GOOD], FormatError, ":2", "has spans, but the first row", "all with"),
    "tags without tokens": ([{"tags": ["O"]}], FormatError, ":1", "`tags`, but no `tokens`", "has tokens such as"),
    "tokens as strings": (
        [{"tokens": ["Ada"], "tags": ["O"]}],
        FormatError,
        ":1",
        "`tokens[0]`: expected `object`, got `str`",
        "has tokens such as",
    ),
    "tags a string": ([TAGGED | {"tags": "O O"}], FormatError, ":1", "`tags`: expected `array`, got `str`", LOOKS),
    "more tags than tokens": ([TAGGED | {"tags": ["O"] * 3}], FormatError, ":1", "2 tokens, but 3 tags", "as many as"),
    "an empty tag": ([TAGGED | {"tags": ["O", ""]}], FormatError, ":1", "`tags[1]` is empty", "'O'"),
    "tokens out of order": (
        [TAGGED | {"tokens": [{"start": 4, "end": 7}, {"start": 0, "end": 3}]}],
        FormatError,
        ":1",
        "`tokens[1]`, [0, 3), is empty or does not begin at 7 or later",
        "in the order of the text",
    ),
    "a huge token": (
        [TAGGED | {"tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 2**80}]}],
        FormatError,
        ":1",
        "`tokens[1]`",
        "order",
    ),
    "a token that is too far": (
        [TAGGED | {"tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 2**40 + 1}]}],
        FormatError,
        ":1",
        "`tokens[1]`",
        "order",
    ),
    "an unknown tag": ([TAGGED | {"tags": ["B-PER", "Q-PER"]}], TagError, ":1", "'Q-PER'", ""),
    "spans of tags beyond the text": (
        [TAGGED | {"tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 70}], "tags": ["O", "B-PER"]}],
        DataError,
        ":1",
        "[4, 70) 'PER' reaches beyond its text",
        "code points",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_an_error_with_its_place_and_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    rows, kind, place, message, remedy = FAULTS[fault]
    gold = write(tmp_path / "gold.jsonl", GOOD, GOOD | {"id": "b"})
    if rows and (not isinstance(rows[0], dict) or "id" not in rows[0]):
        gold = write(tmp_path / "gold.jsonl", *({"text": "Ada met Bob", "entities": []} for _ in rows))
    prediction = write(tmp_path / "pred.jsonl", *rows)
    for block in (1, 1 << 16):
        monkeypatch.setattr(jsonl, "BLOCK", block)
        with pytest.raises(DataError) as caught:
            list(pair(gold, prediction))
        assert type(caught.value) is kind
        assert caught.value.where == f"{prediction.name}{place}"
        assert message in caught.value.message
        assert remedy in caught.value.remedy


def test_sides_with_other_tokens_are_compared_by_characters(tmp_path: Path) -> None:
    text = "𐌲𐌿𐍄𐌰 นครปฐม U.N."
    words = [{"start": 0, "end": 4}, {"start": 5, "end": 11}, {"start": 12, "end": 16}]
    syllables = [
        *words[:1],
        {"start": 5, "end": 8},
        {"start": 8, "end": 11},
        {"start": 12, "end": 14},
        {"start": 14, "end": 16},
    ]
    gold = write(tmp_path / "gold.jsonl", {"text": text, "tokens": words, "tags": ["B-PER", "B-LOC", "B-ORG"]})
    prediction = write(
        tmp_path / "pred.jsonl", {"tokens": syllables, "tags": ["O", "B-LOC", "I-LOC", "I-ORG", "O"], "id": None}
    )
    evidence = TagEvidence()
    sides: tuple[tuple[Source, Side], ...] = (gold, "reference"), (prediction, "predicted")
    for source, side in sides:
        tags = open_file(source, side).tags
        assert tags is not None
        evidence = sum(map(TagEvidence.from_batch, batch_file_tags(tags, side)), evidence)
    batches = list(pair(gold, prediction, decide_schemes(evidence)))
    expected = [(0, 4, "PER"), (5, 11, "LOC"), (12, 16, "ORG")], [(5, 11, "LOC"), (12, 14, "ORG")]
    assert spans_by_name(batches) == {"1": (text, *expected)}
    assert [(warning.code, warning.count, warning.where) for warning in batches[0].warnings] == [
        ("tags-repaired", 1, f"{prediction.name}:1")
    ]


def test_a_long_array_is_read_as_its_rows_in_lines(tmp_path: Path) -> None:
    texts = [f"Ada met {number}" for number in range(2_500)]
    gold = [{"text": text, "entities": [[0, 3, "PER"]]} for text in texts]
    system = [{"text": text, "spans": [{"start": 8, "end": len(text), "label": "N"}]} for text in texts]
    reference, prediction = write(tmp_path / "gold.jsonl", *gold), write(tmp_path / "system.jsonl", *system)
    array = tmp_path / "system.json"
    array.write_text(json.dumps(system), encoding="utf-8")
    expected = {str(number): (text, [(0, 3, "PER")], [(8, len(text), "N")]) for number, text in enumerate(texts, 1)}
    assert spans_by_name(pair(reference, prediction)) == expected
    assert spans_by_name(pair(reference, Source(array))) == expected


def test_tags_on_one_side_go_with_spans_on_the_other(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.jsonl", GOOD)
    prediction = write(tmp_path / "pred.jsonl", TAGGED)
    batches = pair(gold, prediction)
    assert spans_by_name(batches) == {"a": ("Ada met Bob", [(0, 3, "PER")], [(0, 3, "PER")])}


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    source = write(
        tmp_path / "gold.jsonl", *({"id": number, "text": "x" * 500, "entities": []} for number in range(30_000))
    )
    tracemalloc.start()
    documents = sum(len(batch.documents) for batch in pair(source, source))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert documents == 30_000
    assert peak < 2 * 30_000 * 500 / 2  # half of the text of both sides, which is in memory if it is not streamed


def open_it(*rows: dict[str, Any], **options: Any) -> AnnotationFile:
    Path("file").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return open_annotations(Source("file"), "jsonl", FormatOptions(**options))


@pytest.mark.parametrize("answer", ["reject", "ignore"])
def test_a_row_that_was_not_kept_in_prodigy_is_refused(answer: str) -> None:
    """The first row, which was imported, does not look like Prodigy."""
    span = {"start": 0, "end": 3, "label": "PER"}
    hashes = {"_input_hash": 7, "_task_hash": -8}
    rows: list[dict[str, Any]] = [{"text": "Ada met", "spans": [span]}, {"text": "Bob", "spans": [span]} | hashes]
    assert len(list(open_it(*rows, rows[1] | {"answer": "accept"}).spans or ())) == 3
    plain: dict[str, Any] = {"text": "x", "spans": [], "answer": answer}  # a column of one's own
    documents = list(open_it(*rows, plain, attributes=["answer"]).spans or ())
    assert documents[-1].columns == {"answer": answer}
    file = open_it(*rows, rows[1] | {"answer": answer})
    with pytest.raises(FormatError, match=rf'file:3: the row has the answer "{answer}" of Prodigy.*\n.*format prodigy'):
        list(file.spans or ())
    assert [each.left_out for each in read("file", "prodigy")] == [False, False, True]


def test_rows_have_spans_or_tags() -> None:
    spans = open_it({"id": 7, "text": "Ada", "entities": [[0, 3, "P"]], "genre": "x"}, attributes=("genre",)).spans
    assert spans is not None
    (document,) = spans
    assert (*content(document), document.columns) == ("7", "Ada", [(0, 3, "P")], {"genre": "x"})
    file = open_it({"text": "Ada", "tokens": [{"start": 0, "end": 3}], "tags": ["B-P"]})
    assert file.tags is not None
    (row,) = file.tags
    assert (row.text, list(row.tags), row.joined, file.has_words) == ("Ada", ["B-P"], False, False)


@given(st.lists(documents(name=False), min_size=1, max_size=3))
def test_documents_without_ids_and_texts_are_written_without(corpus: list[SpanDocument]) -> None:
    write_format([SpanDocument(1, None, None, each.spans, file="f") for each in corpus], "jsonl", "out")
    assert [content(each) for each in read("out")] == [(None, None, list(each.spans)) for each in corpus]


def test_two_files_of_json_lines_are_checked_too() -> None:
    Path("gold").write_text(
        '{"text": "Ada met Bob", "entities": [{"start": 1, "end": 4, "label": "P", "text": "Ada"}]}\n'
    )
    Path("pred").write_text(
        '{"text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "P", "text": null}]}\n'
    )
    with pytest.raises(DataError, match="gold:1: the span"):
        isogloss.ner("gold", "pred")
    assert isogloss.ner("gold", "pred", repair_offsets=True).scores["strict"].f1 == 1
    Path("gold").write_text(
        '{"entities": [{"start": 1, "end": 4, "label": "P", "text": "Ada"}]}\n'
    )  # nothing to look at
    assert isogloss.ner("gold", "pred").scores["strict"].f1 == 0
