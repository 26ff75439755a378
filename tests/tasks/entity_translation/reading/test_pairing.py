from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from translations import answer, task, write

from isogloss.errors import DataError, FormatError
from isogloss.kernel.provenance import RunWarning
from isogloss.records.block_pairing import OutOfStepError
from isogloss.records.sources import Source
from isogloss.tasks.entity_translation import rows
from isogloss.tasks.entity_translation.batches import TranslationBatch
from isogloss.tasks.entity_translation.inputs import LanguageInput, convert_lists_by_language, open_files_by_language
from isogloss.tasks.entity_translation.options import Rules
from isogloss.tasks.entity_translation.pairing import read_language
from isogloss.tasks.entity_translation.verdicts import TranslationJudge

EXACT = Rules()


def batches(part: LanguageInput, rules: Rules = EXACT) -> list[TranslationBatch]:
    try:
        return list(read_language(part, rules, 0))
    except OutOfStepError:
        return list(read_language(part, rules, 0, in_step=False))


def of_rows(tasks: Sequence[Any], answers: Any, rules: Rules = EXACT) -> list[TranslationBatch]:
    [part] = convert_lists_by_language(tasks, answers)
    return batches(part, rules)


def of_files(
    tmp_path: Path, tasks: Sequence[Any], answers: Sequence[Any], rules: Rules = EXACT
) -> list[TranslationBatch]:
    files = write(tmp_path / "r" / "it_IT.jsonl", tasks), write(tmp_path / "p" / "it_IT.jsonl", answers)
    [part], _ = open_files_by_language(*map(Source, files), zero_for_missing=False, brief=True)
    return batches(part, rules)


def paired(found: Sequence[TranslationBatch]) -> dict[str, str | None]:
    return {str(row.id): text for batch in found for row, text in zip(batch.sentences, batch.translations, strict=True)}


def notices(found: Sequence[TranslationBatch]) -> dict[str, tuple[int, str | None]]:
    merged = RunWarning.merge(notice for batch in found for notice in batch.warnings)
    return {notice.code: (notice.count, notice.where) for notice in merged}


def test_translations_are_found_by_id_in_any_order() -> None:
    tasks = [task("a", "x"), task("b", "y"), task("c", "z")]
    found = of_rows(tasks, [answer("c", "3"), answer("a", "1"), answer("b", "2")])
    assert paired(found) == {"a": "1", "b": "2", "c": "3"}
    assert notices(found) == {}


def test_ids_may_be_numbers_on_one_side() -> None:
    assert paired(of_rows([{"id": 7, "targets": [{"mention": "x"}]}], [answer("7", "1")])) == {"7": "1"}


def test_missing_translation_is_counted_with_its_place() -> None:
    found = of_rows([task("a", "x"), task("b", "y")], [answer("a", "1")])
    assert paired(found) == {"a": "1", "b": None}
    assert notices(found) == {"missing-predictions": (1, "references[1]")}


def test_a_null_translation_is_none_and_counted_by_itself() -> None:
    found = of_rows([task("a", "x")], [answer("a", None)])
    assert notices(found) == {"null-predictions": (1, "predictions[0]")}


def test_a_translation_that_nobody_asks_for_is_counted() -> None:
    found = of_rows([task("a", "x")], [answer("a", "1"), answer("b", "2"), answer("c", "3")])
    assert notices(found) == {"extra-predictions": (2, "predictions[1]")}


@pytest.mark.parametrize(
    "first",
    [[answer("a", "1"), answer("a", "2"), answer("b", "3")], [answer("a", "1"), answer("b", "3"), answer("a", "2")]],
)
def test_of_repeated_ids_the_last_counts(first: list[Any]) -> None:
    found = of_rows([task("a", "x"), task("b", "y")], first)
    assert paired(found) == {"a": "2", "b": "3"}
    assert set(notices(found)) == {"duplicate-ids"}


