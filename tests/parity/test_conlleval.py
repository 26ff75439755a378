"""The profile `conlleval` against conlleval.pl, and against a plain implementation of its rules.

The script comes with the source distribution of seqeval 1.2.2; name a folder that holds it in ISOGLOSS_PEERS.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from compared import compared, corpora, tags_of, with_prefixes

from isogloss.formats.python_lists import batch_tag_lists
from isogloss.kernel.counting import count_batches
from isogloss.runs.evidence import TallyEvidence
from isogloss.tasks.ner.options import PROFILES

pytestmark = pytest.mark.parity

Script = tuple[str, str]  # the command that runs conlleval.pl
Documents = list[list[str]]
DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(DATA.glob("*/*.test.conll")) if DATA.is_dir() else []
LABELS = (["P"], ["PER", "LOC", "ORG"], ["A-B", "A", "B", "-", "a_b", "_"], ["é", "人", "00", "U.S."])
ODD = [
    "ADJ",
    "B",
    "I",
    "E",
    "S",
    "X",
    "B-",
    "I-",
    "X-P",
    "L-P",
    "U-P",
    "O-P",
    "O-",
    "OTHER",
    ".",
    ".-P",
    ".-Q",
    "-",
    "-P",
]
BRACKETS = ["[-P", "]-P", "[", "]", "B-0", "I-0", "0", "[-Q", "E-P", "B-P", "I-P", "I-Q"]
CLOSING = (["B-closing"], ["O"])  # after it, no chunk is open
NUMBER = r" +([\d.]+)"
FIRST = re.compile(r"processed (\d+) tokens with (\d+) phrases; found: (\d+) phrases; correct: (\d+)\.")
OVERALL = re.compile(rf"accuracy:{NUMBER}%; precision:{NUMBER}%; recall:{NUMBER}%; FB1:{NUMBER}")
LABEL = re.compile(rf" *(.*): precision:{NUMBER}%; recall:{NUMBER}%; FB1:{NUMBER}  (\d+)")


@dataclass(frozen=True)
class Printed:
    """What the script prints: integers, percentages, and by label percentages and the number found."""

    tokens: int
    phrases: int
    found: int
    correct: int
    overall: tuple[float, ...] = ()  # accuracy, precision, recall, FB1
    labels: dict[str, tuple[float, ...]] = field(default_factory=dict)  # precision, recall, FB1, found


def printed(script: Script, reference: Documents, prediction: Documents) -> Printed:
    sentences = (
        "".join(f"w {gold} {found}\n" for gold, found in zip(*pair, strict=True))
        for pair in zip(reference, prediction, strict=True)
    )
    text = "\n".join(sentences) + "\n"
    run = subprocess.run(script, input=text.encode(), capture_output=True, check=True, timeout=60)
    first, *rest = run.stdout.decode().splitlines()
    counts = FIRST.fullmatch(first)
    assert counts
    overall = OVERALL.fullmatch(rest[0]) if rest else None
    labels = [match for line in rest[1:] if (match := LABEL.fullmatch(line))]
    assert len(labels) == max(0, len(rest) - 1)
    tokens, phrases, found, correct = map(int, counts.groups())
    return Printed(
        tokens,
        phrases,
        found,
        correct,
        overall=tuple(map(float, overall.groups())) if overall else (),
        labels={match[1]: tuple(map(float, match.groups()[1:])) for match in labels},
    )


def scored(reference: Documents, prediction: Documents) -> Any:
    tool = PROFILES.load("conlleval")
    metric, decode = tool.configure_metric(), tool.build_decoder()
    return TallyEvidence(
        metric, count_batches(map(decode, batch_tag_lists(reference, prediction)), metric).tally
    ).numbers


def compare(script: Script, reference: Documents, prediction: Documents) -> None:
    ours, theirs = scored(reference, prediction), printed(script, reference, prediction)
    names = (("tokens", "total"), ("strict", "possible"), ("strict", "actual"), ("strict", "correct"))
    assert [ours[name] for name in names] == [theirs.tokens, theirs.phrases, theirs.found, theirs.correct]
    ratios = (("tokens", "accuracy"), ("strict", "precision"), ("strict", "recall"), ("strict", "f1"))
    if theirs.tokens:
        assert all(rounds(ours[name], percent) for name, percent in zip(ratios, theirs.overall, strict=True))
    found = {key[1]: n for key, n in ours.items() if key[0] == "by_label" and key[-1] == "actual"}
    possible = {key[1]: n for key, n in ours.items() if key[0] == "by_label" and key[-1] == "possible"}
    assert {label for label in found if found[label] + possible[label]} == set(theirs.labels)
    for label, (*percents, actual) in theirs.labels.items():
        assert found[label] == actual
        for name, percent in zip(("precision", "recall", "f1"), percents, strict=True):
            assert rounds(ours["by_label", label, "strict", name], percent), (label, name)


def rounds(ratio: float, percent: float) -> bool:
    """Whether a ratio is what was printed as a percentage with two decimals."""
    return abs(100 * ratio - percent) < 0.005 + 1e-9


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
@pytest.mark.parametrize("letters", ["BI", "IE", "BIES", "BILU"])
def test_random_documents_give_the_same(conlleval: Script, letters: str, labels: list[str]) -> None:
    documents = 0
    for reference, prediction in corpora(with_prefixes(letters, labels), 1, 20, 150):
        compare(conlleval, reference, prediction)
        documents += len(reference)
    compared(f"conlleval, {letters} {labels}", documents)


@pytest.mark.parametrize("tags", [ODD, BRACKETS, [*ODD, *BRACKETS]], ids=["odd", "brackets", "all"])
def test_odd_tags_give_the_same_where_no_chunk_is_open_between_documents(conlleval: Script, tags: list[str]) -> None:
    documents = 0
    for pair in corpora([*with_prefixes("BIES", ["P", "A-B"]), *tags], 2, 60, 60):
        closed = [[d for own in side for d in (own, close)] for side, close in zip(pair, CLOSING, strict=True)]
        compare(conlleval, closed[0], closed[1])
        documents += len(closed[0])
    compared("conlleval, odd tags", documents)


def test_a_chunk_that_is_open_at_the_end_is_correct_in_the_script_alone(conlleval: Script) -> None:
    document = [["B-P", "S"]]
    assert (printed(conlleval, document, document).correct, scored(document, document)["strict", "correct"]) == (2, 1)


@pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
def test_real_files_give_the_same(conlleval: Script) -> None:
    documents = 0
    for path in SYSTEMS:
        reference, prediction = tags_of(path.parent / f"gold.{path.name.split('.', 1)[1]}"), tags_of(path)
        compare(conlleval, reference, prediction)
        documents += len(reference)
    compared("conlleval, real files", documents)


BEGUN = ("BB", "IB", "OB", "OI", "OE", "EE", "EI")
ENDED = ("BB", "BO", "IB", "IO", "EE", "EI", "EO")


@dataclass
class Plain:
    """What the rules give, one token after the other."""

    tokens: int = 0
    equal: int = 0
    possible: Counter[str] = field(default_factory=Counter)
    actual: Counter[str] = field(default_factory=Counter)
    correct: Counter[str] = field(default_factory=Counter)

    def read(self, reference: list[str], prediction: list[str]) -> None:
        """Count a document. A chunk that is open at its end is not correct."""
        before = (("O", ""), ("O", ""))
        right = False  # whether both sides are in a chunk that is correct up to here
        for pair in zip([*reference, "O"], [*prediction, "O"], strict=True):
            now = (parts(pair[0]), parts(pair[1]))
            ends = [over(a, b) for a, b in zip(before, now, strict=True)]
            begins = [fresh(a, b) for a, b in zip(before, now, strict=True)]
            if right and all(ends) and before[0][1] == before[1][1]:
                self.correct[before[0][1]] += 1
                right = False
            right = right and not any(ends) and now[0][1] == now[1][1]
            right = right or (all(begins) and now[0][1] == now[1][1])
            for begin, counted, (_, label) in zip(begins, (self.possible, self.actual), now, strict=True):
                counted[label] += begin
            self.equal += now[0] == now[1]
            before = now
        self.equal -= 1  # the O behind the document
        self.tokens += len(reference)


def parts(tag: str) -> tuple[str, str]:
    prefix, _, label = tag.partition("-")
    return prefix, label if label != "0" else ""


def fresh(before: tuple[str, str], now: tuple[str, str]) -> bool:
    changed = now[0] not in ("O", ".") and before[1] != now[1]
    return changed or now[0] in ("[", "]") or (len(before[0] + now[0]) == 2 and before[0] + now[0] in BEGUN)


def over(before: tuple[str, str], now: tuple[str, str]) -> bool:
    changed = before[0] not in ("O", ".") and before[1] != now[1]
    return changed or before[0] in ("[", "]") or (len(before[0] + now[0]) == 2 and before[0] + now[0] in ENDED)


def compare_plain(reference: Documents, prediction: Documents) -> None:
    ours, plain = scored(reference, prediction), Plain()
    for pair in zip(reference, prediction, strict=True):
        plain.read(*pair)
    assert (ours["tokens", "correct"], ours["tokens", "total"]) == (plain.equal, plain.tokens)
    for name, counted in (("possible", plain.possible), ("actual", plain.actual), ("correct", plain.correct)):
        assert ours["strict", name] == counted.total()
        own = "correct_reference" if name == "correct" else name
        labels = {key[1] for key in ours if key[0] == "by_label"}
        assert {label: n for label in labels if (n := ours["by_label", label, "strict", own])} == dict(+counted)


@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
def test_random_documents_give_what_the_plain_rules_give(labels: list[str]) -> None:
    documents = 0
    for reference, prediction in corpora([*with_prefixes("BIES", labels), *ODD, *BRACKETS], 3, 40, 150):
        compare_plain(reference, prediction)
        documents += len(reference)
    compared(f"conlleval, plain {labels}", documents)


@pytest.mark.skipif(not SYSTEMS, reason="the corpora of ../shared/data/ner are not here")
def test_real_files_give_what_the_plain_rules_give() -> None:
    documents = 0
    for path in SYSTEMS:
        reference, prediction = tags_of(path.parent / f"gold.{path.name.split('.', 1)[1]}"), tags_of(path)
        compare_plain(reference, prediction)
        documents += len(reference)
    compared("conlleval, plain, real files", documents)
