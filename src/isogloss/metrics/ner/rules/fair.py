"""FairEval: `compare_spans(target_spans, system_spans)` and the figures that it prints, after Ortmann (2022).

What is reproduced, in counting: see `isogloss.metrics.ner.fair_pairs` and `isogloss.metrics.ner.fair`.
    1. The counts of TP, FP, LE, BE, LBE and FN, those of BES, BEL and BEO, and TP, FP and FN of the traditional
       evaluation, overall and by label.
    2. Precision, recall and F of the traditional and the fair evaluation, and of the weighted one with the weights that
       the paper suggests.
    3. `focus=target`, its default: errors of pairs count for the label of the reference.

Exceptions
    1. Tags are read as without a profile. Its own reader wants B where a span begins: it ends with a Python error at
       `O I-P`, and reads `B-P I-L` as one span `P`. Its labels end at the second hyphen: that of `B-A-B` is `A`.
    2. Spans of equal length come in the order of (start, end, label), there in the order of the file. It matters where
       spans are equally good partners: `P[0,2) Q[0,2)` → `R[0,2)` is a labeling error of `P` here, and there of the
       one that comes first; the other is missed.
    3. Spans do not have holes: there are no sets of tokens, and punctuation is not left out.
    4. `focus=system`, other weights and labels left out (`exclude`) are not offered; `labels` keeps some.
    5. Its confusion matrix leaves correct spans out; here they are on the diagonal with the boundary errors.
"""

from __future__ import annotations

from isogloss.metrics.ner.fair import FairSpans
from isogloss.metrics.ner.fair_pairs import fair_events
from isogloss.metrics.ner.profiles import Profile

PROFILE = Profile(name="fair", metric=FairSpans(), read=None, pair=fair_events)
