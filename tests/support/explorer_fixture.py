"""A small server of the explorer's payloads, made from bundled runs and from synthetic ones.

The browser tests and front-end developers use it: `python tests/support/explorer_fixture.py --port 8321`. Its payloads
follow the plain definitions, without the store, so that they are a second implementation of the service.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import json
import math
import random
import re
import shutil
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qs, unquote, urlsplit

import numpy as np

from isogloss.demo import files
from isogloss.kernel.findings import Finding
from isogloss.report.run_tables import build_tables
from isogloss.runs.finding_view import build_kind, get_language_code
from isogloss.runs.main_scores import choose_main_score, format_score_title
from isogloss.runs.run import Run
from isogloss.runs.score_tables import format_cell
from isogloss.tasks.classification.ranking import curves_to_dict
from isogloss.tasks.classification.scoring import classification
from isogloss.tasks.code_switching.scoring import code_switching
from isogloss.tasks.entity_translation.scoring import entity_translation
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.registry import get_task, list_task_names
from isogloss.tasks.segmentation.scoring import segmentation

STATIC = Path(__file__).parents[2] / "src/isogloss/explorer/static"
PAGE_ROWS = 500
NONE = 0xFFFFFFFF
JOB = {"id": "1", "state": "done", "share": 1.0, "message": "", "run": "run0"}
CSP = "default-src 'self'; style-src 'self'; img-src 'self' data:; frame-ancestors 'none'"
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
}


def guess_direction(text: str, language: str = "") -> str:
    """Direction by the language, otherwise by the first strong character."""
    if language:
        return "rtl" if language.split("-", maxsplit=1)[0] in ("ar", "he", "fa", "ur") else "ltr"
    for character in text:
        kind = unicodedata.bidirectional(character)
        if kind in ("R", "AL"):
            return "rtl"
        if kind == "L":
            return "ltr"
    return "auto"


class RunPayloads(Protocol):
    """What the server asks of a run."""

    summary: dict[str, Any]

    def answer(self, rest: str, query: dict[str, str]) -> dict[str, Any] | bytes | None:
        """Answer a request below `/v1/runs/{id}`."""


class FindingPayloads(Protocol):
    """Parts of the payloads of a run."""

    def build_run(self) -> dict[str, Any]: ...
    def read_rows(self, positions: Iterable[int]) -> list[dict[str, Any]]: ...
    def list_surfaces(self) -> list[tuple[str, int]]: ...
    def list_facets(self) -> dict[str, Any]: ...
    def get_column(self, name: str) -> bytes: ...
    def search(self, words: str) -> list[int]: ...
    def build_document(self, number: int) -> dict[str, Any]: ...


def answer_parts(run: FindingPayloads, rest: str, query: dict[str, str]) -> dict[str, Any] | bytes | None:
    """Answer a request below `/v1/runs/{id}`."""
    part, _, name = rest.partition("/")
    answers: dict[str, Callable[[], dict[str, Any] | bytes]] = {
        "": run.build_run,
        "facets": run.list_facets,
        "columns": lambda: run.get_column(name),
        "rows": lambda: {"findings": run.read_rows(range(PAGE_ROWS * int(name), PAGE_ROWS * (int(name) + 1)))},
        "findings": lambda: {"findings": run.read_rows(_list_positions(query)), "next": None},
        "surfaces": lambda: _cut_surfaces(run.list_surfaces(), query),
        "search": lambda: _encode_positions(run.search(query["q"]) if "q" in query else []),
        "documents": lambda: run.build_document(int(name)),
        "slices": lambda: {"tests": [_test_slice(own) for own in run.build_run()["slices"]]},
    }
    return answers[part]() if part in answers else None


def _test_slice(own: dict[str, Any]) -> dict[str, Any]:
    return {"column": own["column"], "value": own["value"], "rest": 0.75, "p": 0.01, "p_holm": 0.02}


def _list_positions(query: dict[str, str]) -> Iterable[int]:
    return map(int, query["positions"].split(",")) if "positions" in query else range(int(query["limit"]))


def _cut_surfaces(surfaces: list[tuple[str, int]], query: dict[str, str]) -> dict[str, Any]:
    start = int(query.get("from", 0))
    part = list(enumerate(surfaces))[start : start + int(query.get("limit", len(surfaces)))]
    return {"surfaces": [{"number": number, "text": text, "count": count} for number, (text, count) in part]}


@dataclass
class ScoredRun:
    """Payloads of a run that was scored here."""

    run: Run
    corpus: str
    id: str
    created: str
    summary: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Build rows and columns."""
        self.view = get_task(self.run.task).finding_view
        self.documents = list(dict.fromkeys(one.document for one in self.run.findings))
        numbers = {name: number for number, name in enumerate(self.documents)}
        surfaces = Counter(_read_surface(one) for one in self.run.findings)
        self.surfaces = [text for text, _ in sorted(surfaces.items(), key=lambda item: (-item[1], item[0]))]
        self.surface_counts = surfaces
        self.rows = [self._build_row(at, one, numbers[one.document]) for at, one in enumerate(self.run.findings)]
        self.facets = self._build_facets()
        self.summary = self._build_summary()

    def answer(self, rest: str, query: dict[str, str]) -> dict[str, Any] | bytes | None:
        """Answer a request below `/v1/runs/{id}`."""
        return answer_parts(self, rest, query)

    def build_run(self) -> dict[str, Any]:
        """Build the run with its tables."""
        return self.summary | self._build_details()

    def read_rows(self, positions: Iterable[int]) -> list[dict[str, Any]]:
        """Read the rows of findings."""
        return [self.rows[at] for at in positions if at < len(self.rows)]

    def list_surfaces(self) -> list[tuple[str, int]]:
        """List the surface forms with their counts."""
        return [(text, self.surface_counts[text]) for text in self.surfaces]

    def _build_row(self, position: int, finding: Finding, number: int) -> dict[str, Any]:
        context = self.view.build_contexts([finding])[0]
        language = get_language_code(finding)
        first = finding.marks[0]
        name = json.dumps([finding.document, first.side, first.start, first.end, first.label]).encode()
        offset = first.start - first.text_start if first.text_start is not None and self.run.task != "ner" else None
        if finding.document_text is not None and finding.text is not None:
            offset = finding.text_start
        return {
            "position": position,
            "kind": finding.kind,
            "document": finding.document,
            "document_number": number,
            "where": finding.where.rsplit("/", 1)[-1],
            "language": language,
            "dir": guess_direction(finding.text or "", language),
            "lanes": [
                {
                    "side": lane.side,
                    "label": lane.label,
                    "dir": guess_direction("".join(p.text for p in lane.pieces if p.role != "more")),
                    "pieces": [{"text": p.text, "role": p.role} for p in lane.pieces],
                    "remarks": list(lane.remarks),
                }
                for lane in context.lanes
            ],
            "facts": [[name, list(values)] for name, values in context.facts],
            "text": finding.text,
            "offset": offset,
            "before": finding.before,
            "after": finding.after,
            "marks": [
                {
                    "side": mark.side,
                    "label": mark.label,
                    "start": mark.start,
                    "end": mark.end,
                    "text_start": mark.text_start,
                    "text_end": mark.text_end,
                }
                for mark in finding.marks
            ],
            "key": hashlib.blake2b(name, digest_size=8).hexdigest(),
            "surface": self.surfaces.index(_read_surface(finding)),
        }

    def _build_facets(self) -> dict[str, tuple[str, list[str]]]:
        facets = {
            "kind": ("Kind", [row["kind"] for row in self.rows]),
            "label": ("Labels", [_read_label_pair(one) for one in self.run.findings]),
        }
        if any(row["language"] for row in self.rows):
            facets["slice:language"] = ("Language", [row["language"] for row in self.rows])
        return facets

    def _values(self, name: str) -> list[str]:
        return [value for value, _ in Counter(self.facets[name][1]).most_common()]

    def list_facets(self) -> dict[str, Any]:
        """List the facets with their counts."""
        shown = []
        for name, (title, column) in self.facets.items():
            counts = Counter(column)
            shown.append(
                {
                    "name": name,
                    "title": title,
                    "width": 1,
                    "values": [_describe_value(name, value, counts[value]) for value in self._values(name)],
                }
            )
        sizes = {"documents": {"count": len(self.documents), "width": 4}}
        return {
            "count": len(self.rows),
            "facets": shown,
            **sizes,
            "surfaces": {"count": len(self.surfaces), "width": 4},
        }

    def get_column(self, name: str) -> bytes:
        """Read a column."""
        if name in ("document", "surface"):
            key = "document_number" if name == "document" else "surface"
            return np.array([row[key] for row in self.rows], "<u4").tobytes()
        values = self._values(name)
        return np.array([values.index(value) for value in self.facets[name][1]], "u1").tobytes()

    def search(self, words: str) -> list[int]:
        """Find the findings whose text or document has the words."""
        wanted = _fold(words)
        return [
            row["position"]
            for row in self.rows
            if wanted in _fold(row["text"] or "") or wanted in _fold(row["document"])
        ]

    def build_document(self, number: int) -> dict[str, Any]:
        """Build a document with all its findings."""
        rows = [row for row in self.rows if row["document_number"] == number]
        own = [self.run.findings[row["position"]] for row in rows]
        text = next((one.document_text for one in own if one.document_text is not None), None)
        lanes: dict[str, list[dict[str, Any]]] = {}
        for row, one in zip(rows, own, strict=True):
            for mark in one.marks if text is not None else ():
                if mark.text_start is None or mark.text_end is None:
                    continue
                place = {"start": mark.text_start + one.text_start, "end": mark.text_end + one.text_start}
                extra = {"label": mark.label or "", "kind": row["kind"], "position": row["position"]}
                lanes.setdefault(mark.side, []).append(place | extra)
        for begin, stop, label in own[0].correct:
            span = {"start": begin, "end": stop, "label": label or "", "kind": "correct", "position": None}
            for side in ("reference", "predicted"):
                lanes.setdefault(side, []).append(span)
        return {
            "document": self.documents[number],
            "number": number,
            "count": len(rows),
            "text": text,
            "language": rows[0]["language"],
            "dir": guess_direction(text or "", rows[0]["language"]),
            "rows": rows,
            "lanes": [{"side": side, "spans": spans} for side, spans in lanes.items()],
        }

    def _build_summary(self) -> dict[str, Any]:
        run, main = self.run, choose_main_score([self.run])
        scores = {path: _describe_score(run, path) for path in list(run.intervals)[:9] if "by_label" not in path}
        scores[main] = _describe_score(run, main)
        digest = hashlib.blake2b(self.corpus.encode(), digest_size=8).hexdigest()
        return {
            "id": self.id,
            "name": Path(run.system).stem if run.task != "entity-translation" else Path(run.system).name,
            "task": run.task,
            "system": run.system,
            "corpus": self.corpus,
            "corpus_key": digest,
            "language": "uk" if run.task == "code-switching" else "",
            "tags": ["demo"],
            "created": self.created,
            "version": run.signature.version,
            "profile": run.profile,
            "signature": str(run.signature),
            "definition": run.signature.definition,
            "documents": run.documents,
            "findings": len(run.findings),
            "main": main,
            "scores": scores,
        }

    def _build_details(self) -> dict[str, Any]:
        run = self.run
        labels = sorted({label or "" for pair in run.confusion for label in pair}, key=lambda one: (one == "", one))
        counts = {(one or "", two or ""): n for (one, two), n in run.confusion.items()}
        rows = [[counts.get((a, b), 0) for b in labels] for a in labels]
        confusion = {
            "labels": labels,
            "rows": rows,
            "filters": [[self._filter_pair(a, b) for b in labels] for a in labels],
        }
        return {
            "title": format_score_title(run, self.summary["main"]),
            "lower_is_better": [],
            "warnings": [{"code": one.code, "message": one.message} for one in run.warnings],
            "tables": [self._build_table(table) for table in build_tables([run])],
            "confusion": confusion if run.confusion else None,
            "slices": self._list_slices(),
            "curves": curves_to_dict(run)["curves"] if run.task == "classification" else None,
            "view": {
                "title": self.view.title,
                "names_sides": self.view.names_sides,
                "shows_labelled_spans": self.view.shows_labelled_spans,
            },
        }

    def _build_table(self, table: Any) -> dict[str, Any]:
        columns = [c for c in table.columns if c.kind != "interval"]
        rows = []
        for row in table.rows:
            cells: list[dict[str, Any]] = []
            for column, cell in zip(table.columns, row, strict=True):
                if column.kind == "interval":
                    if cell is not None and not math.isnan(cell[0]):
                        cells[-1] |= {"low": cell[0], "high": cell[1]}
                    continue
                own: dict[str, Any] = {"text": format_cell(cell)}
                if column.kind == "ratio" and isinstance(cell, float) and not math.isnan(cell):
                    own["value"] = cell
                if own["text"].isdigit() and int(own["text"]):
                    own |= self._find_filter(str(row[0]))
                cells.append(own)
            rows.append({"cells": cells})
        heads = [{"key": c.title, "title": c.title, "numeric": c.kind != "text"} for c in columns]
        return {"title": table.title, "columns": heads, "rows": rows, "notes": list(table.notes)}

    def _find_filter(self, name: str) -> dict[str, Any]:
        kind = name.replace(" ", "_")
        if kind in self._values("kind"):
            return {"filter": {"kind": [kind]}}
        labels = [value for value in self._values("label") if name in value.split(" → ")]
        return {"filter": {"label": labels}} if labels else {}

    def _filter_pair(self, one: str, two: str) -> dict[str, Any] | None:
        if one == two:
            return None
        pair = one if not two else f"{one} → {two}".lstrip()
        kind = {"kind": ["missed"]} if not two else {"kind": ["spurious"]} if not one else {}
        return {"label": [pair]} | kind if pair in self._values("label") else None

    def _list_slices(self) -> list[dict[str, Any]]:
        found = []
        for column, values in self.run.slices.items():
            for value in values:
                path = f"slices.{column}.{value}.{self.summary['main']}"
                own = _describe_score(self.run, path)
                code = value.replace("_", "-")
                count = sum(row["language"] == code for row in self.rows)
                n = int(values[value]["documents"])
                extra = {"low": own["low"], "high": own["high"], "p_holm": None}
                head = {"column": column, "value": code, "n": n, "findings": count}
                found.append(head | {"score": own["value"]} | extra)
        return found


