"""Environments of systems: locked with hashes, built once, kept in a cache.

A system with `requires` has an environment of its own, so that systems which need other versions stand side by side.
The packages are resolved once; the lock file names each with its version and hashes, and is kept beside the results.
The environment is in the cache under the SHA-256 of lock, interpreter and platform. Its lock is there too, so that
other results with the same requirements use it. `uv` is used if it is installed, otherwise `venv` and `pip`. Two runs
at once build an environment once: the second waits. Only `build_environment` with `download` reaches the network.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isogloss.benchmark.plan import System
from isogloss.records.destinations import write_files

CACHE_VARIABLE = "ISOGLOSS_BENCHMARK_CACHE"
COMPLETE = "complete"  # file with the lock, written when the environment is whole
BUILD_SECONDS = 900
MAX_REASON = 300  # characters
PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input")


class EnvironmentBuildError(Exception):
    """Environment of a system that cannot be built.

    The message is the reason in one line.
    """


@dataclass(frozen=True)
class Environment:
    """An environment of a system.

    Args:
        python: its interpreter.
        digest: SHA-256 of lock, interpreter and platform; empty for the environment of isogloss.
        lock: text of the lock file; empty for the environment of isogloss.
    """

    python: Path
    digest: str = ""
    lock: str = ""


OWN_ENVIRONMENT = Environment(Path(sys.executable))


def locate_cache() -> Path:
    """Return the folder of the environments.

    It is that of ISOGLOSS_BENCHMARK_CACHE, or the cache of the user.
    """
    given = os.environ.get(CACHE_VARIABLE)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(given) if given else Path(base) / "isogloss" / "environments"


def digest_lock(lock: str) -> str:
    """Return the SHA-256 of a lock, this interpreter and this platform.

    Args:
        lock: text of the lock file.
    """
    parts = (lock, sys.version, platform.machine(), sys.platform)
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def find_environment(system: System, lock_file: Path) -> Environment | None:
    """Return the environment of a system if it is built.

    Without a lock file, it is one with the same requirements: of these results, or else the latest in the cache.

    Args:
        system: the system.
        lock_file: its lock file, which may be missing.
    """
    if not system.requires:
        return OWN_ENVIRONMENT
    locks = _list_locks(system, lock_file)
    if read_lock(system, lock_file) is None:
        files = locate_cache().glob(f"*/{COMPLETE}")
        locks += _read_locks(system, sorted(files, key=lambda file: file.stat().st_mtime, reverse=True))
    for lock in locks:
        folder = locate_cache() / digest_lock(lock)
        if (folder / COMPLETE).is_file():
            return Environment(_get_python(folder), folder.name, lock)
    return None


def build_environment(system: System, lock_file: Path, *, download: bool) -> Environment:
    """Return the environment of a system.

    It is built if it is not in the cache.

    Args:
        system: the system.
        lock_file: its lock file; written if it is missing or of other requirements.
        download: whether packages may be downloaded.

    Raises:
        EnvironmentBuildError: if it cannot be built, or may not be downloaded.
    """
    environment = find_environment(system, lock_file)
    if environment is not None:
        if environment.lock and read_lock(system, lock_file) is None:
            write_files({lock_file: environment.lock})
        return environment
    if not download:
        raise EnvironmentBuildError("its packages are not installed; add --download")
    lock = next(iter(_list_locks(system, lock_file)), None) or resolve_lock(system.requires)
    write_files({lock_file: lock})
    digest = digest_lock(lock)
    folder = locate_cache() / digest
    with wait_for_build(folder):
        if not (folder / COMPLETE).is_file():
            _install(folder, lock_file)
    return Environment(_get_python(folder), digest, lock)


@contextmanager
def wait_for_build(folder: Path) -> Iterator[None]:
    """Hold the right to build an environment.

    Another run that builds it is waited for. The right ends with the process.

    Args:
        folder: folder of the environment.
    """
    import fcntl  # noqa: PLC0415  not on Windows

    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def read_lock(system: System, lock_file: Path) -> str | None:
    """Read the lock file of a system.

    The result is None if it is missing, or of other requirements.

    Args:
        system: the system.
        lock_file: the file.
    """
    try:
        lock = lock_file.read_text(encoding="utf-8")
    except OSError:
        return None
    return lock if lock.startswith(format_head(system.requires)) else None


def _list_locks(system: System, lock_file: Path) -> list[str]:
    """List the lock of a system, or else all with its requirements.

    Those are locks of other systems of the same results.
    """
    own = read_lock(system, lock_file)
    return _read_locks(system, sorted(lock_file.parent.glob("*.txt"))) if own is None else [own]


def _read_locks(system: System, files: Iterable[Path]) -> list[str]:
    return [lock for lock in (read_lock(system, file) for file in files) if lock is not None]


def format_head(requires: Sequence[str]) -> str:
    """Write the first line of a lock file.

    Args:
        requires: requirements of the system.
    """
    return f"# requires: {json.dumps(list(requires), ensure_ascii=False)}\n"


def resolve_lock(requires: Sequence[str]) -> str:
    """Resolve requirements into a lock with the hashes of all packages.

    Args:
        requires: requirements of the system.

    Raises:
        EnvironmentBuildError: if they cannot be resolved.
    """
    uv = shutil.which("uv")
    if uv is not None:
        text = _run_tool([uv, "pip", "compile", "-q", "--no-header", "--generate-hashes", "-"], "\n".join(requires))
        return format_head(requires) + text
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        how = ("install", "-q", "--dry-run", "--ignore-installed", "--report", str(report))
        _run_tool([sys.executable, *PIP, *how, *requires])
        return format_head(requires) + format_pip_lock(report.read_text(encoding="utf-8"))


def format_pip_lock(report: str) -> str:
    """Write the lock from the installation report of pip.

    Args:
        report: JSON of the report.

    Raises:
        EnvironmentBuildError: if a package has no hash.
    """
    lines = []
    for each in json.loads(report)["install"]:
        name, version = each["metadata"]["name"], each["metadata"]["version"]
        info = each["download_info"].get("archive_info", {})
        hashes = [f"{kind}:{value}" for kind, value in info.get("hashes", {}).items()]
        if not hashes:
            raise EnvironmentBuildError(f"{name} {version} has no hash; name a release of a package index")
        lines.append(" ".join([f"{name}=={version}", *(f"--hash={each}" for each in sorted(hashes))]))
    return "\n".join(sorted(lines, key=str.casefold)) + "\n"


def _install(folder: Path, lock_file: Path) -> None:
    """Build an environment, and mark it as complete at the end."""
    shutil.rmtree(folder, ignore_errors=True)  # of a build that was interrupted
    folder.parent.mkdir(parents=True, exist_ok=True)
    uv = shutil.which("uv")
    try:
        if uv is not None:
            _run_tool([uv, "venv", "-q", "--python", sys.executable, str(folder)])
            how = ["pip", "sync", "-q", "--require-hashes", "--python", str(_get_python(folder)), str(lock_file)]
            _run_tool([uv, *how])
        else:
            _run_tool([sys.executable, "-m", "venv", "--without-pip", str(folder)])
            how = ["install", "-q", "--no-compile", "--no-deps", "--require-hashes", "-r", str(lock_file)]
            _run_tool([sys.executable, *PIP, "--python", str(_get_python(folder)), *how])
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    shutil.copyfile(lock_file, folder / COMPLETE)


def _get_python(folder: Path) -> Path:
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _run_tool(command: Sequence[str], given: str = "") -> str:
    """Run uv or pip, and return its output.

    Raises:
        EnvironmentBuildError: if it fails; the reason is the last line that it wrote about an error.
    """
    try:
        done = subprocess.run(  # noqa: S603  uv, pip or venv
            command, input=given, capture_output=True, text=True, check=False, timeout=BUILD_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentBuildError(f"its environment was not built in {BUILD_SECONDS} s") from None
    if done.returncode:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()] or ["no message"]
        errors = [line for line in lines if line.upper().startswith("ERROR")] or lines
        raise EnvironmentBuildError(f"its environment cannot be built: {errors[-1]}"[:MAX_REASON])
    return done.stdout
