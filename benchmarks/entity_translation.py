"""Entity translation: isogloss beside the official algorithm, written plainly with `json`.

    python benchmarks/entity_translation.py     # 1 million sentences: 1 GB of disk, some minutes

`entity-translation` in the folder of `--data` holds `references` and `predictions/SYSTEM`, each with a file for each
language (SapienzaNLP/ea-mt-eval). Their rows are repeated with new ids. Every figure is that of a whole process.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from measure import interleave
from rows import Amount, Row
from script import Bench, Script, run_script

NUMBER, SEED = 1_000_000, 13
PREFIX = re.compile(r"Q[0-9]+_[0-9]")
PEER = "official algorithm with `json`"


def measure_files(bench: Bench) -> list[Row]:
    """Whole processes, with predictions in the order of the references and in another."""
    number, data = NUMBER // bench.share, bench.data / "entity-translation"
    cases = {"files in step": "prediction.jsonl", "predictions shuffled": "shuffled.jsonl"}
    titles = {f"{number:,} sentences, {title}": file for title, file in cases.items()}
    if not data.exists():
        return [row for title in titles for row in bench.missing(title, data)]
    reference, *others = (bench.folder / name for name in ("it_IT.jsonl", *cases.values()))
    bench.program("write", number, data, reference, *others)()
    tools = {title: bench.program("isogloss", reference, bench.folder / file) for title, file in titles.items()}
    costs = interleave({**tools, PEER: bench.program("official", reference, others[0])})
    amount = Amount(number, "sentences")
    rows = []
    for title in titles:
        rows += bench.rows(title, {"isogloss.entity_translation": costs[title], PEER: costs[PEER]}, amount)
    return rows


def _write(number: str, data: str, reference: str, prediction: str, shuffled: str) -> None:
    """Write rows of all languages over and over, with new ids; and the predictions in another order."""
    with Path(reference).open("w", encoding="utf-8") as ours, Path(prediction).open("w", encoding="utf-8") as theirs:
        for k, (task, answer) in enumerate(islice(cycle(_sentences(Path(data))), int(number))):
            key = {"id": f"Q{k // 10}_{k % 10}"}
            ours.write(json.dumps(task | key, ensure_ascii=False) + "\n")
            theirs.write(json.dumps(answer | key, ensure_ascii=False) + "\n")
    lines = Path(prediction).read_bytes().splitlines(keepends=True)
    random.Random(SEED).shuffle(lines)
    Path(shuffled).write_bytes(b"".join(lines))


def _sentences(data: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each sentence with its translation by the first system that has all languages."""
    files = sorted((data / "references").glob("*.jsonl"))
    systems = sorted((data / "predictions").iterdir())
    system = next(folder for folder in systems if all((folder / file.name).exists() for file in files))
    for file in files:
        answers = {row["id"]: row for row in map(json.loads, (system / file.name).open(encoding="utf-8"))}
        for task in map(json.loads, file.open(encoding="utf-8")):
            yield task, answers[task["id"]]


def _official(reference: str, prediction: str) -> str:
    """m-ETA as the notebook of the shared task computes it, with all entity types."""
    tasks = [task for task in _decoded(reference) if task["targets"]]
    mentions = {task["id"]: {target["mention"] for target in task["targets"]} for task in tasks}
    if len(mentions) < len(tasks):
        raise ValueError("an id stands twice")
    predictions = {}
    for answer in _decoded(prediction):
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


def _decoded(path: str) -> Iterator[dict[str, Any]]:
    """The rows of a file."""
    with Path(path).open(encoding="utf-8") as lines:
        yield from (json.loads(line) for line in map(str.strip, lines) if line)


def _isogloss(reference: str, prediction: str) -> str:
    """m-ETA by isogloss."""
    import isogloss

    scores = isogloss.entity_translation(reference, prediction).scores["m_eta"]
    return f"{scores.correct} / {scores.total}"


PROGRAMS = {"official": _official, "isogloss": _isogloss, "write": _write}

if __name__ == "__main__":
    run_script(Script(Path(__file__), {"files": measure_files}, programs=PROGRAMS), __doc__)
