"""Scoring of uploaded files in a worker process."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from isogloss.errors import DataError, UsageError
from isogloss.explorer.file_scoring import build_view_options
from isogloss.explorer.payloads import JobBody, Upload
from isogloss.records.limits import read_limit
from isogloss.records.sources import Source
from isogloss.runs.findings import Findings
from isogloss.runs.run import Run
from isogloss.store import Store
from isogloss.tasks.options import list_fields
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import build_options, score_call, score_system
from isogloss.tasks.task import Task

GZIP = b"\x1f\x8b"
COMPRESSED = (b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ")  # other than gzip
MAX_UNPACKED_NAME, MAX_UNPACKED = "ISOGLOSS_MAX_UNPACKED", 500_000_000  # bytes of an upload without gzip
PIECE = 2**20  # bytes that are decompressed at a time
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


class UploadFolder:
    """Folder of uploaded files under names of our own.

    Results and errors get the uploaded names back.

    Args:
        folder: an empty folder.
    """

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)
        self._names: dict[str, str] = {}

    @property
    def size(self) -> int:
        """Size of all files in bytes."""
        return sum(Path(path).stat().st_size for path in self._names)

    def write(self, side: str, upload: Upload | None) -> str:
        """Write a file and return its path.

        Args:
            side: name of the argument.
            upload: the file; None if the request lacks it.

        Raises:
            UsageError: if it is missing, or compressed in another way than gzip.
        """
        if upload is None:
            raise UsageError(f"The {side} is missing.")
        if upload.content.startswith(COMPRESSED):
            raise UsageError(f"The {side} is compressed, but not with gzip: send it as it is, or with gzip.")
        suffix = SAFE_SUFFIX.search(upload.name.removesuffix(".gz"))
        path = self._folder / f"{side}{suffix[0] if suffix else ''}"
        if upload.content.startswith(GZIP):
            _unpack(side, upload.content, path)
        else:
            path.write_bytes(upload.content)
        self._names[str(path)] = upload.name or side
        return str(path)

    def restore_names(self, text: str) -> str:
        """Return a text with uploaded names in place of paths."""
        for path, name in self._names.items():
            text = text.replace(path, name)
        return text

    def restore_run(self, run: Run) -> Run:
        """Return a run with uploaded names in place of paths."""
        rename = self.restore_names
        findings = Findings((msgspec.structs.replace(one, where=rename(one.where)) for one in run.findings), run.task)
        inputs = tuple(msgspec.structs.replace(entry, path=rename(entry.path)) for entry in run.inputs)
        warnings = tuple(replace(each, where=each.where and rename(each.where)) for each in run.warnings)
        return replace(
            run, system=rename(run.system), findings=findings, inputs=inputs, warnings=warnings, rescore=None
        )

    def restore_error(self, error: DataError) -> DataError:
        """Return an error with uploaded names in place of paths."""
        texts: dict[str, Any] = {name: getattr(error, name) for name in ("message", "where", "detail", "remedy")}
        texts = {name: text and self.restore_names(text) for name, text in texts.items()}
        return DataError(texts.pop("message"), **texts)


def _unpack(side: str, content: bytes, path: Path) -> None:
    """Decompress a gzip file, piece by piece.

    Raises:
        UsageError: if it is damaged, or too large without compression.
    """
    limit, size = read_limit(MAX_UNPACKED_NAME, MAX_UNPACKED), 0
    try:
        with gzip.open(BytesIO(content)) as packed, path.open("wb") as file:
            while piece := packed.read(PIECE):
                size += len(piece)
                if size > limit:
                    raise UsageError(
                        f"The {side} has more than {limit:,} bytes without compression. Send a smaller file, or start "
                        f"the service with a higher {MAX_UNPACKED_NAME}."
                    )
                file.write(piece)
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"The {side} is a damaged gzip file: {error}. `gzip -t` checks it.") from None


@contextmanager
def open_upload_folder() -> Iterator[UploadFolder]:
    """Open a folder for uploaded files; it is deleted at the end.

    Raises:
        DataError: if the block raises it, with uploaded names in place of paths.
    """
    with TemporaryDirectory(prefix="isogloss-upload-") as path:
        folder = UploadFolder(path)
        try:
            yield folder
        except DataError as error:
            raise folder.restore_error(error) from None


def score_files(task: Task, uploads: Mapping[str, Upload], arguments: Mapping[str, Any]) -> Run:
    """Score the files of a request.

    Args:
        task: the task.
        uploads: file by name of the argument.
        arguments: other arguments of the call.

    Raises:
        UsageError: if a file is missing or an option is not allowed.
        DataError: if the files cannot be scored.
    """
    with open_upload_folder() as folder:
        paths = {side: folder.write(side, upload) for side, upload in uploads.items()}
        return folder.restore_run(score_call(task, {**arguments, **paths}))


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
    with open_upload_folder() as folder:
        run = _score_job(get_task(request.task), request, folder, report)
    with closing(Store.open(store or None)) as opened:
        return str(opened.save(run, name=request.name))


def _score_job(task: Task, request: JobBody, folder: UploadFolder, report: ReportShare) -> Run:
    allowed = {field.name for field in list_fields(task.options) if "service" in field.option.surfaces}
    unknown = sorted(set(request.options) - allowed)
    if unknown:
        raise UsageError(f"Unknown option {unknown[0]!r}. Choose from {', '.join(sorted(allowed))}.")
    reference = None if task.reference is None else Source(folder.write("reference", request.reference))
    prediction = folder.write("prediction", request.prediction)
    options = build_options(task.options, request.options)
    scoring = build_view_options(task)
    progress = UploadProgress(report)
    (system,) = task.open_systems(reference, [prediction], options, scoring, progress)
    progress.plan(folder.size * (1 if task.count_passes is None else task.count_passes(system, options)))
    return folder.restore_run(score_system(task, system, options, scoring))
