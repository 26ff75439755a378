"""Documents with labels: JSON lines, a label per line, and Python values.

    {"id": "1", "gold": "pos", "scores": {"pos": 0.91, "neg": 0.09}}
    {"id": "2", "gold": ["joy", "love"], "scores": {"joy": 0.7, "love": 0.2, "fear": 0.1}}
    {"id": "3", "gold": {"joy": 1, "fear": 0}, "scores": {"joy": 0.7, "love": 0.2, "fear": 0.1}}

`gold` is the label of a document, all of its labels, or what is known of each: 1, 0, and null or nothing where nobody
said. All rows of a file have the same kind. `scores` may leave out labels: they are then below all others. `id` is a
string or a whole number; all rows of a file have one, or none has. `text` may be there, to be shown beside errors.
Other keys are ignored, blank lines skipped.

In two files the reference has `gold` and the prediction `scores`; they are paired by id, or by order where one has no
ids. A file whose first line is no JSON object has one label in each line.
"""

from isogloss.formats.classification.arguments import listed
from isogloss.formats.classification.files import paired, scored
from isogloss.formats.classification.sheet import GoldKind, Read

__all__ = ["GoldKind", "Read", "listed", "paired", "scored"]
