from __future__ import annotations

import importlib.metadata
from collections import OrderedDict
from importlib.metadata import EntryPoint

import pytest

from isogloss.errors import UsageError
from isogloss.kernel.registry import Registry

BUILTIN = {"strict": "collections:OrderedDict", "absent": "isogloss.no_such_module:nothing"}


@pytest.fixture
def profiles(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """Two names are built in; another package adds one and tries to replace one."""
    added = [
        EntryPoint("theirs", "collections:Counter", "isogloss.profiles"),
        EntryPoint("strict", "collections:deque", "isogloss.profiles"),
    ]
    groups = {"isogloss.profiles": added}
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: groups.get(group, []))
    return Registry("profile", "isogloss.profiles", BUILTIN)


def test_names_are_the_built_in_and_the_added_ones_ascending(profiles: Registry) -> None:
    assert profiles.list_names() == ("absent", "strict", "theirs")


def test_a_name_is_loaded_from_its_place(profiles: Registry) -> None:
    assert profiles.load("theirs").__name__ == "Counter"


def test_no_package_replaces_what_is_built_in(profiles: Registry) -> None:
    assert profiles.load("strict") is OrderedDict


def test_nothing_is_imported_before_it_is_asked_for(profiles: Registry) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        profiles.load("absent")


def test_a_misspelt_name_is_answered_with_the_closest(profiles: Registry) -> None:
    with pytest.raises(UsageError, match=r"Unknown profile 'stric'; did you mean strict\?"):
        profiles.load("stric")


def test_a_name_like_no_other_is_answered_with_all(profiles: Registry) -> None:
    with pytest.raises(UsageError, match=r"Choose from absent, strict, theirs"):
        profiles.load("zzzzzzzz")


def test_installed_packages_are_looked_through() -> None:
    assert "pytest" in Registry("command", "console_scripts", {}).list_names()
