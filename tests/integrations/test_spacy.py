"""The scorer `isogloss.ner.v1` in real spaCy pipelines and configurations."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import pytest

spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
get_ner_prf = pytest.importorskip("spacy.scorer").get_ner_prf
Config = pytest.importorskip("thinc.api").Config
Doc = pytest.importorskip("spacy.tokens").Doc
Example = pytest.importorskip("spacy.training").Example

pytestmark = pytest.mark.extra

SCORER = {"@scorers": "isogloss.ner.v1"}
PATTERNS = [{"label": "LOC", "pattern": "New York"}, {"label": "PER", "pattern": "Ada"}]
VOCABULARY = spacy.blank("xx").vocab
CONFIG = """
[nlp]
lang = "en"
pipeline = ["ner"]

[components]

[components.ner]
factory = "ner"

[components.ner.scorer]
@scorers = "isogloss.ner.v1"

[training]

[training.score_weights]
ents_f = 0.5
isogloss_partial_f1 = 0.5
"""


@pytest.fixture
def pipeline() -> Any:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler", config={"scorer": SCORER}).add_patterns(PATTERNS)
    return nlp


@pytest.fixture(scope="module")
def score() -> Callable[[Sequence[Any]], dict[str, Any]]:
    made: Callable[[Sequence[Any]], dict[str, Any]] = spacy.registry.scorers.get("isogloss.ner.v1")()
    return made


def example(
    words: Sequence[str],
    predicted: Sequence[str],
    reference: Sequence[str] | None,
    **reference_is: Any,
) -> Any:
    x = Doc(VOCABULARY, words=words, ents=predicted)
    y = Doc(VOCABULARY, **({"words": words} | reference_is), ents=reference)
    return Example(x, y)


def w(number: int) -> list[str]:
    return [f"w{k}" for k in range(number)]


def test_a_pipeline_is_evaluated_with_spacys_keys_and_ours(pipeline: Any) -> None:
    text = "Ada lives in New York City."
    gold = {"entities": [(0, 3, "PER"), (13, 26, "LOC")]}
    found = pipeline.evaluate([Example.from_dict(pipeline.make_doc(text), gold)])
    assert (found["ents_p"], found["ents_r"], found["ents_f"]) == (0.5, 0.5, 0.5)
    assert found["ents_per_type"] == {"PER": {"p": 1, "r": 1, "f": 1}, "LOC": {"p": 0, "r": 0, "f": 0}}
    ours = {schema: found[f"isogloss_{schema}_f1"] for schema in ("strict", "exact", "partial", "type")}
    assert ours == {"strict": 0.5, "exact": 0.5, "partial": 0.75, "type": 1}
    assert found["isogloss_macro_strict_precision"] == 0.5
    assert found["isogloss_per_type"]["LOC"]["partial"] == {"p": 0.5, "r": 0.5, "f": 0.5}
    assert found["isogloss_kinds"] == {
        "correct": 1,
        "wrong_type": 0,
        "wrong_boundary": 1,
        "wrong_type_and_boundary": 0,
        "missed": 0,
        "spurious": 0,
    }


def test_a_configuration_names_it() -> None:
    nlp = spacy.util.load_model_from_config(Config().from_str(CONFIG), auto_fill=True)
    gold = Example.from_dict(nlp.make_doc("Ada lives in New York."), {"entities": [(0, 3, "PER"), (13, 21, "LOC")]})
    nlp.initialize(lambda: [gold])
    assert nlp.config["components"]["ner"]["scorer"] == SCORER
    found = nlp.evaluate([gold])
    assert set(nlp.config["training"]["score_weights"]) <= set(found)
    assert all(isinstance(found[name], float | None) for name in ("ents_f", "isogloss_partial_f1"))


def test_a_pipeline_that_was_saved_has_it_again(pipeline: Any, tmp_path: Any) -> None:
    pipeline.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    gold = Example.from_dict(again.make_doc("Ada"), {"entities": [(0, 3, "PER")]})
    assert again.evaluate([gold])["isogloss_strict_f1"] == 1


def test_documents_without_annotation_are_left_out(score: Any) -> None:
    unannotated = example(w(2), ["B-PER", "O"], None)
    annotated = example(w(2), ["B-PER", "O"], ["O", "O"])
    found = score([unannotated, annotated])
    assert (found["ents_p"], found["isogloss_strict_precision"]) == (0, 0)
    assert found["isogloss_kinds"]["spurious"] == 1


def test_without_any_annotation_nothing_is_defined(score: Any) -> None:
    for examples in ([], [example(w(2), ["B-PER", "O"], None)]):
        found = score(examples)
        assert {"ents_f", "isogloss_strict_f1", "isogloss_per_type", "isogloss_kinds"} <= set(found)
        assert set(found.values()) == {None}


def test_scores_without_entities_are_undefined_as_in_spacy(score: Any) -> None:
    found = score([example(w(2), ["O", "O"], ["O", "O"])])
    assert found["ents_f"] is found["isogloss_strict_f1"] is None
    assert found["isogloss_kinds"]["missed"] == 0


def test_a_model_without_predictions_has_scores_of_0(score: Any) -> None:
    found = score([example(w(3), ["O", "O", "O"], ["B-PER", "O", "B-LOC"])])
    numbers = {name: value for name, value in found.items() if name not in {"isogloss_kinds", "isogloss_per_type"}}
    assert numbers.pop("ents_per_type") == {label: {"p": 0, "r": 0, "f": 0} for label in ("PER", "LOC")}
    assert set(numbers.values()) == {0}
    assert found["isogloss_per_type"]["PER"]["partial"] == {"p": 0, "r": 0, "f": 0}
    assert found["isogloss_kinds"]["missed"] == 2


def test_means_leave_out_labels_without_the_ratio(score: Any) -> None:
    found = score([example(w(2), ["B-PER", "O"], ["B-PER", "B-LOC"])])  # no LOC is predicted
    assert (found["isogloss_macro_strict_precision"], found["isogloss_macro_strict_recall"]) == (1, 0.5)


def test_keys_are_the_same_whatever_there_is_to_score(score: Any) -> None:
    sets = [[], [example(w(1), ["O"], ["O"])], [example(w(1), ["B-PER"], ["B-LOC"])]]
    assert len({tuple(score(examples)) for examples in sets}) == 1


def test_predictions_on_unannotated_tokens_are_left_out(score: Any) -> None:
    found = score([example(w(4), ["B-PER", "I-PER", "O", "B-PER"], ["B-PER", "", "O", "B-PER"])])
    assert (found["ents_p"], found["isogloss_strict_precision"]) == (1, 1)
    assert found["ents_r"] == found["isogloss_strict_recall"] == 0.5


def test_entities_are_put_on_the_tokens_of_the_reference(score: Any) -> None:
    split, joined = ["New", "-", "York", "is"], ["New-York", "is"]
    spaces = {"spaces": [False, False, True, False]}
    x = Doc(VOCABULARY, words=split, ents=["B-LOC", "I-LOC", "I-LOC", "O"], **spaces)
    y = Doc(VOCABULARY, words=joined, ents=["B-LOC", "O"], spaces=[True, False])
    found = score([Example(x, y)])
    assert found["ents_f"] == found["isogloss_strict_f1"] == found["isogloss_exact_f1"] == 1


def test_examples_may_come_from_a_generator(score: Any) -> None:
    found = score(example(w(1), ["B-PER"], ["B-PER"]) for _ in range(3))
    assert (found["ents_f"], found["isogloss_kinds"]["correct"]) == (1, 3)


def test_values_can_be_written_as_json(score: Any) -> None:
    found = score([example(w(2), ["B-บุคคล", "O"], ["B-บุคคล", "B-مكان"])])
    assert json.loads(json.dumps(found)) == found
    assert set(found["isogloss_per_type"]) == {"บุคคล", "مكان"}


def test_strict_scores_equal_spacy_on_random_tokenizations(score: Any) -> None:
    draw = random.Random(5)
    for _ in range(60):
        examples = [random_example(draw) for _ in range(draw.randint(1, 8))]
        found, theirs = score(examples), get_ner_prf(examples)
        assert {name: found[name] for name in theirs} == theirs
        for name, own in (("ents_p", "precision"), ("ents_r", "recall"), ("ents_f", "f1")):
            strict = found[f"isogloss_strict_{own}"]
            assert (strict is None) == (theirs[name] is None)
            assert (strict or 0) == pytest.approx(theirs[name] or 0, abs=1e-12)
        for label, figures in (theirs["ents_per_type"] or {}).items():
            # spaCy lists the labels of predictions that nobody can judge, too, with 0 in all figures.
            ours = found["isogloss_per_type"].get(label, {"strict": {"p": 0, "r": 0, "f": 0}})
            assert ours["strict"] == pytest.approx(figures, abs=1e-12)


def random_example(draw: random.Random) -> Any:
    """One text in two ways of cutting it, with entities on either side, and here and there no annotation."""
    text = "abcdefgh"

    def document(*, may_be_missing: bool) -> Any:
        edges = [0, *sorted(draw.sample(range(1, len(text)), draw.randint(0, 5))), len(text)]
        words = [text[a:b] for a, b in pairwise(edges)]
        tags, previous = [], "O"
        for _ in words:
            choices = ["O", "O", "B-P", "B-Q", *([f"I-{previous[2:]}"] if previous[:1] in {"B", "I"} else [])]
            previous = draw.choice([*choices, *([""] if may_be_missing else [])])
            tags.append(previous)
        missing = may_be_missing and draw.random() < 0.2
        return Doc(VOCABULARY, words=words, spaces=[False] * len(words), ents=None if missing else tags)

    return Example(document(may_be_missing=False), document(may_be_missing=True))
