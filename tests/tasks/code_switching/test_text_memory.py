# the texts are in many scripts
"""Memory of one long text of code-switching."""

from __future__ import annotations

import random
import tracemalloc
from collections.abc import Callable

import pytest

from isogloss import code_switching

BYTES = 700_000
LATIN, THAI = "abcdefghijklmnopqrstuvwxyz", "กขคงจฉชซญดตถทธนบปผพฟมยรลวสห"
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
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_long_foreign_text_takes_less_than_20_times_its_size(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.kernel.counted_corpus.REUSED_BYTES", 1)  # it is allocated, but not used
    code_switching(["tiny Кiев слово."], language="uk", findings=True)
    text = TEXTS[name]()
    tracemalloc.start()
    code_switching([text], language="uk", findings=20)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < MOST * len(text.encode())
