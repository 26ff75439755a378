"""Which labels of a recogniser count as names.

Recognisers mark dates, amounts and the like as well. Unless `labels=` says which labels are wanted, those of
`NOT_NAMES` are left out: the labels of OntoNotes for times and quantities, and what the pipelines of single languages
call them (KLUE and SUC among others). Kinds that are not listed keep all labels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

from isogloss.exceptions import UsageError

TIMES = frozenset(("DATE", "TIME", "DATETIME", "PERIOD", "DAT", "TIM", "TME", "DT", "TI"))
QUANTITIES = frozenset(
    (
        *("CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "PERCENTAGE", "MONEY", "NUMBER", "NUMERIC", "NUMERIC_VALUE"),
        *("NUM", "QT", "MSR", "AGE", "ADAGE"),
    )
)
NOT_NAMES: Mapping[str, frozenset[str]] = {
    kind: TIMES | QUANTITIES | {label.lower() for label in TIMES | QUANTITIES}
    for kind in ("spacy", "stanza", "transformers")
}


def checked(wanted: Sequence[str] | None, known: Iterable[str], name: str) -> None:
    """Refuses labels that a model cannot give.

    Args:
        wanted: what `labels=` lists.
        known: the labels of the model; none if they are not known.
        name: the provider, as the user wrote it.

    Raises:
        UsageError: a label is not among those of the model; it suggests the closest.
    """
    labels = sorted(set(known))
    for label in wanted or ():
        if labels and label not in labels:
            close = get_close_matches(label, labels, n=3) or labels
            raise UsageError(f"In {name!r}: the model has no label {label!r}. Is it one of: {', '.join(close)}?")
