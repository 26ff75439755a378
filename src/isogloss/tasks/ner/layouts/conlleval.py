"""The report of conlleval.pl, version 2004-01-26, byte for byte: see the profile `conlleval` for its numbers.

What is reproduced
    1. Percentages have two decimals, F is that of the percentages. Without a token there is no second line.
    2. Labels ascend in their UTF-8 bytes, which take 17 columns: a letter of three bytes takes three.
    3. The line of chunks without a label is printed twice where both sides have some.

Exceptions
    1. Lines of `-DOCSTART-` are no tokens. conlleval.pl counts each as one that is right.
    2. There are no options `-l`, `-r`, `-o` and `-d`.
"""

from __future__ import annotations

from isogloss.runs.run import Run
from isogloss.tasks.ner.layouts import ChunkCounts, ReportLayout, count_chunks, refuse_layout

NAME = "conlleval"
LABEL_WIDTH = 17  # bytes of a label


def format_conlleval(run: Run) -> str:
    """Format a run as conlleval.pl prints it."""
    chunks = count_chunks(run, NAME, NAME)
    all_of = chunks.overall
    tokens = run.scores.get("tokens", {"correct": 0, "total": 0})  # runs without tokens have no group `tokens`
    correct, total = tokens["correct"], tokens["total"]
    if not total and chunks.by_label:
        refuse_layout(run, NAME, "the accuracy of tags", NAME)
    found = f"found: {all_of.actual} phrases; correct: {all_of.correct}."
    lines = [f"processed {total} tokens with {all_of.possible} phrases; {found}"]
    if total:
        lines.append(f"accuracy: {100 * correct / total:6.2f}%; {_format_ratios(all_of)}")
    for label, own in chunks.by_label.items():
        twice = not label and own.possible and own.actual
        lines += [f"{_pad_label(label)}: {_format_ratios(own)}  {own.actual}"] * (2 if twice else 1)
    return "\n".join(lines) + "\n"


def _format_ratios(own: ChunkCounts) -> str:
    precision = 100 * own.correct / own.actual if own.actual else 0.0
    recall = 100 * own.correct / own.possible if own.possible else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return f"precision: {precision:6.2f}%; recall: {recall:6.2f}%; FB1: {f1:6.2f}"


def _pad_label(label: str) -> str:
    return " " * (LABEL_WIDTH - len(label.encode())) + label


LAYOUT = ReportLayout(NAME, profile=NAME, format_run=format_conlleval)
