"""Declare the task entity-aware translation."""

from __future__ import annotations

from dataclasses import replace

from isogloss.kernel.registry import lazy, load_object
from isogloss.kernel.score_catalogue import Catalogue, Score
from isogloss.tasks.entity_translation.options import PROFILES, EntityTranslationOptions
from isogloss.tasks.task import Argument, Linter, Task

SCORES = Catalogue(
    (
        Score("m_eta.accuracy", main=1, by_slice=True),
        Score("languages.accuracy", secondary=1),
        Score("comet.score", secondary=1, by_slice=True, limits=(0, 100)),
        Score("chrf.score", secondary=1, by_slice=True, limits=(0, 100)),
        Score("bleu.score", secondary=1, by_slice=True, limits=(0, 100)),
        Score("harmonic_mean.score", secondary=1, limits=(0, 100)),
    ),
    by_label=(("m_eta", "accuracy"),),
    abbreviations={"m_eta": "m-ETA", "comet": "COMET", "chrf": "chrF", "bleu": "BLEU"},
)
PLACE = "isogloss.tasks.entity_translation"


def _json_options(options: EntityTranslationOptions) -> EntityTranslationOptions:
    return replace(options, hits=options.explain)


TASK = Task(
    name="entity-translation",
    title="Entity translation",
    summary="Score the names in translations (m-ETA).",
    description="A translation is correct if it contains one of the accepted names of its entity.",
    examples=(
        "isogloss entity-translation it_IT.jsonl system.jsonl --errors 10",
        "isogloss entity-translation references system-a system-b",
        "isogloss entity-translation references system --by entity_type --chrf",
    ),
    options=EntityTranslationOptions,
    reference=Argument(
        "reference",
        "REFERENCE",
        "JSON lines, or a folder with one file per language: it_IT.jsonl.",
        upload="JSON lines of one language.",
    ),
    prediction=Argument(
        "prediction",
        "PREDICTION...",
        "A file or folder per system; the first is the baseline.",
        upload="JSON lines with the translations of one system.",
    ),
    open_systems=lazy(f"{PLACE}.scoring:open_systems"),
    count=lazy(f"{PLACE}.scoring:count"),
    finish=lazy(f"{PLACE}.scoring:finish"),
    list_sources=lazy(f"{PLACE}.scoring:list_sources"),
    merge=lazy(f"{PLACE}.scoring:merge_states"),
    make_metric=lazy(f"{PLACE}.scoring:make_metric"),
    scores=SCORES,
    tables=lazy(f"{PLACE}.tables:build_tables"),
    view=lambda: load_object(f"{PLACE}.findings:VIEW"),
    profiles=PROFILES,
    linter=Linter(
        summary="Find faults in references of entity translation.",
        description="The exit code is 3 if a fault makes scores unfair, and 0 if there are only remarks or no faults.",
        data=Argument(
            "references", "REFERENCES", "JSON lines, or a folder with a file for each language: it_IT.jsonl."
        ),
        find_faults=lazy(f"{PLACE}.lint:find_faults"),
    ),
    request=lazy(f"{PLACE}.request:make_request"),
    json_options=_json_options,
    default_unit=None,  # entity if ids name entities, else document
    columns_in_tables=("language",),
    ids_within="language",
)
