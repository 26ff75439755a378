"""Natural order of names: numbers in them are compared by size.

sorted(["shard-10", "shard-9"], key=to_natural_key)  # ["shard-9", "shard-10"]
"""

from __future__ import annotations

import re

NUMBERED_PART = re.compile(r"(\D*)(\d{0,18})")


def to_natural_key(name: str) -> list[tuple[str, int]]:
    """Return a sort key that compares numbers in a name by size."""
    return [(text, int(digits or 0)) for text, digits in NUMBERED_PART.findall(name)]
