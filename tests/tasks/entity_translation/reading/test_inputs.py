from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from translations import answer, task, write

import isogloss
from isogloss.errors import DataError, MismatchError, SourceError, UsageError
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation.inputs import (
    LanguageInput,
    convert_lists_by_language,
    list_language_files,
    open_files_by_language,
)


def parts(references: Path, predictions: Path, *, zero: bool = False) -> tuple[list[LanguageInput], list[str]]:
    found, notices = open_files_by_language(Source(references), Source(predictions), zero_for_missing=zero, brief=True)
    return found, [notice.code for notice in notices]


def folder(path: Path, *names: str) -> Path:
    for name in names:
        write(path / name, [task("Q1_0", "Duna")])
    return path


def test_folders_are_paired_by_the_names_of_their_files(tmp_path: Path) -> None:
    references = folder(tmp_path / "r", "it_IT.jsonl", "ar_AE.jsonl", "notes.txt", ".hidden.jsonl")
    found, notices = parts(references, folder(tmp_path / "p", "ar_AE.jsonl", "it_IT.jsonl"))
    assert [part.language for part in found] == ["ar_AE", "it_IT"]
    assert not notices


def test_language_without_predictions_is_an_error_or_zero(tmp_path: Path) -> None:
    references, predictions = folder(tmp_path / "r", "it.jsonl", "th.jsonl"), folder(tmp_path / "p", "it.jsonl")
    with pytest.raises(MismatchError, match="has no file for th"):
        parts(references, predictions)
    found, notices = parts(references, predictions, zero=True)
    assert [part.predictions is None for part in found] == [False, True]
    assert notices == ["missing-language"]


def test_some_languages_of_folders_are_scored(tmp_path: Path) -> None:
    for language in ("de_DE", "it_IT", "th_TH"):
        write(tmp_path / "gold" / f"{language}.jsonl", [task("Q1_0", "Duna")])
    write(tmp_path / "answers" / "it_IT.jsonl", [answer("Q1_0", "Duna")])
    reference, prediction = tmp_path / "gold", tmp_path / "answers"
    with pytest.raises(MismatchError, match="has no file for de_DE, th_TH") as raised:
        isogloss.entity_translation(reference, prediction)
    assert "--languages it_IT" in str(raised.value.remedy)
    run = isogloss.entity_translation(reference, prediction, languages=["it_IT"])
    assert run.scores["m_eta"].total == 1
    assert "languages:it_IT" in str(run.signature)
    with pytest.raises(MismatchError, match="there is no language 'ko_KR'; the languages are de_DE, it_IT, th_TH"):
        isogloss.entity_translation(reference, prediction, languages=["ko_KR"])


def test_a_language_without_references_is_left_out_with_a_notice(tmp_path: Path) -> None:
    found, notices = parts(folder(tmp_path / "r", "it.jsonl"), folder(tmp_path / "p", "it.jsonl", "th.jsonl"))
    assert [part.language for part in found] == ["it"]
    assert notices == ["extra-language"]


def test_a_folder_and_a_file_do_not_belong_together(tmp_path: Path) -> None:
    file = write(tmp_path / "it.jsonl", [])
    with pytest.raises(MismatchError, match=r"is a folder, but .*it\.jsonl is a file"):
        parts(folder(tmp_path / "r", "it.jsonl"), file)


def test_absent_path_error_suggests_similar_names(tmp_path: Path) -> None:
    references = folder(tmp_path / "references", "it.jsonl")
    with pytest.raises(SourceError, match=r"no such file\n.*Did you mean .*references"):
        parts(references, tmp_path / "reference")


def test_folder_file_not_named_after_a_language_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="not named after a language: 'reference'"):
        list_language_files(Source(folder(tmp_path, "reference.jsonl")))


def test_two_files_for_a_language_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="second file for it"):
        list_language_files(Source(folder(tmp_path, "it.jsonl", "it.jsonl.gz")))


def test_a_folder_without_files_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"holds no \.jsonl file"):
        list_language_files(Source(tmp_path))


@pytest.mark.parametrize(
    ("name", "language"),
    [("it_IT.jsonl", "it_IT"), ("zh-Hant-TW.jsonl", "zh-Hant-TW"), ("ref.jsonl", "tr"), ("gold.jsonl.gz", "tr")],
)
def test_single_file_has_language_of_its_name_or_first_row(
    tmp_path: Path,
    name: str,
    language: str,
) -> None:
    file = write(tmp_path / "r" / name.removesuffix(".gz"), [task("Q1_0", "Duna", target_locale="tr")])
    [part], _ = parts(file, write(tmp_path / "p", []))
    assert part.language == language


def test_rows_of_lists_belong_to_the_language_that_they_name() -> None:
    rows = [task("a", "x", target_locale="it"), task("b", "y", target_locale="th"), task("c", "z", target_locale="it")]
    found = convert_lists_by_language(rows, [answer("b", "1"), answer("c", "2"), answer("a", "3")])
    assert [
        (part.language, [row.id for block in part.references.read_blocks() for row in block.rows]) for part in found
    ] == [
        ("it", ["a", "c"]),
        ("th", ["b"]),
    ]


