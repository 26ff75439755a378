"""Runs to report on: those of the bundled examples, and runs made by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

from isogloss.demo import files
from isogloss.report.report_runs import ReportCorpus, group_by_corpus, load_run_file
from isogloss.runs.run import Run
from isogloss.tasks.classification.ranking import curves_to_dict
from isogloss.tasks.classification.scoring import classification
from isogloss.tasks.code_switching.scoring import code_switching
from isogloss.tasks.entity_translation.scoring import entity_translation
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.segmentation.scoring import segmentation

HOW: dict[str, Any] = {"confidence": 0.9, "resamples": 50, "findings": True}
HOSTILE = "<script>alert(1)</script> \"quoted\" 'single' & {{ 7*7 }} \u202egnp\u2066.exe\x00\x1b[31m ]]> -->"


@cache
def demo_runs(task: str) -> tuple[dict[str, Any], ...]:
    """The JSON of the runs of a task's bundled examples, with intervals, findings and, where there are some, curves."""
    return tuple(run.to_dict() | _curves(run) for run in _scored(task))


def _scored(task: str) -> list[Run]:
    folder = Path(files().folder)
    if task == "ner":
        return [ner(folder / "ner/reference.conll", folder / f"ner/system-{x}.conll", **HOW) for x in "ab"]
    if task == "segmentation":
        own = folder / "segmentation"
        return [segmentation(own / "reference.label", own / f"system-{x}.label", **HOW) for x in "ab"]
    if task == "entity-translation":
        own = folder / "entity-translation"
        return [entity_translation(own / "references", own / f"system-{x}", **HOW) for x in "ab"]
    if task == "code-switching":
        return [code_switching(folder / "code-switching/answers.jsonl", language="uk", prompt_field="prompt", **HOW)]
    return [classification(folder / "classification/scores.jsonl", **HOW)]


def _curves(run: Run) -> dict[str, Any]:
    return {"curves": curves_to_dict(run)["curves"]} if run.task == "classification" else {}


def written(path: Path, *runs: dict[str, Any], **more: Any) -> str:
    """A file of runs."""
    path.write_text(json.dumps({"runs": list(runs), **more}), encoding="utf-8")
    return str(path)


def corpora(path: Path, *runs: dict[str, Any], **more: Any) -> tuple[ReportCorpus, ...]:
    """Runs as a report takes them, by way of a file."""
    return group_by_corpus(load_run_file(written(path, *runs, **more)))


def by_hand(system: str = "a/system.conll", f1: float | None = 0.5, **more: Any) -> dict[str, Any]:
    """The JSON of a small run of named entities."""
    return {
        "task": "ner",
        "signature": "ner|scheme:iob2|version:9",
        "version": "9",
        "system": system,
        "profile": None,
        "documents": 2,
        "scores": {"strict": {"precision": 0.5, "recall": 0.5, "f1": f1, "correct": 1, "possible": 2, "actual": 2}},
        "inputs": [
            {"role": "reference", "path": "a/gold.conll", "sha256": "0" * 64},
            {"role": "prediction", "path": system, "sha256": "1" * 64},
        ],
    } | more


def rank_by_hand(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The JSON of runs ranked in their order, of which the last is significantly worse than all others."""
    names, last = [run["system"] for run in runs], len(runs)
    systems = [
        {"system": name, "value": 0.5, "low": 0.25, "high": 0.75, "first_rank": 1, "last_rank": last - 1, "group": 1}
        for name in names
    ]
    systems[-1] |= {"first_rank": last, "last_rank": last, "group": 2}
    pairs = [
        {"system": one, "other": two, "difference": 0.1, "p": 0.001, "p_holm": 0.00001 if two == names[-1] else 0.4}
        for one, two in combinations(names, 2)
    ]
    how = {"method": "randomization", "trials": 10000, "seed": 1, "unit": "document"}
    return {"score": "strict.f1", "alpha": 0.05, **how, "systems": systems, "pairs": pairs, "notes": ["a_note"]}
