"""JSON lines: one document a row, with spans in code points of its text.

    {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]}

`entities` may be called `spans`, and each may be written as `[start, end, label]`. Instead of them a row may have
`tokens`, each an object with `start` and `end`, and `tags`, one a token: then the two sides may be tokenised
differently and are compared by characters. All rows of a file have spans, or all have tags. `id` is a string or a whole
number; all rows of a file have one, or none has. `text` may be left out. Other keys are ignored, blank lines skipped.
One array of the same rows is read, too; it is in memory as a whole.

    for batch in span_pairs(reference, prediction): ...

and where `has_tags(reference) or has_tags(prediction)`, with the evidence of `tag_batches` for the scheme:

    for batch in span_pairs(reference, prediction, decode): ...
"""

from isogloss.formats.jsonl.reader import has_tags, span_pairs, tag_batches

__all__ = ["has_tags", "span_pairs", "tag_batches"]
