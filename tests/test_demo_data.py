from __future__ import annotations

import unicodedata
from collections import Counter
from itertools import pairwise, permutations
from pathlib import Path

import pytest

from isogloss.demo import DemoFiles, files

KINDS = {"correct", "wrong_type", "wrong_boundary", "wrong_type_and_boundary", "missed", "spurious"}
SCRIPTS = {"LATIN", "CYRILLIC", "GREEK", "ARABIC", "HEBREW", "DEVANAGARI", "THAI", "CJK", "HIRAGANA", "HANGUL"}

Sentence = list[tuple[str, str]]
Span = tuple[int, int, str]


@pytest.fixture(scope="module")
def demo() -> DemoFiles:
    return files()


def sentences(path: Path) -> list[Sentence]:
    blocks = path.read_text(encoding="utf-8").removesuffix("\n\n").split("\n\n")
    return [[(token, tag) for token, tag in (line.split("\t") for line in block.split("\n"))] for block in blocks]


def tokens(path: Path) -> list[list[str]]:
    return [[token for token, _ in sentence] for sentence in sentences(path)]


def invalid_tags(path: Path) -> list[str]:
    """Tags that go on with a span of another label, or with none."""
    found = []
    for sentence in sentences(path):
        tags = ["O", *(tag for _, tag in sentence)]
        found += [tag for before, tag in pairwise(tags) if tag[0] == "I" and before[1:] != tag[1:]]
    return found


def spans(sentence: Sentence) -> list[Span]:
    found: list[Span] = []
    for at, (_, tag) in enumerate(sentence):
        mark, _, label = tag.partition("-")
        if mark == "I" and found and found[-1][1:] == (at, label):
            found[-1] = (found[-1][0], at + 1, label)
        elif mark != "O":
            found.append((at, at + 1, label))
    return found


def kind(reference: Span, predicted: Span) -> str:
    same_bounds, same_label = reference[:2] == predicted[:2], reference[2] == predicted[2]
    wrong = ("" if same_label else "type", "" if same_bounds else "boundary")
    return "wrong_" + "_and_".join(filter(None, wrong)) if any(wrong) else "correct"


def overlap(reference: Span, predicted: Span) -> int:
    return min(reference[1], predicted[1]) - max(reference[0], predicted[0])


def kinds(reference: list[Span], predicted: list[Span]) -> Counter[str]:
    """The best of all ways to pair the spans of one sentence."""
    order = ["correct", "wrong_type", "wrong_boundary", "wrong_type_and_boundary"]
    seats: list[Span | None] = [*predicted, *[None] * len(reference)]
    best: tuple[list[int], Counter[str]] = ([-1], Counter())
    for choice in permutations(seats, len(reference)):
        pairs = [(gold, span) for gold, span in zip(reference, choice, strict=True) if span and overlap(gold, span) > 0]
        found = Counter(kind(*pair) for pair in pairs)
        worth = [found["correct"], found["correct"] + found["wrong_type"], *(found[name] for name in order[2:])]
        worth.append(sum(overlap(*pair) for pair in pairs))
        found.update(missed=len(reference) - len(pairs), spurious=len(predicted) - len(pairs))
        best = max(best, (worth, found), key=lambda scored: scored[0])
    return best[1]


def test_the_bundled_files_are_found(demo: DemoFiles) -> None:
    assert [path.is_file() for path in (demo.reference, *demo.systems)] == [True, True, True]


def test_there_are_forty_to_sixty_sentences(demo: DemoFiles) -> None:
    assert 40 <= len(sentences(demo.reference)) <= 60


@pytest.mark.parametrize("system", [0, 1])
def test_a_system_has_the_tokens_of_the_reference(demo: DemoFiles, system: int) -> None:
    assert tokens(demo.systems[system]) == tokens(demo.reference)


def test_the_sentences_cover_ten_scripts(demo: DemoFiles) -> None:
    letters = {character for words in tokens(demo.reference) for word in words for character in word}
    scripts = {unicodedata.name(letter).split()[0] for letter in letters if letter.isalpha()}
    assert scripts >= SCRIPTS


def test_some_sentences_run_from_right_to_left(demo: DemoFiles) -> None:
    directions = {unicodedata.bidirectional(words[0][0]) for words in tokens(demo.reference)}
    assert {"L", "R", "AL"} <= directions


def test_some_characters_lie_beyond_the_basic_plane(demo: DemoFiles) -> None:
    assert max("".join(word for words in tokens(demo.reference) for word in words)) > "\uffff"


@pytest.mark.parametrize("file", ["reference", "first system", "second system"])
def test_persons_organisations_and_places_are_the_only_labels(demo: DemoFiles, file: str) -> None:
    path = dict(zip(["reference", "first system", "second system"], [demo.reference, *demo.systems], strict=True))[file]
    assert {tag for sentence in sentences(path) for _, tag in sentence} == {
        "O",
        *(f"{mark}-{label}" for mark in "BI" for label in ("PER", "ORG", "LOC")),
    }


@pytest.mark.parametrize("system", [0, 1])
def test_a_system_shows_every_kind_of_error(demo: DemoFiles, system: int) -> None:
    total: Counter[str] = Counter()
    for reference, predicted in zip(sentences(demo.reference), sentences(demo.systems[system]), strict=True):
        total += kinds(spans(reference), spans(predicted))
    assert set(total) == KINDS


def test_the_second_system_has_fewer_correct_spans_than_the_first(demo: DemoFiles) -> None:
    correct = []
    for system in demo.systems:
        pairs = zip(sentences(demo.reference), sentences(system), strict=True)
        correct.append(sum(len(set(spans(gold)) & set(spans(found))) for gold, found in pairs))
    assert correct[1] < correct[0] < sum(len(spans(sentence)) for sentence in sentences(demo.reference))


def test_the_reference_and_the_first_system_have_no_invalid_tags(demo: DemoFiles) -> None:
    assert invalid_tags(demo.reference) + invalid_tags(demo.systems[0]) == []


def test_the_second_system_has_invalid_tags_of_every_label(demo: DemoFiles) -> None:
    assert Counter(invalid_tags(demo.systems[1])) == {"I-ORG": 3, "I-LOC": 2, "I-PER": 1}
