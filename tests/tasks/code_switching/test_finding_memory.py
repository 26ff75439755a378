"""Memory of many findings of code-switching."""

from __future__ import annotations

import tracemalloc

from isogloss import code_switching

TABLE_BYTES = 500_000  # a larger allocation is the table of interned strings of the process, which grows now and then
MAX_BYTES = 500  # a finding on a text of 30 characters of its own; 730 if findings share nothing


def test_findings_share_what_they_repeat() -> None:
    texts = [f"велика книга {number} coffee стара release" for number in range(3000)]
    code_switching(texts[:10], language="uk", findings=True)
    tracemalloc.start()
    run = code_switching((text for text in texts), language="uk", findings=True)
    traces = tracemalloc.take_snapshot().traces
    tracemalloc.stop()
    used = sum(trace.size for trace in traces if trace.size < TABLE_BYTES)
    assert len(run.findings) == 2 * len(texts)
    assert used < MAX_BYTES * len(run.findings)
