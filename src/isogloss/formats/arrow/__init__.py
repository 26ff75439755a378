"""Parquet files and Arrow files (IPC, Feather), with tokens and tags or with texts and spans in columns.

- Tokens and tags are lists, as Hugging Face datasets have them. Numbers are named by the features of the dataset, which
  its files hold in the metadata of their schema.
- Texts have a list of spans, each a struct of `start`, `end` and `label` (or `type`), and `text` if that is to be
  checked; or one struct of lists with these names.
- Columns may be named. Those of a prediction may stand beside those of the reference: then one file is both sides.

A file is read batch by batch, and only the columns that are needed: of a Parquet file a few thousand rows at once, of
an Arrow file as many as it was written with. The place of a document is its row, from 1. Needs the extra `arrow`.
"""

from isogloss.formats.arrow.annotation import FORMAT

__all__ = ["FORMAT"]
