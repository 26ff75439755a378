"""Errors of one sentence together, and of several systems on one text; the lines were written by hand."""

from __future__ import annotations

import io
import re
from pathlib import Path
from random import Random

import pytest
from command_line import run_isogloss, try_isogloss

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


@pytest.mark.parametrize("seed", range(2))
def test_errors_of_the_first_documents_are_drawn_as_if_all_were_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    random = Random(seed)
    right = (0.99, 0.5) if seed % 2 else (0.6, 0.6)
    sentences = {name: [list(GOLD) for _ in range(60)] for name in ("gold", "a", "b")}
    for name, share in zip(("a", "b"), right, strict=True):
        for tags in sentences[name]:
            tags[:] = [tag if random.random() < share else random.choice(["O", "B-ORG"]) for tag in tags]
    files = [write(str(tmp_path), name, *own) for name, own in sentences.items()]

    def draw(number: int) -> list[str]:
        monkeypatch.setattr("isogloss.cli.options.FIRST_DOCUMENTS", number)
        parts = run_isogloss("ner", *files, "--errors", "2", "-q").split("\n\n")
        return [
            part for part in parts if part.startswith(("Errors", "Only", "[", "a: ", "b: ", "  ", "wrong", "missed"))
        ]

    whole, first = draw(1000), draw(12)
    title = next(part for part in whole if part.startswith("Errors"))
    at, own = whole.index(title), next(k for k, part in enumerate(first) if part.startswith("Errors"))
    assert re.fullmatch(r"Errors in other documents \(the first 2 of \d+\)", title)
    assert re.fullmatch(r"Errors in other documents \(the first 2 of more than \d+\)", first[own])
    assert first[own + 1 :] == whole[at + 1 :]
    assert len(first[own + 1 :]) > 1
    assert [part for part in whole[:at] if part in first[:own]] == first[:own]


def test_a_document_is_drawn_with_the_errors_of_all_systems_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """System a is wrong everywhere, and b in the last sentences, where the errors of a are not kept."""
    sentences = {"gold": [GOLD] * 20, "a": [A] * 20, "b": [*[GOLD] * 14, *[B] * 6]}
    files = [write(str(tmp_path), name, *own) for name, own in sentences.items()]
    monkeypatch.setattr("isogloss.cli.options.FIRST_DOCUMENTS", 5)
    text = run_isogloss("ner", *files, "--errors", "9", "-q")
    assert "Errors in other documents (the first 2 of more than 2)" in text
    assert re.findall(r"gold:(\d+)", text) == ["4", "12", "20", "28", "36"]


def test_errors_of_a_kind_are_those_chosen_from_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Errors of other kinds are not kept, but for the first of each, which says that the kind exists."""
    sentences = {"gold": [GOLD] * 20, "b": [*[GOLD] * 3, *[A] * 7, *[B] * 10]}
    files = [write(str(tmp_path), name, *own) for name, own in sentences.items()]
    chosen = ("ner", *files, "--errors", "2", "-q", "--kind", "wrong_type")
    whole = run_isogloss(*chosen)
    assert "(the first 2 of 10 that match)" in whole
    monkeypatch.setattr("isogloss.cli.options.FIRST_FINDINGS", 4)
    first = run_isogloss(*chosen)
    assert first == whole.replace("the first 2 of 10 that match", "the first 2 of more than 2 that match")
    for options, expected in (((), first), (("--keep-documents",), whole)):  # which keeps all errors
        run_isogloss("count", *chosen, *options, "-o", str(tmp_path / "part.iso"), "--force")
        assert run_isogloss("merge", str(tmp_path / "part.iso"), "-q") == expected
    run = isogloss.ner(*files, findings=True)
    code, _, errors = try_isogloss("ner", *files, "--errors", "1", "--profile", "seqeval", "--kind", "wrong-typ")
    assert (code, {finding.kind for finding in run.findings}) == (2, {"missed", "wrong_type", "wrong_boundary"})
    assert "did you mean wrong_type? The kinds are missed, wrong_boundary, wrong_type." in errors
