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


def test_names_are_built_in_and_added_ones_sorted(profiles: Registry) -> None:
    assert profiles.list_names() == ("absent", "strict", "theirs")


def test_a_name_loads_its_object(profiles: Registry) -> None:
    assert profiles.load("theirs").__name__ == "Counter"


def test_packages_do_not_replace_built_in_objects(profiles: Registry) -> None:
    assert profiles.load("strict") is OrderedDict


def test_objects_are_imported_on_first_use(profiles: Registry) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        profiles.load("absent")


def test_a_misspelt_name_suggests_the_closest(profiles: Registry) -> None:
    with pytest.raises(UsageError, match=r"Unknown profile 'stric'; did you mean strict\?"):
        profiles.load("stric")


def test_an_unknown_name_lists_all_names(profiles: Registry) -> None:
    with pytest.raises(UsageError, match=r"Choose from absent, strict, theirs"):
        profiles.load("zzzzzzzz")


def test_entry_points_of_installed_packages_are_found() -> None:
    assert "pytest" in Registry("command", "console_scripts", {}).list_names()


def test_names_are_checked_like_the_list_of_names(profiles: Registry) -> None:
    profiles.register("ours", object())
    assert all(map(profiles.has, profiles.list_names()))
    assert not profiles.has("stric")


def test_built_in_names_are_checked_without_entry_points(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(importlib.metadata, "entry_points")
    assert Registry("profile", "isogloss.profiles", BUILTIN).has("strict")
