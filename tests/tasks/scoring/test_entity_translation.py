from __future__ import annotations

import gc
import gzip
import hashlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from translations import answer, task, write

import isogloss
from isogloss.errors import DataError, MismatchError, MissingExtraError, UsageError

TASKS = [
    task("Q1_0", "Duna", wikidata_id="Q1", entity_types=["Book"], target_locale="it"),
    task("Q1_1", "Duna", wikidata_id="Q1", entity_types=["Book"], target_locale="it"),
    task("Q2_0", "Roma", wikidata_id="Q2", entity_types=["Movie"], target_locale="it"),
]
ANSWERS = ["La Duna?", "Dune?", None]


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for language in ("it_IT", "th_TH"):
        write(tmp_path / "r" / f"{language}.jsonl", TASKS)
        rows = [answer(row["id"], text) for row, text in zip(TASKS, ANSWERS, strict=True)]
        write(tmp_path / "p" / f"{language}.jsonl", rows if language == "it_IT" else rows[::-1])
    return tmp_path / "r", tmp_path / "p"


def test_files_and_rows_have_the_same_scores(folders: tuple[Path, Path]) -> None:
    from_files = isogloss.entity_translation(*folders)
    from_rows = isogloss.entity_translation({"it_IT": TASKS, "th_TH": TASKS}, {"it_IT": ANSWERS, "th_TH": ANSWERS})
    assert from_files.to_dict()["scores"] == from_rows.to_dict()["scores"]
    assert from_files.to_dict()["slices"] == from_rows.to_dict()["slices"]


def test_the_json_has_slices_as_the_contract_says(folders: tuple[Path, Path]) -> None:
    document = isogloss.entity_translation(*folders).to_dict()
    figures = {"accuracy": 1 / 3, "correct": 1, "total": 3, "missing": 1}
    assert document["slices"]["language"]["th_TH"] == {"documents": 3, "scores": {"m_eta": figures}}
    assert (document["task"], document["documents"]) == ("entity-translation", 6)


def test_a_score_has_a_path(folders: tuple[Path, Path]) -> None:
    run = isogloss.entity_translation(*folders)
    assert run.score("slices.language.it_IT.m_eta.accuracy") == pytest.approx(1 / 3)
    assert run.score("by_label.Book.m_eta.accuracy") == 0.5


def test_files_are_named_with_their_digests(folders: tuple[Path, Path]) -> None:
    run = isogloss.entity_translation(*folders)
    file = folders[1] / "th_TH.jsonl"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert [(entry.role, entry.sha256) for entry in run.inputs if entry.path == str(file)] == [("prediction", digest)]
    assert len(run.inputs) == 4


