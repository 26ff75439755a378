from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import DataError, FormatError, MismatchError, SourceError
from isogloss.records.sources import Source
from isogloss.tasks.classification.label_matrix import GoldTable
from isogloss.tasks.classification.reading import read_one_file, read_two_files

GOOD = {"id": "1", "gold": "a", "scores": {"a": 0.75, "b": 0.25}}


def source(folder: Path, content: Any, name: str = "scores") -> Source:
    path = folder / name
    text = content if isinstance(content, str) else "".join(json.dumps(row) + "\n" for row in content)
    path.write_text(text, encoding="utf-8")
    found = Source(path)
    found.name = name
    return found


def both(folder: Path, gold: Any, scores: Any, **options: Any) -> GoldTable:
    return read_two_files(source(folder, gold, "gold"), source(folder, scores, "pred"), **options)


def test_rows_become_a_table(tmp_path: Path) -> None:
    rows = [GOOD, {"id": "2", "gold": "b", "scores": {"a": 0.1, "b": 1}}]
    read = read_one_file(source(tmp_path, rows))
    table = read.documents
    assert read.kind == "label"
    assert table.labels == ("a", "b")
    assert table.scores is not None
    assert table.scores.tolist() == [[0.75, 0.25], [0.1, 1.0]]
    assert table.gold.tolist() == [[1, 0], [0, 1]]
    assert [table.provenance.name(row) for row in (0, 1)] == ["1", "2"]
    assert table.provenance.where(1, 0, "reference") == "scores:2"


def test_lists_and_values_of_labels_are_read(tmp_path: Path) -> None:
    lists = read_one_file(
        source(tmp_path, [{"gold": ["b", "a", "b"], "scores": {"a": 1, "b": 0}}, GOOD | {"gold": [], "id": None}]),
    )
    assert (lists.kind, lists.documents.gold.tolist()) == ("labels", [[1, 1], [0, 0]])
    gold = {"a": 1.0, "b": False, "c": None}
    values = read_one_file(
        source(tmp_path, [{"gold": gold, "scores": {"a": 1, "b": 0}}, {"gold": {}, "scores": {"a": 1, "b": 0}}]),
    )
    assert (values.kind, values.documents.labels) == ("values", ("a", "b", "c"))
    assert values.documents.gold.tolist() == [[1, 0, -1], [-1, -1, -1]]


def test_missing_scores_rank_last_and_are_counted(tmp_path: Path) -> None:
    rows = [GOOD, GOOD | {"id": "2", "scores": {"b": 0.5}}, GOOD | {"id": "3", "scores": {"c": 0.5, "a": 0.1}}]
    table = read_one_file(source(tmp_path, rows)).documents
    assert table.scores is not None
    assert table.scores.tolist() == [[0.75, 0.25, -math.inf], [-math.inf, 0.5, -math.inf], [0.1, -math.inf, 0.5]]
    (notice,) = table.warnings
    assert (notice.code, notice.count, notice.where) == ("scores-missing", 4, "scores:1")


def test_label_without_scores_gives_a_warning(tmp_path: Path) -> None:
    table = read_one_file(source(tmp_path, [GOOD | {"gold": "z"}])).documents
    assert table.labels == ("a", "b", "z")
    assert [(notice.code, notice.message) for notice in table.warnings] == [
        ("label-unscored", "The label 'z' has no scores: it is never given, and not ranked."),
    ]


def test_blocks_with_other_labels_make_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"gold": f"l{k % 7}", "scores": {f"l{k % 7}": k, f"l{k % 5}": k}} for k in range(60)]
    whole = read_one_file(source(tmp_path, rows)).documents
    monkeypatch.setattr("isogloss.tasks.classification.reading.BLOCK_BYTES", 100)
    parts = read_one_file(source(tmp_path, rows)).documents
    assert (parts.labels, parts.gold.tolist()) == (whole.labels, whole.gold.tolist())
    assert parts.scores is not None
    assert whole.scores is not None
    assert parts.scores.tolist() == whole.scores.tolist()


def test_texts_are_kept_only_with_the_texts_option(tmp_path: Path) -> None:
    rows = [GOOD | {"text": "fine"}, GOOD | {"id": "2"}]
    provenance = read_one_file(source(tmp_path, rows), texts=True).documents.provenance
    passage = provenance.get_excerpt(0)
    assert passage is not None
    assert passage.text == "fine"
    assert provenance.get_excerpt(1) is None
    assert read_one_file(source(tmp_path, rows)).documents.provenance.get_excerpt(0) is None


def test_two_files_are_paired_by_id(tmp_path: Path) -> None:
    gold = [{"id": 1, "gold": "a", "text": "one"}, {"id": 2, "gold": "b"}]
    scores = [{"id": "2", "scores": {"a": 0.2, "b": 0.8}}, {"id": "1", "scores": {"a": 0.9, "b": 0.1}}]
    table = both(tmp_path, gold, scores, texts=True).documents
    assert table.scores is not None
    assert table.scores.tolist() == [[0.9, 0.1], [0.2, 0.8]]
    assert [table.provenance.where(0, 0, side) for side in ("reference", "predicted")] == ["gold:1", "pred:2"]
    assert table.provenance.name(1) == "2"
    passage = table.provenance.get_excerpt(0)
    assert passage is not None
    assert passage.text == "one"