@pytest.mark.parametrize("predictions", [["x", None], {"a": "x", "b": None}, [answer("a", "x"), answer("b", None)]])
def test_translations_are_given_in_order_by_id_or_as_rows(predictions: Any) -> None:
    [part] = convert_lists_by_language([task("a", "x"), task("b", "y")], predictions)
    assert part.predictions is not None
    rows = [row for block in part.predictions.read_blocks() for row in block.rows]
    assert [(row.id, row.prediction) for row in rows] == [("a", "x"), ("b", None)]


def test_translations_without_ids_must_match_in_number() -> None:
    with pytest.raises(MismatchError, match="2 references, but 1 translations"):
        convert_lists_by_language([task("a", "x"), task("b", "y")], ["x"])


def test_rows_can_be_given_by_language() -> None:
    found = convert_lists_by_language({"it": [task("a", "x")], "th": [task("a", "y")]}, {"it": ["x"], "th": ["y"]})
    assert [part.language for part in found] == ["it", "th"]


def test_an_id_in_several_languages_has_to_be_given_by_language() -> None:
    rows = [task("a", "x", target_locale="it"), task("a", "y", target_locale="th")]
    with pytest.raises(UsageError, match="same id stands in several languages"):
        convert_lists_by_language(rows, [answer("a", "x")])


def test_a_language_without_predictions_in_lists_is_an_error() -> None:
    with pytest.raises(MismatchError, match="no predictions for 'it'"):
        convert_lists_by_language({"it": [task("a", "x")]}, {})


def test_a_row_of_a_list_that_is_none_is_located() -> None:
    with pytest.raises(DataError, match=r"references\[1\]: Object missing required field `targets`"):
        convert_lists_by_language([task("a", "x"), {"id": "b"}], ["x", "y"])


def test_something_else_than_rows_is_refused() -> None:
    with pytest.raises(UsageError, match="references is of type int"):
        convert_lists_by_language(1, ["x"])
    with pytest.raises(UsageError, match="references are by language"):
        convert_lists_by_language({"it": []}, [])


def test_no_rows_are_no_languages() -> None:
    assert convert_lists_by_language([], [answer("Q1_0", "Duna")]) == []


def read_oracle(path: Path, rows: list[dict[str, Any]]) -> tuple[list[str | None], list[str]]:
    """The predictions of a reference given as a system, and the codes of notices."""
    write(path, rows)
    (part,), notices = parts(path, path)
    assert part.predictions is not None
    return [row.prediction for block in part.predictions.read_blocks() for row in block.rows], notices


def test_predictions_of_a_reference_are_its_first_translations(tmp_path: Path) -> None:
    several = [{"mention": "Duna", "translation": "Ecco Duna"}, {"mention": "Dune", "translation": "Dune"}]
    rows = [{"id": "Q1_0", "targets": several}, {"id": "Q2_0", "targets": [{"mention": "Roma"}]}]
    expected: list[str | None] = ["Ecco Duna", "Roma"]
    assert read_oracle(tmp_path / "it.jsonl", rows) == (expected, ["reference-as-prediction"])


@pytest.mark.parametrize("by_language", [False, True])
def test_a_list_of_references_is_a_system(by_language: bool) -> None:  # noqa: FBT001  a case
    several = [{"mention": "Duna", "translation": "Ecco Duna"}, {"mention": "Dune", "translation": "Dune"}]
    rows = [{"id": "Q1_0", "targets": several}, {"id": "Q2_0", "targets": [{"mention": "Roma"}]}]
    gold: Any = {"it": rows} if by_language else rows
    worse: Any = {"it": ["Ecco Duna", "?"]} if by_language else ["Ecco Duna", "?"]
    oracle, other = isogloss.entity_translation(gold, gold), isogloss.entity_translation(gold, worse)
    assert [run.scores["m_eta"]["accuracy"] for run in (oracle, other)] == [1, 0.5]
    assert [warning.code for warning in oracle.warnings] == ["reference-as-prediction"]
    assert not other.warnings
    assert isogloss.compare(oracle, other).pairs[0].scores["m_eta.accuracy"].difference == -0.5


def test_predictions_in_the_file_of_the_reference_are_scored(tmp_path: Path) -> None:
    targets = [{"mention": "Duna", "translation": "Ecco Duna"}]
    rows = [{"id": f"Q{k}_0", "targets": targets, "prediction": said} for k, said in enumerate([None, "Dune"])]
    assert read_oracle(tmp_path / "it.jsonl", rows) == ([None, "Dune"], [])


def test_another_file_without_predictions_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "it.jsonl", [task("Q1_0", "Duna")])
    write(tmp_path / "other.jsonl", [task("Q1_0", "Duna")])
    (part,), _ = parts(tmp_path / "it.jsonl", tmp_path / "other.jsonl")
    assert part.predictions is not None
    with pytest.raises(DataError, match="prediction"):
        list(part.predictions.read_blocks())
