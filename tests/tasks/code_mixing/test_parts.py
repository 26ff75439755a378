"""The parts of a corpus know what comes before them only when they are merged."""

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from isogloss import DataError, code_mixing, count, merge
from isogloss.distributed.counting import merge_partials

TIE: list[str | None] = ["en", "es"]


def make_utterances(rng: random.Random, number: int) -> list[dict[str, Any]]:
    return [{"languages": rng.choices(["en", "es", "hi", None], k=rng.randint(0, 3))} for _ in range(number)]


@pytest.mark.parametrize("seed", range(20))
def test_parts_cut_anywhere_give_the_run_of_the_whole(seed: int) -> None:
    rng = random.Random(seed)
    rows = make_utterances(rng, 30)
    cuts = [0, *sorted(rng.sample(range(1, 30), 12)), 30]
    parts = [count("code-mixing", rows[low:high], keep_documents=seed % 2 == 0) for low, high in pairwise(cuts)]
    whole = code_mixing(rows, confidence=0.9).to_json()
    assert merge(parts, confidence=0.9).to_json() == whole
    halves = [merge_partials(parts[:5]), merge_partials(parts[5:])]
    assert merge(halves, confidence=0.9).to_json() == whole


def test_a_change_between_parts_is_counted_over_parts_without_matrix_language() -> None:
    parts: list[list[list[str | None]]] = [[["en"]], [TIE, [None]], [TIE, ["es"]], [["es"]], [["en"]]]
    counted = [count("code-mixing", [{"languages": own} for own in part]) for part in parts]
    assert merge(counted).scores["utterances"].changes == 2


def test_parts_of_different_formats_are_refused(tmp_path: Path) -> None:
    (tmp_path / "1.txt").write_text("Ada met Боб\n")
    (tmp_path / "2.txt").write_text("Ada\tx\n\nБоб\tx\n")
    parts = [count("code-mixing", str(tmp_path / name), languages_from="scripts") for name in ("1.txt", "2.txt")]
    with pytest.raises(DataError, match=r"is read as conll, the first part as lines(.|\n)*--input-format"):
        merge(parts)
