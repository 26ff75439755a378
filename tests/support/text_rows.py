"""Texts as rows, as code-switching reads them."""

from typing import Any

from isogloss.tasks.code_switching.inputs import open_texts
from isogloss.tasks.code_switching.rows import TextRow


def read_rows(texts: Any, size: int = 1, **options: Any) -> list[TextRow]:
    """Return the rows of a path or list, read in batches of so many code points."""
    return [row for batch in open_texts(texts, **options).read_batches(size) for row in batch]
