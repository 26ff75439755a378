"""Flip single bits of a store in SQLite, and read everything that it has."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from saved_runs import finding, ner_run, with_findings

from isogloss.errors import IsoglossError
from isogloss.store import Store

SAME, REPORTED, SILENT, TRACEBACK = "same", "reported", "silent", "traceback"
FINDINGS = 60


def save_two_runs(path: Path) -> None:
    """Save two runs that have rows in every table."""
    with Store.open(path) as store:
        store.save(with_findings(FINDINGS, ner_run(confidence=0.9)), name="monday", corpus="toy", tags=["x", "y"])
        store.save(with_findings(9), name="tuesday", tags=["x"])
        store.save_note("corpus", "0" * 16, "ambiguous", "a note")


def read_json(run: str, store: Store) -> object:
    return store.get(run).to_dict()


def read_saved(run: str, store: Store) -> object:
    return store.get(run).as_saved(3).to_dict()


def read_scored(run: str, store: Store) -> object:
    return store.get(run).run().to_dict()


def read_counts(run: str, store: Store) -> object:
    return store.finding_counts(run), store.slice_counts(run)


def read_columns(run: str, store: Store) -> object:
    found = store.open_findings(run)
    columns = {name: (found.get_column(name).tobytes(), found.get_values(name)) for name in found.columns}
    return columns, found.search("СИСТЕМА").tolist(), found.load([3, 7])


def read_page(run: str, condition: dict[str, Any], store: Store) -> object:
    return store.findings(run, **condition)


READS = (read_json, read_saved, read_scored, read_counts, read_columns)


def make_reads(folder: Path) -> list[tuple[str, Callable[[Store], Any]]]:
    """Return all ways to read a store by name, each returns what it has read."""

    def read_export(store: Store) -> bytes:
        store.export(["monday", "tuesday"], folder / "out.jsonl")
        return (folder / "out.jsonl").read_bytes()

    reads: list[tuple[str, Callable[[Store], Any]]] = [
        ("list", lambda store: store.list()),
        ("list by score", lambda store: store.list(score="strict.recall")),
        ("list by tag", lambda store: store.list(tag="x")),
        ("list by system", lambda store: store.list(task="ner", limit=1)),
        ("export", read_export),
        ("details", lambda store: store.load_details(store.list())),
        ("notes", lambda store: store.list_notes()),
    ]
    for name in ("monday", "tuesday"):
        conditions: list[dict[str, Any]] = [
            {"limit": None},
            {"limit": 4, "after": 2},
            {"kind": "missed", "limit": 5},
            {"label": "LOC", "limit": None},
            {"slices": {"genre": "news"}, "limit": None},
            {"document": finding(4).document},
        ]
        some = conditions if name == "monday" else conditions[:1]
        reads += [(f"{read.__name__} {name}", partial(read, name)) for read in READS]
        reads += [(f"{name} {condition}", partial(read_page, name, condition)) for condition in some]
    return reads


def read_all(path: Path, folder: Path) -> dict[str, Any]:
    """Read a store in all ways; an error of isogloss is None, another error is its text."""
    reads = make_reads(folder)
    store = _run_safely(lambda: Store.open(path, create=False))
    if not isinstance(store, Store):
        return {name: store for name, _ in reads}
    with store:
        return {name: _run_safely(partial(read, store)) for name, read in reads}


def _run_safely(read: Callable[[], Any]) -> Any:
    try:
        return read()
    except IsoglossError:
        return None
    except Exception as error:  # noqa: BLE001  what the test looks for
        return f"{TRACEBACK}: {type(error).__name__}: {error}"


def find_used_bytes(data: bytes) -> list[int]:
    """Return the places that hold something, and their neighbours."""
    return [k for k in range(len(data)) if any(data[max(k - 2, 0) : k + 3])]


def flip_bits(folder: Path, number: int, seed: int) -> list[tuple[str, str, int, int]]:
    """Flip bits of a store, one at a time.

    Args:
        folder: an empty folder.
        number: how many.
        seed: of the random bits.

    Returns:
        Per flip the outcome, the read that shows it, byte and bit.
    """
    save_two_runs(folder / "runs.db")
    data = (folder / "runs.db").read_bytes()
    whole = read_all(folder / "runs.db", folder)
    assert None not in whole.values()
    random, used, outcomes = Random(seed), find_used_bytes(data), []
    for _ in range(number):
        at, bit = random.choice(used), random.randrange(8)
        changed = bytearray(data)
        changed[at] ^= 1 << bit
        for left in folder.glob("flipped.db*"):
            left.unlink()
        (folder / "flipped.db").write_bytes(changed)
        outcomes.append((*_judge(whole, read_all(folder / "flipped.db", folder)), at, bit))
    return outcomes


def _judge(whole: dict[str, Any], found: dict[str, Any]) -> tuple[str, str]:
    for name, value in found.items():
        if isinstance(value, str) and value.startswith(TRACEBACK):
            return TRACEBACK, f"{name}: {value}"
    for name, value in found.items():
        if value is not None and value != whole[name]:
            return SILENT, name
    return (SAME if found == whole else REPORTED), ""


if __name__ == "__main__":  # python tests/support/bit_flips.py NUMBER SEED
    with tempfile.TemporaryDirectory() as name:
        outcomes = flip_bits(Path(name), int(sys.argv[1]), int(sys.argv[2]))
    failures = [f"{one}\n" for one in outcomes if one[0] in (SILENT, TRACEBACK)]
    sys.stdout.writelines([f"{dict(Counter(outcome for outcome, *_ in outcomes))}\n", *failures])
