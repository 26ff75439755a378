"""Registry: objects by name, imported on first use.

The objects are from isogloss and from other packages. Another package adds, for example, a profile by an entry point in
the group `isogloss.ner_profiles`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import Any

from isogloss.kernel.argument_checks import check_choice


@dataclass(frozen=True)
class Registry:
    """Objects of one kind, by name.

    Args:
        kind: noun for messages, such as "profile".
        group: group of entry points that add objects.
        builtin: name to `module:attribute`.
        registered: objects added in this process, by name.
    """

    kind: str
    group: str
    builtin: Mapping[str, str]
    registered: dict[str, Any] = field(default_factory=dict)

    def register(self, name: str, entry: Any) -> None:
        """Add an object, replacing any other of its name."""
        self.registered[name] = entry

    def list_names(self) -> tuple[str, ...]:
        """Return all names, ascending."""
        return tuple(sorted(self.builtin.keys() | self._entry_points.keys() | self.registered.keys()))

    def has(self, name: str) -> bool:
        """Check whether there is an object of this name.

        Entry points are read only if the name is not built in.
        """
        return name in self.registered or name in self.builtin or name in self._entry_points

    def load(self, name: str) -> Any:
        """Load the object of this name.

        Args:
            name: name of the object.

        Raises:
            UsageError: if there is none; the message suggests the closest names.
        """
        if name in self.registered:
            return self.registered[name]
        place = self.builtin.get(name)
        if place is None:
            check_choice(self.kind, name, self.list_names())
            place = self._entry_points[name]
        return load_object(place)

    @cached_property
    def _entry_points(self) -> dict[str, str]:
        """Entry points of other packages.

        They are read only if a name is not built in.
        """
        from importlib.metadata import entry_points  # noqa: PLC0415  it takes 20 ms

        return {entry.name: entry.value for entry in entry_points(group=self.group)}


def load_object(place: str) -> Any:
    """Import the object at `module:attribute`."""
    module, _, attribute = place.partition(":")
    return getattr(import_module(module), attribute)


def lazy(place: str) -> Callable[..., Any]:
    """Return a function that imports `module:attribute` when it is first called.

    This is how start-up stays quick: what a command does not call is not imported.
    """

    def call(*arguments: Any, **named: Any) -> Any:
        return load_object(place)(*arguments, **named)

    call.__name__ = call.__qualname__ = place
    return call
