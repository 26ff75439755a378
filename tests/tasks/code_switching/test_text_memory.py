# the texts are in many scripts
"""Memory of long and of many short texts of code-switching."""

from __future__ import annotations

import json
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss import code_switching

BYTES = 300_000
LATIN, THAI = "abcdefghijklmnopqrstuvwxyz", "กขคงจฉชซญดตถทธนบปผพฟมยรลวสห"
SIZES = (
    "text.scripts.CODES_AT_ONCE",
    "text.words.CHARACTERS_AT_ONCE",
    "text.alphabets.SPANS_AT_ONCE",
    "tasks.code_switching.batches.TOKENS_AT_ONCE",
    "tasks.code_switching.batches.SENTENCES_AT_ONCE",
    "tasks.code_switching.profiles.TOKENS_AT_ONCE",
    "tasks.code_switching.annotator.SENTENCES_AT_ONCE",
    "tasks.code_switching.excuses.TOKENS_AT_ONCE",
    "tasks.code_switching.excuses.EXCUSES_AT_ONCE",
    "tasks.code_switching.excuses.CHARACTERS_AT_ONCE",
)
MOST = 20  # times the bytes of the text, without the interpreter and its tables


def write_words(letters: str) -> str:
    """A text of this size in words of two to ten letters."""
    chance, size = random.Random(3), len(letters[0].encode())
    return " ".join("".join(chance.choices(letters, k=chance.randint(2, 10))) for _ in range(BYTES // (6 * size + 1)))


def write_mixed() -> str:
    """Words of Latin, Ukrainian and Thai letters, some of them mixed, with capitals, quotations and numbers."""
    chance = random.Random(4)
    words = ["слово", "word", "Кiев", "ABC", "«цитата»", "3,14", "คำ", "де-факто", "a.b", "інше"]
    return " ".join(f"{chance.choice(words)}{chance.choice(LATIN)}" for _ in range(BYTES // 11))


TEXTS: dict[str, Callable[[], str]] = {
    "latin": lambda: write_words(LATIN),
    "unspaced": lambda: write_words(THAI).replace(" ", ""),
    "one-word": lambda: "x" * BYTES,
    "mixed": write_mixed,
    "quotations": lambda: '"a" ' * (BYTES // 4),
    "code": lambda: "`a` " * (BYTES // 4),
    "sentences": lambda: "(a) " * (BYTES // 4),
    "operators": lambda: "x+" * (BYTES // 2),
    "emoji": lambda: "😀" + "a " * (BYTES // 2),
    "emoji-operators": lambda: "😀" + "x+" * (BYTES // 2),
}


def measure_peak(source: Any, **options: Any) -> int:
    """The most bytes that scoring takes at once."""
    tracemalloc.start()
    code_switching(source, language="uk", **options).to_dict()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


@pytest.mark.parametrize(
    ("name", "profile"),
    [*((name, None) for name in TEXTS), *((name, "pnacos") for name in ("quotations", "sentences", "emoji-operators"))],
)
def test_a_long_foreign_text_takes_less_than_20_times_its_size(
    name: str, profile: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.kernel.counted_corpus.REUSED_BYTES", 1)  # it is allocated, but not used
    monkeypatch.setattr("isogloss.tasks.code_switching.batches.LONG_TEXT", BYTES // 4)
    for size in SIZES:  # pieces as much shorter than those of a longer text
        monkeypatch.setattr(f"isogloss.{size}", 1 << 10)
    code_switching(["tiny Кiев слово."], language="uk", profile=profile, findings=True)
    text = TEXTS[name]()
    assert measure_peak([text], profile=profile, findings=20) < MOST * len(text.encode())


@pytest.mark.parametrize(
    "options",
    [{}, {"by": ["file"]}, {"by": ["file"], "confidence": 0.9}, {"unit": "file", "confidence": 0.9}],
    ids=["plain", "slices", "slices with intervals", "clusters"],
)
def test_short_texts_take_less_than_20_times_their_size(
    options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.kernel.counted_corpus.REUSED_BYTES", 1)
    monkeypatch.setattr("isogloss.stats.bootstrap.MAX_HELD_NUMBERS", 1 << 10)
    monkeypatch.setattr("isogloss.tasks.code_switching.inputs.MAX_ROWS", 1 << 8)
    monkeypatch.setattr("isogloss.kernel.counted_corpus.MAX_HELD_VALUES", 1 << 12)
    folders = [tmp_path / name for name in ("few", "many")]
    for folder, number in zip(folders, (1_000, 21_000), strict=True):
        folder.mkdir()
        for name in ("a.txt", "b.txt"):
            (folder / name).write_text("a\n" * number)
    few, many = (measure_peak(folder, resamples=100, **options) for folder in folders)
    assert many - few < MOST * 80_000


def test_given_tokens_take_less_than_20_times_their_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.kernel.counted_corpus.REUSED_BYTES", 1)
    few, many = (tmp_path / name for name in ("few.jsonl", "many.jsonl"))
    for path, number in ((few, 5_000), (many, 100_000)):
        path.write_text(json.dumps({"text": "a " * number, "tokens": ["a"] * number}) + "\n")
    assert measure_peak(many) - measure_peak(few) < MOST * (many.stat().st_size - few.stat().st_size)