def test_repeated_id_with_same_prediction_has_its_own_warning() -> None:
    found = of_rows([task("a", "x")], [answer("a", "1"), answer("a", "1")])
    assert [notice.message for batch in found for notice in batch.warnings] == ["repeated ids with the same prediction"]


def test_late_repeated_id_restarts_the_reader(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "BLOCK", 64)
    tasks = [task(f"Q{k}_0", "x") for k in range(50)]
    answers = [answer(f"Q{k}_0", str(k)) for k in range(50)] + [answer("Q3_0", "again")]
    files = write(tmp_path / "r" / "it.jsonl", tasks), write(tmp_path / "p" / "it.jsonl", answers)
    [part], _ = open_files_by_language(*map(Source, files), zero_for_missing=False, brief=True)
    with pytest.raises(OutOfStepError):
        list(read_language(part, EXACT, 0))
    assert paired(batches(part)) == {f"Q{k}_0": "again" if k == 3 else str(k) for k in range(50)}


def test_cut_ids_that_collide_are_counted() -> None:
    tasks = [task("Q1_1", "x"), task("Q1_12", "y")]
    found = of_rows(tasks, [answer("Q1_1", "1"), answer("Q1_12", "2")], Rules(prefix_ids=True))
    assert paired(found) == {"Q1_1": "2", "Q1_12": None}
    assert set(notices(found)) == {"id-collisions", "missing-predictions"}


def test_an_id_of_another_form_is_located_where_ids_are_cut() -> None:
    with pytest.raises(DataError, match=r"predictions\[0\]: the id 'x7' does not begin as Q1_0"):
        of_rows([task("x7", "x")], [answer("x7", "1")], Rules(prefix_ids=True))


def test_repeated_reference_id_is_an_error_with_both_places(tmp_path: Path) -> None:
    tasks = [task("a", "x"), task("b", "y"), task("a", "z")]
    with pytest.raises(DataError, match=r"it_IT.jsonl:3: the id 'a' stands twice\nIt first stands at .*it_IT.jsonl:1"):
        of_files(tmp_path, tasks, [answer("a", "1"), answer("b", "2"), answer("a", "3")])


def test_ids_whose_hashes_are_equal_are_no_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.records.pairing.hash", lambda key: 7, raising=False)
    assert paired(of_rows([task("a", "x"), task("b", "y")], ["1", "2"])) == {"a": "1", "b": "2"}


def test_an_empty_id_is_counted_on_both_sides() -> None:
    found = of_rows([task("", "x"), task("b", "y")], [answer("b", "2"), answer("", "1")])
    assert paired(found) == {"": "1", "b": "2"}
    assert notices(found)["empty-ids"][0] == 1
    messages = {notice.message for batch in found for notice in batch.warnings}
    assert messages == {"sentences of the reference with an empty id", "predictions with an empty id"}


def test_a_sentence_without_accepted_names_is_left_out(tmp_path: Path) -> None:
    tasks = [task("a"), task("b", "y")]
    found = of_files(tmp_path, tasks, [answer("a", "1"), answer("b", "2")])
    assert paired(found) == {"b": "2"}
    assert notices(found) == {"no-targets": (1, str(tmp_path / "r" / "it_IT.jsonl") + ":1")}


def test_an_empty_name_is_left_out_unless_the_rules_count_it(tmp_path: Path) -> None:
    tasks, answers = [task("a", "", "x"), task("b", "")], [answer("a", "1"), answer("b", "2")]
    found = of_files(tmp_path, tasks, answers)
    assert [[target.mention for target in row.targets] for batch in found for row in batch.sentences] == [["x"]]
    assert {code: count for code, (count, _) in notices(found).items()} == {"empty-mentions": 2, "no-targets": 1}
    assert paired(of_files(tmp_path, tasks, answers, Rules(empty_mentions=True))) == {"a": "1", "b": "2"}


