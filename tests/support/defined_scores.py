"""The scores of the demo data by task and profile, and the definitions that gave them.

`tests/golden/definitions.json` keeps them, so that a number cannot change without a new definition:

    python tests/support/defined_scores.py   # after a change of a definition, write the file again
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

import isogloss
from isogloss.demo import files
from isogloss.runs.run import Run
from isogloss.tasks.registry import get_task

RECORD = Path(__file__).parents[1] / "golden" / "definitions.json"
PROFILES: dict[str, tuple[str | None, ...]] = {
    "ner": (None, "fair", "seqeval", "seqeval-strict", "conlleval", "nervaluate", "spacy"),
    "segmentation": (None, "thai-benchmark", "pythainlp", "conll18", "sighan"),
    "entity-translation": (None, "ea-mt"),
    "code-switching": (None, "pnacos"),
    "classification": (None,),
}
DATA = {
    "ner": ("reference.conll", "system-b.conll"),
    "segmentation": ("reference.label", "system-b.label"),
    "entity-translation": ("references", "system-b"),
    "code-switching": ("answers.jsonl",),
    "classification": ("scores.jsonl",),
}
Scores = dict[str, float | None]


class Definition(msgspec.Struct):
    """The definition of a task, and the scores by profile that it gave."""

    version: int
    scores: dict[str, Scores]


def score_demo(task: str) -> Definition:
    """Score the demo data of a task with every profile."""
    scores = {profile or "default": _list_scores(task, profile) for profile in PROFILES[task]}
    return Definition(get_task(task).definition.version, scores)


def load_record() -> dict[str, Definition]:
    """Load the scores as they were recorded."""
    return msgspec.json.decode(RECORD.read_bytes(), type=dict[str, Definition])


def find_differences(recorded: Definition, found: Definition) -> Iterator[str]:
    """Yield profile and path of the scores that are not as recorded; the last digits may differ."""
    for profile in recorded.scores.keys() | found.scores.keys():
        one, two = recorded.scores.get(profile, {}), found.scores.get(profile, {})
        for path in one.keys() | two.keys():
            if not _is_same(one.get(path, math.nan), two.get(path, math.nan)):
                yield f"{profile}: {path}"


def _is_same(one: float | None, two: float | None) -> bool:
    return one is two is None or (None not in (one, two) and math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-9))  # type: ignore[arg-type]


def _list_scores(task: str, profile: str | None) -> Scores:
    data = [files().folder / task / name for name in DATA[task]]
    more = {"language": "uk"} if task == "code-switching" else {}
    score: Callable[..., Run] = getattr(isogloss, get_task(task).call)
    rows = score(*data, profile=profile, **more).to_rows()
    return {row["score"]: row["value"] for row in rows if not row["score"].endswith(".se")}  # evidence, not a score


def main() -> None:
    """Write the record, if changed scores have a new definition."""
    found = {task: score_demo(task) for task in PROFILES}
    recorded = load_record() if RECORD.exists() else {}
    for task, known in recorded.items():
        changed = sorted(find_differences(known, found[task]))
        if changed and known.version == found[task].version:
            sys.exit(f"{len(changed)} scores of {task} changed, first {changed[0]}: raise its definition first")
    RECORD.write_bytes(msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n")


if __name__ == "__main__":
    main()
