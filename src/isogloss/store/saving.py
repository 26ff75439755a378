"""What `--save` does: the runs of one call, each by itself."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from isogloss.run import Run
from isogloss.store.store import RunId, Store


def save_runs(
    runs: Sequence[Run],
    *,
    store: str | os.PathLike[str] | None = None,
    name: str | None = None,
    corpus: str | None = None,
    tags: Iterable[str] = (),
) -> list[RunId]:
    """Save the runs of one call.

    Args:
        runs: one per system.
        store: where, as for `Store.open`.
        name: what the run can be asked for by; of several, `NAME-1`, `NAME-2` and so on in their order.
        corpus: name of the corpus.
        tags: words that runs can be listed by.

    Returns:
        Their ids.

    Raises:
        UsageError: the place is none of a store, or a name or tag cannot be one.
        StoreError: they cannot be saved; those before the one that could not are.
        MissingExtraError: the store is in PostgreSQL, and its driver is not installed.
    """
    numbered = [name] if len(runs) == 1 or name is None else [f"{name}-{k}" for k in range(1, len(runs) + 1)]
    names = numbered if name is not None else [None] * len(runs)
    tags = tags if isinstance(tags, str) else tuple(tags)
    with Store.open(store) as opened:
        return [opened.save(run, name=own, corpus=corpus, tags=tags) for run, own in zip(runs, names, strict=True)]
