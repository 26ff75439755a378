"""Write down the public surface: every public name of the package, with its signature and fields.

python tests/support/public_api.py > tests/golden/public_api.txt
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Any

import isogloss


def list_public_surface() -> Iterator[str]:
    """Yield a line for each public name, and for each public member of a class."""
    for name in sorted(isogloss.__all__):
        value = getattr(isogloss, name)
        if inspect.isclass(value):
            yield from _list_class(name, value)
        elif callable(value):
            yield f"{name}{_format_signature(value)}"
        else:
            yield f"{name}: {type(value).__name__}"


def _list_class(name: str, value: type[Any]) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in value.__bases__ if base is not object)
    yield f"class {name}({bases})"
    fields = {field.name for field in dataclasses.fields(value)} if dataclasses.is_dataclass(value) else set()
    if not issubclass(value, Exception):
        yield f"    {name}{_format_signature(value)}"
    for member in sorted(fields | set(dir(value))):
        if member.startswith("_"):
            continue
        found = inspect.getattr_static(value, member, None)
        if isinstance(found, classmethod | staticmethod):
            yield f"    {type(found).__name__} {member}{_format_signature(found.__func__)}"
        elif inspect.isfunction(found):
            yield f"    {member}{_format_signature(found)}"
        elif not hasattr(BaseException, member):
            yield f"    {member}"


def _format_signature(value: Any) -> str:
    text = str(inspect.signature(value))
    without_addresses = re.sub(r"<function (\S+) at 0x[0-9a-f]+>", r"\1", text)
    return without_addresses.replace("'", "")  # annotations are strings


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in list_public_surface()))