@dataclass
class SyntheticRun:
    """A run of many findings that are made when they are asked for."""

    id: str
    count: int
    summary: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Draw the columns."""
        draw = np.random.default_rng(7)
        self.columns = {
            "kind": draw.choice(5, self.count, p=[0.4, 0.25, 0.2, 0.1, 0.05]).astype("u1"),
            "label": draw.integers(0, 20, self.count).astype("u1"),
            "slice:language": draw.integers(0, 12, self.count).astype("u1"),
            "document": np.sort(draw.integers(0, max(self.count // 3, 1), self.count)).astype("<u4"),
            "surface": np.minimum(draw.geometric(0.0005, self.count), 20000).astype("<u4"),
        }
        order = np.argsort(-np.bincount(self.columns["surface"]), kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        self.columns["surface"] = rank[self.columns["surface"]].astype("<u4")
        _, self.columns["document"] = np.unique(self.columns["document"], return_inverse=True)
        self.columns["document"] = self.columns["document"].astype("<u4")
        self.names = {
            "kind": ["missed", "spurious", "wrong_boundary", "wrong_type", "excused"],
            "label": [f"L{n}" for n in range(20)],
            "slice:language": ["ar", "de", "en", "es", "fr", "he", "hi", "ja", "ru", "th", "uk", "zh"],
        }
        base: dict[str, Any] = {
            "version": "1",
            "profile": None,
            "signature": f"synthetic|n:{self.count}",
            "definition": 1,
            "tags": [],
        }
        self.summary = base | {
            "id": self.id,
            "name": self.id,
            "task": "ner",
            "system": self.id,
            "corpus": "synthetic",
            "corpus_key": "00" * 8,
            "language": "",
            "created": "2026-11-20T10:00:00+00:00",
            "documents": self.count * 10,
            "findings": self.count,
            "main": "strict.f1",
            "scores": {"strict.f1": {"value": 0.9, "low": 0.89, "high": 0.91}},
        }

    def answer(self, rest: str, query: dict[str, str]) -> dict[str, Any] | bytes | None:
        """Answer a request below `/v1/runs/{id}`."""
        return answer_parts(self, rest, query)

    def build_run(self) -> dict[str, Any]:
        """Build the run with its tables."""
        view = {"title": "Errors", "names_sides": True, "shows_labelled_spans": True}
        none: dict[str, Any] = {"tables": [], "confusion": None, "slices": [], "curves": None, "warnings": []}
        return self.summary | none | {"title": "F1", "lower_is_better": [], "view": view}

    def read_rows(self, positions: Iterable[int]) -> list[dict[str, Any]]:
        """Read the rows of findings."""
        return [self._build_row(at) for at in positions if at < self.count]

    def list_surfaces(self) -> list[tuple[str, int]]:
        """List the surface forms with their counts."""
        return [(f"Form {n}", int(count)) for n, count in enumerate(np.bincount(self.columns["surface"]))]

    def get_column(self, name: str) -> bytes:
        """Read a column."""
        return self.columns[name].tobytes()

    def search(self, words: str) -> list[int]:
        """Find the positions that are in the words."""
        return [at for at in map(int, re.findall(r"\d+", words)) if at < self.count]

    def build_document(self, number: int) -> dict[str, Any]:
        """Build a document, which has no text."""
        rows = [self._build_row(int(at)) for at in np.flatnonzero(self.columns["document"] == number)]
        head = {"document": f"doc {number}", "number": number, "count": len(rows), "text": None}
        return head | {"language": "en", "dir": "ltr", "rows": rows, "lanes": []}

    def list_facets(self) -> dict[str, Any]:
        """List the facets with their counts."""
        facets = []
        for name, values in self.names.items():
            counts = np.bincount(self.columns[name], minlength=len(values))
            shown = [_describe_value(name, value, int(n)) for value, n in zip(values, counts, strict=True)]
            facets.append({"name": name, "title": name.split(":")[-1].title(), "width": 1, "values": shown})
        sizes = {
            "documents": {"count": int(self.columns["document"][-1]) + 1, "width": 4},
            "surfaces": {"count": int(self.columns["surface"].max()) + 1, "width": 4},
        }
        return {"count": self.count, "facets": facets, **sizes}

    def _build_row(self, at: int) -> dict[str, Any]:
        number = int(self.columns["surface"][at])
        label, kind = self.names["label"][self.columns["label"][at]], self.names["kind"][self.columns["kind"][at]]
        text = f"Finding {at} has Form {number} in its text and ends here"
        start = text.index("Form")
        end = start + len(f"Form {number}")
        pieces = [(text[:start], "plain"), (text[start:end], "side-reference"), (text[end:], "plain")]
        lane = {"side": "reference", "label": label, "dir": "ltr", "remarks": []}
        mark = {"side": "reference", "label": label, "start": start, "end": end, "text_start": start, "text_end": end}
        document = int(self.columns["document"][at])
        return {
            "position": at,
            "kind": kind,
            "document": f"doc {document}",
            "document_number": document,
            "where": f"gold.conll:{at}",
            "language": "en",
            "dir": "ltr",
            "lanes": [lane | {"pieces": [{"text": t, "role": role} for t, role in pieces]}],
            "facts": [],
            "text": text,
            "offset": 0,
            "before": False,
            "after": False,
            "marks": [mark],
            "key": f"{at:016x}",
            "surface": number,
        }


class LongDocument(SyntheticRun):
    """A run of one document of some 25 kB with 500 spans, some of them nested."""

    def __init__(self, run_id: str, sentence: str, language: str, spans: int = 500) -> None:
        self.sentence, self.language = sentence, language
        words = sentence.split("|")
        joint = "" if language == "th" else " "
        draw = random.Random(3)
        text, self.places = "", []
        while len(text.encode()) < 25_000:
            word = draw.choice(words)
            self.places.append((len(text), len(text) + len(word)))
            text += word + joint + ("\n\n" if draw.random() < 0.01 else "")
        self.text = text
        step = max(len(self.places) / spans, 1.0)
        self.spans = []
        for n in range(spans):
            at = min(int(n * step), len(self.places) - 4)
            last = at + draw.choice((0, 0, 0, 1, 3))
            self.spans.append((self.places[at][0], self.places[last][1], draw.choice(("PER", "LOC", "ORG"))))
        super().__init__(run_id, spans)

    def build_document(self, number: int) -> dict[str, Any]:
        """Build the document with its spans."""
        sides: dict[str, list[dict[str, Any]]] = {"reference": [], "predicted": []}
        for n, (start, end, label) in enumerate(self.spans):
            kind = ("missed", "spurious", "wrong_type")[n % 3]
            span = {"start": start, "end": end, "label": label, "kind": kind, "position": n}
            for side in ("reference",) if n % 3 == 0 else ("predicted",) if n % 3 == 1 else ("reference", "predicted"):
                sides[side].append(span)
        lanes = [{"side": side, "spans": spans} for side, spans in sides.items()]
        direction = guess_direction("", self.language)
        head = {
            "document": self.id,
            "number": 0,
            "count": len(self.spans),
            "text": self.text,
            "language": self.language,
        }
        return head | {"dir": direction, "rows": [self._build_row(n) for n in range(len(self.spans))], "lanes": lanes}

    def _build_row(self, at: int) -> dict[str, Any]:
        row = super()._build_row(at)
        return row | {"document": self.id, "document_number": 0}


def _describe_score(run: Run, path: str) -> dict[str, float | None]:
    value, interval = run.score(path), run.intervals.get(path)
    ends = (interval.low, interval.high) if interval else (math.nan, math.nan)
    low, high = (None if math.isnan(end) else end for end in ends)
    return {"value": None if math.isnan(float(value)) else float(value), "low": low, "high": high}


def _describe_value(facet: str, value: str, count: int) -> dict[str, Any]:
    if facet != "kind":
        return {"value": value, "title": value or "none", "count": count}
    kind = build_kind(value)
    return {"value": value, "title": f"{kind.sign} {kind.name}", "tone": kind.tone, "count": count}


def _read_surface(finding: Finding) -> str:
    mark = finding.marks[0]
    if finding.text is None or mark.text_start is None or mark.text_end is None:
        return mark.label or ""
    return unicodedata.normalize("NFC", finding.text[mark.text_start : mark.text_end])


def _read_label_pair(finding: Finding) -> str:
    own = {mark.side: mark.label or "" for mark in finding.marks}
    one, two = own.get("reference", ""), own.get("predicted", "")
    if "reference" not in own:
        return f"→ {two}" if two else ""
    return one if "predicted" not in own or one == two else f"{one} → {two}"


def _fold(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _encode_positions(positions: list[int]) -> dict[str, Any]:
    bits = bytearray(max(positions, default=0) // 8 + 1)
    for at in positions:
        bits[at // 8] |= 1 << at % 8
    return {"count": len(positions), "found": base64.b64encode(bits).decode()}


@cache
def score_demo() -> tuple[ScoredRun, ...]:
    """Score the bundled files of all tasks, two systems each."""
    folder, found = files().folder, []
    how: dict[str, Any] = {"confidence": 0.95, "resamples": 200, "findings": True}
    temporary = Path(tempfile.mkdtemp())
    for name in "ab":
        found.append((ner(folder / "ner/reference.conll", folder / f"ner/system-{name}.conll", **how), "names"))
        own = folder / "segmentation"
        found.append((segmentation(own / "reference.label", own / f"system-{name}.label", **how), "words"))
        own = folder / "entity-translation"
        found.append((entity_translation(own / "references", own / f"system-{name}", **how), "questions"))
        source = (folder / "code-switching/answers.jsonl").read_text(encoding="utf-8")
        copy = temporary / f"system-{name}.jsonl"
        copy.write_text(source.replace("without", "без") if name == "b" else source, encoding="utf-8")
        found.append((code_switching(copy, language="uk", prompt_field="prompt", **how), "answers"))
        source = (folder / "classification/scores.jsonl").read_text(encoding="utf-8")
        rows = [json.loads(line) for line in source.splitlines()]
        copy = temporary / f"scores-{name}.jsonl"
        copy.write_text("".join(json.dumps(_soften(row, name)) + "\n" for row in rows), encoding="utf-8")
        found.append((classification(copy, **how), "topics"))
    shutil.rmtree(temporary)
    when = "2026-11-{:02d}T09:30:00+00:00"
    return tuple(ScoredRun(run, corpus, f"run{n}", when.format(n + 1)) for n, (run, corpus) in enumerate(found))


def _soften(row: dict[str, Any], name: str) -> dict[str, Any]:
    """Mix the scores of every third text with equal ones, for a second system."""
    scores = row.get("scores")
    if name == "a" or not isinstance(scores, dict) or int(re.sub(r"\D", "", str(row.get("id", "0"))) or 0) % 3:
        return row
    names = list(scores)
    return row | {"scores": dict(zip(names, [scores[names[-1]], *[scores[one] for one in names[:-1]]], strict=True))}


def compare_rows(one: ScoredRun, two: ScoredRun) -> list[tuple[int, int, int]]:
    """Join the findings of two runs by their key: class, position in each."""
    other = {row["key"]: row for row in two.rows}
    found = []
    for row in one.rows:
        match = other.pop(row["key"], None)
        if match is None:
            found.append((0, row["position"], NONE))
        else:
            same = _compared(row) == _compared(match)
            found.append((3 if same else 2, row["position"], match["position"]))
    return found + [(1, NONE, row["position"]) for row in other.values()]


def _compared(row: dict[str, Any]) -> Any:
    return row["kind"], [(mark["side"], mark["label"], mark["start"], mark["end"]) for mark in row["marks"]]


@dataclass
class Explorer:
    """All payloads of the server."""

    runs: dict[str, RunPayloads]
    notes: list[dict[str, Any]] = field(default_factory=list)

    def answer(self, path: str, query: dict[str, str]) -> dict[str, Any] | bytes | None:
        """Answer a GET request."""
        if path == "/v1/runs":
            shown = [run.summary for run in self.runs.values()]
            shown = [one for one in shown if query.get("task") in (None, "", one["task"])]
            return {"runs": shown, "next": None}
        if path == "/v1/tasks":
            return {"tasks": [_describe_task(name) for name in list_task_names()]}
        if path == "/v1/notes":
            return {"notes": self.notes}
        if path.startswith("/v1/compare"):
            return self._compare(path.removeprefix("/v1/compare"), query["runs"].split(","))
        match = re.fullmatch(r"/v1/runs/([^/]+)/?(.*)", path)
        if match and (run := self.runs.get(match[1])):
            return run.answer(match[2], query)
        return None

    def _compare(self, rest: str, names: list[str]) -> dict[str, Any] | bytes:
        runs = [run for name in names if isinstance(run := self.runs[name], ScoredRun)]
        if rest == "/matrix":
            return _build_matrix(runs)
        main = next((run.summary["main"] for run in runs), "")  # synthetic runs have none
        if rest == "/ranking":
            ranks = [{"id": run.id, "first_rank": 1, "last_rank": len(runs), "group": 1} for run in runs]
            return {"score": main, "runs": ranks, "notes": []}
        if rest == "/tests":
            tests = [{"id": run.id, "difference": 0.1, "p": 0.01, "p_holm": 0.02} for run in runs[1:]]
            return {"score": main, "tests": tests}
        rows = compare_rows(runs[0], runs[1])
        if rest == "/columns":
            classes, first, second = zip(*rows, strict=True) if rows else ((), (), ())
            parts = np.array(classes, "u1"), np.array(first, "<u4"), np.array(second, "<u4")
            return b"".join(part.tobytes() for part in parts)
        counts = Counter(row[0] for row in rows)
        names = ["fixed", "broken", "changed", "both_wrong"]
        scores = []
        for path, own in runs[0].summary["scores"].items():
            values = [own["value"], *(run.summary["scores"].get(path, {"value": None})["value"] for run in runs[1:])]
            change = None if None in values else values[1] - values[0]
            tested = {} if change is None else {"low": change - 0.06, "high": change + 0.05, "p": 0.03, "p_holm": 0.06}
            none = {"low": None, "high": None, "p": None, "p_holm": None}
            scores.append({"path": path, "title": path, "values": values, "difference": change} | none | tested)
        return {
            "runs": [run.summary for run in runs],
            "scores": scores,
            "classes": {name: counts[n] for n, name in enumerate(names)},
            "count": len(rows),
        }


def _build_matrix(runs: list[ScoredRun]) -> dict[str, Any]:
    names = dict.fromkeys(name for run in runs for name in run.documents)
    documents: list[dict[str, Any]] = []
    alone = [0] * len(runs)
    for name in names:
        numbers = [run.documents.index(name) if name in run.documents else None for run in runs]
        errors = [sum(row["document"] == name for row in run.rows) for run in runs]
        if errors.count(0) == 1:
            alone[errors.index(0)] += 1
        spread = float(np.var(errors))
        documents.append({"document": name, "numbers": numbers, "errors": errors, "disagreement": spread})
    documents.sort(key=lambda one: (-one["disagreement"], one["document"]))
    return {"documents": documents[:500], "alone": alone}


def _describe_task(name: str) -> dict[str, Any]:
    task = get_task(name)
    files = {"reference": "File of the reference", "prediction": "File of the prediction"}
    needs = name not in ("code-switching", "classification")
    return {"name": name, "title": task.title, "summary": task.summary, "needs_reference": needs} | files


ARABIC = "ذهبت|ليلى|منصور|إلى|الإسكندرية|يوم|الخميس|مع|جامعة|القاهرة|في|رحلة|طويلة|النيل|بيروت|أحمد"
THAI = "สมชาย|ใจดี|เดินทาง|ไป|เชียงใหม่|กับ|เพื่อน|ที่|มหาวิทยาลัย|กรุงเทพ|น้ำใจดี|วัน|พฤหัสบดี|บ้าน|ทะเล"


def build_explorer(huge: int = 0) -> Explorer:
    """Build the payloads of all demo runs, of long documents, and of a run of many findings."""
    runs: dict[str, RunPayloads] = {run.id: run for run in score_demo()}
    if huge:
        for run_id, sentence, language in (("long-ar", ARABIC, "ar"), ("long-th", THAI, "th")):
            runs[run_id] = LongDocument(run_id, sentence, language)
        runs["huge"] = SyntheticRun("huge", huge)
    return Explorer(runs)


class Handler(BaseHTTPRequestHandler):
    """Answers requests; `explorer` is set by `start_server`."""

    protocol_version = "HTTP/1.1"
    explorer: Explorer

    def do_GET(self) -> None:
        """Send a payload, or a file of the page."""
        path, query = self._split()
        if not path.startswith("/v1/"):
            return self._send_static(path)
        if path.startswith("/v1/jobs/"):
            return self._send_job(path)
        found = b"{}\n" if path.startswith("/v1/export") else self.explorer.answer(path, query)
        if found is None:
            return self._send(404, b'{"title": "There is no such run."}', "application/problem+json")
        if isinstance(found, bytes):
            return self._send(200, found, "application/octet-stream")
        return self._send(200, json.dumps(found).encode())

    def do_PUT(self) -> None:
        """Write a note."""
        self._change_note(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def do_DELETE(self) -> None:
        """Delete a note."""
        self._change_note(None)

    def do_POST(self) -> None:
        """Accept a job."""
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._send(202, json.dumps(JOB).encode())

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the name in the base class
        """Say nothing."""

    def _split(self) -> tuple[str, dict[str, str]]:
        parts = urlsplit(self.path)
        return unquote(parts.path), {name: values[0] for name, values in parse_qs(parts.query).items()}

    def _change_note(self, body: dict[str, Any] | None) -> None:
        *_, corpus, key = self._split()[0].split("/")
        kept = [note for note in self.explorer.notes if (note["corpus_key"], note["key"]) != (corpus, key)]
        new = {"corpus_key": corpus, "key": key, "created": "2026-11-22T10:00:00+00:00"}
        self.explorer.notes[:] = kept + ([new | body] if body is not None else [])
        self._send(200, json.dumps(new).encode())

    def _send_job(self, path: str) -> None:
        if not path.endswith("/events"):
            return self._send(200, json.dumps(JOB).encode())
        states = [JOB | {"state": "running", "share": 0.5, "run": None}, JOB]
        body = "".join(f"data: {json.dumps(state)}\n\n" for state in states).encode()
        return self._send(200, body, "text/event-stream")

    def _send_static(self, path: str) -> None:
        name = "index.html" if path == "/" else path.removeprefix("/static/")
        file = STATIC / name
        if "/" in name or not file.is_file():
            return self._send(404, b"not found", "text/plain")
        return self._send(200, file.read_bytes(), TYPES.get(file.suffix, "application/octet-stream"))

    def _send(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", CSP)
        self.end_headers()
        self.wfile.write(body)


def start_server(explorer: Explorer, port: int = 0) -> ThreadingHTTPServer:
    """Make a server on this machine, which the caller runs."""
    return ThreadingHTTPServer(("127.0.0.1", port), type("OwnHandler", (Handler,), {"explorer": explorer}))


def main() -> None:
    """Serve the payloads."""
    parser = argparse.ArgumentParser(description="Serve payloads of the explorer made from bundled data.")
    parser.add_argument("--port", type=int, default=8321)
    parser.add_argument("--huge", type=int, default=1_000_000, help="findings of the synthetic run")
    options = parser.parse_args()
    start_server(build_explorer(options.huge), options.port).serve_forever()


if __name__ == "__main__":
    main()
