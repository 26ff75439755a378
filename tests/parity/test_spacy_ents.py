"""The profile `spacy` of named entities against spaCy's `get_ner_prf` and `Scorer.score_spans`, and the keys of tokens.

Tested with 3.8.18.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from compared import compared

from isogloss import ner, segmentation
from isogloss.errors import TagError
from isogloss.formats.python_lists import batch_tag_lists
from isogloss.spans.batches import SpanPairs
from isogloss.tasks.ner.options import PROFILES

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
tokens = pytest.importorskip("spacy.tokens")
training = pytest.importorskip("spacy.training")
scorer = pytest.importorskip("spacy.scorer")
spancat_score = pytest.importorskip("spacy.pipeline.spancat").spancat_score
span_finder_score = pytest.importorskip("spacy.pipeline.span_finder").span_finder_score

pytestmark = [pytest.mark.parity, pytest.mark.extra]

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "ner"
SYSTEMS = sorted(path for path in DATA.glob("*/*.test.conll") if not path.name.startswith("gold"))
SPAN_FILES = sorted(path for path in DATA.glob("*/*.test.jsonl") if not path.name.startswith("gold"))
VOCABULARY = spacy.blank("xx").vocab
PARTS = ("p", "r", "f", "per_type")
RATIOS = ("precision", "recall", "f1")
DOCUMENTS = 10_000
SEEDS = 20
REFUSALS = ("[E093]", "[E177]", "[E067]", "[E068]", "[E1010]")
Span = tuple[int, int, str]
Tags = Sequence[str]
IOB = ("O", "O", "O", "B-P", "I-P", "B-Q", "I-Q", "B-A-B", "I-A-B", "B-é", "I-é")
ODD = ("O-P", "B", "I", "B-", "I-", "ADJ", "U-P", "-", "-P", "O-", "OTHER", "B--", "I--", "b-P")
BILOU = ("O", "O", "B-P", "I-P", "L-P", "U-P", "B-Q", "I-Q", "L-Q", "U-Q")


def doc(size: int, words: Sequence[str] | None = None, **options: Any) -> Any:
    return tokens.Doc(VOCABULARY, words=[f"w{k}" for k in range(size)] if words is None else words, **options)


def with_spans(size: int, spans: Sequence[Span]) -> Any:
    result = doc(size)
    result.spans["sc"] = [tokens.Span(result, start, end, label=label) for start, end, label in spans]
    return result


def entities_of(result: Any) -> list[Span]:
    return [(e.start, e.end, e.label_) for e in result.ents]


def ents(reference: Sequence[Any], predicted: Sequence[Any]) -> dict[str, Any]:
    result: dict[str, Any] = scorer.get_ner_prf(map(training.Example, predicted, reference))
    return result


def spans(reference: Sequence[Any], predicted: Sequence[Any]) -> dict[str, Any]:
    result: dict[str, Any] = spancat_score(map(training.Example, predicted, reference), spans_key="sc")
    return result


def bounds(reference: Sequence[Any], predicted: Sequence[Any]) -> dict[str, Any]:
    """What `span_finder` gives, by the names of our group."""
    found = span_finder_score(map(training.Example, predicted, reference), spans_key="sc")
    assert found.keys() == {"spans_sc_p", "spans_sc_r", "spans_sc_f"}
    return {name: found[f"spans_sc_{part}"] for part, name in zip("prf", RATIOS, strict=True)}


def ents_listed(reference: Sequence[Sequence[Span]], predicted: Sequence[Sequence[Span]], size: int) -> dict[str, Any]:
    """What spaCy's own function makes of lists that its documents refuse: spans that overlap or are listed twice."""

    def listed(own: Sequence[Span]) -> list[Any]:
        return [SimpleNamespace(start=start, end=end, label_=label) for start, end, label in own]

    class Reference(list[Any]):
        ents: Sequence[Any] = ()

        def has_annotation(self, _: str) -> bool:
            return True

    examples = []
    for gold, found in zip(reference, predicted, strict=True):
        y = Reference([SimpleNamespace(ent_iob=2)] * size)
        y.ents = listed(gold)
        alignment = SimpleNamespace(x2y=list(range(size)))
        examples.append(SimpleNamespace(x=SimpleNamespace(ents=listed(found)), y=y, alignment=alignment))
    result: dict[str, Any] = scorer.get_ner_prf(examples)
    return result


def keys(key: str, of: Mapping[str, Any]) -> dict[str, Any]:
    return {f"{key}_{part}": of[f"{key}_{part}"] for part in PARTS}


