"""The perl script `score` of the SIGHAN bakeoffs, which runs GNU `diff`, on random sentences.

It is in no registry: name a folder that holds it in ISOGLOSS_PEERS.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cuts import HAN, recut, words_of

import isogloss

SENTENCES = 10_000
FILES = 20
SCORE = Path(os.environ.get("ISOGLOSS_PEERS", "")) / "score"

pytestmark = [
    pytest.mark.parity,
    pytest.mark.extra,
    pytest.mark.skipif(not SCORE.is_file(), reason="`score` is not there: ISOGLOSS_PEERS names no folder with it"),
    pytest.mark.skipif(not (shutil.which("perl") and Path("/usr/bin/diff").exists()), reason="no perl or no diff"),
]
LINE = re.compile(r"^(\d+)?=== (.*?):\t(\S+)$", re.MULTILINE)


def figures(*arguments: Path) -> dict[str, str]:
    """What the script prints in the end."""
    done = subprocess.run(["perl", str(SCORE), *map(str, arguments)], capture_output=True, check=True)
    return {name: value for _, name, value in LINE.findall(done.stdout.decode("utf-8", "replace"))}


@pytest.mark.parametrize("seed", range(FILES))
def test_figures_are_equal_to_their_last_digit(seed: int, tmp_path: Path) -> None:
    generator = random.Random(seed)
    alphabet = (HAN + "|<>") if seed % 4 == 0 else HAN[: 4 + seed % 3 * 4]
    rows, known = [], set()
    for _ in range(SENTENCES // FILES):
        text = "".join(generator.choices(alphabet, k=generator.randint(1, 24)))
        reference = words_of(text, 0.5, generator)
        far = generator.random() < 0.2
        rows.append((reference, words_of(text, 0.5, generator) if far else recut(reference, 0.2, generator)))
        known |= {word for word in reference if generator.random() < 0.3}
    for name, lines in (("gold", [r for r, _ in rows]), ("pred", [p for _, p in rows]), ("dict", [[w] for w in known])):
        space = generator.choice(("  ", " ", "\u3000"))
        (tmp_path / name).write_text("".join(space.join(line) + "\n" for line in lines), encoding="utf-8")
    theirs = figures(tmp_path / "dict", tmp_path / "gold", tmp_path / "pred")
    run = isogloss.segmentation(
        tmp_path / "gold", tmp_path / "pred", profile="sighan", vocabulary=tmp_path / "dict", input_format="spaces"
    )
    word = run.scores["word"]
    print(f"{run.documents} sentences compared")  # noqa: T201  how many were compared
    assert run.documents == len(rows)
    assert (word.reference, word.predicted) == (
        int(theirs["TOTAL TRUE WORD COUNT"]),
        int(theirs["TOTAL TEST WORD COUNT"]),
    )
    digits = len(theirs["F MEASURE"]) - 2
    for name, value in (
        ("TOTAL TRUE WORDS RECALL", word.recall),
        ("TOTAL TEST WORDS PRECISION", word.precision),
        ("F MEASURE", word.f1),
        ("OOV Rate", run.scores["oov"].total / word.reference),
        ("OOV Recall Rate", run.scores["oov"].recall),
        ("IV Recall Rate", run.scores["iv"].recall),
    ):
        assert f"{value:.{digits}f}" == theirs[name], name
