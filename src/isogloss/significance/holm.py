"""Holm's correction of a family of tests: the chance of any false claim among them is at most that of one test.

The smallest of m p-values is multiplied by m, the next by m - 1, and so on; none is less than one before it, none more
than 1. It holds however the tests depend on each other.

Source: Holm (1979), A simple sequentially rejective multiple test procedure.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import isnan
from typing import TypeVar

Name = TypeVar("Name", bound=Hashable)


def holm_corrected(p_values: Mapping[Name, float]) -> dict[Name, float]:
    """Adjusted p-values by the same names, in the same order.

    Those that are nan stay so and are no tests of the family. The order of the others does not matter.
    """
    tests = sorted((name for name, p in p_values.items() if not isnan(p)), key=lambda name: p_values[name])
    adjusted, least = dict(p_values), 0.0
    for rank, name in enumerate(tests):
        least = max(least, min(1.0, (len(tests) - rank) * p_values[name]))
        adjusted[name] = least
    return adjusted
