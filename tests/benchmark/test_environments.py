"""Environments are locked with hashes and found in the cache."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import threading
import zipfile
from pathlib import Path

import pytest

from isogloss.benchmark.environments import (
    COMPLETE,
    OWN_ENVIRONMENT,
    EnvironmentBuildError,
    build_environment,
    digest_lock,
    find_environment,
    format_head,
    format_pip_lock,
)
from isogloss.benchmark.matrix import BenchmarkRunner
from isogloss.benchmark.plan import Corpus, Limits, Plan, System

SYSTEM = System("newmm", tokenizer="pythainlp:newmm", requires=["pythainlp==5.4.0"])
LOCK = format_head(SYSTEM.requires) + "pythainlp==5.4.0 --hash=sha256:ab\n"


def write_report(hashes: dict[str, str]) -> str:
    install = [
        {"metadata": {"name": name, "version": "1.0"}, "download_info": {"archive_info": {"hashes": hashes}}}
        for name in ("Zebra", "apple")
    ]
    return json.dumps({"install": install})


def test_a_lock_of_pip_has_versions_and_hashes() -> None:
    assert format_pip_lock(write_report({"sha256": "ab"})) == (
        "apple==1.0 --hash=sha256:ab\nZebra==1.0 --hash=sha256:ab\n"
    )


def test_a_package_without_hash_is_refused() -> None:
    with pytest.raises(EnvironmentBuildError, match="has no hash"):
        format_pip_lock(write_report({}))


def test_a_system_without_requirements_has_our_environment(tmp_path: Path) -> None:
    assert find_environment(System("a", function="a:b"), tmp_path / "a.txt") is OWN_ENVIRONMENT


def test_a_built_environment_is_found_by_its_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path))
    lock_file = tmp_path / "newmm.txt"
    assert find_environment(SYSTEM, lock_file) is None
    lock_file.write_text(LOCK)
    assert find_environment(SYSTEM, lock_file) is None
    (tmp_path / digest_lock(LOCK)).mkdir()
    (tmp_path / digest_lock(LOCK) / COMPLETE).touch()
    found = find_environment(SYSTEM, lock_file)
    assert found is not None
    assert found.digest == digest_lock(LOCK)
    other = System("newmm", tokenizer="pythainlp:newmm", requires=["pythainlp==5.3.0"])
    assert find_environment(other, lock_file) is None


def test_the_latest_environment_of_the_same_requirements_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path / "cache"))
    locks = [LOCK, LOCK + "other==1.0 --hash=sha256:cd\n", LOCK + "other==2.0 --hash=sha256:ef\n"]
    folders = [digest_lock(locks[0]), digest_lock(locks[1]), "of-another-interpreter"]
    for moment, (lock, folder) in enumerate(zip(locks, folders, strict=True)):
        path = tmp_path / "cache" / folder / COMPLETE
        path.parent.mkdir(parents=True)
        path.write_text(lock)
        os.utime(path, (moment, moment))
    found = build_environment(SYSTEM, tmp_path / "locks" / "newmm.txt", download=False)
    assert (found.digest, found.lock) == (digest_lock(locks[1]), locks[1])
    assert (tmp_path / "locks" / "newmm.txt").read_text() == locks[1]


def test_nothing_is_downloaded_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path))
    with pytest.raises(EnvironmentBuildError, match="add --download"):
        build_environment(SYSTEM, tmp_path / "newmm.txt", download=False)
    assert not list(tmp_path.iterdir())


class StateMonitor:
    def __init__(self) -> None:
        self.states: list[tuple[str, str]] = []

    def show_state(self, corpus: str, system: str, state: str, done: int = 0, total: int = 0) -> None:
        self.states.append((system, state))


def write_wheel(folder: Path) -> str:
    """Write a package `tinycut` with the function `cut`, and return the SHA-256 of the wheel."""
    files = {
        "tinycut.py": "def cut(text):\n    return list(text)\n",
        "tinycut-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: tinycut\nVersion: 1.0\n",
        "tinycut-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{name},,\n" for name in (*files, "tinycut-1.0.dist-info/RECORD"))
    path = folder / "tinycut-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, content in (files | {"tinycut-1.0.dist-info/RECORD": record}).items():
            wheel.writestr(name, content)
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("tool", ["uv", "pip"])
def test_a_system_runs_in_an_environment_of_its_own(tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if tool == "pip":
        monkeypatch.setattr("isogloss.benchmark.environments.shutil.which", lambda _: None)
    elif shutil.which("uv") is None:
        pytest.skip("uv is not installed")
    sha256 = write_wheel(tmp_path)
    for prefix in ("UV", "PIP"):  # nothing from the network
        monkeypatch.setenv(f"{prefix}_FIND_LINKS", str(tmp_path))
        monkeypatch.setenv(f"{prefix}_NO_INDEX", "1")
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_CACHE_DIR", str(tmp_path / "uv"))
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path / "cache"))
    (tmp_path / "gold.label").write_text("a|b\nc\n")
    system = System("tiny", function="tinycut:cut", requires=["tinycut==1.0"])
    plan = Plan([Corpus("toy", gold="gold.label")], [system], Limits(rounds=0))
    (cell,) = BenchmarkRunner(plan, tmp_path, tmp_path / "out", StateMonitor(), download=True).run().cells
    assert cell.reason == ""
    assert (cell.outcomes["ok"], cell.versions["tinycut"]) == (2, "1.0")
    lock = (tmp_path / "out" / "locks" / "tiny.txt").read_text()
    assert f"sha256:{sha256}" in lock
    # Other results use the environment without --download, and lock the same packages.
    monitor = StateMonitor()
    (again,) = BenchmarkRunner(plan, tmp_path, tmp_path / "new", monitor).run().cells
    assert (again.reason, again.sha256) == ("", cell.sha256)
    assert monitor.states[0] == ("tiny", "environment cached")
    assert (tmp_path / "new" / "locks" / "tiny.txt").read_text() == lock


def test_two_runs_build_an_environment_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path / "cache"))
    lock_file = tmp_path / "newmm.txt"
    lock_file.write_text(LOCK)
    building, go_on, built = threading.Event(), threading.Event(), []

    def install(folder: Path, _: Path) -> None:
        built.append(folder)
        building.set()
        assert go_on.wait(30)
        folder.mkdir()
        (folder / COMPLETE).touch()

    monkeypatch.setattr("isogloss.benchmark.environments._install", install)
    runs = [
        threading.Thread(target=build_environment, args=(SYSTEM, lock_file), kwargs={"download": True}) for _ in "ab"
    ]
    runs[0].start()
    assert building.wait(30)
    runs[1].start()
    go_on.set()
    for run in runs:
        run.join(30)
    assert built == [tmp_path / "cache" / digest_lock(LOCK)]
