"""Names without offsets, as language models give them: JSON lines, or one JSON array.

    {"id": "1", "text": "Ada met Bob", "mentions": [{"text": "Ada", "label": "PER"}, {"text": "Bob", "label": "PER"}]}

`mentions` (or `entities`, whose offsets are not looked at) may have any of the shapes of `items`. They are looked for
in the text (`locating`), which may be left out: then in that of the other side. With `--answers FIELD` a field of the
prediction holds what a model answered instead, as text (`answers`) or as JSON. `id` is a string or a whole number; all
rows of a file have one, or none has. Other keys are ignored. An array is in memory as a whole, lines are read one
after the other.

What was done is counted in notices:

| code | counts |
|---|---|
| `normalised` | names that were found only folded |
| `spaces` | names that were found only without white space |
| `unlocated` | names that are not in their text, or not so often: spurious ones, of a reference missed ones |
| `undecodable-answers` | answers without names, or null: their documents have no spans |
| `truncated-answers` | answers that break off, or cannot be read to their end: the names before that count |
| `several-answers` | answers with several lists of names: the last one that has some counts |
| `unusable-items` | items of answers that are no name with a label |

Written are objects, in the order of the text. What would be read back at another place is refused.
"""
