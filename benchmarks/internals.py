"""What the benchmarks measure inside isogloss: the only place here that imports names that are not public."""

from importlib.resources import files

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.ranking import ClassColumn, Ranking
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import DocumentCounts
from isogloss.runs.metric_spec import MetricSpec
from isogloss.runs.run import Run
from isogloss.stats.bootstrap import add_document_scores, average_document_scores, bootstrap_scores
from isogloss.stats.intervals import compute_delong_intervals, compute_percentile_intervals
from isogloss.stats.paired_tests import bootstrap_test
from isogloss.stats.randomization import randomization_test
from isogloss.stats.system_pairs import SystemPairs
from isogloss.store import RunId, Store
from isogloss.store.packing import counts_of, of_counts
from isogloss.tasks.classification.ranking import RankingAreas
from isogloss.tasks.code_switching.excuse_patterns import LATIN_PHRASES
from isogloss.tasks.ner.inputs import ReadingOptions, open_ner_input
from isogloss.tasks.ner.metric import NamedEntities
from isogloss.tasks.ner.reading import read_spans
from isogloss.tasks.ner.scoring import make_metric
from isogloss.text.alphabets import CLASS_MASK, FOREIGN, NATIVE, collect_span_flags, flag_characters, load_alphabet
from isogloss.text.scripts import load_character_table, to_code_points
from isogloss.text.words import find_tokens

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
