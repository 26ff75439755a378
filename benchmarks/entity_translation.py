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
PLAIN = "plain program with `msgspec`"
LEAST = "decoding and comparing alone"
CHECKED = "the same with SHA-256 and a check of UTF-8"
BLOCK = 1 << 17


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
    programs = {PEER: "official", PLAIN: "plain", LEAST: "least", CHECKED: "checked"}
    peers = {title: bench.program(name, reference, others[0]) for title, name in programs.items()}
    costs = interleave({**tools, **peers})
    amount = Amount(number, "sentences")
    rows = []
    for title in titles:
        beside = {tool: costs[tool] for tool in (peers if title == next(iter(titles)) else [PEER])}
        rows += bench.rows(title, {"isogloss.entity_translation": costs[title], **beside}, amount)
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


def _plain(reference: str, prediction: str) -> str:
    """m-ETA as a short program for this one purpose: no options, no warnings, no places, no check of lines.

    It reads and digests both files, checks that they are UTF-8, decodes ids, types, names and translations, finds
    repeated ids, compares names, and counts by type. Both files have the same order.
    """
    from collections import Counter
    from itertools import chain

    import msgspec
    import numpy as np

    target = msgspec.defstruct("Target", [("mention", str)], gc=False)
    fields = [("id", str), ("entity_types", tuple[str, ...]), ("targets", list[target])]  # type: ignore[valid-type]
    tasks = _struct_blocks(reference, msgspec.defstruct("Task", fields, gc=False))
    answers = chain.from_iterable(
        _struct_blocks(prediction, msgspec.defstruct("Answer", [("id", str), ("prediction", str)], gc=False))
    )
    outcomes: Counter[tuple[bool, tuple[str, ...]]] = Counter()
    hashes: list[Any] = []
    for block in tasks:
        hashes.append(np.fromiter(map(hash, [task.id for task in block]), np.int64, len(block)))
        for task, answer in zip(block, answers, strict=False):
            if task.id != answer.id:
                raise ValueError(answer.id)
            outcomes[_names_one(task, answer.prediction), task.entity_types] += 1
    known = np.concatenate(hashes)
    if len(np.unique(known)) < len(known):
        raise ValueError("an id stands twice")
    return f"{sum(count for (correct, _), count in outcomes.items() if correct)} / {len(known)}"


def _least(reference: str, prediction: str, *, checked: bool = False) -> str:
    """m-ETA of files in step: their ids and names are decoded and compared, and nothing else is done.

    Args:
        reference: the reference.
        prediction: the prediction, in the same order.
        checked: whether both files are digested, and checked to be UTF-8.
    """
    from itertools import chain

    import msgspec

    target = msgspec.defstruct("Target", [("mention", str)], gc=False)
    kinds = (
        msgspec.defstruct("Task", [("id", str), ("targets", list[target])], gc=False),  # type: ignore[valid-type]
        msgspec.defstruct("Answer", [("id", str), ("prediction", str)], gc=False),
    )
    blocks = (_struct_blocks(*each, checked=checked) for each in zip((reference, prediction), kinds, strict=True))
    correct = number = 0
    for task, answer in zip(*map(chain.from_iterable, blocks), strict=True):
        if task.id != answer.id:
            raise ValueError(answer.id)
        correct += _names_one(task, answer.prediction)
        number += 1
    return f"{correct} / {number}"


def _checked(reference: str, prediction: str) -> str:
    """The same, with both files digested and checked."""
    return _least(reference, prediction, checked=True)


def _names_one(task: Any, text: str) -> bool:
    """Whether a translation contains an accepted name; folding, which is dear, comes last."""
    folded = None
    for target in task.targets:
        name = target.mention
        if name in text:
            return True
        folded = folded or text.casefold()
        if name.casefold() in folded:
            return True
    return False


def _struct_blocks(path: str, kind: Any, *, checked: bool = True) -> Iterator[list[Any]]:
    """The rows of one block after the other."""
    import gc
    import hashlib

    import msgspec

    gc.disable()  # the rows have no cycles
    digest, decoder, rest = hashlib.sha256(), msgspec.json.Decoder(kind), b""
    with Path(path).open("rb", buffering=0) as file:
        while chunk := file.read(BLOCK):
            lines, _, rest = (rest + chunk).rpartition(b"\n")
            if checked:
                digest.update(chunk)
                lines.decode("utf-8")
            yield decoder.decode_lines(lines)
    if rest:
        yield decoder.decode_lines(rest)


def _isogloss(reference: str, prediction: str) -> str:
    """m-ETA by isogloss."""
    import isogloss

    scores = isogloss.entity_translation(reference, prediction).scores["m_eta"]
    return f"{scores.correct} / {scores.total}"


PROGRAMS = {
    "official": _official,
    "plain": _plain,
    "least": _least,
    "checked": _checked,
    "isogloss": _isogloss,
    "write": _write,
}

if __name__ == "__main__":
    run_script(Script(Path(__file__), {"files": measure_files}, programs=PROGRAMS), __doc__)
