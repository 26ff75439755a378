"""The profile `fair` against a plain implementation of Ortmann (2022), and against the author's FairEval.

FairEval is in no registry: name a folder that holds its `FairEval.py` in ISOGLOSS_PEERS.
"""

from __future__ import annotations

import importlib.util
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from fair import KINDS, figures, traditional, types_of
from peer_comparison import SPAN_FILES, Span, compare_all, find_gold, load_spans, load_tags, needs_systems
from peer_comparison import SYSTEMS as TAG_FILES

import isogloss
from isogloss.runs.run import Run

pytestmark = pytest.mark.parity

Documents = list[list[Span]]
SYSTEMS = [*TAG_FILES, *SPAN_FILES]
CORPORA = 25
DOCUMENTS = 400  # of each
NAMES = dict(zip(("TP", "LE", "BE", "LBE", "FN", "FP"), KINDS, strict=True))
FORMS = {"BES": "smaller", "BEL": "larger", "BEO": "crossing"}
RATIOS = {"Prec": "precision", "Rec": "recall", "F1": "f1"}
MEMBERS = {"TP": "correct", "FN": "missed", "FP": "spurious"}
WEIGHTS = {  # those that the paper suggests
    "TP": {"TP": 1},
    "FP": {"FP": 1},
    "FN": {"FN": 1},
    "LE": {"FP": 0.5, "FN": 0.5},
    "LBE": {"FP": 0.5, "FN": 0.5},
    "BES": {"TP": 0.5, "FN": 0.5},
    "BEL": {"TP": 0.5, "FP": 0.5},
    "BEO": {"TP": 0.5, "FP": 0.25, "FN": 0.25},
}


