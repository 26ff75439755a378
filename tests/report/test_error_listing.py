"""Errors of one sentence together, and of several systems on one text; the lines were written by hand."""

from __future__ import annotations

import io

import pytest

import isogloss
from isogloss.report.terminal import open_console, print_runs
from isogloss.runs.finding_selection import FindingSelection
from isogloss.runs.run import Run

WORDS = ["Ada", "Lovelace", "met", "Bob", "in", "الإسكندرية", "."]
GOLD = ["B-PER", "I-PER", "O", "B-PER", "O", "B-LOC", "O"]
A = ["B-PER", "I-PER", "O", "O", "O", "B-LOC", "O"]
B = ["B-PER", "O", "O", "B-ORG", "O", "B-LOC", "O"]
NO_ISOLATES = dict.fromkeys(range(0x2066, 0x206A))


def write(folder: str, name: str, *sentences: list[str]) -> str:
    blocks = ("\n".join(f"{word}\t{tag}" for word, tag in zip(WORDS, tags, strict=True)) for tags in sentences)
    path = f"{folder}/{name}"
    with open(path, "w", encoding="utf-8") as file:  # noqa: PTH123
        file.write("\n\n".join(blocks) + "\n")
    return path


@pytest.fixture
def runs(tmp_path: object) -> list[Run]:
    gold = write(str(tmp_path), "gold", GOLD, GOLD)
    systems = [write(str(tmp_path), name, tags, GOLD) for name, tags in (("a", A), ("b", B))]
    return [isogloss.ner(gold, system, findings=True) for system in systems]


def printed(runs: list[Run], number: int = 9, width: str = "80") -> list[str]:
    stream = io.StringIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", width)
        print_runs(runs, open_console(stream), selection=FindingSelection(number), quiet=True)
    lines = stream.getvalue().splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith("Errors"))
    return [line.strip().translate(NO_ISOLATES) for line in lines[start:-2]]


def test_errors_of_one_sentence_are_drawn_on_it_together(runs: list[Run]) -> None:
    heading, _, first, second, reference, predicted = printed(runs[1:])
    assert heading == "Errors (2)"
    assert [first.split()[0], second.split()[0]] == ["wrong_boundary", "wrong_type"]
    assert reference == "reference  [PER Ada Lovelace] met [PER Bob] in الإسكندرية ."
    assert predicted == "predicted  [PER Ada] Lovelace met [ORG Bob] in الإسكندرية ."


def test_a_single_error_is_drawn_on_its_whole_sentence(runs: list[Run]) -> None:
    assert printed(runs[:1])[-1] == "reference  PER   Ada Lovelace met [Bob] in الإسكندرية ."


def test_a_sentence_of_several_systems_is_drawn_once(runs: list[Run]) -> None:
    heading, _, *headings, reference, a, b = printed(runs)
    assert heading == "Errors by document (1)"
    assert [each.split("   ")[0] for each in headings] == ["a: missed", "b: wrong_boundary", "b: wrong_type"]
    assert reference == "reference  [PER Ada Lovelace] met [PER Bob] in الإسكندرية ."
    assert a == "a          [PER Ada Lovelace] met Bob in الإسكندرية ."
    assert b == "b          [PER Ada] Lovelace met [ORG Bob] in الإسكندرية ."


def test_a_sentence_wider_than_the_line_keeps_what_is_near_its_spans(runs: list[Run]) -> None:
    lines = printed(runs[:1], width="40")
    assert all(len(line) <= 40 for line in lines)
    assert "[Bob]" in lines[-1]
    assert "…" in lines[-1]
