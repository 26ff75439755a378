from __future__ import annotations

import numpy as np
import pytest

from isogloss.stats import randomization


@pytest.mark.parametrize("kind", [np.uint8, np.uint64])
def test_set_bits_are_counted_without_numpy_2(kind: type[np.uint8 | np.uint64]) -> None:
    bits = np.random.default_rng(1).integers(0, np.iinfo(kind).max, (20, 3), kind, endpoint=True)
    bits[0] = 0, 1, np.iinfo(kind).max
    expected = [[int(number).bit_count() for number in row] for row in bits]
    assert randomization._count_bits(bits).tolist() == expected
    assert randomization.count_set_bits(bits).tolist() == expected
