"""Label Studio's exports JSON and JSON-MIN of texts with labels: one array of tasks, or a task a line.

    {"id": 7, "data": {"text": "Ada met Bob"},
     "annotations": [{"id": 1, "completed_by": 3, "was_cancelled": false, "ground_truth": false, "result": [
       {"from_name": "label", "to_name": "text", "type": "labels",
        "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}}]}],
     "predictions": [{"model_version": "a", "result": [...]}]}

    {"id": 7, "text": "Ada met Bob", "label": [{"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]}],
     "annotator": 3, "annotation_id": 1, "created_at": "...", "updated_at": "...", "lead_time": 8.6}

- Annotations are the reference, predictions the prediction (`two_sides`). Cancelled annotations do not count. Of
  several annotations of a task the ground truth counts, else the one that was updated last; of several predictions the
  one that was made last. A notice counts such tasks. JSON-MIN has a row for each annotation, those of a task together.
- The text is `data.text`, the only text of `data`, or the one that the labels name; `--columns FIELD,CONTROL` names it,
  and the labels that count if there are several.
- A task's id is `data.id` if it has one, which survives the import into another project, else its own `id`.
- Offsets count code points; in older versions (issue 1347) and where a region was resized also UTF-16 code units. The
  text of a region is compared with its offsets, white space aside, as the browser changes that (issue 3078).
- Regions of hyper text and of dialogues cannot be read: they do not count characters of the text.
- What has no labels (choices, relations, text areas) is ignored, regions without a label are counted in a notice.
"""

from isogloss.formats.label_studio.reader import FORMAT

__all__ = ["FORMAT"]
