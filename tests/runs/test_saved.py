from __future__ import annotations

import subprocess
import sys

from isogloss.kernel.provenance import Signature
from isogloss.runs.run import InputFile, Run
from isogloss.runs.saved_evidence import SavedEvidence


def test_a_report_of_files_needs_no_database() -> None:
    code = "import sys\nimport isogloss.report.run_files\nprint('sqlalchemy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_files_that_hold_both_sides_are_no_files_of_the_reference() -> None:
    inputs = [
        ("references", "b", "2"),
        ("reference", "a", "1"),
        ("reference", "both", "3"),
        ("prediction", "both", "3"),
    ]
    evidence = SavedEvidence({"documents": 0, "scores": {}})
    run = Run("ner", "x", Signature("ner", "1", {}), evidence, inputs=tuple(InputFile(*each) for each in inputs))
    assert run.reference_digests == ("1", "2")
