from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from libraries import library

from isogloss.errors import DataError, FormatError, IsoglossError, UsageError
from isogloss.formats.conversion import convert
from isogloss.formats.detection import detect_format, list_writable_formats
from isogloss.records.sources import Source
from isogloss.tasks.ner.scoring import ner

DATA = Path(__file__).parents[3] / "shared" / "data" / "ner"
NEEDS = {"arrow": "pyarrow", "docbin": "spacy"}
COLUMNS = "Ada\tB-PER\nmet\tO\nNew\tB-LOC\nYork\tI-LOC\n\nBob\tB-PER\n"
ROWS = [
    {"id": "a", "text": "Ada met  New York.", "entities": [[0, 3, "PER"], [9, 17, "LOC"]]},
    {"id": "b", "text": "زار أحمد القاهرة", "entities": [[4, 8, "PER"], [9, 16, "LOC"]]},
    {"id": "c", "text": "สมชายไปกรุงเทพฯ", "entities": [[0, 5, "PER"], [7, 15, "LOC"]]},
    {"id": "d", "text": "👩\u200d👧 𠀀𠀁", "entities": [[4, 6, "LOC"]]},
]


@pytest.fixture(autouse=True)
def files(folder: None) -> None:
    Path("columns").write_text(COLUMNS, encoding="utf-8")
    Path("rows").write_text(lines(ROWS), encoding="utf-8")