@pytest.fixture(scope="module")
def faireval() -> Any:
    path = Path(os.environ.get("ISOGLOSS_PEERS", "")) / "FairEval.py"
    if not path.is_file():
        pytest.skip("FairEval is not there: ISOGLOSS_PEERS names no folder with FairEval.py")
    spec = importlib.util.spec_from_file_location("FairEval", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def drawn(draw: random.Random, size: int, labels: str, most: int) -> list[Span]:
    """Spans that may nest and overlap."""
    found = []
    for _ in range(draw.randint(0, most)):
        start = draw.randrange(size)
        found.append(
            (start, draw.randint(start + 1, min(size, start + draw.choice([1, 2, 4, size]))), draw.choice(labels))
        )
    return found


def flat(spans: Sequence[Span]) -> list[Span]:
    """Only spans that overlap none before them, as tags have them."""
    kept: list[Span] = []
    for span in sorted(spans):
        if not kept or kept[-1][1] <= span[0]:
            kept.append(span)
    return kept


def corpus(seed: int) -> tuple[Documents, Documents]:
    """Predictions are references with changes; of five corpora two are flat, two nested, and one repeats spans."""
    draw = random.Random(seed)
    size, labels, most = draw.choice([4, 9, 30]), draw.choice(["P", "PQ", "PQR"]), draw.choice([2, 5, 10])
    sides: tuple[Documents, Documents] = ([], [])
    for _ in range(DOCUMENTS):
        reference = drawn(draw, size, labels, most)
        predicted = [span for span in reference if draw.random() < 0.5] + drawn(draw, size, labels, most)
        for side, spans in zip(sides, (reference, predicted), strict=True):
            side.append(flat(spans) if seed % 5 < 2 else sorted(spans if seed % 5 == 4 else set(spans)))
    return sides


def documents_of(path: Path) -> Documents:
    """The spans of a real file, of tokens or of characters, read without isogloss."""
    return load_spans(path) if path.suffix == ".jsonl" else [list(begun(tags)) for tags in load_tags(path)]


def begun(tags: list[str]) -> Iterator[Span]:
    """Spans of IOB2, begun where a tag does not fit."""
    start = 0
    for end, (before, tag) in enumerate(zip(["O", *tags], [*tags, "O"], strict=True)):
        if tag != f"I-{before[2:]}" or before == "O":
            if before != "O":
                yield start, end, before[2:]
            start = end


def check(run: Run, errors: Mapping[Any, int], members: Mapping[Any, int]) -> None:
    """Counts and ratios overall and of each label, from (kind, reference label, predicted label)."""
    labels = {label for _, *pair in errors for label in pair if label is not None}
    assert set(run.by_label) == labels
    for label in (None, *labels):
        groups = run.scores if label is None else run.by_label[label]
        counts, right = Counter[str](), Counter[str]()
        for table, counted in ((errors, counts), (members, right)):
            for (kind, reference, predicted), number in table.items():
                counted[kind] += number * (label in (None, reference or predicted))
        assert [groups["fair"][kind] for kind in KINDS] == [counts[kind] for kind in KINDS]
        assert [groups["fair_weighted"][form] for form in FORMS.values()] == [counts[f] for f in FORMS.values()]
        for name, ratios in figures(counts).items():
            assert (groups[name].precision, groups[name].recall) == pytest.approx(ratios, abs=1e-12)
        assert [groups["strict"][n] for n in ("missed", "spurious")] == [right["missed"], right["spurious"]]
        assert groups["strict"].possible - groups["strict"].missed == right["correct"]


def plain(reference: Documents, predicted: Documents) -> tuple[Counter[Any], Counter[Any]]:
    errors, members = Counter[Any](), Counter[Any]()
    for pair in zip(reference, predicted, strict=True):
        errors.update(types_of(*pair))
        members.update(traditional(*pair))
    return errors, members


def check_plain(reference: Documents, predicted: Documents) -> None:
    check(isogloss.ner(reference, predicted, profile="fair"), *plain(reference, predicted))


def test_random_documents_equal_the_plain_implementation() -> None:
    compare_all("fair, plain", map(corpus, range(CORPORA)), check_plain)


def there(module: Any, reference: Documents, predicted: Documents) -> Any:
    """All that FairEval counts and scores."""
    total: dict[str, Any] = {"overall": {"weighted": {}}, "per_label": {"weighted": {}}}
    for pair in zip(reference, predicted, strict=True):
        sides = [[[label, start + 1, end, set(range(start + 1, end + 1))] for start, end, label in own] for own in pair]
        module.add_dict(total, module.compare_spans(*sides))
    return module.calculate_results(total, eval_method=["traditional", "fair", "weighted"], weights=WEIGHTS)


def same(groups: Mapping[str, Any], theirs: Callable[[str], Mapping[str, Any]]) -> None:
    """Counts and ratios of the three evaluations."""
    for names, group, version in (
        (NAMES, "fair", "fair"),
        (FORMS, "fair_weighted", "fair"),
        ({n: own for n, own in MEMBERS.items() if n != "TP"}, "strict", "traditional"),
    ):
        assert {n: groups[group][own] for n, own in names.items()} == {n: theirs(version)[n] for n in names}
    for group, version in (("fair", "fair"), ("fair_weighted", "weighted"), ("strict", "traditional")):
        for name, own in RATIOS.items():
            assert groups[group][own] == pytest.approx(theirs(version)[name], abs=1e-12), (group, own)


def check_there(module: Any, run: Run, reference: Documents, predicted: Documents) -> None:
    theirs = there(module, reference, predicted)
    same(run.scores, lambda version: theirs["overall"][version])
    assert set(run.by_label) == set(theirs["per_label"]["fair"])
    for label, groups in run.by_label.items():
        same(groups, lambda version, label=label: theirs["per_label"][version][label])  # type: ignore[misc]
    for one, other in product((*run.by_label, None), repeat=2):
        right = run.by_label[one]["fair"].correct if one is not None and one == other else 0
        assert run.confusion.get((one, other), 0) - right == theirs["conf"].get(one or "_", {}).get(other or "_", 0)


def test_random_documents_give_what_faireval_gives(faireval: Any) -> None:
    def compare(*sides: Documents) -> None:
        check_there(faireval, isogloss.ner(*sides, profile="fair"), *sides)

    compare_all("FairEval", map(corpus, range(CORPORA)), compare)


@needs_systems
def test_real_files_give_what_the_plain_implementation_gives() -> None:
    for path in SYSTEMS:
        run = isogloss.ner(find_gold(path), path, profile="fair")
        check(run, *plain(documents_of(find_gold(path)), documents_of(path)))


@needs_systems
def test_real_files_give_what_faireval_gives(faireval: Any) -> None:
    for path in SYSTEMS:
        run = isogloss.ner(find_gold(path), path, profile="fair")
        check_there(faireval, run, documents_of(find_gold(path)), documents_of(path))


def test_faireval_takes_the_first_label_of_equal_bounds_by_file(faireval: Any) -> None:
    reference, predicted = [(0, 2, "P"), (0, 2, "Q")], [(0, 2, "R")]
    here = isogloss.ner([reference[::-1]], [predicted], profile="fair").by_label
    forth, back = (there(faireval, [order], [predicted])["per_label"]["fair"] for order in (reference, reference[::-1]))
    assert (forth["P"]["LE"], back["P"]["LE"], here["P"]["fair"].wrong_type) == (1, 0, 1)


def test_its_reader_refuses_and_merges_tags_that_are_read_here(faireval: Any) -> None:
    def read(*tags: str) -> Any:
        return faireval.get_spans([f"w NN {tag}" for tag in tags], labels=["all"])

    with pytest.raises(IndexError):
        read("O", "I-P")
    assert [span[:3] for span in read("B-P", "I-Q")] == [["P", 1, 2]]
    assert [span[:3] for span in read("B-A-B")] == [["A", 1, 1]]
    assert isogloss.ner([["B-P", "I-Q"]], [["O", "O"]], profile="fair").scores["fair"].missed == 2
