from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from translations import answer, task, write

from isogloss.errors import DataError, FormatError, MismatchError, SourceError
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation.comet import CometScores, read_comet
from isogloss.tasks.entity_translation.inputs import convert_lists_by_language
from isogloss.tasks.entity_translation.options import Rules, Scale
from isogloss.tasks.entity_translation.pairing import read_language


def of_file(path: Path, lines: list[Any], scale: Scale = "0-1", system: str = "p/b/it_IT.jsonl") -> CometScores:
    return read_comet(Source(write(path, lines)), ["it_IT"], scale, system)["it_IT"]


def scores(comet: CometScores, *ids: str) -> list[float]:
    return comet.get_scores(ids, range(len(ids))).tolist()  # type: ignore[no-any-return]


def test_scores_by_id_from_json_lines_are_brought_to_a_hundred(tmp_path: Path) -> None:
    comet = of_file(tmp_path / "c.jsonl", [{"id": "a", "comet": 0.5}, {"id": 2, "comet": 0.25}])
    assert scores(comet, "2", "a") == [25.0, 50.0]


def test_the_highest_of_several_scores_of_an_id_counts(tmp_path: Path) -> None:
    lines = [{"id": "a", "comet": value} for value in (0.25, 0.5, None, 0.125)]
    assert scores(of_file(tmp_path / "c.jsonl", lines), "a") == [50.0]


@pytest.mark.parametrize("head", [[], ["id\tcomet"]])
def test_scores_by_id_from_two_columns_with_or_without_heads(tmp_path: Path, head: list[str]) -> None:
    comet = of_file(tmp_path / "c.tsv", [*head, "a\t50", "b\t25.5", "c\tNone"], "0-100")
    assert scores(comet, "b", "a")[:2] == [25.5, 50.0]
    assert math.isnan(scores(comet, "c")[0])


def test_an_unknown_id_has_no_score(tmp_path: Path) -> None:
    assert math.isnan(scores(of_file(tmp_path / "c.tsv", ["a\t0.5"]), "b")[0])


def test_segment_scores_are_selected_by_the_system_name(tmp_path: Path) -> None:
    lines = ["a\t0.1", "a\t0.2", "b\t0.5", "b\tNone"]
    comet = of_file(tmp_path / "comet.seg.score", lines)
    assert scores(comet, "x", "y")[0] == 50.0
    assert math.isnan(scores(comet, "x", "y")[1])
    with pytest.raises(MismatchError, match="has the scores of a, b; the name of p/other"):
        of_file(tmp_path / "comet.seg.score", lines, system="p/other/it_IT.jsonl")


def test_segment_scores_of_one_system_need_no_name(tmp_path: Path) -> None:
    assert scores(of_file(tmp_path / "comet.seg.score", ["z\t0.1", "z\t0.2"]), "x", "y") == [10.0, 20.0]


@pytest.mark.parametrize("number", [1, 3])
def test_there_are_as_many_segment_scores_as_references(tmp_path: Path, number: int) -> None:
    comet = of_file(tmp_path / "comet.seg.score", ["z\t0.1"] * number)
    [part] = convert_lists_by_language([task("a", "x"), task("b", "y")], ["1", "2"])
    with pytest.raises(MismatchError, match=f"has {number} scores, but the reference has 2 rows"):
        list(read_language(part, Rules(), 0, comet))


def test_segment_scores_keep_their_place_beside_left_out_rows(tmp_path: Path) -> None:
    comet = of_file(tmp_path / "comet.seg.score", ["z\t0.1", "z\t0.2", "z\t0.3"])
    [part] = convert_lists_by_language([task("a", "x"), task("b"), task("c", "y")], [answer("c", "1")])
    found = [batch.comet.tolist() for batch in read_language(part, Rules(), 0, comet) if batch.comet is not None]
    assert found == [[10.0, 30.0], []]


@pytest.mark.parametrize("lines", [['{"it_IT": 0.5, "th_TH": 0.25}'], ["{", '"it_IT": 0.5}'], ["it_IT\t0.5"]])
def test_score_of_a_language_is_that_of_all_its_sentences(tmp_path: Path, lines: list[str]) -> None:
    assert scores(of_file(tmp_path / "c.json", lines), "a", "b") == [50.0, 50.0]


def test_a_folder_has_a_file_for_each_language(tmp_path: Path) -> None:
    write(tmp_path / "it_IT.tsv", ["a\t0.5"])
    write(tmp_path / "th_TH.jsonl", [{"id": "a", "comet": 0.25}])
    found = read_comet(Source(tmp_path), ["it_IT", "th_TH"], "0-1", "p")
    assert {language: scores(comet, "a") for language, comet in found.items()} == {"it_IT": [50.0], "th_TH": [25.0]}
    with pytest.raises(MismatchError, match="has no COMET scores of ar_AE; it has it_IT, th_TH"):
        read_comet(Source(tmp_path), ["ar_AE"], "0-1", "p")


def test_sentence_scores_in_one_file_need_one_language(tmp_path: Path) -> None:
    with pytest.raises(MismatchError, match="but there are 2 languages"):
        read_comet(Source(write(tmp_path / "c.tsv", ["a\t0.5"])), ["it_IT", "th_TH"], "0-1", "p")


def test_a_language_without_a_number_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MismatchError, match="has no COMET scores of th_TH; it has it_IT"):
        read_comet(Source(write(tmp_path / "c.json", ['{"it_IT": 0.5}'])), ["it_IT", "th_TH"], "0-1", "p")


def test_a_number_that_is_not_on_the_scale_is_located(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"c.tsv:2: 89.5 is not on the scale 0-1"):
        of_file(tmp_path / "c.tsv", ["a\t0.5", "b\t89.5"])
    with pytest.raises(DataError, match=r"largest score is 0\.5, so the scores are not on the scale 0-100"):
        of_file(tmp_path / "c.tsv", ["a\t0.5"], "0-100")
    with pytest.raises(DataError, match=r"c.json:1: 89 is not on the scale 0-1"):
        of_file(tmp_path / "c.json", ['{"it_IT": 89}'])


def test_a_line_without_a_score_is_located(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"c.tsv:2: is not an id and a score: 'b 1 2'"):
        of_file(tmp_path / "c.tsv", ["a\t0.5", "b 1 2"])
    with pytest.raises(FormatError, match=r"c.jsonl:1: object missing required field `comet`"):
        of_file(tmp_path / "c.jsonl", [{"id": "a"}])


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no scores"):
        of_file(tmp_path / "c.tsv", [])
