"""A worker as a process: started, asked, stopped in time.

The parent waits for each answer with a deadline. A worker that is late, is killed by the system, or stops answering
ends together with its process group; what went wrong is a `WorkerStoppedError` with a reason.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from isogloss.benchmark.plan import Limits, System
from isogloss.tasks.registry import get_task

WORKER = Path(__file__).with_name("worker.py")
MAX_ANSWER = 1 << 26  # bytes of one answer
READ = 1 << 16
TAIL = 400  # bytes of standard error that a reason may have
LOAD_FACTOR = 10  # loading may take so many times the seconds of a text
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "HOME", "SYSTEMROOT")
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "ORT_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "RAYON_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
    ),
    "1",
)


class WorkerStoppedError(Exception):
    """The worker does not answer any more.

    Args:
        reason: why, in one line.
        late: whether it was stopped for its time.
    """

    def __init__(self, reason: str, *, late: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.late = late


class WorkerProcess:
    """A running worker.

    Use it as a context: at the end its process group is killed.

    Args:
        python: interpreter of the environment.
        system: the system.
        limits: its limits.
        folder: folder of the plan, where functions and the files of a command are.
        hash_seed: value of PYTHONHASHSEED.
        core: the core it is pinned to; None for all.
        language: language of the texts.

    Raises:
        WorkerStoppedError: if the system cannot be loaded.
    """

    def __init__(  # noqa: PLR0913  a process has as many settings
        self,
        python: Path,
        system: System,
        limits: Limits,
        folder: Path,
        *,
        hash_seed: int = 0,
        core: int | None = None,
        language: str = "",
    ) -> None:
        self._limits = limits
        self._whole = system.kind == "command"
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        self._rest = b""
        # -P and -s: neither the folder of this file nor the packages of the user are on the path.
        self._process = subprocess.Popen(  # noqa: S603  the interpreter of the environment
            [str(python), "-s", "-P", str(WORKER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env=build_variables(python, hash_seed),
            cwd=folder,
            start_new_session=True,
        )
        try:
            self._send(build_settings(system, limits, folder, core, language))
            self.ready = self._receive_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def answer_texts(self, texts: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield the answer to each text, then the measurements.

        Args:
            texts: the texts.

        Raises:
            WorkerStoppedError: if the worker is late or gone; texts without an answer follow it.
        """
        self._send({"texts": list(texts)})
        seconds = self._limits.cell_seconds + self._limits.seconds if self._whole else self._limits.seconds
        for _ in range(len(texts) + 1):
            yield self._receive(seconds)

    def time_passes(self, texts: Sequence[str], seconds: float) -> dict[str, Any]:
        """Time passes over texts.

        Args:
            texts: the texts of a pass.
            seconds: CPU seconds that the passes take at least.

        Raises:
            WorkerStoppedError: if the worker is late or gone.
        """
        self._send({"texts": list(texts), "seconds": seconds})
        return self._receive(self._limits.cell_seconds)

    def close(self) -> None:
        """Kill the worker and the processes that it started."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _send(self, request: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None  # noqa: S101  it was opened as a pipe
        try:
            # Half a surrogate pair is written as JSON escapes.
            self._process.stdin.write(json.dumps(request).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise WorkerStoppedError(self._explain_end()) from None

    def _receive_ready(self) -> dict[str, Any]:
        ready = self._receive(self._limits.seconds * LOAD_FACTOR)
        if "error" in ready:
            raise WorkerStoppedError(f"cannot be loaded: {ready['error']}")
        return ready

    def _receive(self, seconds: float) -> dict[str, Any]:
        """Return the next line of the worker."""
        assert self._process.stdout is not None  # noqa: S101  it was opened as a pipe
        descriptor, deadline = self._process.stdout.fileno(), time.monotonic() + seconds
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                self.close()
                raise WorkerStoppedError(f"no answer in {seconds:g} s", late=True)
            parts.append(os.read(descriptor, READ))
            if not parts[-1] or sum(map(len, parts)) > MAX_ANSWER:
                raise WorkerStoppedError(self._explain_end() if not parts[-1] else "an answer is larger than 64 MiB")
        line, _, self._rest = b"".join(parts).partition(b"\n")
        try:
            row = json.loads(line)
        except ValueError:
            row = None
        if not isinstance(row, dict):
            raise WorkerStoppedError("the worker wrote a line that is not JSON")
        return row

    def _explain_end(self) -> str:
        """Say how the worker ended.

        The last line of its standard error is added.
        """
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(1)
        code = self._process.returncode
        how = "the worker closed its output"
        if code is not None:
            how = (
                f"the process was killed by {name_signal(-code)}"
                if code < 0
                else f"the process ended with exit code {code}"
            )
        with suppress(ValueError, OSError):
            self._errors.seek(max(self._errors.seek(0, os.SEEK_END) - TAIL, 0))
            lines = self._errors.read().decode("utf-8", "replace").strip().splitlines()
            if lines:
                how += f": {' '.join(lines[-1].split())}"
        return how


def name_signal(number: int) -> str:
    """Name a signal: `SIGKILL`."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def build_variables(python: Path, hash_seed: int) -> dict[str, str]:
    """Build the environment variables of a worker.

    They are few, so that no setting or secret of the user gets in.

    Args:
        python: interpreter of the environment; its folder comes first in PATH.
        hash_seed: value of PYTHONHASHSEED.
    """
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    path = os.pathsep.join(filter(None, [str(python.parent), kept.get("PATH", "")]))
    offline = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONUTF8": "1"}
    return {"LANG": "C.UTF-8", **kept, **ONE_THREAD, **offline, "PATH": path, "PYTHONHASHSEED": str(hash_seed)}


def build_settings(system: System, limits: Limits, folder: Path, core: int | None, language: str) -> dict[str, Any]:
    """Build the settings that a worker reads first.

    Args:
        system: the system.
        limits: its limits.
        folder: folder of the plan.
        core: the core it is pinned to; None for all.
        language: language of the texts.
    """
    return {
        "kind": system.kind,
        "spec": getattr(system, system.kind),
        "protocol": system.protocol,
        "separator": system.separator,
        "raw": get_task(system.task).system_texts is None,
        "language": language or "und",
        "memory": int(limits.memory * 2**30),
        "seconds": limits.seconds,
        "cell_seconds": limits.cell_seconds,
        "folder": str(folder),
        "path": [str(folder)] if system.kind in ("function", "tokenizer", "recogniser") else [],
        "packages": list_packages(system),
        "core": core,
    }


def list_packages(system: System) -> list[str]:
    """List the packages whose versions belong to a system."""
    named = [_cut_requirement(each) for each in system.requires]
    spec = system.tokenizer or system.recogniser
    kind = [] if spec is None else [spec.partition(":")[0]]
    return [name for name in dict.fromkeys((*named, *kind)) if name not in ("python", "")]


def _cut_requirement(text: str) -> str:
    end = next((at for at, letter in enumerate(text) if letter in "=<>!~[ @;"), len(text))
    return text[:end]
