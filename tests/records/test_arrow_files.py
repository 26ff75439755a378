from __future__ import annotations

import struct
from pathlib import Path

import pytest

import isogloss
from isogloss.errors import FormatError

pa = pytest.importorskip("pyarrow", reason="needs isogloss[arrow]")
pytestmark = pytest.mark.extra


@pytest.mark.parametrize("offsets", [(0, -(10**9), 2), (0, 2, 1)])
def test_strings_at_impossible_positions_are_refused(offsets: tuple[int, ...], tmp_path: Path) -> None:
    """Reading such a string with pyarrow ends the process."""
    buffers = [None, pa.py_buffer(struct.pack("<3i", *offsets)), pa.py_buffer(b"pos")]
    label = pa.Array.from_buffers(pa.string(), 2, buffers)
    batch = pa.RecordBatch.from_arrays([pa.array(["1", "2"]), label], ["id", "label"])
    path = tmp_path / "a.arrow"
    with pa.ipc.new_file(path, batch.schema) as writer:
        writer.write_batch(batch)
    with pytest.raises(FormatError, match="is damaged"):
        isogloss.classification(path, path)
