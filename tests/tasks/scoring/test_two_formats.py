"""Files in two formats: how they are paired, by hand and by a naive second implementation."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import isogloss
from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.runs.run import Run
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import use_named_scheme
from isogloss.tasks.ner.inputs import ReadingOptions, open_ner_input
from isogloss.tasks.ner.scoring import ner

COLUMNS = "Ada\tB-PER\nmet\tO\nNew\tB-LOC\nYork\tI-LOC\n\nBob\tB-PER\n"
CONLLU = (
    "# sent_id = s1\n# text = Ada met New York\n"
    "1\tAda\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n"
    "2\tmet\t_\t_\t_\t_\t_\t_\t_\tNER=O\n"
    "3\tNew\t_\t_\t_\t_\t_\t_\t_\tNER=B-LOC\n"
    "4\tYork\t_\t_\t_\t_\t_\t_\t_\tNER=I-LOC\n\n"
    "# sent_id = s2\n1\tBob\t_\t_\t_\t_\t_\t_\t_\tNER=B-PER\n"
)
ROWS: list[dict[str, Any]] = [
    {"id": "a", "text": "Ada met New\nYork", "entities": [[0, 3, "PER"], [8, 16, "LOC"]]},
    {"id": "b", "text": "Bob", "entities": [[0, 3, "PER"]]},
]
TAGS = [{"tokens": ["Ada", "met", "New", "York"], "ner_tags": ["B-PER", "O", "B-LOC", "I-LOC"], "id": 0}]
TAGS += [{"tokens": ["Bob"], "ner_tags": ["B-PER"], "id": 1}]
MENTIONS = [
    {"id": "a", "mentions": [{"text": "Ada", "label": "PER"}, {"text": "New York", "label": "LOC"}]},
    {"id": "b", "mentions": [{"text": "Bob", "label": "PER"}]},
]
STANDOFF = {
    "a": ("Ada met New\nYork", "T1\tPER 0 3\tAda\nT2\tLOC 8 16\tNew York\n"),
    "b": ("Bob", "T1\tPER 0 3\tBob\n"),
}


def lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same two documents in several formats."""
    monkeypatch.chdir(tmp_path)
    texts = {"conll": COLUMNS, "conllu": CONLLU, "jsonl": lines(ROWS), "tags": lines(TAGS), "mentions": lines(MENTIONS)}
    for name, text in texts.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("brat").mkdir()
    for name, (text, spans) in STANDOFF.items():
        Path("brat", f"{name}.txt").write_text(text, encoding="utf-8")
        Path("brat", f"{name}.ann").write_text(spans, encoding="utf-8")


def perfect(run: Run) -> bool:
    return bool(run.scores["strict"].f1 == 1) and run.scores["strict"].possible == 3


def test_files_of_words_with_tags_are_compared_token_by_token() -> None:
    for reference in ["conll", "conllu", "tags"]:
        for prediction in ["conll", "conllu", "tags"]:
            run = ner(reference, prediction)
            assert perfect(run)
            assert (run.scores["tokens"].correct, run.scores["tokens"].total) == (5, 5)


def test_tagged_words_are_compared_with_texts_by_character() -> None:
    for prediction in ["conll", "tags"]:
        for reference in ["jsonl", "brat"]:
            for run in (ner(reference, prediction), ner(prediction, reference)):
                assert perfect(run)
                assert "tokens" not in run.scores


@pytest.mark.parametrize(("reference", "prediction"), [("jsonl", "brat"), ("brat", "jsonl"), ("jsonl", "mentions")])
def test_texts_in_two_formats_are_paired_by_their_ids(reference: str, prediction: str) -> None:
    assert perfect(ner(reference, prediction))


def test_the_formats_are_in_the_signature() -> None:
    assert "|format:jsonl+brat|" in str(ner("jsonl", "brat").signature)
    assert "|format:conllu|" in str(ner("conllu", "conllu").signature)
    assert str(ner("conll", "conll").signature).startswith("ner|format:conll|scheme:")
    assert str(ner("jsonl", "jsonl").signature).startswith("ner|format:jsonl|beta:")
    assert str(ner("conll", "jsonl").signature).startswith("ner|format:conll+jsonl|scheme:")
    assert "format" not in isogloss.ner([["B-A"]], [["B-A"]]).signature.choices
    assert "format" not in isogloss.ner([[(0, 1, "A")]], [[(0, 1, "A")]]).signature.choices


def test_without_ids_documents_are_paired_by_order() -> None:
    Path("other").write_text(lines(ROWS[::-1]), encoding="utf-8")
    with pytest.raises(MismatchError, match="texts of document 1 differ from code point 0"):
        ner("conll", "other")


