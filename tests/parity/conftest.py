"""conlleval.pl, where it is at hand: `tests/conlleval.pl` in the source distribution of seqeval 1.2.2."""

from __future__ import annotations

import hashlib
import os
import shutil
from pathlib import Path

import pytest

SHA256 = "9d404114552a4cd222b3eaf8de81acc3dea18a1f91bbdb788fe0b63146358d82"


@pytest.fixture(scope="session")
def conlleval() -> tuple[str, str]:
    """The command that runs conlleval.pl from the folder that ISOGLOSS_PEERS names; else the test is skipped."""
    perl = shutil.which("perl")
    if perl is None:
        pytest.skip("perl is not installed")
    script = Path(os.environ.get("ISOGLOSS_PEERS", "")) / "conlleval.pl"
    if not script.is_file():
        pytest.skip("conlleval.pl is not there: ISOGLOSS_PEERS names no folder with it")
    if hashlib.sha256(script.read_bytes()).hexdigest() != SHA256:
        pytest.skip(f"{script} is not the conlleval.pl of seqeval 1.2.2")
    return perl, str(script)