def test_types_option_limits_the_sentences_read() -> None:
    tasks = [task("a", "x", entity_types=["Book", "Movie"]), task("b", "y", entity_types=["Food"]), task("c", "z")]
    found = of_rows(tasks, ["1", "2", "3"], Rules(types=frozenset({"Movie"})))
    assert paired(found) == {"a": "1"}
    assert notices(found) == {}


def test_rows_of_another_language_than_the_first_are_refused(tmp_path: Path) -> None:
    tasks = [task("a", "x", target_locale="it"), task("b", "y", target_locale="fr")]
    files = write(tmp_path / "reference.jsonl", tasks), write(tmp_path / "p.jsonl", [])
    [part], _ = open_files_by_language(*map(Source, files), zero_for_missing=False, brief=True)
    with pytest.raises(DataError, match=r"reference.jsonl:2: the target language is fr, but it in the first row"):
        list(read_language(part, EXACT, 0))


def test_brief_rows_of_other_files_have_language_and_entity(tmp_path: Path) -> None:
    """They are read briefly all the same, which is a quarter faster."""
    tasks = [task(name, "x", target_locale="it", wikidata_id=f"Q{name}") for name in "ab"]
    files = write(tmp_path / "reference.jsonl", tasks), write(tmp_path / "p.jsonl", [])
    [part], _ = open_files_by_language(*map(Source, files), zero_for_missing=False, brief=True)
    found = [row for block in part.references.read_blocks() for row in block.rows]
    assert all(isinstance(row, rows.BriefReference) for row in found)
    assert [(row.target_locale, row.entity) for row in found] == [("it", "Qa"), ("it", "Qb")]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "a", "targets": [{"mention": "x"}]', r"it_IT.jsonl:2:42: broken JSON"),
        ('{"id": "a"}', r"it_IT.jsonl:2: object missing required field `targets`"),
        ('{"id": "a", "targets": [{"mention": null}]}', r"it_IT.jsonl:2: `targets\[0\].mention`: expected `str`"),
        ('{"targets": []}', r"it_IT.jsonl:2: object missing required field `id`"),
    ],
)
def test_a_row_that_is_none_is_located(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        of_files(tmp_path, [task("z", "x"), line], [answer("z", "1")])


def test_a_prediction_without_text_is_located(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"it_IT.jsonl:1: object missing required field `prediction`"):
        of_files(tmp_path, [task("z", "x")], ['{"id": "z"}'])


def test_places_name_the_prediction_or_else_the_reference(tmp_path: Path) -> None:
    [batch, *_] = of_files(tmp_path, [task("a", "x"), task("b", "y")], ["", answer("a", "1")])
    assert batch.provenance.where(0, 0, "predicted").endswith("p/it_IT.jsonl:2")
    assert batch.provenance.where(1, 0, "predicted").endswith("r/it_IT.jsonl:2")
    assert batch.provenance.where(0, 0, "reference").endswith("r/it_IT.jsonl:1")
    assert batch.provenance.name(1) == "b"
    passages = [batch.provenance.get_excerpt(row) for row in (0, 1)]
    assert passages[0] is not None
    assert (passages[0].text, passages[1]) == ("1", None)


def test_a_brief_row_and_a_full_one_have_the_same_translations(tmp_path: Path) -> None:
    file = write(tmp_path / "it.jsonl", [task("a", "Ève", "x"), '{"id": "b", "targets": [{"mention": "y"}]}'])
    both = rows.open_brief_references(Source(file)), rows.open_references(Source(file))
    brief, full = ([row for block in each.read_blocks() for row in block.rows] for each in both)
    assert isinstance(brief[0], rows.BriefReference)
    read_of = [[(t.mention, t.translation) for row in side for t in row.targets] for side in (brief, full)]
    assert read_of[0] == read_of[1]


keys = st.sampled_from([f"Q{k}_{n}" for k in (1, 2) for n in (0, 1, 12)])


@given(
    tasks=st.lists(keys, unique=True, max_size=6),
    answers=st.lists(st.tuples(keys, st.sampled_from(["1", "2", None])), max_size=9),
    size=st.sampled_from([1, 60, 10_000]),
)
def test_pairing_with_any_block_size_equals_a_dictionary(
    tmp_path_factory: pytest.TempPathFactory,
    tasks: list[str],
    answers: list[tuple[str, str | None]],
    size: int,
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "BLOCK", size)
        found = of_files(folder, [task(key, "x") for key in tasks], [answer(*pair) for pair in answers])
    last = dict(answers)
    assert paired(found) == {key: last.get(key) for key in tasks}
    assert np.concatenate([batch.documents for batch in found]).tolist() == list(range(len(tasks)))
    counted = {code: count for code, (count, _) in notices(found).items()}
    expected = {
        "missing-predictions": sum(key not in last for key in tasks),
        "null-predictions": sum(key in last and last[key] is None for key in tasks),
        "extra-predictions": len(last.keys() - set(tasks)),
    }
    assert {code: counted.get(code, 0) for code in expected} == expected


def test_comet_is_left_out_where_there_is_none() -> None:
    assert math.isnan(Rules().missing_comet)


@given(
    lengths=st.lists(
        st.tuples(st.sampled_from([0, 60, 100]), st.sampled_from([5, 199, 201, 400])), min_size=1, max_size=9
    ),
    types=st.sampled_from([None, frozenset({"Book"})]),
    size=st.sampled_from([1, 300, 10_000]),
    named=st.booleans(),
)
def test_long_translations_of_files_read_without_texts_equal_a_loop(
    tmp_path_factory: pytest.TempPathFactory,
    lengths: list[tuple[int, int]],
    types: frozenset[str] | None,
    size: int,
    named: bool,  # noqa: FBT001  a parameter of the table
) -> None:
    """Translations are left out until a long one of the system is compared with them."""
    folder = tmp_path_factory.mktemp("long")
    tasks = [
        {
            "id": f"Q1_{k}",
            "entity_types": [("Book", "Film")[k % 2]],
            "targets": [{"mention": "x", "translation": ""}, {"mention": "x", "translation": "y" * accepted}],
            "target_locale": "it",
        }
        for k, (accepted, _) in enumerate(lengths)
    ]
    answers = [answer(f"Q1_{k}", "x" * length) for k, (_, length) in enumerate(lengths)]
    files = write(folder / ("it_IT.jsonl" if named else "reference.jsonl"), tasks), write(folder / "p.jsonl", answers)
    [part], _ = open_files_by_language(*map(Source, files), zero_for_missing=False, brief=True)
    expected = [
        f"{files[1]}:{k + 1}"
        for k, (accepted, length) in enumerate(lengths)
        if (types is None or k % 2 == 0) and length > 200 and 0 < 3 * accepted < length
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows, "BLOCK", size)
        found = [TranslationJudge()(batch) for batch in read_language(part.leave_out_texts(), Rules(types=types), 0)]
    long = [warning for batch in found for warning in batch.warnings if warning.code == "long-predictions"]
    merged = RunWarning.merge(long)
    assert [(warning.count, warning.where) for warning in merged] == [(len(expected), place) for place in expected[:1]]


def test_input_without_texts_leaves_the_whole_input_as_it_is(tmp_path: Path) -> None:
    targets = [{"mention": "x", "translation": "x e y"}]
    files = (
        write(tmp_path / "it_IT.jsonl", [{"id": "Q1_0", "targets": targets}]),
        write(tmp_path / "p.jsonl", [answer("Q1_0", "x")]),
    )
    sides = open_files_by_language(*map(Source, files), zero_for_missing=False, brief=True)[0]
    without, whole = (
        [target.translation for block in part.references.read_blocks() for row in block.rows for target in row.targets]
        for part in (sides[0].leave_out_texts(), sides[0])
    )
    assert (without, whole) == ([""], ["x e y"])