def test_ids_on_one_side_of_one_format_are_an_error() -> None:
    Path("other").write_text(lines([{k: v for k, v in row.items() if k != "id"} for row in ROWS]), encoding="utf-8")
    with pytest.raises(MismatchError, match="the documents of the reference have ids"):
        ner("jsonl", "other")


def test_ids_on_one_side_without_texts_are_an_error() -> None:
    Path("other").write_text(lines([{"entities": row["entities"]} for row in ROWS]), encoding="utf-8")
    with pytest.raises(MismatchError, match="the documents of the reference have ids"):
        ner("brat", "other")


def test_disjoint_ids_of_two_formats_are_ignored_with_warning() -> None:
    run = ner("jsonl", "tags")
    assert perfect(run)
    assert [(each.code, each.count) for each in run.warnings if each.code == "ids-ignored"] == [("ids-ignored", 1)]
    Path("other").write_text(lines([{**row, "id": f"x{at}"} for at, row in enumerate(ROWS)]), encoding="utf-8")
    with pytest.raises(MismatchError, match="2 of 2 ids of the reference are not in the prediction"):
        ner("jsonl", "other")


def test_ids_of_which_some_are_on_both_sides_must_all_be() -> None:
    Path("other").write_text(lines([{**row, "id": f"{9 * at}"} for at, row in enumerate(ROWS)]), encoding="utf-8")
    with pytest.raises(MismatchError, match="1 of 2 ids of the reference are not in the prediction, and 1 of 2"):
        ner("other", "tags")


def test_documents_paired_by_order_after_all_must_be_as_many() -> None:
    Path("other").write_text(lines([*TAGS, {**TAGS[1], "id": 2}]), encoding="utf-8")
    with pytest.raises(MismatchError, match="the reference has 2 documents, the prediction 3"):
        ner("jsonl", "other")


def test_ids_of_words_must_be_the_same_in_one_format_only() -> None:
    Path("other").write_text(lines([{**row, "id": f"x{at}"} for at, row in enumerate(TAGS)]), encoding="utf-8")
    with pytest.raises(MismatchError, match="the document is 'x0', but '0' in the reference"):
        ner("tags", "other")
    assert perfect(ner("conllu", "other"))


def test_findings_show_the_real_text_and_name_its_document() -> None:
    Path("wrong").write_text(COLUMNS.replace("B-LOC", "O").replace("I-LOC", "B-LOC"), encoding="utf-8")
    run = ner("jsonl", "wrong", findings=True)
    (row,) = run.to_dict()["findings"]["rows"]
    assert (row["kind"], row["document"], row["where"]) == ("wrong_boundary", "a", "wrong:4")
    assert row["text"] == "Ada met New\nYork"
    places = [slice(*row[side]["in_text"]) for side in ("reference", "predicted")]
    assert [row["text"][place] for place in places] == ["New\nYork", "York"]


def test_each_side_can_be_named() -> None:
    Path("rows").write_text(lines(ROWS), encoding="utf-8")
    assert perfect(ner("rows", "brat", input_format="jsonl", prediction_format="brat"))
    assert perfect(ner("conll", "rows", input_format="conll", prediction_format="jsonl"))
    with pytest.raises(DataError, match="rows"):
        ner("rows", "conll", input_format="conll")


def test_columns_are_meant_for_the_file_that_has_them() -> None:
    Path("wide").write_text(COLUMNS.replace("\t", "\tX\t").replace("\n", "\tY\n").replace("\n\tY\n", "\n\n"), "utf-8")
    assert perfect(ner("wide", "jsonl", columns=(1, 3)))
    assert perfect(ner("brat", "wide", columns=(1, 3)))


@pytest.mark.parametrize(
    ("arguments", "options", "says"),
    [
        (("jsonl", "brat"), {"columns": (1, 2)}, "has no --columns"),
        (("conll", "jsonl"), {"strict_spans": True}, "has no --strict-spans"),
        (("conll", "conll"), {"strict_spans": True}, "has no --strict-spans"),
        (("jsonl", "conll"), {"answers": "answer"}, "has no --answers"),
        (("conll", "conll"), {"repair_offsets": True}, "conll has no --repair-offsets"),
        (("tags", "conllu"), {"repair_offsets": True}, "token-tags has no --repair-offsets"),
        (("brat",), {}, "brat is brat, which holds one side"),
        (("conllu",), {}, "name both, such as --columns MISC:NER,MISC:Predicted"),
    ],
)
def test_an_option_that_no_format_has_is_refused(
    arguments: tuple[str, ...],
    options: dict[str, Any],
    says: str,
) -> None:
    with pytest.raises(UsageError, match=says):
        ner(*arguments, **options)


