# the texts are in many scripts
"""Memory of one long text of code-switching."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable

import pytest

from isogloss import code_switching

BYTES = 1_000_000
LATIN, THAI, CYRILLIC = "abcdefghijklmnopqrstuvwxyz", "กขคงจฉชซญดตถทธนบปผพฟมยรลวสห", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"
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


@pytest.mark.parametrize(
    ("write", "language"),
    [
        (lambda: write_words(LATIN), "uk"),
        (lambda: write_words(THAI), "uk"),
        (lambda: write_words(CYRILLIC), "en"),
        (lambda: write_words(THAI).replace(" ", ""), "uk"),
        (lambda: "x" * BYTES, "uk"),
        (write_mixed, "uk"),
    ],
    ids=["latin", "thai", "cyrillic", "unspaced", "one-word", "mixed"],
)
@pytest.mark.parametrize("findings", [0, 20])
def test_a_long_foreign_text_takes_less_than_20_times_its_size(
    write: Callable[[], str], language: str, findings: int
) -> None:
    code_switching(["tiny Кiев слово."], language=language, findings=True)
    text = write()
    tracemalloc.start()
    code_switching([text], language=language, findings=findings)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST * len(text.encode())