def lines(rows: list[Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def rows_of(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").split("\n")[:-1]]


def needed(*names: str) -> None:
    for name in names:
        if name in NEEDS:
            library(NEEDS[name])


@pytest.mark.parametrize("name", list_writable_formats())
def test_every_format_can_be_made_of_rows_and_rows_of_it(name: str) -> None:
    needed(name)
    done = convert("rows", to=name, output="made")
    assert (done.source_format, done.documents, done.spans) == ("jsonl", 4, 7)
    assert detect_format(Source("made")) == name
    assert ner("rows", "made").scores["strict"].f1 == 1
    back = convert("made", to="jsonl", output="back")
    assert (back.source_format, back.documents, back.spans) == (name, 4, 7)
    labels = [["PER", "LOC"], ["PER", "LOC"], ["PER", "LOC"], ["LOC"]]
    assert [[label for *_, label in sorted(row["entities"])] for row in spans_of("back")] == labels


def spans_of(path: str) -> list[dict[str, Any]]:
    found = rows_of(path)
    for row in found:
        row["entities"] = [tuple(span.values()) for span in row["entities"]]
    return found


@pytest.mark.parametrize("corpus", ["uner_en_ewt", "uner_sr_set", "uner_zh_gsdsimp"])
@pytest.mark.parametrize("name", ["conllu", "token-tags", "arrow", "conll"])
def test_real_columns_keep_their_words_and_scores(corpus: str, name: str) -> None:
    gold, system = (DATA / corpus / f"{each}.test.conll" for each in ("gold", "crf"))
    if not gold.exists():
        pytest.skip(f"{gold} is not there")
    needed(name)
    convert(gold, to=name, output="gold", to_scheme="iob2")
    convert(system, to=name, output="system", to_scheme="iobes")
    expected, found = ner(gold, system), ner("gold", "system", scheme="auto")
    assert found.confusion == expected.confusion
    assert {group: found.scores[group] for group in ("strict", "exact", "partial", "type")} == {
        group: expected.scores[group] for group in ("strict", "exact", "partial", "type")
    }
    assert found.scores["tokens"].total == expected.scores["tokens"].total


@pytest.mark.parametrize("to", ["conll", "conllu", "token-tags"])
def test_files_of_one_text_without_spaces_are_compared_by_tokens_whatever_their_spans(to: str) -> None:
    text = "李小明在北京大学学习。สมชายไปกรุงเทพฯ"
    gold, system = [[0, 3, "PER"], [4, 8, "ORG"], [17, 19, "X"]], [[0, 3, "PER"], [4, 6, "LOC"]]
    for name, spans in (("gold", gold), ("system", system)):
        Path(name).write_text(lines([{"text": text, "entities": spans}]), encoding="utf-8")
        convert(name, to, f"{name}.{to}")
    by_characters, by_tokens = ner("gold", "system").scores, ner(f"gold.{to}", f"system.{to}").scores
    assert by_tokens["strict"] == by_characters["strict"]
    assert by_tokens["strict"]["correct"] == 1
    assert "tokens" in by_tokens


def test_tokens_of_columns_stay_in_formats_of_tokens() -> None:
    Path("odd").write_text("U.S.\tB-LOC\nit's\tO\n", encoding="utf-8")
    convert("odd", to="token-tags", output="made")
    assert rows_of("made") == [{"tokens": ["U.S.", "it's"], "ner_tags": ["B-LOC", "O"]}]


def test_tags_are_read_and_written_in_the_schemes_that_are_named() -> None:
    Path("odd").write_text("a\tI-X\nb\tI-X\n", encoding="utf-8")
    convert("odd", to="conll", output="made", to_scheme="bilou")
    assert Path("made").read_text(encoding="utf-8") == "a\tB-X\nb\tL-X\n\n"
    done = convert("odd", to="conll", output="made", scheme="iob2", to_scheme="bmewo")
    assert [(each.code, each.count, each.where) for each in done.warnings] == [("tags-repaired", 1, "odd:1")]
    with pytest.raises(DataError, match="odd:1"):
        convert("odd", to="conll", output="made", scheme="iob2", repair="error")
    assert convert("odd", to="conll", output="made", scheme="iob2", repair="discard").spans == 0


def test_detected_tag_scheme_gives_a_warning() -> None:
    (warning,) = convert("columns", to="jsonl", output="made").warnings
    assert warning.code == "scheme-detected"
    assert warning.message.startswith("The file is read as IOB2 (3 spans")


def test_the_side_of_a_file_with_both_is_chosen() -> None:
    row = {"tokens": ["a"], "ner_tags": ["B-X"], "predicted_tags": ["B-Y"]}
    Path("both").write_text(lines([row]), encoding="utf-8")
    for side, label in (("reference", "X"), ("predicted", "Y")):
        convert("both", to="jsonl", output="made", side=side)  # type: ignore[arg-type]  # each is a side
        assert spans_of("made")[0]["entities"] == [(0, 1, label)]


def test_columns_are_chosen() -> None:
    Path("wide").write_text("Ada\tNNP\tB-X\tO\n", encoding="utf-8")
    convert("wide", to="jsonl", output="made", columns=(1, 3))
    assert spans_of("made") == [{"text": "Ada", "entities": [(0, 3, "X")]}]


def test_answers_are_a_prediction_and_names_that_are_nowhere_are_left_out_and_counted() -> None:
    answer = json.dumps([{"text": "Ada", "label": "P"}, {"text": "Eve", "label": "P"}])
    Path("said").write_text(lines([{"text": "Ada met Bob", "said": answer}]), encoding="utf-8")
    done = convert("said", to="jsonl", output="made", answers="said")
    assert spans_of("made") == [{"text": "Ada met Bob", "entities": [(0, 3, "P")]}]
    assert [(each.code, each.count, each.where) for each in done.warnings] == [("names-left-out", 1, "said:1")]
    kept = convert("said", to="mentions", output="made", answers="said")
    assert rows_of("made")[0]["mentions"] == [{"text": "Ada", "label": "P"}, {"text": "Eve", "label": "P"}]
    assert kept.warnings == ()


def test_names_without_a_text_are_refused() -> None:
    Path("said").write_text(lines([{"mentions": [{"text": "Ada", "label": "P"}]}]), encoding="utf-8")
    with pytest.raises(FormatError, match="said:1: the document has names without positions, and no text"):
        convert("said", to="jsonl", output="made")


def test_documents_that_are_not_scored_are_not_written_and_counted() -> None:
    answers = ("accept", "reject", "ignore")
    Path("annotated").write_text(lines([{"text": "a", "spans": [], "answer": each} for each in answers]), "utf-8")
    done = convert("annotated", to="jsonl", output="made")
    assert (done.source_format, done.documents, len(rows_of("made"))) == ("prodigy", 1, 1)
    assert sum(each.count for each in done.warnings if each.code == "documents-left-out") == 2


def test_nothing_is_written_where_nothing_is_left() -> None:
    Path("annotated").write_text(lines([{"text": "a", "spans": [], "answer": "reject"}]), encoding="utf-8")
    with pytest.raises(FormatError, match="annotated: holds no documents to write") as error:
        convert("annotated", to="jsonl", output="made")
    assert "(1)" in error.value.detail
    assert not Path("made").exists()


def test_offsets_are_repaired_on_request() -> None:
    row = {"text": " Ada", "entities": [[0, 4, "P"]]}
    Path("slipped").write_text(lines([row]), encoding="utf-8")
    with pytest.raises(DataError, match="begins or ends with white space"):
        convert("slipped", to="conll", output="made")
    done = convert("slipped", to="conll", output="made", repair_offsets=True)
    assert [each.code for each in done.warnings] == ["offsets-repaired"]
    assert Path("made").read_text(encoding="utf-8") == "Ada\tB-P\n\n"


@pytest.mark.parametrize(
    ("span", "says"), [([0, 9, "P"], "reaches beyond"), ([2, 2, "P"], "no extent"), ([-1, 2, "P"], "begins before")]
)
@pytest.mark.parametrize("to", ["jsonl", "conll", "mentions"])
def test_spans_that_no_text_has_are_refused_in_every_format(span: list[Any], says: str, to: str) -> None:
    Path("broken").write_text(lines([ROWS[0], {"id": "x", "text": "Ada", "entities": [span]}]), encoding="utf-8")
    with pytest.raises(DataError, match=says) as error:
        convert("broken", to=to, output="made")
    assert error.value.where == "broken:2"
    assert not Path("made").exists()


def test_spans_that_no_text_can_have_are_refused_where_there_is_none() -> None:
    Path("far").write_text(lines([{"id": "x", "entities": [[0, 2**40 + 1, "P"]]}]), encoding="utf-8")
    with pytest.raises(DataError, match="no text is long enough") as error:
        convert("far", to="jsonl", output="made")
    assert error.value.where == "far:1"


def test_a_file_can_take_its_own_place() -> None:
    convert("columns", to="jsonl", output="columns")
    assert len(rows_of("columns")) == 2


def test_standard_input_and_output_can_be_used(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(COLUMNS.encode())))
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out))
    convert("-", to="conll")
    assert out.getvalue().decode() == COLUMNS + "\n"


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ({"to": "conl"}, "Unknown input format 'conl'"),
        ({"to": "jsonl", "to_scheme": "iob2"}, "The format jsonl has spans and no tags"),
        ({"to": "conll", "to_scheme": "iob9"}, "Unknown tag scheme 'iob9'"),
        ({"to": "conll", "to_scheme": "auto"}, "Unknown tag scheme 'auto'. Choose from iob2, "),
        ({"to": "conll", "scheme": "iob2"}, "rows has spans, which have no tag scheme: leave out 'iob2'"),
        ({"to": "conll", "repair": "discard"}, "leave out 'discard'"),
        ({"to": "conll", "columns": (1, 2)}, "jsonl has no --columns"),
        ({"to": "conll", "strict_spans": True}, "jsonl has no --strict-spans"),
        ({"to": "conll", "input_format": "nothing"}, "Unknown input format 'nothing'"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(call: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError, match=says):
        convert("rows", **{"output": "made"} | call)
    assert not Path("made").exists()


def test_an_unknown_scheme_of_tags_is_refused() -> None:
    with pytest.raises(UsageError, match="Unknown tag scheme 'iob9'"):
        convert("columns", to="jsonl", output="made", scheme="iob9")


@pytest.mark.parametrize("name", list_writable_formats())
def test_empty_documents_are_written_or_refused_with_their_place(name: str) -> None:
    needed(name)
    Path("empty").write_text(lines([ROWS[0], {"id": "e", "text": "", "entities": []}]), encoding="utf-8")
    try:
        convert("empty", to=name, output="made")
    except IsoglossError as error:
        assert name in {"conll", "conllu"}
        assert str(error).startswith("empty:2: the document has no tokens")  # noqa: PT017
    else:
        assert convert("made", to="jsonl", output="back").documents == 2