def test_offsets_are_repaired_of_the_file_that_has_some() -> None:
    rows = [{**row, "entities": [[a, b + 1, label] for a, b, label in row["entities"][:1]]} for row in ROWS[:1]]
    Path("slipped").write_text(lines([*rows, ROWS[1]]), encoding="utf-8")
    run = ner("conll", "slipped", repair_offsets=True)
    assert (run.scores["strict"].correct, run.scores["strict"].actual) == (2, 2)
    assert "offsets-repaired" in [each.code for each in run.warnings]


def test_strict_spans_applies_to_the_format_that_has_it() -> None:
    assert perfect(ner("conll", "brat", strict_spans=True))


def test_tags_of_both_sides_speak_for_the_scheme() -> None:
    run = ner("conll", "jsonl")
    assert [notice.code for notice in run.warnings] == ["scheme-detected"]
    assert "reference is read as IOB2" in run.warnings[0].message
    with pytest.raises(UsageError, match="The scheme 'iob2' has no effect"):
        ner("jsonl", "brat", scheme="iob2")


@pytest.mark.parametrize("names", [("conllu", "jsonl"), ("conllu", "tags")])
def test_progress_and_digests_cover_both_files(names: tuple[str, str]) -> None:
    told: list[int] = []
    pairs = open_ner_input(*names, ReadingOptions(progress=told.append))
    assert list(pairs.read_spans(Decoder(use_named_scheme("iob2"))))
    assert told[-1] == sum(Path(name).stat().st_size for name in names)
    assert all(len(each.sha256) == 64 for each in pairs.list_input_files())


WORDS = st.lists(st.text(st.sampled_from("aé\u0301ก漢𠀀."), min_size=1, max_size=3), min_size=1, max_size=6)
GAPS = ["", " ", "\n", "  ", "\u00a0"]


@st.composite
def corpora(draw: st.DrawFn) -> list[tuple[list[str], list[str], str, list[tuple[int, int, str]]]]:
    """Words with IOB2 tags, and their real text with spans of it."""
    found = []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(WORDS)
        tags: list[str] = []
        for _ in words:
            before = tags[-1][2:] if tags and tags[-1] != "O" else ""
            tags.append(draw(st.sampled_from(["O", "B-A", "B-B", *([f"I-{before}"] if before else [])])))
        text = "".join(word + draw(st.sampled_from(GAPS)) for word in words)
        edges = st.integers(0, len(text))
        pairs = [sorted(draw(st.tuples(edges, edges))) for _ in range(draw(st.integers(0, 3)))]
        spans = [(a, b, draw(st.sampled_from("AB"))) for a, b in pairs if text[a:b].strip()]
        found.append((words, tags, text, list(dict.fromkeys(spans))))
    return found


def naive(words: list[str], tags: list[str]) -> set[tuple[int, int, str]]:
    """Spans of valid IOB2 tags, in characters of the words one after the other."""
    spans: list[tuple[int, int, str]] = []
    at = 0
    for word, tag in zip(words, tags, strict=True):
        if tag[0] == "B":
            spans.append((at, at + len(word), tag[2:]))
        elif tag[0] == "I":
            spans[-1] = (spans[-1][0], at + len(word), tag[2:])
        at += len(word)
    return set(spans)


@settings(max_examples=25)
@given(corpora())
def test_words_beside_a_text_are_counted_as_by_hand(corpus: Any) -> None:
    correct = possible = 0
    for words, tags, text, spans in corpus:
        own = naive(words, tags)
        others = {(len("".join(text[:a].split())), len("".join(text[:b].split())), label) for a, b, label in spans}
        correct += len(own & others)
        possible += len(own)
    with TemporaryDirectory() as folder:
        one, other = Path(folder, "gold.conll"), Path(folder, "pred.jsonl")
        rows = ["".join(f"{w}\t{t}\n" for w, t in zip(words, tags, strict=True)) for words, tags, _, _ in corpus]
        one.write_text("\n".join(rows), encoding="utf-8")
        other.write_text(lines([{"text": text, "entities": spans} for _, _, text, spans in corpus]), encoding="utf-8")
        run = ner(one, other)
    strict = run.scores["strict"]
    predicted = sum(len(spans) for _, _, _, spans in corpus)
    assert (strict.correct, strict.possible, strict.actual) == (correct, possible, predicted)
