"""Scoring of uploaded files in a worker process."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from isogloss.errors import DataError, UsageError
from isogloss.explorer.file_scoring import build_view_options
from isogloss.explorer.payloads import JobBody, Upload
from isogloss.records.sources import Source
from isogloss.runs.findings import Findings
from isogloss.runs.run import Run
from isogloss.store import Store
from isogloss.tasks.options import list_fields
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import build_options
from isogloss.tasks.task import Task

COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")
SAFE_SUFFIX = re.compile(r"(\.[A-Za-z0-9_-]{1,16}){0,2}$")
ReportShare = Callable[[float], object]


class UploadProgress:
    """Progress of a job as the share of bytes that are read.

    Args:
        report: takes the share.
    """

    def __init__(self, report: ReportShare) -> None:
        self._report = report
        self._total = 0
        self._passed = self._latest = 0

    def plan(self, total: int) -> None:
        """Set the number of bytes to read over all passes."""
        self._total = total

    def __call__(self, read: int) -> None:
        """Take the number of bytes read in this pass."""
        if read < self._latest:
            self._passed += self._latest
        self._latest = read
        if self._total:
            self._report(min((self._passed + read) / self._total, 1.0))

    def report_texts(self, done: int, share: float | None) -> None:
        """Take the number of texts done, and their share of all."""
        del done
        if share is not None:
            self._report(min(share, 1.0))


def score_upload(body: bytes, store: str, report: ReportShare) -> str:
    """Score uploaded files and save the run.

    Args:
        body: the request, see `JobBody`.
        store: store for the run; empty for the default.
        report: takes the share of the input that is read.

    Returns:
        The id of the run.

    Raises:
        UsageError: if an option is not allowed.
        DataError: if the files cannot be scored.
    """
    request: JobBody = msgspec.json.decode(body, type=JobBody)
    task = get_task(request.task)
    with TemporaryDirectory(prefix="isogloss-upload-") as folder:
        try:
            run = _score_files(task, request, Path(folder), report)
        except DataError as error:
            raise _hide_folder(error, folder, request) from None
    with closing(Store.open(store or None)) as opened:
        return str(opened.save(run, name=request.name))


def _score_files(task: Task, request: JobBody, folder: Path, report: ReportShare) -> Run:
    allowed = {field.name for field in list_fields(task.options) if "service" in field.option.surfaces}
    unknown = sorted(set(request.options) - allowed)
    if unknown:
        raise UsageError(f"Unknown option {unknown[0]!r}. Choose from {', '.join(sorted(allowed))}.")
    reference = _write_upload(folder, "reference", request.reference) if task.reference is not None else None
    prediction = _write_upload(folder, "prediction", request.prediction)
    options = build_options(task.options, request.options)
    scoring = build_view_options(task)
    progress = UploadProgress(report)
    (system,) = task.open_systems(
        None if reference is None else Source(str(reference)), [str(prediction)], options, scoring, progress
    )
    passes = 1 if task.count_passes is None else task.count_passes(system, options)
    progress.plan(passes * sum(path.stat().st_size for path in (reference, prediction) if path is not None))
    return _rename_files(task.score(system, options, scoring), str(folder), request)


def _write_upload(folder: Path, side: str, upload: Upload | None) -> Path:
    """Write an uploaded file under a name of our own.

    Raises:
        UsageError: if it is missing or compressed.
    """
    if upload is None:
        raise UsageError(f"The {side} is missing.")
    if upload.content.startswith(COMPRESSED):
        raise UsageError(f"The {side} is compressed: send it as it is.")
    suffix = SAFE_SUFFIX.search(upload.name)
    path = folder / f"{side}{suffix[0] if suffix else ''}"
    path.write_bytes(upload.content)
    return path


def _list_names(folder: str, request: JobBody) -> dict[str, str]:
    """Return the uploaded name of each written file."""
    sides = {"reference": request.reference, "prediction": request.prediction}
    names = {}
    for side, upload in sides.items():
        if upload is not None:
            suffix = SAFE_SUFFIX.search(upload.name)
            names[f"{folder}/{side}{suffix[0] if suffix else ''}"] = upload.name
    return names


def _rename_files(run: Run, folder: str, request: JobBody) -> Run:
    """Return the run with uploaded names in place of our paths."""
    names = _list_names(folder, request)

    def rename(text: str) -> str:
        for path, name in names.items():
            text = text.replace(path, name)
        return text

    found = Findings((msgspec.structs.replace(one, where=rename(one.where)) for one in run.findings), run.task)
    inputs = tuple(replace(entry, path=rename(entry.path)) for entry in run.inputs)
    warnings = tuple(replace(each, where=each.where and rename(each.where)) for each in run.warnings)
    return replace(run, system=rename(run.system), findings=found, inputs=inputs, warnings=warnings, rescore=None)


def _hide_folder(error: DataError, folder: str, request: JobBody) -> DataError:
    """Return the error with uploaded names in place of our paths."""
    texts: dict[str, Any] = {name: getattr(error, name) for name in ("message", "where", "detail", "remedy")}
    for name, text in texts.items():
        for path, uploaded in _list_names(folder, request).items():
            texts[name] = text and texts[name].replace(path, uploaded)
    return DataError(texts.pop("message"), **texts)
