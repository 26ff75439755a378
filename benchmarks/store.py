"""The store: a million findings, and the counts of a million documents.

    python benchmarks/store.py                             # in an SQLite file: about two minutes
    python benchmarks/store.py --store postgresql://...    # in PostgreSQL
    python benchmarks/store.py --part counts               # one part: counts, findings

Prints a Markdown table. What a database does counts too, so the note of each row has elapsed seconds; the CPU time is
that of the Python process, in which SQLite runs too. No other tool is measured beside it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
from internals import (
    Counts,
    DocumentCounts,
    Finding,
    Mark,
    MetricSpec,
    ReadingOptions,
    Run,
    RunId,
    Store,
    TalliedDocuments,
    make_metric,
    open_ner_input,
    pack_documents,
    read_spans,
    unpack_documents,
)
from measure import Cost
from ner_corpus import LABELS, sentences
from rows import Row
from script import Bench, Script, run_script

import isogloss

MILLION, BATCH, SMALL = 1_000_000, 50_000, 2_000
PAGES, TIMES = 50, 20
KINDS = ("wrong_type", "wrong_boundary", "missed", "spurious")
WORDS = ("Amara", "Lindqvist", "flew", "from", "Nairobi", "to", "the", "coast", "of", "Ecuador", "on", "Monday")


def measure_counts(bench: Bench) -> list[Row]:
    """Counts of the NER benchmark corpus, packed and stored."""
    number = MILLION // bench.share
    every = TalliedDocuments.from_counts(Counts.merge(_counted(number)))
    metric_spec = MetricSpec("ner", {"profile": None, "options": {}}, make_metric)
    run = replace(_small(), document_counts=DocumentCounts(every, {}, metric_spec))
    with Store.open(bench.store or bench.folder / "runs.db") as store:
        packing, data = _timed(lambda: pack_documents(every))
        costs = {"pack": [packing], "unpack": [_timed(lambda: unpack_documents(data))[0]]}
        saving, identity = _timed(lambda: store.save(run))
        costs["save the run"] = [saving]
        costs["load it with its counts"] = [_timed(lambda: store.get(identity).run())[0]]
        store.delete(identity)
    return _rows(bench, f"counts of {number:,} documents", costs)


def measure_findings(bench: Bench) -> list[Row]:
    """A million findings, saved and asked for in pages."""
    number, last = MILLION // bench.share, {"slices": {"genre": "rare", "author": "rare"}}
    found = [_finding(k) for k in range(number)]
    found[-100:] = [msgspec.structs.replace(finding, kind="rare", extra=last) for finding in found[-100:]]
    with Store.open(bench.store or bench.folder / "runs.db") as store:
        saving, identity = _timed(lambda: store.save(replace(_small(), findings=tuple(found))))
        costs = {"save": [saving]}
        costs |= {f"page: {title}": _page(store, identity, query) for title, query in _queries(number).items()}
        costs["delete"] = [_timed(lambda: store.delete(identity))[0]]
    return _rows(bench, f"{number:,} findings, pages of {PAGES}", costs)


def _queries(number: int) -> dict[str, dict[str, Any]]:
    return {
        "first": {},
        "in the middle": {"after": number // 2},
        "kind": {"kind": "missed"},
        "kind that only the last have": {"kind": "rare"},
        "label": {"label": "PER"},
        "kind and label, from the middle": {"kind": "wrong_type", "label": "PER", "after": number // 2},
        "document": {"document": str(number // 4)},
        "slice": {"slices": {"genre": "2"}},
        "slices, kind and label": {"slices": {"author": "700", "genre": "1"}, "kind": "missed", "label": "PER"},
        "slice that only the last have": {"slices": {"genre": "rare"}},
    }


def _page(store: Store, identity: RunId, query: dict[str, Any]) -> list[Cost]:
    """Ask for a page several times; the first also prepares the query."""
    costs = []
    for _ in range(TIMES):
        cost, rows = _timed(lambda: store.findings(identity, limit=PAGES, **query))
        assert rows
        costs.append(cost)
    return costs


def _rows(bench: Bench, case: str, costs: dict[str, list[Cost]]) -> list[Row]:
    rows = []
    for title, found in costs.items():
        cheapest, elapsed = min(found, key=lambda cost: cost.seconds), max(cost.wall for cost in found)
        note = f"{'slowest of several: ' if len(found) > 1 else ''}{elapsed:.3f} s elapsed"
        rows += [
            replace(row, peak_mb=None, note=note) for row in bench.rows(f"{case}: {title}", {"isogloss": cheapest})
        ]
    return rows


def _timed(work: Callable[[], Any]) -> tuple[Cost, Any]:
    begin, clock = time.process_time(), time.perf_counter()
    result = work()
    return Cost(time.process_time() - begin, 0.0, time.perf_counter() - clock), result


def _small() -> Run:
    corpus = list(sentences(SMALL))
    return isogloss.ner([s.reference for s in corpus], [s.predicted for s in corpus], scheme="iob2")


def _counted(number: int) -> Iterator[Counts]:
    corpus, done, metric = sentences(number), 0, make_metric(None, {})
    while part := list(islice(corpus, BATCH)):
        pairs = open_ner_input(
            [s.reference for s in part],
            [s.predicted for s in part],
            ReadingOptions(),
        )
        for batch in read_spans(pairs, "iob2", None, None).spans:
            counted = metric.count(batch)
            yield replace(counted, documents=counted.documents + done)
        done += len(part)


def _finding(k: int) -> Finding:
    kind, first, second = KINDS[k % 4], LABELS[k // 4 % 4], LABELS[k // 16 % 4]
    sides = [("reference", first)] * (kind != "spurious") + [("predicted", second)] * (kind != "missed")
    marks = tuple(Mark(side, label, 3, 4, 6, 11) for side, label in sides)  # type: ignore[arg-type]  # of two names
    text = " ".join(WORDS[k % 6 : k % 6 + 6])
    where, more = f"system.conll:{7 * k + 1}", {"slices": {"genre": str(k % 5), "author": str(k // 100)}}
    return Finding(kind, str(k // 3 + 1), where, marks, text, before=True, after=True, extra=more)


if __name__ == "__main__":
    run_script(Script(Path(__file__), {"counts": measure_counts, "findings": measure_findings}), __doc__)
