"""Save runs in SQLite or PostgreSQL; list, load, compare and move them.

`Store` is the one object for all of it. `location` parses paths and URLs and hides passwords; `database` connects and
upgrades the tables of `schema` with the `migrations`; `db_errors` translates what databases report. `saving` and
`packing` write a run, `findings` its findings; `queries` finds runs, and `stored_run` is a loaded run; `transfer`
exports and imports.
"""

from isogloss.store.findings import StoredFinding
from isogloss.store.location import DEFAULT, VARIABLE
from isogloss.store.store import RunId, Store, build_names, check_save, load_runs, save_runs
from isogloss.store.stored_run import CorruptRunsError, Figure, StoredRun, Summary

__all__ = [
    "DEFAULT",
    "VARIABLE",
    "CorruptRunsError",
    "Figure",
    "RunId",
    "Store",
    "StoredFinding",
    "StoredRun",
    "Summary",
    "build_names",
    "check_save",
    "load_runs",
    "save_runs",
]
