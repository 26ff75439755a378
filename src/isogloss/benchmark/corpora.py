"""Texts of the corpora of a plan.

Systems are given the texts without the reference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.benchmark.plan import Corpus
from isogloss.benchmark.results import CorpusRecord, digest_file, digest_values
from isogloss.errors import SourceError
from isogloss.records.sources import Source
from isogloss.tasks.registry import get_task

GIVEN = ("id", "text", "tokens", "language")  # keys of a reference that a system may see


@dataclass(frozen=True, eq=False)
class CorpusTexts:
    """A corpus with its texts.

    Args:
        corpus: the corpus of the plan.
        gold: path of its reference.
        texts: its texts; empty if it names none, for published predictions only.
        spelled: whether the answer to a text must spell the text.
    """

    corpus: Corpus
    gold: Path
    texts: tuple[str, ...]
    spelled: bool

    def make_record(self, folder: Path) -> CorpusRecord:
        """Build the record of the results.

        Args:
            folder: folder of the results.
        """
        corpus = self.corpus
        return CorpusRecord(
            name=corpus.name,
            task=corpus.task,
            gold=os.path.relpath(self.gold, folder),
            sha256=digest_file(self.gold),
            texts=len(self.texts),
            characters=sum(map(len, self.texts)),
            texts_sha256=self.digest,
            language=corpus.language,
            licence=corpus.licence,
            tag=corpus.tag,
            options=corpus.options,
        )

    def list_inputs(self, *, whole: bool) -> Sequence[str]:
        """List what a system is given.

        Args:
            whole: whether it is a command, which gets lines as they are; others get the `text` of a JSON line.
        """
        return self.texts if whole or self.spelled else [_get_text(line) for line in self.texts]

    def list_rows(self) -> list[dict[str, Any]]:
        """List the lines as JSON objects.

        A line that is not a JSON object is empty.
        """
        return [_parse_object(line) for line in self.texts]

    @property
    def digest(self) -> str:
        """SHA-256 of the texts."""
        return digest_values(*self.texts)


def read_corpus(corpus: Corpus, folder: Path) -> CorpusTexts:
    """Read the texts of a corpus.

    Args:
        corpus: the corpus.
        folder: folder of the plan.

    Raises:
        DataError: if a file cannot be read.
    """
    gold = folder / corpus.gold
    if not gold.is_file():
        remedy = "Give the path relative to the folder of the plan."
        raise SourceError("is not a file", where=f"corpus {corpus.name!r}: {gold}", remedy=remedy)
    exchange = get_task(corpus.task).system_texts
    if corpus.texts is not None:
        lines = _read_lines(folder / corpus.texts)
        same = (folder / corpus.texts).resolve() == gold.resolve()
        return CorpusTexts(corpus, gold, tuple(map(_hide_reference, lines) if same else lines), spelled=False)
    if exchange is None:
        return CorpusTexts(corpus, gold, (), spelled=False)
    return CorpusTexts(corpus, gold, tuple(exchange.read(str(gold), corpus.options.get("input_format"))), spelled=True)


def _read_lines(path: Path) -> list[str]:
    text = "".join(block.text for block in Source(str(path)).blocks())
    return [line.removesuffix("\r") for line in text.removesuffix("\n").split("\n")] if text else []


def _get_text(line: str) -> str:
    """Return the text of a JSON line, or the line itself."""
    row = _parse_object(line)
    return row["text"] if isinstance(row.get("text"), str) else line


def _hide_reference(line: str) -> str:
    """Reduce a line of the reference to what systems may see.

    A line that is not a JSON object is empty.
    """
    row = _parse_object(line)
    return json.dumps({key: row[key] for key in GIVEN if key in row}, ensure_ascii=False) if row else ""


def _parse_object(line: str) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except ValueError:
        return {}
    return row if isinstance(row, dict) else {}
