"""The tables of code-mixing.

They have means over utterances, indices of the corpus, and shares of languages.
"""

from __future__ import annotations

from collections.abc import Sequence

from isogloss.runs.run import Run
from isogloss.runs.score_tables import ScoreTable, build_comparison_table, select_names

UTTERANCE_ROWS = {
    "cmi": "CMI (of 100)",
    "cmi_mixed": "CMI of mixed ones (of 100)",
    "cu": "Cu (of 100)",
    "cu_mixed": "Cu of mixed ones (of 100)",
    "mixed_share": "share of mixed ones",
    "switch_points": "switch points per utterance",
}
MIXING_ROWS = {"cmi": "CMI (of 100)", "cc": "Cc", "m_index": "M-index", "i_index": "I-index"}
COUNT_ROWS = {"mixed_count": "mixed", "changes": "change of matrix language", "total": "total"}


def build_tables(runs: Sequence[Run]) -> list[ScoreTable]:
    """Build the tables of one run, or of several side by side."""
    means = [(title, ("utterances", name)) for name, title in UTTERANCE_ROWS.items()]
    names = select_names(run.scores["mixing"] for run in runs)
    indices = [(MIXING_ROWS.get(name, name.replace("_", " ")), ("mixing", name)) for name in names]
    counts = [(title, ("utterances", name)) for name, title in COUNT_ROWS.items()]
    languages = sorted({name for run in runs for name in run.by_label})
    shares = [(name, ("by_label", name, "words", "share")) for name in languages]
    tables = [
        build_comparison_table("Over utterances", "name", runs, means, single="score"),
        build_comparison_table("Over the corpus", "name", runs, indices, single="score"),
        build_comparison_table("Number of utterances", "name", runs, counts, "count", single="utterances"),
        build_comparison_table("Tokens by language", "language", runs, shares, single="share"),
    ]
    return [table for table in tables if table.rows]
