"""Environments are locked with hashes and found in the cache."""

from __future__ import annotations

import json
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
from isogloss.benchmark.plan import System

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


def test_nothing_is_downloaded_unless_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISOGLOSS_BENCHMARK_CACHE", str(tmp_path))
    with pytest.raises(EnvironmentBuildError, match="add --download"):
        build_environment(SYSTEM, tmp_path / "newmm.txt", download=False)
    assert not list(tmp_path.iterdir())
