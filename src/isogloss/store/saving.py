"""What `--save` and `runs import` do: the runs of one call or of one file into a store."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from isogloss.runs.run import Run
from isogloss.store.importing import begun
from isogloss.store.location import place
from isogloss.store.store import RunId, Store, checked


def check_save(systems: int, *, store: str | os.PathLike[str] | None = None, name: str | None = None) -> None:
    """Refuse what `save_runs` would refuse, before there are runs.

    Args:
        systems: how many there will be.
        store: where they are to be saved.
        name: what they are to be asked for by.

    Raises:
        UsageError: the place is none of a store, or a name cannot be one.
    """
    place(store)
    for own in _names(name, systems):
        if own is not None:
            checked("name", own)


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
    names = _names(name, len(runs))
    tags = tags if isinstance(tags, str) else tuple(tags)
    with Store.open(store) as opened:
        return [opened.save(run, name=own, corpus=corpus, tags=tags) for run, own in zip(runs, names, strict=True)]


def load_runs(
    path: str | os.PathLike[str],
    *,
    store: str | os.PathLike[str] | None = None,
) -> tuple[str, Sequence[RunId]]:
    """Take in the runs of a file that `Store.export` wrote. No store is made for a file that is none.

    Args:
        path: the file; `-` is standard input.
        store: where to, as for `Store.open`.

    Returns:
        Where the store is, and the ids of the runs that were not there before.

    Raises:
        UsageError: the place is none of a store.
        DataError: the file cannot be read, is damaged, cut short, or something else.
        StoreError: the store cannot be written.
        MissingExtraError: the store is in PostgreSQL, and its driver is not installed.
    """
    lines = begun(path)
    with Store.open(store) as opened:
        return opened.place, opened.load_lines(lines)


def _names(name: str | None, runs: int) -> Sequence[str | None]:
    """The name of each run of a call."""
    return [name] * runs if name is None or runs == 1 else [f"{name}-{k}" for k in range(1, runs + 1)]
