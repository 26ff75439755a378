"""Small corpora of every task, in several formats, whose documents have a genre each."""

from __future__ import annotations

import csv
import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.runs.run import Run

GROUPS = ("news", "web", "mail")
ROWS = 30
Row = dict[str, Any]
Score = Callable[..., Run]


@dataclass(frozen=True)
class Task:
    """How documents of a task are written and scored.

    Args:
        rows: a document's row of the reference and of the prediction, from its number.
        write: writes rows to a file, one side at a time.
        score: scores both files, with options.
    """

    rows: Callable[[int, random.Random], tuple[Row, Row]]
    write: Callable[[Path, Sequence[Row], str], None]
    score: Callable[..., Run]


def json_lines(path: Path, rows: Sequence[Row], side: str) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def entity_rows(number: int, rng: random.Random) -> tuple[Row, Row]:
    text = "Ada met Bob in Paris with Eve"
    spans = [(0, 3, "PER"), (8, 11, "PER"), (15, 20, "LOC"), (26, 29, "PER")]
    own = rng.sample(spans, rng.randint(0, 4))
    other = [(a, b, rng.choice(["PER", "LOC"])) for a, b, _ in rng.sample(spans, rng.randint(0, 4))]
    row = {"id": str(number), "text": text}
    return row | {"entities": sorted(own)}, row | {"entities": sorted(other)}


def tag_rows(number: int, rng: random.Random) -> tuple[Row, Row]:
    words = [f"w{rng.randint(0, 9)}" for _ in range(rng.randint(1, 15))]
    sides = [[rng.choice(["O", "O", "B-PER", "B-LOC"]) for _ in words] for _ in range(2)]
    return {"id": str(number), "words": words, "tags": sides[0]}, {"words": words, "tags": sides[1]}


def conll(path: Path, rows: Sequence[Row], side: str) -> None:
    blocks = []
    for row in rows:
        comments = [f"# genre = {row['genre']}"] if "genre" in row else []
        tokens = [f"{word}\t{tag}" for word, tag in zip(row["words"], row["tags"], strict=True)]
        blocks.append("\n".join([*comments, *tokens]))
    path.write_text("\n\n".join(blocks) + "\n")


def word_rows(number: int, rng: random.Random) -> tuple[Row, Row]:
    words = ["".join(rng.choices("abc", k=rng.randint(1, 3))) for _ in range(rng.randint(1, 14))]
    cut = rng.randint(0, len(words))
    joined = [*words[:cut], "".join(words[cut : cut + 2]), *words[cut + 2 :]]
    return {"id": number, "tokens": words}, {"tokens": [word for word in joined if word]}


def conllu(path: Path, rows: Sequence[Row], side: str) -> None:
    blocks = []
    for row in rows:
        comments = [f"# genre = {row['genre']}"] if "genre" in row else []
        words = enumerate(row["tokens"], 1)
        tokens = ["\t".join([str(k), word, *"_______", "SpaceAfter=No"]) for k, word in words]
        blocks.append("\n".join([*comments, *tokens]))
    path.write_text("\n\n".join(blocks) + "\n\n")


def class_rows(number: int, rng: random.Random) -> tuple[Row, Row]:
    scores = {label: round(rng.random(), 2) for label in "abc"}
    row = {"id": str(number), "text": "x" * rng.randint(1, 30)}
    return row | {"gold": rng.choice("abc")}, {"id": str(number), "scores": scores}


def translation_rows(number: int, rng: random.Random) -> tuple[Row, Row]:
    row = {"id": f"Q{number % 7}_{number}", "entity_types": rng.sample(["Book", "Film"], 1)}
    targets = [{"mention": "Duna", "translation": "La Duna " + "x" * rng.randint(0, 20)}]
    return row | {"targets": targets}, {"id": row["id"], "prediction": rng.choice(["La Duna", "Dune", ""])}


def text_rows(number: int, rng: random.Random) -> tuple[Row, Row]:
    words = rng.choices(["так", "ні", "yes", "no", "добре"], k=rng.randint(1, 12))
    return {"id": str(number), "text": " ".join(words) + "."}, {}


def table(path: Path, rows: Sequence[Row], side: str) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, sorted({key for row in rows for key in row}))
        writer.writeheader()
        writer.writerows(rows)


def parquet(path: Path, rows: Sequence[Row], side: str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    pq.write_table(pa.Table.from_pylist(list(rows)), path)


def texts_only(reference: Path, prediction: Path, **more: Any) -> Run:
    return isogloss.code_switching(reference, language="uk", splitter="terminators", **more)


def texts_as(kind: str) -> Score:
    return lambda reference, prediction, **more: texts_only(reference, prediction, input_format=kind, **more)


TASKS: dict[str, Task] = {
    "ner": Task(entity_rows, json_lines, isogloss.ner),
    "ner-conll": Task(tag_rows, conll, isogloss.ner),
    "segmentation": Task(word_rows, json_lines, isogloss.segmentation),
    "segmentation-conllu": Task(word_rows, conllu, isogloss.segmentation),
    "classification": Task(class_rows, json_lines, isogloss.classification),
    "entity-translation": Task(translation_rows, json_lines, isogloss.entity_translation),
    "code-switching": Task(text_rows, json_lines, texts_only),
    "code-switching-csv": Task(text_rows, table, texts_as("csv")),
    "code-switching-parquet": Task(text_rows, parquet, texts_as("parquet")),
}
CASES = pytest.mark.parametrize("name", TASKS)


@dataclass(frozen=True)
class Corpus:
    """Rows of both sides with a genre each."""

    task: Task
    rows: Sequence[tuple[Row, Row]]
    folder: Path

    @classmethod
    def draw(cls, name: str, folder: Path, number: int = ROWS) -> Corpus:
        rng = random.Random(7)
        task = TASKS[name]
        rows = [task.rows(k, rng) for k in range(number)]
        return cls(task, [({**own, "genre": rng.choice(GROUPS)}, other) for own, other in rows], folder)

    @property
    def main_score(self) -> str:
        """The path of the score that stands for a run of the task."""
        return {
            isogloss.ner: "strict.f1",
            isogloss.segmentation: "word.f1",
            isogloss.entity_translation: "m_eta.accuracy",
            isogloss.classification: "overall.accuracy",
        }.get(self.task.score, "words.strict_rate")

    def score(self, only: str | None = None, **more: Any) -> Run:
        rows = [pair for pair in self.rows if only is None or pair[0]["genre"] == only]
        files = self.folder / f"r-{only}", self.folder / f"p-{only}"
        for file, side, at in zip(files, ("reference", "prediction"), (0, 1), strict=True):
            if at == 0 or rows[0][1]:
                self.task.write(file, [pair[at] for pair in rows], side)
        return self.task.score(*files, **more)
