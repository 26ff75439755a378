"""What the benchmarks measure inside isogloss: the only place here that imports names that are not public."""

from importlib.resources import files

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.ranking import Ranking
from isogloss.kernel.tally import Tally
from isogloss.runs.run import Run
from isogloss.stats.paired_tests import bootstrap_test
from isogloss.stats.randomization import randomization_test
from isogloss.store import RunId, Store
from isogloss.store.packing import pack_counts, unpack_counts
from isogloss.tasks.ner.metric import NamedEntities
from isogloss.text.alphabets import FOREIGN, NATIVE

RULES_DATA = files("isogloss.text") / "data"

__all__ = [
    "FOREIGN",
    "NATIVE",
    "RULES_DATA",
    "Counts",
    "Finding",
    "Mark",
    "NamedEntities",
    "Ranking",
    "Run",
    "RunId",
    "Store",
    "Tally",
    "bootstrap_test",
    "pack_counts",
    "randomization_test",
    "unpack_counts",
]
