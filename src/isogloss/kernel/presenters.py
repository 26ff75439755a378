"""Functions that draw values, registered by name.

They belong to higher rooms, and are imported on first use.

A run can print itself as the command line does, but `report`, which draws tables, is above `runs`. So the package
registers the functions that draw, and values look them up here.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which `import isogloss` does not need
if TYPE_CHECKING:
    from typing import Any

_PLACES: dict[str, str] = {}


def register_presenter(name: str, place: str) -> None:
    """Register a function that draws values.

    Args:
        name: name under which values look it up.
        place: the function, as `module:function`; it is imported on first use.
    """
    _PLACES[name] = place


def call_presenter(name: str, *values: Any, **options: Any) -> Any:
    """Call the function of this name.

    Args:
        name: name of the function, such as `run_html`.
        *values: arguments of the function.
        **options: keyword arguments of the function.
    """
    from isogloss.kernel.registry import load_object  # noqa: PLC0415  `import isogloss` does not need it

    return load_object(_PLACES[name])(*values, **options)
