"""Save runs in SQLite or PostgreSQL; list, load, compare and move them.

`Store` is the one object for all of it. `location` parses paths and URLs and hides passwords; `database` connects and
upgrades the tables of `schema` with the `migrations`; `db_errors` translates what databases report. `saving` and
`packing` write a run, `findings` its findings; `queries` finds runs, `stored_run` is a loaded run, `run_details` a run
in a page of runs; `notes` are verdicts about findings; `transfer` exports and imports.

Needs the extra `store`. Without it, importing this package or a module of it raises `MissingExtraError`.
"""

from importlib.util import find_spec

from isogloss.errors import MissingExtraError

if find_spec("sqlalchemy") is None or find_spec("alembic") is None:
    raise MissingExtraError("A store of runs", "isogloss[store]")

from isogloss.store.findings import StoredFinding, StoredFindings
from isogloss.store.location import DEFAULT, VARIABLE
from isogloss.store.notes import VERDICTS, Note, Verdict
from isogloss.store.run_details import RunDetails
from isogloss.store.store import RunId, Store, build_names, check_save, load_runs, save_runs
from isogloss.store.stored_run import CorruptRunsError, Figure, StoredRun, Summary

__all__ = [
    "DEFAULT",
    "VARIABLE",
    "VERDICTS",
    "CorruptRunsError",
    "Figure",
    "Note",
    "RunDetails",
    "RunId",
    "Store",
    "StoredFinding",
    "StoredFindings",
    "StoredRun",
    "Summary",
    "Verdict",
    "build_names",
    "check_save",
    "load_runs",
    "save_runs",
]
