"""Two pipelines of spaCy or transformers run in a plan for names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from libraries import library
from tiny_models import token_classifier

from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System

GOLD: tuple[tuple[str, list[tuple[int, int, str]]], ...] = (
    ("Ada met Grace in Paris.", [(0, 3, "PERSON"), (8, 13, "PERSON"), (17, 22, "GPE")]),
    ("Nobody was there.", []),
    ("Grace left Paris.", [(0, 5, "PERSON"), (11, 16, "GPE")]),
)


class Silent:
    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        pass


def write_spacy_pipeline(folder: Path, labels: dict[str, str]) -> None:
    spacy = library("spacy")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": label, "pattern": name} for name, label in labels.items()])
    pipeline.to_disk(folder)


def write_transformers_model(folder: Path, labels: dict[str, str]) -> None:
    library("torch")
    folder.mkdir()
    token_classifier(folder, {name: f"B-{label}" for name, label in labels.items()})


WRITERS = {"spacy": write_spacy_pipeline, "transformers": write_transformers_model}


@pytest.mark.extra
@pytest.mark.parametrize("kind", ["spacy", pytest.param("transformers", marks=pytest.mark.transformers)])
def test_two_pipelines_are_run_scored_and_ranked(tmp_path: Path, kind: str) -> None:
    library(kind)
    labels = {"Ada": "PERSON", "Grace": "PERSON", "Paris": "GPE"}
    WRITERS[kind](tmp_path / "all", labels)
    WRITERS[kind](tmp_path / "persons", {name: label for name, label in labels.items() if label == "PERSON"})
    rows = [
        {"text": text, "spans": [dict(zip(("start", "end", "label"), span, strict=True)) for span in spans]}
        for text, spans in GOLD
    ]
    (tmp_path / "gold.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    systems = [System(name, recogniser=f"{kind}:./{name}", task="ner") for name in ("all", "persons")]
    corpus = Corpus("letters", gold="gold.jsonl", texts="gold.jsonl", task="ner", language="en")
    plan = Plan([corpus], systems, Limits(rounds=1, pass_seconds=0.0, seconds=60.0))
    benchmark = BenchmarkRunner(plan, tmp_path, tmp_path / "out", Silent()).run()
    assert [cell.reason for cell in benchmark.cells] == ["", ""]
    assert all(cell.versions[kind] for cell in benchmark.cells)
    recall = {each.system: each.run.scores["strict"]["recall"] for each in benchmark.scored}
    assert recall == {"all": 1.0, "persons": 3 / 5}
    assert [each.system for each in benchmark.rankings["letters"].systems] == ["all", "persons"]
    assert all(cell.timing is not None for cell in benchmark.cells)