def test_compressed_files_are_read_as_they_are(tmp_path: Path) -> None:
    for side, rows in (("r", TASKS), ("p", [answer("Q1_0", "duna")])):
        file = write(tmp_path / side / "it.jsonl", rows)
        file.with_name("it.jsonl.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    assert isogloss.entity_translation(tmp_path / "r", tmp_path / "p").scores["m_eta"].correct == 1


def test_an_explained_run_has_the_same_verdicts(folders: tuple[Path, Path]) -> None:
    plain, explained = (isogloss.entity_translation(*folders, explain=explain) for explain in (False, True))
    assert plain.scores["m_eta"] == explained.scores["m_eta"]
    assert plain.slices == explained.slices
    assert set(plain.kinds) == {"correct", "missing", "wrong"}
    assert sum(explained.kinds.values()) == explained.documents
    assert explained.scores["consistency"] == {"all_right": 0, "mixed": 2, "all_wrong": 2, "entities": 4}


def test_findings_are_wrong_sentences_and_hits_add_right_ones() -> None:
    assert [finding.document for finding in isogloss.entity_translation(TASKS, ANSWERS, findings=True).findings] == [
        "Q1_1",
        "Q2_0",
    ]
    assert len(isogloss.entity_translation(TASKS, ANSWERS, hits=True).findings) == 3
    assert isogloss.entity_translation(TASKS, ANSWERS).findings == ()


def test_only_sentences_of_chosen_types_are_scored() -> None:
    run = isogloss.entity_translation(TASKS, ANSWERS, types=["Book", "Ship"])
    assert (run.documents, list(run.by_label)) == (2, ["Book"])
    assert [notice.message for notice in run.warnings] == ["No sentence has the entity type 'Ship'."]
    assert "|types:Book,Ship|" in str(run.signature)


def test_sentences_are_kept_only_where_something_needs_them(folders: tuple[Path, Path]) -> None:
    """Scores alone need none. Intervals, slices and comparisons do, and know the entity of each sentence."""
    plain = isogloss.entity_translation(*folders)
    assert plain.document_counts is None
    kept = (
        plain.ensure_documents(),
        isogloss.entity_translation(*folders, confidence=0.9, resamples=100),
        isogloss.entity_translation(*folders, by=["language"]),
    )
    for run in kept:
        assert run.document_counts is not None
        entities = run.document_counts.get_attribute("entity").look_up(run.document_counts.documents)
        assert sorted(entities) == sorted(["Q1", "Q1", "Q2"] * 2)
    assert isogloss.compare(plain, plain).options.unit == "entity"


def test_no_sentence_at_all_is_an_error() -> None:
    with pytest.raises(DataError, match="There is no document to score"):
        isogloss.entity_translation(TASKS, ANSWERS, types=["Ship"])


def test_a_late_repetition_starts_the_reading_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.tasks.entity_translation.rows.BLOCK", 64)
    tasks = [task(f"Q{k}_0", "Duna", wikidata_id="Q1") for k in range(20)]
    answers = [answer(f"Q{k}_0", "Duna") for k in range(20)] + [answer("Q3_0", "Dune")]
    files = write(tmp_path / "r" / "it.jsonl", tasks), write(tmp_path / "p" / "it.jsonl", answers)
    run = isogloss.entity_translation(*files, explain=True)
    assert (run.scores["m_eta"].correct, run.documents) == (19, 20)
    assert run.scores["consistency"].entities == 1
    assert {notice.code: notice.count for notice in run.warnings} == {"duplicate-ids": 1}


def test_the_collector_of_garbage_is_left_as_it_was() -> None:
    for enabled in [True, False]:
        for types in [None, ["Ship"]]:
            before = gc.isenabled()
            try:
                (gc.enable if enabled else gc.disable)()
                with suppress(DataError):  # no sentence is about a ship
                    isogloss.entity_translation(TASKS, ANSWERS, types=types)
                assert gc.isenabled() == enabled
            finally:
                (gc.enable if before else gc.disable)()


def test_a_missing_language_is_an_error_or_0_in_the_profile(folders: tuple[Path, Path]) -> None:
    (folders[1] / "th_TH.jsonl").unlink()
    with pytest.raises(MismatchError, match="has no file for th_TH"):
        isogloss.entity_translation(*folders)
    run = isogloss.entity_translation(*folders, profile="ea-mt")
    assert run.slices["language"]["th_TH"]["m_eta"].accuracy == 0.0
    assert run.scores["m_eta"].total == 6
    assert {notice.code for notice in run.warnings} == {"missing-language", "null-predictions"}


def test_a_missing_comet_score_is_left_out_or_0_in_the_profile(tmp_path: Path) -> None:
    comet = write(tmp_path / "comet.tsv", ["Q1_0\t0.5", "Q1_1\t0.7"])
    run = isogloss.entity_translation(TASKS, ANSWERS, comet=comet, comet_scale="0-1")
    assert run.scores["comet"].score == pytest.approx(60)
    assert {notice.code for notice in run.warnings} == {"null-predictions", "missing-comet"}
    profile = isogloss.entity_translation(
        TASKS,
        ANSWERS,
        comet=comet,
        comet_scale="0-1",
        profile="ea-mt",
        types=["Book", "Movie"],
    )
    assert profile.scores["comet"].score == pytest.approx(40)
    assert "|comet:file|comet-scale:0-1|" in str(run.signature)


def test_a_missing_language_has_a_harmonic_mean_of_zero(folders: tuple[Path, Path], tmp_path: Path) -> None:
    (folders[1] / "th_TH.jsonl").unlink()
    comet = write(tmp_path / "comet.json", ['{"it_IT": 90}'])
    run = isogloss.entity_translation(*folders, profile="ea-mt", comet=comet, comet_scale="0-100")
    own = run.slices["language"]["it_IT"]["harmonic_mean"].score
    assert run.scores["harmonic_mean"].score == pytest.approx(own / 2)


def test_intervals_cover_every_score_and_name_their_unit(tmp_path: Path) -> None:
    comet = write(tmp_path / "comet.tsv", ["Q1_0\t0.5", "Q1_1\t0.7"])
    run = isogloss.entity_translation(TASKS, ANSWERS, comet=comet, comet_scale="0-1", confidence=0.9, resamples=50)
    paths = {
        "m_eta.accuracy",
        "slices.language.it.m_eta.accuracy",
        "harmonic_mean.score",
        "by_label.Book.m_eta.accuracy",
    }
    assert paths <= run.intervals.keys()
    assert "|unit:entity|" in str(run.signature)
    apart = isogloss.entity_translation(TASKS, ANSWERS, confidence=0.9, resamples=50, unit="document")
    assert "|unit:document|" in str(apart.signature)
    assert "dependent-sentences" in {notice.code for notice in apart.warnings}


def test_chrf_and_bleu_stand_beside_it_for_each_language(folders: tuple[Path, Path]) -> None:
    pytest.importorskip("sacrebleu")
    run = isogloss.entity_translation(*folders, chrf=True, bleu=True)
    own = run.slices["language"]
    assert run.scores["bleu"].score == pytest.approx((own["it_IT"]["bleu"].score + own["th_TH"]["bleu"].score) / 2)
    assert run.scores["chrf"].score == pytest.approx((own["it_IT"]["chrf"].score + own["th_TH"]["chrf"].score) / 2)
    assert "|bleu-tokenizer:it_IT=13a,th_TH=char|" in str(run.signature)


def test_a_missing_sacrebleu_is_reported_before_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "sacrebleu", None)
    with pytest.raises(MissingExtraError, match="chrF and BLEU needs"):
        isogloss.entity_translation(TASKS, ANSWERS, bleu=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"types": "Book"}, "types must be a list, got 'Book'"),
        ({"normalize": "nfd"}, "Unknown normalize 'nfd'; did you mean nfc"),
        ({"profile": "ea-mt", "normalize": "nfc"}, "normalize cannot be combined with the profile ea-mt"),
        ({"profile": "ea"}, "Unknown profile 'ea'; did you mean ea-mt"),
        ({"tokenizer": "zh"}, "tokenizer has no effect without bleu"),
        ({"comet": "x"}, "COMET scores need their scale"),
        ({"comet_scale": "1"}, "Unknown comet_scale '1'"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        isogloss.entity_translation(TASKS, ANSWERS, **options)


def test_a_path_and_rows_cannot_be_compared(folders: tuple[Path, Path]) -> None:
    with pytest.raises(UsageError, match="A path and rows cannot be compared"):
        isogloss.entity_translation(folders[0], ANSWERS)


names = st.lists(st.sampled_from(["Duna", "x", "ดูน"]), min_size=1, max_size=2)
answers = st.none() | st.sampled_from(["La DUNA", "ภาพยนตร์ดูน", "niente", ""])
kinds = st.lists(st.sampled_from(["Book", "Movie"]), max_size=2)


@given(rows=st.lists(st.tuples(names, kinds, answers, st.booleans()), min_size=1, max_size=8), seed=st.randoms())
def test_the_order_of_rows_and_predictions_changes_no_score(rows: Any, seed: Any) -> None:
    tasks = [
        task(str(k), *own, entity_types=types, target_locale="it" if italian else "th")
        for k, (own, types, _, italian) in enumerate(rows)
    ]
    texts = [answer(str(k), text) for k, (_, _, text, _) in enumerate(rows)]
    first = isogloss.entity_translation(tasks, texts, explain=True).to_dict()
    seed.shuffle(tasks)
    seed.shuffle(texts)
    second = isogloss.entity_translation(tasks, texts, explain=True).to_dict()
    for key in ("scores", "by_label", "slices", "findings"):
        assert first.get(key) == second.get(key)


@given(rows=st.lists(st.tuples(names, kinds), min_size=1, max_size=6))
def test_the_accepted_translations_themselves_are_all_right(rows: Any) -> None:
    tasks = [task(str(k), *own, entity_types=types) for k, (own, types) in enumerate(rows)]
    run = isogloss.entity_translation(tasks, [row["targets"][-1]["translation"] for row in tasks], explain=True)
    assert run.scores["m_eta"].accuracy == 1.0
    assert run.kinds["correct"] == len(rows)
    assert not run.warnings
