"""Entity translation: isogloss beside the official algorithm, written plainly with `json`.

    python benchmarks/entity_translation.py --data FOLDER     # 1 million sentences: 700 MB of disk, some minutes

FOLDER holds `references` and `predictions/SYSTEM`, each with a file for each language (SapienzaNLP/ea-mt-eval). Their
rows are repeated with new ids. Every figure is that of a process of its own, from start to end.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from measure import Cost, of_command, table

SCRIPT = Path(__file__)
DATA = SCRIPT.parents[2] / "shared" / "data" / "entity-translation"
NUMBER, REPEATS, SEED = 1_000_000, 3, 13
PREFIX = re.compile(r"Q[0-9]+_[0-9]")


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--number", type=int, default=NUMBER)
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(CHILDREN[asked.child[0]](*asked.child[1:]))
        return
    with tempfile.TemporaryDirectory() as folder:
        measured(asked.data, Path(folder), asked.number, asked.repeats)


def measured(data: Path, folder: Path, number: int, repeats: int) -> None:
    """Write the files and print the table."""
    reference, prediction, shuffled = (folder / name for name in ("it_IT.jsonl", "prediction.jsonl", "shuffled.jsonl"))
    paths = map(str, (data, reference, prediction, shuffled))
    of_command([sys.executable, str(SCRIPT), "--child", "write", str(number), *paths])  # whose memory is not measured
    megabytes = (reference.stat().st_size + prediction.stat().st_size) / 1e6
    print(f"{number:,} sentences, {megabytes:.0f} MB. {os.cpu_count()} cores, Python {platform.python_version()}\n")
    commands = {
        "official algorithm with `json`": ("official", reference, prediction),
        "**isogloss**, files in step": ("isogloss", reference, prediction),
        "**isogloss**, predictions shuffled": ("isogloss", reference, shuffled),
    }
    costs: dict[str, Cost] = {}
    for _ in range(repeats):  # in turn, because the machine is not equally busy all the time
        for title, (name, *paths) in commands.items():
            cost = of_command([sys.executable, str(SCRIPT), "--child", name, *map(str, paths)])
            costs[title] = min(costs.get(title, cost), cost, key=lambda each: each.seconds)
    first = next(iter(costs.values()))
    rows = [
        (title, f"{cost.seconds:.2f}", f"{first.seconds / cost.seconds:.1f}x", f"{cost.megabytes:.0f} MB")
        for title, cost in costs.items()
    ]
    print(table(("tool", "CPU s", "faster by", "peak memory of the process"), rows))


def write(number: str, data: str, reference: str, prediction: str, shuffled: str) -> None:
    """Rows of all languages over and over, with ids of the official form; and the predictions in another order."""
    with Path(reference).open("w", encoding="utf-8") as ours, Path(prediction).open("w", encoding="utf-8") as theirs:
        for k, (task, answer) in enumerate(islice(cycle(rows(Path(data))), int(number))):
            key = {"id": f"Q{k // 10}_{k % 10}"}
            ours.write(json.dumps(task | key, ensure_ascii=False) + "\n")
            theirs.write(json.dumps(answer | key, ensure_ascii=False) + "\n")
    lines = Path(prediction).read_bytes().splitlines(keepends=True)
    random.Random(SEED).shuffle(lines)
    Path(shuffled).write_bytes(b"".join(lines))


def rows(data: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each sentence with its translation by the first system that has all languages."""
    files = sorted((data / "references").glob("*.jsonl"))
    systems = sorted((data / "predictions").iterdir())
    system = next(folder for folder in systems if all((folder / file.name).exists() for file in files))
    for file in files:
        answers = {row["id"]: row for row in map(json.loads, (system / file.name).open(encoding="utf-8"))}
        for task in map(json.loads, file.open(encoding="utf-8")):
            yield task, answers[task["id"]]


def official(reference: str, prediction: str) -> str:
    """m-ETA as the notebook of the shared task computes it, with all entity types."""
    tasks = [task for task in decoded(reference) if task["targets"]]
    mentions = {task["id"]: {target["mention"] for target in task["targets"]} for task in tasks}
    if len(mentions) < len(tasks):
        raise ValueError("an id stands twice")
    predictions = {}
    for answer in decoded(prediction):
        prefix = PREFIX.match(answer["id"])
        if prefix is None:
            raise ValueError(answer["id"])
        predictions[prefix[0]] = answer["prediction"]
    correct = 0
    for key, names in mentions.items():
        if key in predictions:
            folded = predictions[key].casefold()
            correct += any(name.casefold() in folded for name in names)
    return f"{correct} / {len(mentions)}"


def decoded(path: str) -> Iterator[dict[str, Any]]:
    """The rows of a file."""
    with Path(path).open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in map(str.strip, lines) if line)


def with_isogloss(reference: str, prediction: str) -> str:
    """m-ETA by isogloss."""
    import isogloss

    scores = isogloss.entity_translation(reference, prediction).scores["m_eta"]
    return f"{scores.correct} / {scores.total}"


CHILDREN: dict[str, Callable[..., str | None]] = {"official": official, "isogloss": with_isogloss, "write": write}

if __name__ == "__main__":
    main()
