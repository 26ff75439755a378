"""Score spans, words, names and languages in text of any script.

The scores say where words, names and languages begin and end.

>>> import isogloss
>>> run = isogloss.ner([["B-PER", "I-PER", "O"]], [["B-PER", "I-PER", "O"]])
>>> run.scores["strict"].f1
1.0
"""

from __future__ import annotations

from isogloss.kernel.presenters import register_presenter
from isogloss.version import __version__

TYPE_CHECKING = False  # as in typing, whose import takes long enough for an interrupt to fall into it
if TYPE_CHECKING:
    from typing import Any

    from isogloss.client import Client
    from isogloss.distributed.accumulator import Accumulator
    from isogloss.distributed.counting import count, merge
    from isogloss.errors import DataError, IsoglossError, MissingExtraError, UsageError
    from isogloss.formats.conversion import convert
    from isogloss.formats.tag_lists import convert_tags, spans_to_tags, tags_to_spans
    from isogloss.records.shards import Shards
    from isogloss.runs.comparison import Comparison, compare
    from isogloss.runs.run import Run
    from isogloss.tasks.classification.scoring import classification
    from isogloss.tasks.code_mixing.scoring import code_mixing
    from isogloss.tasks.code_switching.scoring import code_switching
    from isogloss.tasks.entity_translation.scoring import entity_translation
    from isogloss.tasks.ner.scoring import ner
    from isogloss.tasks.segmentation.sample_rows import segmentation_frame
    from isogloss.tasks.segmentation.scoring import segmentation

_PLACES = {  # imported when asked for, so that `isogloss --help` need not wait for numpy
    "Accumulator": "isogloss.distributed.accumulator",
    "Client": "isogloss.client",
    "Comparison": "isogloss.runs.comparison",
    "DataError": "isogloss.errors",
    "IsoglossError": "isogloss.errors",
    "MissingExtraError": "isogloss.errors",
    "Run": "isogloss.runs.run",
    "Shards": "isogloss.records.shards",
    "UsageError": "isogloss.errors",
    "classification": "isogloss.tasks.classification.scoring",
    "code_mixing": "isogloss.tasks.code_mixing.scoring",
    "code_switching": "isogloss.tasks.code_switching.scoring",
    "compare": "isogloss.runs.comparison",
    "convert": "isogloss.formats.conversion",
    "count": "isogloss.distributed.counting",
    "merge": "isogloss.distributed.counting",
    "convert_tags": "isogloss.formats.tag_lists",
    "entity_translation": "isogloss.tasks.entity_translation.scoring",
    "ner": "isogloss.tasks.ner.scoring",
    "segmentation": "isogloss.tasks.segmentation.scoring",
    "segmentation_frame": "isogloss.tasks.segmentation.sample_rows",
    "spans_to_tags": "isogloss.formats.tag_lists",
    "tags_to_spans": "isogloss.formats.tag_lists",
}
__all__ = [
    "Accumulator",
    "Client",
    "Comparison",
    "DataError",
    "IsoglossError",
    "MissingExtraError",
    "Run",
    "Shards",
    "UsageError",
    "__version__",
    "classification",
    "code_mixing",
    "code_switching",
    "compare",
    "convert",
    "convert_tags",
    "count",
    "entity_translation",
    "merge",
    "ner",
    "segmentation",
    "segmentation_frame",
    "spans_to_tags",
    "tags_to_spans",
]
for _name, _place in {
    "comparison_html": "isogloss.report.notebook:format_comparison_html",
    "comparison_text": "isogloss.report.notebook:format_comparison_text",
    "finding_html": "isogloss.report.notebook:format_finding_html",
    "finding_text": "isogloss.report.notebook:format_finding_text",
    "findings_html": "isogloss.report.notebook:format_findings_html",
    "findings_text": "isogloss.report.notebook:format_findings_text",
    "report": "isogloss.explorer.static_export:write_report",
    "run_html": "isogloss.report.notebook:format_run_html",
    "run_text": "isogloss.report.notebook:format_run_text",
    "show": "isogloss.report.notebook:show_run",
}.items():
    register_presenter(_name, _place)


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'isogloss' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_PLACES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
