"""Real gold standards and real systems, where they are at hand: the counts are those that came with the data."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from isogloss.cli import run as command
from isogloss.runs.run import Run
from isogloss.tasks.ner.scoring import ner

DATA = Path(__file__).parents[2] / "shared" / "data" / "ner"
pytestmark = pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")


@dataclass(frozen=True)
class Corpus:
    """A row of the table "Counts" in the SOURCES.md of the data, counted there without isogloss.

    Args:
        sentences: documents.
        tokens: their tokens.
        entities: reference spans; begun anew where a tag does not fit.
        gold: invalid tags of the reference.
        systems: invalid tags of each system.
    """

    sentences: int
    tokens: int
    entities: int
    gold: int
    systems: dict[str, int]


CORPORA = {
    "uner_en_ewt dev": Corpus(2001, 25149, 966, 0, {"crf": 0, "spacy": 0, "logreg": 179}),
    "uner_en_ewt test": Corpus(2077, 25097, 1088, 0, {"crf": 0, "spacy": 0, "logreg": 176}),
    "uner_zh_gsdsimp dev": Corpus(500, 12663, 753, 0, {"crf": 1, "logreg": 206}),
    "uner_zh_gsdsimp test": Corpus(500, 12012, 763, 0, {"crf": 0, "logreg": 182}),
    "uner_sr_set dev": Corpus(536, 11993, 844, 2, {"crf": 0, "logreg": 58}),
    "uner_sr_set test": Corpus(520, 11421, 901, 0, {"crf": 0, "logreg": 55}),
}
SYSTEMS = [(name, system) for name, corpus in CORPORA.items() for system in corpus.systems]
ALIKE = ("precision", "recall", "f1", "correct_reference", "possible", "actual")
ROWS = [
    ("uner_en_ewt test", "spacy"),
    ("uner_zh_gsdsimp test", "crf"),
    ("uner_sr_set test", "crf"),
]


def path(corpus: str, system: str, ending: str = "conll") -> str:
    folder, split = corpus.split()
    return str(DATA / folder / f"{system}.{split}.{ending}")


def scored(corpus: str, system: str) -> Run:
    return ner(path(corpus, "gold"), path(corpus, system))


def repaired(run: Run, side: str) -> int:
    return sum(n.count for n in run.warnings if n.code == "tags-repaired" and f" {side} " in n.message)


@pytest.mark.parametrize(("corpus", "system"), SYSTEMS)
def test_the_command_scores_every_system(corpus: str, system: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(["ner", path(corpus, "gold"), path(corpus, system), "--errors", "5", "--confidence", "0.95"]) == 0
    out, err = capsys.readouterr()
    assert f"{CORPORA[corpus].sentences:,} documents" in out.splitlines()[0]
    assert err == ""


@pytest.mark.parametrize(("corpus", "system"), SYSTEMS)
def test_sentences_tokens_entities_and_invalid_tags_are_those_counted_with_the_data(corpus: str, system: str) -> None:
    run, counted = scored(corpus, system), CORPORA[corpus]
    assert run.documents == counted.sentences
    assert run.scores["tokens"].total == counted.tokens
    assert run.scores["strict"].possible == counted.entities
    assert (repaired(run, "reference"), repaired(run, "prediction")) == (counted.gold, counted.systems[system])


@pytest.mark.parametrize(("corpus", "system"), ROWS)
def test_columns_and_rows_of_the_same_system_give_the_same_strict_figures(corpus: str, system: str) -> None:
    columns, rows = scored(corpus, system), ner(path(corpus, "gold", "jsonl"), path(corpus, system, "jsonl"))
    assert rows.scores["strict"] == columns.scores["strict"]
    for label, schemas in columns.by_label.items():  # which of two wrong spans is the partner may hang on the unit
        assert [rows.by_label[label]["strict"][name] for name in ALIKE] == [schemas["strict"][name] for name in ALIKE]


@pytest.mark.parametrize(("repair", "entities"), [("begin", 844), ("discard", 842)])
def test_two_names_of_the_serbian_reference_hang_on_the_repair(repair: str, entities: int) -> None:
    run = ner(path("uner_sr_set dev", "gold"), path("uner_sr_set dev", "crf"), repair=repair)  # type: ignore[arg-type]
    assert run.scores["strict"].possible == entities


def test_all_systems_of_a_corpus_are_scored_in_one_call(capsys: pytest.CaptureFixture[str]) -> None:
    systems = [path("uner_en_ewt test", system) for system in ("crf", "spacy", "logreg")]
    assert command(["ner", path("uner_en_ewt test", "gold"), *systems, "-f", "json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["system"] for run in runs] == systems
    alone = [scored("uner_en_ewt test", system).to_dict() for system in ("crf", "spacy", "logreg")]
    assert [run["scores"] for run in runs] == [run["scores"] for run in alone]