def test_files_without_ids_are_paired_by_order_in_any_format(tmp_path: Path) -> None:
    table = both(tmp_path, "a\nb\n", [{"scores": {"a": 0.9}}, {"scores": {"a": 0.3}}]).documents
    assert table.gold.tolist() == [[1, 0], [0, 1]]
    assert table.provenance.name(1) == "2"


def test_labels_of_lines_are_read_without_the_space_around_them(tmp_path: Path) -> None:
    table = both(tmp_path, "a\r\n b c \na", "b c\nb c\na\n").documents
    assert table.labels == ("b c", "a")
    assert table.scores is None
    assert table.chosen is not None
    assert table.chosen.tolist() == [[True, False], [True, False], [False, True]]
    assert table.gold.tolist() == [[0, 1], [1, 0], [0, 1]]


FAULTS = [
    ([{"gold": "a"}], FormatError, "scores:1: the row has no `scores`"),
    ([{"scores": {"a": 1}}], FormatError, "scores:1: the row has no `gold`"),
    (
        [GOOD, GOOD | {"id": "2", "gold": ["a"]}],
        DataError,
        "scores:2: the gold of this document is a list of labels, but",
    ),
    ([GOOD, GOOD], DataError, "scores:2: the id '1' stands twice in the file"),
    ([GOOD, GOOD | {"id": None}], DataError, "scores:2: the document has no id, but the 1 before it have one"),
    ([GOOD | {"id": None}, GOOD], DataError, "scores:2: the document has an id, but the 1 before it have none"),
    ([GOOD | {"scores": {"a": None}}], FormatError, "scores:1: `scores"),
    ([GOOD | {"scores": {"a": "0.5"}}], FormatError, "scores:1: `scores"),
    ([GOOD | {"scores": [0.5]}], FormatError, "scores:1: `scores`: expected"),
    ([GOOD | {"gold": 3}], FormatError, "scores:1: `gold`: expected"),
    (
        [GOOD | {"gold": {"a": 0.3}}],
        DataError,
        "scores:1: the gold value of 'a' is 0.3, but 0, 1 or nothing is expected",
    ),
    ('{"gold": "a", "scores": {"a": 1}}\n{"gold": "a", "scores": {"a": 1}\n', FormatError, "scores:2:33: broken JSON"),
    ("a\nb\n", FormatError, "scores: the file has a label in each line, which is one side"),
]


@pytest.mark.parametrize(("content", "kind", "message"), FAULTS)
def test_faults_are_located(tmp_path: Path, content: Any, kind: type[DataError], message: str) -> None:
    with pytest.raises(kind) as raised:
        read_one_file(source(tmp_path, content))
    assert str(raised.value).startswith(message)
    assert raised.value.remedy


MISMATCHES = [
    ("a\nb\n", "a\n", "gold:2: the reference has 2 documents, the prediction 1"),
    (
        [GOOD, GOOD | {"id": "2"}],
        [GOOD],
        "gold:2: 1 of 2 ids of the reference are not in the prediction\nonly in gold: '2'",
    ),
    (
        [GOOD],
        [GOOD, GOOD | {"id": "9"}],
        "pred:2: 1 of 2 ids of the prediction are not in the reference\nonly in pred: '9'",
    ),
]


@pytest.mark.parametrize(("gold", "scores", "message"), MISMATCHES)
def test_files_of_other_documents_are_refused(tmp_path: Path, gold: Any, scores: Any, message: str) -> None:
    with pytest.raises(MismatchError) as raised:
        both(tmp_path, gold, scores)
    assert str(raised.value).startswith(message)
    assert raised.value.remedy


def test_an_empty_line_among_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"^pred:2: the line is empty"):
        both(tmp_path, "a\nb\n", "a\n\n")


def test_an_absent_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read_one_file(Source(tmp_path / "absent"))


def test_progress_reports_the_file_size(tmp_path: Path) -> None:
    seen: list[int] = []
    file = source(tmp_path, [GOOD])
    read_one_file(file, progress=seen.append)
    assert seen == [file.size]


@pytest.mark.parametrize(
    ("gold", "chosen"),
    [
        (["a", "b"], [[True, False], [False, True]]),
        ([["a", "b"], []], [[True, True], [False, False]]),
        ([{"a": 1, "b": 0}, {"a": None, "b": True}], [[True, False], [False, True]]),
    ],
)
def test_gold_of_a_reference_given_as_a_system_is_its_prediction(
    gold: list[Any], chosen: list[list[bool]], tmp_path: Path
) -> None:
    file = source(tmp_path, [{"gold": each} for each in gold], "gold")
    table = read_two_files(file, source(tmp_path, [{"gold": each} for each in gold], "gold")).documents
    order = [table.labels.index(label) for label in "ab"]
    assert table.chosen is not None
    assert table.chosen[:, order].tolist() == chosen
    assert [warning.code for warning in table.warnings] == ["gold-predicted"]


def test_gold_of_another_file_is_no_prediction(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="the row has no `scores`"):
        both(tmp_path, [{"gold": "a"}], [{"gold": "a"}])


def test_rows_with_and_without_a_prediction_are_refused(tmp_path: Path) -> None:
    rows = [{"gold": "a"}, {"gold": "a", "scores": {"a": 1, "b": 0}}]
    with pytest.raises(FormatError, match="gold:2"):
        read_two_files(source(tmp_path, rows, "gold"), source(tmp_path, rows, "gold"))
