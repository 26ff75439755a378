"""Whether two systems differ on the same documents.

`pairing` joins their counts on the document. `randomization` and `paired_bootstrap` test every score that is a function
of sums, `ranked` (DeLong, and the bootstrap) those of rankings, and `mcnemar` verdicts on single documents. `documents`
says who wins which document, `holm` corrects a family of tests. `difference` is what tests find.

Clusters of documents are compared like documents: sum the counts of both systems by cluster first.
"""

from isogloss.significance.differences import Difference
from isogloss.significance.documents import Duel, duels
from isogloss.significance.holm import holm_corrected
from isogloss.significance.mcnemar import mcnemar_test
from isogloss.significance.paired_bootstrap import bootstrap_test
from isogloss.significance.pairing import SYSTEMS, Pairs, changes, difference, paired
from isogloss.significance.randomization import randomization_test
from isogloss.significance.ranked import bootstrap_test_of_order, delong_test

__all__ = [
    "SYSTEMS",
    "Difference",
    "Duel",
    "Pairs",
    "bootstrap_test",
    "bootstrap_test_of_order",
    "changes",
    "delong_test",
    "difference",
    "duels",
    "holm_corrected",
    "mcnemar_test",
    "paired",
    "randomization_test",
]
