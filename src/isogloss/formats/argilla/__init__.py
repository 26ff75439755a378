"""Records of Argilla as JSON, one array or one record a line: responses are annotations, suggestions are predictions.

    {"id": "1", "fields": {"text": "Ada met Bob"}, "metadata": {}, "vectors": {}, "status": "completed",
     "suggestions": {"spans": {"value": [{"start": 0, "end": 3, "label": "PER"}], "score": null, "agent": "model"}},
     "responses": {"spans": [{"value": [{"start": 8, "end": 11, "label": "PER"}], "user_id": "..."}]}}

is what `dataset.records.to_json` of Argilla 2 writes. `to_list(flatten=True)` has `spans.responses`, `spans.suggestion`
and the fields in the record itself; feedback datasets of Argilla 1 have lists of responses and of suggestions; and its
token classification

    {"text": "Ada met Bob", "tokens": ["Ada", "met", "Bob"], "prediction": [["PER", 0, 3, 0.9]],
     "annotation": [["PER", 8, 11]], "status": "Validated", "id": "1"}

- The text is the field `text`, or the only field; the spans are those of the only question that has some.
  `--columns FIELD,QUESTION` names them.
- Of several responses the first counts that was submitted, as far as the file tells; a notice counts such records.
  Drafts and discarded responses do not count. A record without a response is left out, one without a suggestion
  counts as predicted without spans (`two_sides`).
- Spans that a person draws count UTF-16 code units in Argilla's pages (its issue 5729), those of models count code
  points, as do those that a person took over: `--repair-offsets` reads responses that are no suggestions as code units.

Written are records with a suggestion each, as a response belongs to a user of the server.
"""

from isogloss.formats.argilla.reader import FORMAT

__all__ = ["FORMAT"]