def tagged(draw: random.Random, vocabulary: Tags) -> list[str]:
    tags = [draw.choice(vocabulary) for _ in range(draw.choice([0, 1, 2, 5, 9]))]
    return ["B" + tags[0][1:], *tags[1:]] if tags and tags[0].startswith("I-") else tags


def corpus(seed: int, number: int) -> tuple[list[list[str]], list[list[str]]]:
    """Predictions are references with changes; some documents are empty, some all O. spaCy refuses I at the start."""
    draw = random.Random(seed)
    quiet = draw.choice([0.0, 0.5, 1.0])
    vocabulary = IOB if quiet < 1 else IOB[:5]
    reference = [["O"] * 4 if draw.random() < quiet / 2 else tagged(draw, vocabulary) for _ in range(number)]
    change = draw.choice([0.0, 0.2, 1.0])
    prediction = [[draw.choice(IOB) if draw.random() < change else tag for tag in tags] for tags in reference]
    return reference, [
        ["B" + tags[0][1:], *tags[1:]] if tags[:1] and tags[0][0] == "I" else tags for tags in prediction
    ]


def test_entities_and_spans_of_tags_have_keys_and_values_of_spacy() -> None:
    for seed in range(SEEDS):
        reference, prediction = corpus(seed, DOCUMENTS // SEEDS)
        sides = [[doc(len(tags), ents=tags) for tags in side] for side in (reference, prediction)]
        for side in sides:
            for document in side:
                document.spans["sc"] = list(document.ents)
        theirs = keys("ents", ents(*sides)) | keys("spans_sc", spans(*sides))
        for scheme in ("iob1", "iob2"):
            ours = ner(reference, prediction, profile="spacy", scheme=scheme).to_dict()
            assert keys("ents", ours) | keys("spans_sc", ours) == theirs, (seed, scheme)
    compared("iob1 and iob2", DOCUMENTS)


def drawn(draw: random.Random, size: int) -> list[Span]:
    """Spans that may overlap, nest and be listed twice."""
    found = [
        (start, draw.randint(start + 1, size), draw.choice("PQR"))
        for start in (draw.randrange(size) for _ in range(draw.choice([0, 0, 1, 3, 6])))
    ]
    return found + found[: draw.choice([0, 0, 1, 2])]


def test_spans_that_overlap_or_are_listed_twice_have_keys_and_values_of_spacy() -> None:
    for seed in range(SEEDS):
        draw, size = random.Random(seed), 6
        reference = [drawn(draw, size) for _ in range(DOCUMENTS // SEEDS)]
        prediction = [[*(s for s in own if draw.random() < 0.6), *drawn(draw, size)] for own in reference]
        ours = ner(reference, prediction, profile="spacy").to_dict()
        sides = [[with_spans(size, own) for own in side] for side in (reference, prediction)]
        assert keys("spans_sc", ours) == spans(*sides), seed
        assert keys("ents", ours) == ents_listed(reference, prediction, size), seed
        assert {name: ours["scores"]["bounds"][name] for name in RATIOS} == bounds(*sides), seed
    compared("spans", DOCUMENTS)


@pytest.mark.parametrize(
    ("reference", "prediction"),
    [([["O"]], [["O"]]), ([["B-P"]], [["O"]]), ([["O"]], [["B-P"]]), ([[]], [[]])],
)
def test_nothing_divided_by_nothing_is_that_of_spacy(reference: list[list[str]], prediction: list[list[str]]) -> None:
    ours = ner(reference, prediction, profile="spacy").to_dict()
    sides = [[doc(len(tags), ents=tags) for tags in side] for side in (reference, prediction)]
    assert keys("ents", ours) == ents(*sides)


def test_a_document_without_annotation_is_left_out_there_and_has_no_names_here() -> None:
    assert ents([doc(2)], [doc(2, ents=["B-P", "O"])])["ents_p"] is None
    assert ner([["O", "O"]], [["B-P", "O"]], profile="spacy").to_dict()["ents_p"] == 0


def read(scheme: str, tags: list[str]) -> list[Span] | None:
    """Our spans, None where they are refused."""
    decode = PROFILES.load("spacy").build_decoder(scheme)
    try:
        batches: list[SpanPairs] = list(map(decode, batch_tag_lists([tags], [["O"] * len(tags)])))
    except TagError:
        return None
    own, labels = batches[0].reference, batches[0].labels
    return [(int(s), int(e), labels[k]) for s, e, k in zip(own.start, own.end, own.label, strict=True)]


def read_there(make: Callable[[], Any]) -> list[Span] | None:
    try:
        return entities_of(make())
    except ValueError as error:
        if not str(error).startswith(REFUSALS):
            raise
        return None


def odd(seed: int, vocabulary: Tags) -> Iterator[list[str]]:
    draw = random.Random(seed)
    for _ in range(DOCUMENTS // 2):
        some = [draw.choice(vocabulary) for _ in range(4)]
        yield [draw.choice(some) for _ in range(draw.randint(1, 6))]


def test_odd_tags_are_read_or_refused_as_by_spacy() -> None:
    refused = 0
    for tags in odd(3, (*IOB, *IOB, *ODD)):
        theirs = read_there(lambda tags=tags: doc(len(tags), ents=tags))  # type: ignore[misc]
        for scheme in ("iob1", "iob2", "io"):
            assert read(scheme, tags) == theirs, (scheme, tags)
        refused += theirs is None
    assert 0 < refused < DOCUMENTS // 2
    compared("odd tags", DOCUMENTS // 2)


def bilou(tags: list[str]) -> Any:
    return training.Example.from_dict(doc(len(tags)), {"entities": tags}).reference


def test_bilou_tags_that_spacy_refuses_are_refused_and_the_accepted_are_read_alike() -> None:
    accepted = 0
    for tags in odd(4, (*BILOU, "O-P", "OTHER", "B-U-P", "L-U-P", "ADJ", "S-P")):
        ours = read("bilou", tags)
        theirs = read_there(lambda tags=tags: bilou(tags))  # type: ignore[misc]
        assert ours is None or ours == theirs, tags
        accepted += bool(ours)
    assert accepted > 100
    compared("odd tags, bilou", DOCUMENTS // 2)


@pytest.mark.parametrize("tags", [["B-P", "O"], ["B-P", "O", "L-P"], ["B-P", "I-Q", "L-P"]], ids="_".join)
def test_bilou_tags_that_do_not_fit_are_read_there_and_refused_here(tags: list[str]) -> None:
    assert read_there(lambda: bilou(tags)) is not None
    assert read("bilou", tags) is None


def columns(path: Path) -> list[tuple[list[str], list[str]]]:
    """Words and tags of each sentence."""
    blocks = path.read_text(encoding="utf-8").strip("\n").split("\n\n")
    rows = [[line.split("\t") for line in block.split("\n") if not line.startswith("# ")] for block in blocks]
    return [([row[0] for row in block], [row[-1] for row in block]) for block in rows]


@pytest.mark.skipif(not SYSTEMS, reason=f"{DATA} is not there")
@pytest.mark.parametrize("path", SYSTEMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_real_files_have_keys_and_values_of_spacy(path: Path) -> None:
    gold = path.with_name(f"gold.{path.name.split('.', 1)[1]}")
    sides = [[doc(0, words, ents=tags) for words, tags in columns(file)] for file in (gold, path)]
    try:
        theirs = ents(*sides)
    except ValueError as refusal:
        compared(f"{path.name}, refused: {refusal}", len(sides[0]))
        with pytest.raises(TagError, match=r"'I-.*' at the start of its document"):
            ner(gold, path, profile="spacy")
        return
    run = ner(gold, path, profile="spacy")
    assert run.documents == len(sides[0]) == len(sides[1])
    assert keys("ents", run.to_dict()) == theirs
    compared(path.name, run.documents)


def spans_in(path: Path) -> list[list[Span]]:
    """The spans of each document, in characters."""
    rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return [[(e["start"], e["end"], e["label"]) for e in row["entities"]] for row in rows]


@pytest.mark.skipif(not SPAN_FILES, reason=f"{DATA} is not there")
@pytest.mark.parametrize("path", SPAN_FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_real_character_spans_have_keys_and_values_of_spacy(path: Path) -> None:
    gold = path.with_name("gold.test.jsonl")
    reference, predicted = sides = spans_in(gold), spans_in(path)
    size = max(end for side in sides for own in side for _, end, _ in own)
    ours = ner(gold, path, profile="spacy").to_dict()
    assert keys("ents", ours) == ents_listed(reference, predicted, size)
    characters = [
        [with_spans(max([1, *(end for _, end, _ in own + other)]), own) for own, other in zip(*order, strict=True)]
        for order in (sides, sides[::-1])
    ]
    assert keys("spans_sc", ours) == spans(*characters)
    assert {name: ours["scores"]["bounds"][name] for name in RATIOS} == bounds(*characters)
    compared(path.name, len(sides[0]))


def test_tokens_of_no_text_have_no_values_there_and_here() -> None:
    assert set(scorer.Scorer.score_tokenization([]).values()) == {None}
    ours = segmentation([[" "]], [[" "]], profile="spacy").to_dict()
    assert [ours[key] for key in ("token_acc", "token_p", "token_r", "token_f")] == [None] * 4
