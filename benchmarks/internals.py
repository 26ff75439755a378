"""What the benchmarks measure inside isogloss: the only place here that imports names that are not public."""

from importlib.resources import files

from isogloss.kernel.counts import Counts
from isogloss.kernel.findings import Finding, Mark
from isogloss.kernel.ranking import ClassColumn, Influence, Ranking, compute_auc_influence
from isogloss.kernel.tallied_documents import TalliedDocuments
from isogloss.kernel.tally import Tally
from isogloss.runs.evidence import DocumentCounts, MetricSpec
from isogloss.runs.run import Run
from isogloss.runs.slice_tests import compare_slices
from isogloss.stats.auc_intervals import compute_auc_intervals
from isogloss.stats.bootstrap import add_document_scores, average_document_scores, bootstrap_scores
from isogloss.stats.intervals import Interval, compute_logit_interval, compute_percentile_intervals
from isogloss.stats.mean_ranks import compare_mean_ranks
from isogloss.stats.paired_tests import bootstrap_test, compare_documents, delong_test
from isogloss.stats.randomization import randomization_test
from isogloss.stats.ranking_tests import (
    ENOUGH_VERDICTS,
    count_score_verdicts,
    ranking_bootstrap_test,
    ranking_randomization_test,
)
from isogloss.stats.system_pairs import SystemPairs
from isogloss.store import RunId, Store
from isogloss.store.packing import pack_documents, unpack_documents
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
    "CLASS_MASK",
    "ENOUGH_VERDICTS",
    "FOREIGN",
    "LATIN_PHRASES",
    "NATIVE",
    "RULES_DATA",
    "ClassColumn",
    "Counts",
    "DocumentCounts",
    "Finding",
    "Influence",
    "Interval",
    "Mark",
    "MetricSpec",
    "NamedEntities",
    "Ranking",
    "RankingAreas",
    "ReadingOptions",
    "Run",
    "RunId",
    "Store",
    "SystemPairs",
    "TalliedDocuments",
    "Tally",
    "add_document_scores",
    "average_document_scores",
    "bootstrap_scores",
    "bootstrap_test",
    "collect_span_flags",
    "compare_documents",
    "compare_mean_ranks",
    "compare_slices",
    "compute_auc_influence",
    "compute_auc_intervals",
    "compute_logit_interval",
    "compute_percentile_intervals",
    "count_score_verdicts",
    "delong_test",
    "find_tokens",
    "flag_characters",
    "load_alphabet",
    "load_character_table",
    "make_metric",
    "open_ner_input",
    "pack_documents",
    "randomization_test",
    "ranking_bootstrap_test",
    "ranking_randomization_test",
    "read_spans",
    "to_code_points",
    "unpack_documents",
]
