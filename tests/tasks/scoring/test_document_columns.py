"""Slices and clusters by columns of the data, alike for all tasks, beside scoring each part alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from genre_corpora import CASES, GROUPS, ROWS, TASKS, Corpus, Row, json_lines

import isogloss
from isogloss.errors import UsageError
from isogloss.kernel.scores import ScoreKey
from isogloss.report import text_formats
from isogloss.runs.run import Run


def overall(run: Run) -> dict[ScoreKey, float]:
    return {key: value for key, value in run.evidence.numbers.items() if len(key) == 2 and key[0] != "findings"}


@CASES
def test_each_slice_is_scored_as_if_it_were_alone(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    numbers = corpus.score(by=["genre"]).evidence.numbers
    for group in GROUPS:
        alone = corpus.score(group)
        assert numbers["slices", "genre", group, "documents"] == alone.documents
        for key, value in overall(alone).items():
            assert np.array_equal(numbers["slices", "genre", group, *key], value, equal_nan=True), key


@CASES
def test_the_whole_is_scored_as_without_slices_and_counts_add_up(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    sliced, plain = corpus.score(by=["genre"]), corpus.score()
    numbers = sliced.evidence.numbers
    for key, value in overall(plain).items():
        assert np.array_equal(numbers[key], value, equal_nan=True)
        if isinstance(value, int) and key[-1] not in {"labels", "number"}:
            assert sum(numbers["slices", "genre", group, *key] for group in GROUPS) == value
    assert sum(own["documents"] for own in sliced.slices["genre"].values()) == plain.documents


@CASES
def test_the_order_of_documents_changes_no_slice(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    before = corpus.score(by=["genre"], confidence=0.9, resamples=50)
    mixed = Corpus(corpus.task, random.Random(1).sample(list(corpus.rows), ROWS), tmp_path)
    after = mixed.score(by=["genre"], confidence=0.9, resamples=50)
    assert before.to_dict()["slices"] == after.to_dict()["slices"]
    names = [path for path in before.intervals if path.startswith("slices.")]
    assert names
    for path in names:
        one, two = before.intervals[path], after.intervals[path]
        assert np.allclose((one.low, one.high), (two.low, two.high), rtol=0, atol=1e-12, equal_nan=True), path


@CASES
def test_unknown_column_error_lists_the_columns(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    with pytest.raises(UsageError, match=r"'gener'; did you mean genre\? Choose from .*genre.*document_length"):
        corpus.score(by=["gener"])


@pytest.mark.parametrize("text", [None, "abc"])
def test_an_unknown_column_lists_text_columns_with_texts(text: str | None, tmp_path: Path) -> None:
    row = {"id": "1", "gold": "a", "scores": {"a": 1, "b": 0}} | ({} if text is None else {"text": text})
    with pytest.raises(UsageError) as caught:
        isogloss.classification(json_lines_in(tmp_path, [row]), by=["seen"])
    there = "id, gold, file" if text is None else "id, gold, text, file, document_length, script"
    assert str(caught.value) == f"No document has a value in the column 'seen'. Choose from {there}."


def json_lines_in(folder: Path, rows: list[Row]) -> Path:
    json_lines(folder / "scores.jsonl", rows, "")
    return folder / "scores.jsonl"


@pytest.mark.parametrize("column", ["document_length", "script"])
def test_text_columns_without_texts_are_refused(column: str, tmp_path: Path) -> None:
    path = json_lines_in(tmp_path, [{"id": "1", "gold": "a", "scores": {"a": 1, "b": 0}}])
    with pytest.raises(UsageError) as caught:
        isogloss.classification(path, by=[column])
    assert str(caught.value) == (
        f"No document has a value in the column '{column}'. It needs texts, and the documents have none."
        " Choose from id, gold, file."
    )


@CASES
def test_clusters_are_the_values_of_a_column(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    run = corpus.score(unit="genre", confidence=0.9, resamples=200)
    assert "unit:genre" in str(run.signature)
    plain = corpus.score(unit="document", confidence=0.9, resamples=200)
    shared = [path for path in run.intervals if not math.isnan(run.intervals[path].low)]
    assert any(run.intervals[path] != plain.intervals[path] for path in shared)


@CASES
def test_a_clustered_slice_has_the_intervals_of_it_alone(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    how: dict[str, Any] = {"confidence": 0.9, "resamples": 50, "unit": "id" if "id" in corpus.rows[0][0] else "genre"}
    if name in {"ner-conll", "segmentation-conllu"}:  # comments hold the genre only
        how["unit"] = "genre"
    run, alone = corpus.score(by=["genre"], **how), corpus.score("web", **how)
    paths = [path for path in alone.intervals if f"slices.genre.web.{path}" in run.intervals]
    assert paths
    for path in paths:
        one, two = run.intervals[f"slices.genre.web.{path}"], alone.intervals[path]
        assert np.allclose((one.low, one.high), (two.low, two.high), rtol=0, atol=1e-12, equal_nan=True), path


@CASES
def test_the_file_is_a_column(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    run = corpus.score(by=["file"])
    file = "r-None" if name.startswith("code-switching") else "p-None"
    assert list(run.slices["file"]) == [str(tmp_path / file)]


@CASES
def test_findings_say_to_which_slice_they_belong(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    run = corpus.score(by=["genre", "document_length"], findings=True)
    assert run.findings
    genres = {str(k + 1): own["genre"] for k, (own, _) in enumerate(corpus.rows)}
    genres |= {str(own["id"]): own["genre"] for own, _ in corpus.rows if name != "ner-conll"}
    if name.startswith(("ner-conll", "segmentation")):
        genres = {str(k + 1): own["genre"] for k, (own, _) in enumerate(corpus.rows)}
    for finding in run.findings:
        told = finding.to_dict()["slices"]
        assert told["genre"] == genres[finding.document]
        assert told["document_length"] in run.slices["document_length"]
    assert "slices" not in corpus.score(findings=True).findings[0].to_dict()


LENGTHS: dict[str, Callable[[Row], int]] = {
    "ner": lambda row: len(row["text"]),
    "ner-conll": lambda row: len(row["words"]),
    "segmentation": lambda row: len(row["tokens"]),
    "segmentation-conllu": lambda row: len(row["tokens"]),
    "classification": lambda row: len(row["text"]),
    "entity-translation": lambda row: len(row["targets"][0]["translation"]),
    "code-switching": lambda row: len(row["text"]),
    "code-switching-csv": lambda row: len(row["text"]),
    "code-switching-parquet": lambda row: len(row["text"]),
}


@CASES
def test_documents_have_a_length_in_the_units_of_the_task(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    slices = corpus.score(by=["document_length"]).slices["document_length"]
    lengths = [LENGTHS[name](own) for own, _ in corpus.rows]
    classes = [("1-10", 1, 10), ("11-20", 11, 20), ("21-50", 21, 50), ("51-100", 51, 100)]
    expected = {own: sum(low <= length <= high for length in lengths) for own, low, high in classes}
    assert {own: part["documents"] for own, part in slices.items()} == {k: v for k, v in expected.items() if v}


@CASES
def test_documents_have_a_script(name: str, tmp_path: Path) -> None:
    run = Corpus.draw(name, tmp_path).score(by=["script"])
    found = {value: part["documents"] for value, part in run.slices["script"].items()}
    assert sum(found.values()) == ROWS
    assert set(found) == ({"Cyrl", "Latn"} if name.startswith("code-switching") else {"Latn"})


@CASES
def test_a_column_of_the_data_comes_before_one_that_all_have(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)
    if name in {"ner-conll", "segmentation-conllu"}:
        pytest.skip("comments hold the genre only")
    named = [({**own, "script": own["genre"], "file": "same"}, other) for own, other in corpus.rows]
    run = Corpus(corpus.task, named, tmp_path).score(by=["script", "file"])
    assert set(run.slices["script"]) == set(GROUPS)
    assert list(run.slices["file"]) == ["same"]


@pytest.mark.parametrize("name", [name for name in TASKS if not name.endswith(("conll", "conllu", "csv"))])
def test_numbers_and_booleans_are_column_values(name: str, tmp_path: Path) -> None:
    corpus = Corpus.draw(name, tmp_path)

    def scored(values: Sequence[Any]) -> Run:
        rows = [({**own, "x": values[k % len(values)]}, other) for k, (own, other) in enumerate(corpus.rows)]
        return Corpus(corpus.task, rows, tmp_path).score(by=["x"])

    assert set(scored([1, 2]).slices["x"]) == {"1", "2"}
    assert set(scored([0.5]).slices["x"]) == {"0.5"}
    assert set(scored([True, None]).slices["x"]) == {"true", "none"}
    with pytest.raises(UsageError, match=r"(r-None|row).*the column 'x' holds a value of type (dict|list)"):
        scored([{"a": 1}])


@pytest.mark.parametrize("at", [0, 5000, 8999])
def test_a_column_may_be_rare(at: int, tmp_path: Path) -> None:
    rows = [{"text": "Ada", "entities": []} for _ in range(9000)]
    rows[at]["speaker"] = "Eve"
    json_lines(tmp_path / "r", rows, "")
    run = isogloss.ner(tmp_path / "r", tmp_path / "r", by=["speaker"])
    assert {value: part["documents"] for value, part in run.slices["speaker"].items()} == {"Eve": 1, "none": 8999}


def test_the_prediction_may_have_the_column(tmp_path: Path) -> None:
    json_lines(tmp_path / "r", [{"text": "Ada", "entities": []}, {"text": "Bob", "entities": []}], "")
    both = [{"text": "Ada", "entities": [], "model": "a"}, {"text": "Bob", "entities": [], "model": "b"}]
    json_lines(tmp_path / "p", both, "")
    assert set(isogloss.ner(tmp_path / "r", tmp_path / "p", by=["model"]).slices["model"]) == {"a", "b"}


def test_each_language_of_a_folder_has_its_file(tmp_path: Path) -> None:
    for side in ("r", "p"):
        (tmp_path / side).mkdir()
        for language in ("it_IT", "de_DE"):
            rows = [{"id": "Q1_0", "targets": [{"mention": "Duna"}], "prediction": "Duna"}]
            json_lines(tmp_path / side / f"{language}.jsonl", rows, "")
    run = isogloss.entity_translation(tmp_path / "r", tmp_path / "p", by=["file", "language"])
    assert [Path(name).name for name in run.slices["file"]] == ["de_DE.jsonl", "it_IT.jsonl"]
    assert all(str(tmp_path / "p") in name for name in run.slices["file"])


def test_python_rows_have_columns() -> None:
    references = [{"id": f"Q{k}_0", "targets": [{"mention": "Duna"}], "genre": g} for k, g in enumerate("aab")]
    run = isogloss.entity_translation(references, ["Duna", "Dune", "Duna"], by=["genre"])
    assert {value: part["m_eta"].accuracy for value, part in run.slices["genre"].items()} == {"a": 0.5, "b": 1.0}
    texts = [{"text": "так", "genre": "a"}, {"text": "no", "genre": "b"}]
    foreign = isogloss.code_switching(texts, language="uk", by=["genre"]).slices["genre"]
    assert {value: part["words"].strict_rate for value, part in foreign.items()} == {"a": 0.0, "b": 1.0}


GIVEN: dict[str, Callable[..., Run]] = {
    "ner": lambda **more: isogloss.ner([["B-A"], ["B-A"], ["O"]], [["B-A"], ["O"], ["O"]], **more),
    "spans": lambda **more: isogloss.ner([[(0, 1, "A")], [], []], [[(0, 1, "A")], [(0, 1, "A")], []], **more),
    "segmentation": lambda **more: isogloss.segmentation([["a", "b"]] * 3, [["ab"], ["a", "b"], ["ab"]], **more),
    "classification": lambda **more: isogloss.classification(["a", "b", "a"], ["a", "a", "a"], **more),
    "entity-translation": lambda **more: isogloss.entity_translation(
        [{"id": str(k), "targets": [{"mention": "x"}], "target_locale": "ab"[k % 2] * 2} for k in range(3)],
        ["x", "y", "x"],
        **more,
    ),
    "code-switching": lambda **more: isogloss.code_switching(["так", "yes", "ні"], language="uk", **more),
}


@pytest.mark.parametrize("name", GIVEN)
def test_the_caller_may_give_a_value_for_each_document(name: str) -> None:
    run = GIVEN[name](by={"part": ["x", "y", "x"], "fold": [1, 2, 3]})
    assert {value: part["documents"] for value, part in run.slices["part"].items()} == {"x": 2, "y": 1}
    assert list(run.slices["fold"]) == ["1", "2", "3"]
    whole = next(iter(run.scores))
    counts = [key for key, value in run.scores[whole].items() if isinstance(value, int) and key != "number"]
    for key in counts:
        assert sum(part[whole][key] for part in run.slices["part"].values()) == run.scores[whole][key]


def test_caller_values_follow_rows_of_mixed_languages() -> None:
    run = GIVEN["entity-translation"](by={"part": ["right", "wrong", "right"]})
    assert {value: part["m_eta"].accuracy for value, part in run.slices["part"].items()} == {"right": 1.0, "wrong": 0.0}


@pytest.mark.parametrize("name", GIVEN)
@pytest.mark.parametrize("number", [1, 2, 4])
def test_another_number_of_values_than_documents_is_refused(name: str, number: int) -> None:
    with pytest.raises(UsageError, match=rf"by\['part'\]\[\d\]: got {number} values for"):
        GIVEN[name](by={"part": ["x"] * number})


@pytest.mark.parametrize("name", GIVEN)
def test_a_column_that_the_caller_gives_may_have_any_name(name: str) -> None:
    run = GIVEN[name](by={'a "b".\n': ["x", "y", "x"]})
    assert list(run.slices['a "b".\n']) == ["x", "y"]
    assert run.slices['a "b".\n']["x"]["documents"] == 2


def test_samples_that_are_left_out_have_values_too() -> None:
    run = isogloss.segmentation(
        [["a"], ["b"], ["c"]],
        [["a"], ["x"], ["y"]],
        on_mismatch="skip",
        by={"part": ["p", "q", "r"]},
    )
    assert list(run.slices["part"]) == ["p"]


@pytest.mark.parametrize("by", [{"part": "xyz"}, {"part": 3}, {"part": {"a": 1}}, "part"])
def test_values_that_are_no_list_are_refused(by: Any) -> None:
    with pytest.raises(UsageError, match="by"):
        GIVEN["ner"](by=by)


def test_lists_of_tags_have_lengths_but_no_script() -> None:
    assert set(GIVEN["ner"](by=["document_length"]).slices["document_length"]) == {"1-10"}
    for column in ("script", "file"):
        with pytest.raises(UsageError, match=column):
            GIVEN["ner"](by=[column])


def test_a_run_without_intervals_keeps_its_cluster_column(tmp_path: Path) -> None:
    kept = Corpus.draw("ner", tmp_path).score(unit="genre").document_counts
    assert kept is not None
    assert set(kept.get_attribute("genre").values) == set(GROUPS)


def test_all_values_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    rows = [{"text": "x" * n, "entities": []} for n in (600, 1, 15, 70, 300, 30)]
    json_lines(tmp_path / "r", rows, "")
    run = isogloss.ner(tmp_path / "r", tmp_path / "r", by=["document_length"])
    assert list(run.slices["document_length"]) == ["1-10", "11-20", "21-50", "51-100", "101-500", ">500"]


def test_slices_are_in_every_printed_form(tmp_path: Path) -> None:
    run = Corpus.draw("ner", tmp_path).score(by=["genre"], confidence=0.9, resamples=50)
    assert set(run.to_dict()["slices"]["genre"]["web"]) == {"documents", "scores"}
    assert "slices.genre.web.strict.f1," in text_formats.format_runs_csv([run])
    assert "**By genre (strict)**" in text_formats.format_runs_markdown([run])
    assert "% By genre (strict)" in text_formats.format_runs_latex([run])
    assert set(chain(run.to_dict()["intervals"])) >= {"slices.genre.web.strict.f1", "slices.genre.web.strict.recall"}
