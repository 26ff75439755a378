"""The store: a million findings, and the counts of a million documents.

    python benchmarks/store.py                             # in an SQLite file: about two minutes
    python benchmarks/store.py --store postgresql://...    # in PostgreSQL
    python benchmarks/store.py --part counts               # one part: counts, findings

Prints Markdown tables. What a database does counts too, so every figure is elapsed seconds, with the CPU time of this
process beside it.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from measure import table
from ner_corpus import LABELS, sentences

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.runs.evidence import Every
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.run import Run
from isogloss.store import RunId, Store
from isogloss.store.packing import counts_of, of_counts
from isogloss.tasks.ner.inputs import Layout, opened
from isogloss.tasks.ner.reading import read
from isogloss.tasks.ner.scoring import measure
from isogloss.tasks.ner.scoring import ner as score

MILLION, BATCH, SMALL = 1_000_000, 50_000, 2_000
PAGES, TIMES = 50, 20
KINDS = ("wrong_type", "wrong_boundary", "missed", "spurious")
WORDS = ("Amara", "Lindqvist", "flew", "from", "Nairobi", "to", "the", "coast", "of", "Ecuador", "on", "Monday")


def main() -> None:
    """Run the parts that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", help="URL of the store; else a new SQLite file")
    parser.add_argument("--part", choices=("counts", "findings"), action="append")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.db"
        with Store.open(asked.store or path) as store:
            for part in asked.part or ["counts", "findings"]:
                {"counts": counts, "findings": findings}[part](store, path)


def counts(store: Store, path: Path) -> None:
    """Counts of the NER benchmark corpus, packed and stored."""
    every = Counts.merge(_counted(MILLION)).normal()
    recipe = Recipe("isogloss.tasks.ner.scoring:measure", {"profile": None, "options": {}})
    run = replace(_small(), every=Every(every, {}, recipe))
    packing, data = _timed(lambda: of_counts(every))
    rows = [("pack", packing), ("unpack", _timed(lambda: counts_of(data))[0])]
    saving, identity = _timed(lambda: store.save(run))
    rows += [("save the run", saving), ("load it with its counts", _timed(lambda: store.get(identity).run())[0])]
    _show(f"Counts of {MILLION:,} documents of the NER corpus: {len(data) / 1e6:.1f} MB packed", rows, path)
    store.delete(identity)


def findings(store: Store, path: Path) -> None:
    """A million findings, saved and asked for in pages."""
    found = [_finding(k) for k in range(MILLION)]
    last = {"slices": {"genre": "rare", "author": "rare"}}
    found[-100:] = [replace(finding, kind="rare", more=last) for finding in found[-100:]]
    saving, identity = _timed(lambda: store.save(replace(_small(), findings=tuple(found))))
    rows = [("save", saving)]
    asked: dict[str, dict[str, Any]] = {
        "first page": {},
        "a page in the middle": {"after": MILLION // 2},
        "kind": {"kind": "missed"},
        "kind that only the last have": {"kind": "rare"},
        "label": {"label": "PER"},
        "kind and label, from the middle": {"kind": "wrong_type", "label": "PER", "after": MILLION // 2},
        "document": {"document": str(MILLION // 4)},
        "slice": {"slices": {"genre": "2"}},
        "slices, kind and label": {"slices": {"author": "7000", "genre": "1"}, "kind": "missed", "label": "PER"},
        "slice that only the last have": {"slices": {"genre": "rare"}},
    }
    for title, how in asked.items():
        rows.append((title, _page(store, identity, how)))
    _show(f"{MILLION:,} findings, pages of {PAGES}", rows, path)
    deleting, _ = _timed(lambda: store.delete(identity))
    _show("and deleted", [("delete", deleting)], path)


def _page(store: Store, identity: RunId, how: dict[str, Any]) -> tuple[float, float]:
    """The slowest of several times that a page is asked for; the first also prepares the query."""
    times = []
    for _ in range(TIMES):
        took, rows = _timed(lambda: store.findings(identity, limit=PAGES, **how))
        assert rows
        times.append(took)
    return max(times)


def _timed(work: Callable[[], Any]) -> tuple[tuple[float, float], Any]:
    begin, clock = time.process_time(), time.perf_counter()
    result = work()
    return (time.perf_counter() - clock, time.process_time() - begin), result


def _show(title: str, rows: list[tuple[str, tuple[float, float]]], path: Path) -> None:
    size = f", file {path.stat().st_size / 1e6:,.0f} MB" if path.exists() else ""
    print(f"\n{title}{size}\n")
    print(table(("", "seconds", "CPU"), [(name, f"{wall:.3f}", f"{cpu:.3f}") for name, (wall, cpu) in rows]))


def _small() -> Run:
    corpus = list(sentences(SMALL))
    return score([s.reference for s in corpus], [s.predicted for s in corpus], scheme="iob2")


def _counted(number: int) -> Iterator[Counts]:
    corpus, done, metric = sentences(number), 0, measure(None, {})
    while part := list(islice(corpus, BATCH)):
        pairs = opened(
            [s.reference for s in part], [s.predicted for s in part], Layout(None, None, ignore_tokens=False)
        )
        for batch in read(pairs, "iob2", None, None).spans:
            counted = metric.count(batch)
            yield replace(counted, documents=counted.documents + done)
        done += len(part)


def _finding(k: int) -> Finding:
    kind, first, second = KINDS[k % 4], LABELS[k // 4 % 4], LABELS[k // 16 % 4]
    sides = [("reference", first)] * (kind != "spurious") + [("predicted", second)] * (kind != "missed")
    marks = tuple(Mark(side, label, 3, 4, 6, 11) for side, label in sides)  # type: ignore[arg-type]  # of two names
    text = " ".join(WORDS[k % 6 : k % 6 + 6])
    where, more = f"system.conll:{7 * k + 1}", {"slices": {"genre": str(k % 5), "author": str(k // 100)}}
    return Finding(kind, str(k // 3 + 1), where, marks, text, before=True, after=True, more=more)


if __name__ == "__main__":
    main()
