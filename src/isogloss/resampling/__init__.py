"""The bootstrap over documents (or clusters of them) from a tally, intervals, and averages over documents.

`drawing` says how often each distinct document comes up in each resample, `resamples` scores them, `interval`
holds intervals of all kinds, `spread` describes a score over single documents, and `units` what is drawn: documents,
or clusters of them; `ordered` does so for rankings.
"""

from isogloss.resampling.drawing import draws
from isogloss.resampling.interval import Interval, delong, intervals, wilson
from isogloss.resampling.ordered import units_of_order
from isogloss.resampling.resamples import Score, bootstrap, bootstrap_of_order
from isogloss.resampling.spread import Spread, spreads
from isogloss.resampling.units import (
    Clusters,
    clustered_errors,
    document_means,
    in_units,
    scored_documents,
    with_document_scores,
)

__all__ = [
    "Clusters",
    "Interval",
    "Score",
    "Spread",
    "bootstrap",
    "bootstrap_of_order",
    "clustered_errors",
    "delong",
    "document_means",
    "draws",
    "in_units",
    "intervals",
    "scored_documents",
    "spreads",
    "units_of_order",
    "wilson",
    "with_document_scores",
]
