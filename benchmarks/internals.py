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
    "CLASS",
    "FOREIGN",
    "NATIVE",
    "PHRASES",
    "RULES_DATA",
    "Column",
    "Counts",
    "Every",
    "Finding",
    "Layout",
    "Mark",
    "NamedEntities",
    "Ordering",
    "Pairs",
    "Ranking",
    "Recipe",
    "Run",
    "RunId",
    "Store",
    "Tally",
    "alphabet",
    "any_of",
    "bootstrap",
    "bootstrap_test",
    "characters",
    "code_points",
    "delong",
    "document_means",
    "flags_of",
    "intervals",
    "measure",
    "opened",
    "pack_counts",
    "randomization_test",
    "read",
    "tokens",
    "unpack_counts",
    "with_document_scores",
]
