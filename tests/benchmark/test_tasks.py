"""A plan of tasks other than word segmentation runs to the end, with leaderboards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.benchmark.explorer_pages import write_explorers
from isogloss.benchmark.leaderboard_files import write_leaderboards
from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System
from isogloss.benchmark.verification import verify_benchmark

SYSTEMS = """
NAMES = {"Ada": "PER", "Lviv": "LOC"}

def fail(text):
    if "fails" in text:
        raise ValueError("no")

def names(text):
    fail(text)
    return [(text.index(name), text.index(name) + len(name), label) for name, label in NAMES.items() if name in text]

def nothing(text):
    return []

def repeat(text):
    fail(text)
    return {"prediction": text}

def silent(text):
    return {"prediction": "?"}

def score(text):
    fail(text)
    return {"scores": {"good": 0.9, "bad": 0.1}}

def label(text):
    fail(text)
    return {"label": "bad" if "b" in text else "good"}

def answer(text):
    fail(text)
    return {"text": "добре"}

def mix(text):
    return {"text": "добре text"}
"""
TEXTS = ("Ada sleeps", "Ada fails", "b Lviv")
SPANS = ([(0, 3, "PER")], [(0, 3, "PER")], [(2, 6, "LOC")])
PREDICTED: dict[str, dict[str, list[Any]]] = {
    "ner": {"spans": [[dict(zip(("start", "end", "label"), span, strict=True)) for span in spans] for spans in SPANS]},
    "entity-translation": {
        "targets": [[{"translation": text, "mention": text}] for text in TEXTS],
        "entity_types": [["Person"]] * 3,
        "source": list(TEXTS),
    },
    "classification": {"gold": ["good", "good", "bad"]},
    "code-switching": {},
}
FUNCTIONS = {
    "ner": ("names", "nothing"),
    "entity-translation": ("repeat", "silent"),
    "classification": ("label", "score"),
    "code-switching": ("answer", "mix"),
}


class Silent:
    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        pass


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tasks")
    (folder / "systems.py").write_text(SYSTEMS, encoding="utf-8")
    for task, columns in PREDICTED.items():
        rows = [
            {"id": f"q{at}", "text": text} | {name: values[at] for name, values in columns.items()}
            for at, text in enumerate(TEXTS)
        ]
        (folder / f"{task}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    corpora = [
        Corpus(task, f"{task}.jsonl", task, texts=f"{task}.jsonl", options={"language": "uk"} if "sw" in task else {})
        for task in PREDICTED
    ]
    systems = [
        System(name, function=f"systems:{name}", task=task) for task, names in FUNCTIONS.items() for name in names
    ]
    plan = Plan(corpora, systems, Limits(rounds=1, pass_seconds=0.0, seconds=20.0))
    benchmark = BenchmarkRunner(plan, folder, folder / "out", Silent()).run()
    assert verify_benchmark(folder / "out", benchmark) == []
    _, excerpts = write_explorers(folder / "out", benchmark)
    write_leaderboards(folder / "out", benchmark, excerpts)
    return folder


# Of three texts, the better system gets the second wrong because it fails.
SCORES = {
    "ner": ("strict", "recall", {"names": 2 / 3, "nothing": 0.0}),
    "entity-translation": ("m_eta", "accuracy", {"repeat": 2 / 3, "silent": 0.0}),
    "classification": ("overall", "accuracy", {"label": 2 / 3, "score": 1 / 3}),
    "code-switching": ("words", "excused_rate", {"answer": 0.0, "mix": 0.5}),
}


@pytest.mark.parametrize("task", PREDICTED)
def test_systems_of_every_task_are_scored_ranked_and_shown(folder: Path, task: str) -> None:
    results = json.loads((folder / "out" / "benchmark.json").read_text())
    group, name, expected = SCORES[task]
    scores = {
        each["system"]: each["run"]["scores"][group][name] for each in results["scored"] if each["corpus"] == task
    }
    assert scores == pytest.approx(expected)
    assert [each["system"] for each in results["rankings"][task]["systems"]] == list(expected)
    page = (folder / "out" / "leaderboard.html").read_text()
    assert all(f'id="{task}-{system}"' in page for system in expected)
