"""isogloss inside the training loops, trainers and pipelines of other libraries.

    Seqeval                    the metric `seqeval` of Hugging Face evaluate: compute, add, add_batch
    compute_metrics            the argument of that name of the transformers Trainer
    isogloss.ner.v1            a scorer for spaCy configurations (`isogloss.integrations.spacy`)

None of them imports its library before it is used, and the first two never need it.
"""

from isogloss.integrations.seqeval import Seqeval
from isogloss.integrations.trainer import compute_metrics

__all__ = ["Seqeval", "compute_metrics"]
