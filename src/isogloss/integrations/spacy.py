"""The spaCy scorer `isogloss.ner.v1`.

It gives the scores of spaCy's own entity scorer, and those of isogloss beside them.

    [components.ner.scorer]
    @scorers = "isogloss.ner.v1"

spaCy finds it by an entry point, in training configurations and in `nlp.add_pipe(..., config=...)`.

It compares what `spacy.scorer.get_ner_prf` compares, so that `isogloss_strict_f1` equals `ents_f`: entities of the
predicted document are aligned to the tokens of the reference. It leaves out documents whose reference has no entity
annotation, and predicted entities that touch a token without one or match no token of the reference.

Keys beside `ents_p`, `ents_r`, `ents_f` and `ents_per_type`, which spaCy itself computes:

    isogloss_{strict,exact,partial,type}_{precision,recall,f1}          over all labels
    isogloss_macro_{strict,exact,partial,type}_{precision,recall,f1}    means over labels
    isogloss_per_type      {label: {schema: {"p", "r", "f"}}}
    isogloss_kinds         number of entities of each of the six kinds

As in spaCy, 0/0 is 0, so that a model without predictions has a score in training. All ratios are None if neither side
has an entity, and all values if no document has annotation. Means over labels skip labels with an undefined ratio.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from isogloss.errors import import_extra
from isogloss.runs.run import Run
from isogloss.tasks.ner.metric import NER_SCHEMAS
from isogloss.tasks.ner.scoring import ner

RATIOS = {"p": "precision", "r": "recall", "f": "f1"}
KEYS = (
    *(f"isogloss_{schema}_{name}" for schema in NER_SCHEMAS for name in RATIOS.values()),
    *(f"isogloss_macro_{schema}_{name}" for schema in NER_SCHEMAS for name in RATIOS.values()),
    "isogloss_per_type",
    "isogloss_kinds",
)
NOT_ANNOTATED = 0  # `ent_iob` of a token without annotation
EntitySpan = tuple[int, int, str]
Scorer = Callable[..., dict[str, Any]]


def make_ner_scorer() -> Scorer:
    """Return the scorer for `@scorers = "isogloss.ner.v1"`.

    Raises:
        MissingExtraError: if spaCy is not installed.
    """
    _get_ner_prf()
    return score_entities


def score_entities(examples: Iterable[Any], **_: Any) -> dict[str, Any]:
    """Score the entities of examples.

    Args:
        examples: spaCy's Examples. Other arguments, settings of components, are ignored.

    Returns:
        Scores by the keys in this module's docstring.

    Raises:
        MissingExtraError: if spaCy is not installed.
    """
    examples = list(examples)
    scores: dict[str, Any] = _get_ner_prf()(examples)
    annotated = [example for example in examples if example.reference.has_annotation("ENT_IOB")]
    if not annotated:
        return scores | dict.fromkeys(KEYS)
    run = ner(
        [get_reference_spans(example) for example in annotated], [get_predicted_spans(example) for example in annotated]
    )
    return scores | _build_scores(run, None if scores["ents_f"] is None else 0.0)


def get_reference_spans(example: Any) -> list[EntitySpan]:
    """Return the entities of the reference, in its tokens.

    Args:
        example: a spaCy Example.
    """
    return [(entity.start, entity.end, entity.label_) for entity in example.reference.ents]


def get_predicted_spans(example: Any) -> list[EntitySpan]:
    """Return the predicted entities to score, in tokens of the reference.

    Args:
        example: a spaCy Example.
    """
    reference, matching = example.reference, example.alignment.x2y
    spans = []
    for entity in example.predicted.ents:
        tokens = matching[entity.start : entity.end]
        if len(tokens):
            start, end = int(tokens[0]), int(tokens[-1]) + 1
            if all(token.ent_iob != NOT_ANNOTATED for token in reference[start:end]):
                spans.append((start, end, entity.label_))
    return spans


def _get_ner_prf() -> Scorer:
    get_ner_prf: Scorer = import_extra("spacy.scorer", "A scorer of spaCy", "spacy").get_ner_prf
    return get_ner_prf


def _build_scores(run: Run, undefined: float | None) -> dict[str, Any]:
    """Return the scores of isogloss under its own keys.

    Args:
        run: the run.
        undefined: the value of an undefined ratio.
    """

    def ratios(figures: Mapping[str, Any]) -> list[float | None]:
        return [undefined if math.isnan(figures[name]) else figures[name] for name in RATIOS.values()]

    def of_label(label: str) -> dict[str, dict[str, float | None]]:
        figures = run.by_label[label]
        return {schema: dict(zip(RATIOS, ratios(figures[schema]), strict=True)) for schema in NER_SCHEMAS}

    overall = [value for schema in NER_SCHEMAS for value in ratios(run.scores[schema])]
    means = [value for schema in NER_SCHEMAS for value in ratios(run.macro[schema])]
    by_label = {label: of_label(label) for label in run.by_label}
    return dict(zip(KEYS, [*overall, *means, by_label, dict(run.kinds)], strict=True))
