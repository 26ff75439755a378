"""Words beside tags and spans, and rows: findings show words, and numbers are those of the same data as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.integrations import Seqeval
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner

TOKENS = [["Ada", "Lovelace", "met", "Bob"], ["in", "Paris"]]
GOLD = [["B-PER", "I-PER", "O", "O"], ["O", "B-LOC"]]
PREDICTED = [["B-PER", "O", "O", "B-ORG"], ["O", "B-LOC"]]
NAMES = ["O", "B-PER", "I-PER", "B-LOC", "B-ORG"]
TEXTS = ["Ada Lovelace met Bob", "in Paris"]
GOLD_SPANS: list[list[Any]] = [[(0, 12, "PER")], [(3, 8, "LOC")]]
PREDICTED_SPANS: list[list[Any]] = [[(0, 3, "PER"), (17, 20, "ORG")], [(3, 8, "LOC")]]
# By hand: Ada for Ada Lovelace, and Bob.
SHOWN = [
    ("wrong_boundary", "Ada Lovelace met Bob", ["Ada Lovelace", "Ada"]),
    ("spurious", "Ada Lovelace met Bob", ["Bob"]),
]


def show(run: Run) -> list[tuple[str, str | None, list[str]]]:
    return [
        (one.kind, one.text, [(one.text or "")[mark.text_start : mark.text_end] for mark in one.marks])
        for one in run.findings
    ]


def to_numbers(tags: list[list[str]]) -> list[list[int]]:
    return [[NAMES.index(tag) for tag in one] for one in tags]


def make_rows(tags: list[Any], key: str = "tags") -> list[dict[str, Any]]:
    return [{"tokens": words, key: own} for words, own in zip(TOKENS, tags, strict=True)]


def make_text_rows(spans: list[list[Any]], key: str = "spans") -> list[dict[str, Any]]:
    return [
        {"text": text, key: [dict(zip(("start", "end", "label"), span, strict=True)) for span in own]}
        for text, own in zip(TEXTS, spans, strict=True)
    ]


@pytest.mark.parametrize(
    ("reference", "prediction", "words"),
    [
        (GOLD, PREDICTED, {"tokens": TOKENS}),
        (GOLD, PREDICTED, {"tokens": tuple(map(tuple, TOKENS))}),
        (GOLD, PREDICTED, {"texts": TEXTS}),
        (to_numbers(GOLD), to_numbers(PREDICTED), {"tokens": TOKENS, "label_names": NAMES}),
        (GOLD_SPANS, PREDICTED_SPANS, {"texts": TEXTS}),
        ([[(0, 2, "PER")], [(1, 2, "LOC")]], [[(0, 1, "PER"), (3, 4, "ORG")], [(1, 2, "LOC")]], {"tokens": TOKENS}),
        (make_rows(GOLD, "ner_tags"), make_rows(PREDICTED), {}),
        (make_rows(GOLD), PREDICTED, {}),
        (GOLD, make_rows(PREDICTED), {}),
        (make_rows(to_numbers(GOLD), "ner_tags"), to_numbers(PREDICTED), {"label_names": NAMES}),
        (make_text_rows(GOLD_SPANS), make_text_rows(PREDICTED_SPANS), {}),
        (make_text_rows(GOLD_SPANS, "entities"), PREDICTED_SPANS, {}),
        (make_text_rows(GOLD_SPANS, "ents"), make_text_rows(PREDICTED_SPANS), {}),
        (make_rows(GOLD), make_text_rows(PREDICTED_SPANS), {}),
    ],
)
def test_findings_show_words(reference: Any, prediction: Any, words: dict[str, Any]) -> None:
    run = ner(reference, prediction, findings=True, **words)
    assert show(run) == SHOWN
    assert run.scores["strict"].f1 == 2 * 1 / (2 + 3)
    assert all("note" not in finding.extra for finding in run.findings)
    assert run.system == "prediction"
    assert run.inputs == ()


def test_finding_without_words_shows_tags_and_says_so() -> None:
    first = ner(GOLD, PREDICTED, findings=True).findings[0]
    assert first.text == "B-PER I-PER O O"
    assert "tags of the reference, not words" in first.extra["note"]
    assert first.to_dict()["note"] == first.extra["note"]
    assert "note       tags of the reference, not words" in str(first)


def test_rows_are_paired_by_id() -> None:
    gold = [{"id": name, **row} for name, row in zip("ab", make_text_rows(GOLD_SPANS), strict=True)]
    predicted = [{"id": name, **row} for name, row in zip("ab", make_text_rows(PREDICTED_SPANS), strict=True)]
    run = ner(gold, predicted[::-1], findings=True)
    assert show(run) == SHOWN
    assert {finding.document for finding in run.findings} == {"a"}


def test_rows_with_tags_of_other_ids_are_refused() -> None:
    gold = [{"id": name, **row} for name, row in zip("ab", make_rows(GOLD), strict=True)]
    predicted = [{"id": name, **row} for name, row in zip("ba", make_rows(PREDICTED), strict=True)]
    with pytest.raises(MismatchError, match="the document is 'b', but 'a' in the reference"):
        ner(gold, predicted)


def test_rows_have_columns_for_slices() -> None:
    gold = [{**row, "source": name} for name, row in zip(("web", "news"), make_rows(GOLD), strict=True)]
    run = ner(gold, PREDICTED, by=["source"])
    assert run.slices["source"]["news"]["strict"].f1 == 1


def test_rows_are_compared_with_a_file(tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in make_rows(GOLD, "ner_tags")))
    run = ner(path, make_rows(PREDICTED), findings=True)
    assert show(run) == SHOWN
    assert [entry.path for entry in run.inputs] == [str(path)]


def test_rows_with_both_sides_need_no_prediction() -> None:
    rows = [{**row, "predicted_tags": tags} for row, tags in zip(make_rows(GOLD), PREDICTED, strict=True)]
    assert show(ner(rows, findings=True)) == SHOWN


@pytest.mark.extra
def test_dataset_names_its_own_tags() -> None:
    datasets = pytest.importorskip("datasets")
    data = datasets.Dataset.from_list(make_rows(to_numbers(GOLD), "ner_tags"))
    kind = datasets.Sequence(datasets.ClassLabel(names=NAMES))
    data = data.map(lambda row: row, features=datasets.Features({**data.features, "ner_tags": kind}))
    assert show(ner(data, to_numbers(PREDICTED), findings=True)) == SHOWN


def test_texts_serve_slices_by_script() -> None:
    run = ner([[(0, 3, "PER")], [(0, 3, "PER")]], [[], [(0, 3, "PER")]], texts=["Ada", "Ада"], by=["script"])
    assert run.slices["script"]["Cyrl"]["strict"].f1 == 1
    assert run.slices["script"]["Latn"]["strict"].recall == 0


def test_system_has_its_name() -> None:
    assert ner(GOLD, PREDICTED, system="my model").system == "my model"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tokens": TOKENS, "texts": TEXTS}, "tokens cannot be combined with texts"),
        ({"tokens": TOKENS[:1]}, "tokens has 1 document, the reference 2"),
        ({"tokens": [TOKENS[0], ["in"]]}, "2 tags, but 1 word"),
        ({"texts": ["a b c d", "a"]}, "2 tags, but 1 word"),
        ({"tokens": TEXTS}, "tokens of a document are a list of strings"),
        ({"texts": TOKENS}, "a text is a string"),
        ({"tokens": [TOKENS[0], ["in", 7]]}, "a token is a string, but 7 is of type int"),
        ({"tokens": "abc"}, "tokens must be a list of lists of strings"),
        ({"label_names": "O"}, "label_names must be a list of strings"),
    ],
)
def test_words_that_do_not_fit_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((UsageError, DataError), match=message):
        ner(GOLD, PREDICTED, **arguments)


@pytest.mark.parametrize(
    ("reference", "prediction", "options", "message"),
    [
        (GOLD_SPANS, PREDICTED_SPANS, {"texts": ["Ada", "in Paris"]}, r"\[0, 12\) 'PER' ends after .* 3 code points"),
        (GOLD_SPANS, PREDICTED_SPANS, {"tokens": TOKENS}, r"\[0, 12\) 'PER' ends after .* 4 tokens"),
        (make_rows(GOLD), PREDICTED, {"tokens": TOKENS}, "tokens has no effect: rows have their own words"),
        ("gold.conll", "pred.conll", {"texts": TEXTS}, "texts has no effect: files have their own words"),
        (make_rows(to_numbers(GOLD)), to_numbers(PREDICTED), {}, r"numbers, such as 1[\s\S]*label_names="),
        (make_rows(to_numbers(GOLD)), PREDICTED, {"label_names": ["O"]}, "label_names has 1 name, from 0"),
        (to_numbers(GOLD), to_numbers(PREDICTED), {}, "label_names="),
        (make_rows(GOLD), GOLD_SPANS, {}, "cannot be compared with rows that have tokens"),
        (
            make_text_rows(GOLD_SPANS),
            PREDICTED,
            {},
            "cannot be compared with rows that have the fields 'text', 'spans'",
        ),
        (make_rows(GOLD), PREDICTED[:1], {}, "prediction has 1 document, the other side 2 rows"),
        ([make_rows(GOLD)[0], GOLD[1]], PREDICTED, {}, "a row is a dict, but"),
        ([{"tokens": ["a"], "tags": ["O"], "x": "\ud800"}], [["O"]], {}, "the row cannot be written as JSON"),
    ],
)
def test_rows_that_do_not_fit_are_refused(
    reference: Any, prediction: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((UsageError, DataError, MismatchError), match=message):
        ner(reference, prediction, **options)


def test_flat_list_of_spans_is_refused() -> None:
    with pytest.raises(UsageError, match="flat list of spans"):
        ner([{"start": 0, "end": 1, "label": "PER"}], [])


def test_rows_in_other_calls_are_named() -> None:
    with pytest.raises(UsageError, match="is a list of rows"):
        Seqeval().compute(predictions=make_rows(GOLD), references=make_rows(GOLD))


TOKEN_ROWS = [{"tokens": ["a", "b"], "tags": ["B-A", "O"]}, {"tokens": ["c"], "tags": ["O"]}]
TEXT_ROWS = [{"text": "ab", "spans": [{"start": 0, "end": 1, "label": "A"}]}, {"text": "c", "spans": []}]


@pytest.mark.parametrize(
    ("reference", "second"),
    [
        (TOKEN_ROWS, {"tokens": ["c"], "tags": ["O", "O"]}),
        (TOKEN_ROWS, {"tokens": ["d"], "tags": ["O"]}),
        (TOKEN_ROWS, {"tokens": ["c"]}),
        (TEXT_ROWS, {"text": "c", "spans": [{"start": 0, "end": 9, "label": "A"}]}),
        (TEXT_ROWS, {"text": "c", "spans": [{"start": 0, "end": 1}]}),
        (TEXT_ROWS, {"text": "d", "spans": []}),
    ],
)
def test_errors_name_rows_by_their_index(reference: list[Any], second: dict[str, Any]) -> None:
    with pytest.raises(DataError) as caught:
        ner(reference, [reference[0], second])
    assert caught.value.where == "prediction[1]"
    assert "reference:" not in str(caught.value)


@pytest.mark.parametrize(
    ("reference", "wrong"),
    [
        (TOKEN_ROWS, {"tokens": ["c"], "tags": ["B-A"]}),
        (TEXT_ROWS, {"text": "c", "spans": [{"start": 0, "end": 1, "label": "A"}]}),
    ],
)
def test_findings_name_rows_by_their_index(reference: list[Any], wrong: dict[str, Any]) -> None:
    run = ner(reference, [reference[0], wrong], findings=True)
    assert [finding.where for finding in run.findings] == ["prediction[1]"]
