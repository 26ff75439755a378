"""Runs kept in SQLite or PostgreSQL, so that they can be listed, looked into, compared and moved.

`places` says where a store is, `connecting` opens it, `upgrading` makes its tables those of this version, `tables` and
`migrations` define these, and `faults` turns what databases complain about into errors that help. `recording` writes a
run, `packing` (of `arrays`) what it rests on, `findings` what a person looks at; `selecting` finds runs, `stored` and
`stored` is what is read; `exporting` and `importing` move runs between stores. `store` is the one object for all of it.
"""

from isogloss.store.findings import StoredFinding
from isogloss.store.location import DEFAULT, VARIABLE
from isogloss.store.saving import check_save, load_runs, save_runs
from isogloss.store.store import RunId, Store
from isogloss.store.stored_run import Figure, StoredRun, Summary

__all__ = [
    "DEFAULT",
    "VARIABLE",
    "Figure",
    "RunId",
    "Store",
    "StoredFinding",
    "StoredRun",
    "Summary",
    "check_save",
    "load_runs",
    "save_runs",
]
