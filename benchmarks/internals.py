"""What the benchmarks measure inside isogloss: the only place here that imports names that are not public."""

from importlib.resources import files

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.ranking import Column, Ranking
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import Every
from isogloss.runs.metric_spec import Recipe
from isogloss.runs.run import Run
from isogloss.stats.bootstrap import bootstrap, document_means, with_document_scores
from isogloss.stats.intervals import delong, intervals
from isogloss.stats.paired_tests import bootstrap_test
from isogloss.stats.pairing import Pairs
from isogloss.stats.randomization import randomization_test
from isogloss.store import RunId, Store
from isogloss.store.packing import counts_of, of_counts
from isogloss.tasks.classification.ranking import Ordering
from isogloss.tasks.code_switching.excuse_patterns import PHRASES
from isogloss.tasks.ner.inputs import Layout, opened
from isogloss.tasks.ner.metric import NamedEntities
from isogloss.tasks.ner.reading import read
from isogloss.tasks.ner.scoring import measure
from isogloss.text.alphabets import CLASS, FOREIGN, NATIVE, alphabet, any_of, flags_of
from isogloss.text.scripts import characters, code_points
from isogloss.text.words import tokens

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
    "counts_of",
    "delong",
    "document_means",
    "flags_of",
    "intervals",
    "measure",
    "of_counts",
    "opened",
    "randomization_test",
    "read",
    "tokens",
    "with_document_scores",
]
