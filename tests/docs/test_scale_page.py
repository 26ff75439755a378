"""The recipes of docs/scale.md give the run of one process."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_isogloss, try_isogloss
from pages import blocks
from parts_of_corpora import write_labels, write_ner

PAGE = "scale.md"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_prediction_in_one_file_is_divided_by_ids(page: str, tmp_path: Path) -> None:
    write_labels(tmp_path, random.Random(1))
    lines = [line for path in sorted(Path("a").iterdir()) for line in path.read_text().splitlines(keepends=True)]
    Path("system.jsonl").write_text("".join(random.Random(2).sample(lines, len(lines))))
    (block,) = [block for block in blocks(page) if "system.jsonl" in block]
    exec(block, {})
    code, _, errors = try_isogloss("count", "classification", "gold/gold-1.jsonl", "system.jsonl", "-o", "1.iso")
    assert (code, "divide it by ids first" in errors) == (3, True)
    whole, divided = (
        json.loads(run_isogloss("classification", "gold/", name, "-f", "json")) for name in ("system.jsonl", "system/")
    )
    assert divided["scores"] == whole["scores"]


def test_the_tasks_of_an_array_count_the_whole(page: str, tmp_path: Path) -> None:
    write_ner(tmp_path, random.Random(1))
    Path("a").rename("system")
    for path in Path("system").iterdir():
        path.rename(path.with_name(path.name.replace("a-", "system-")))
    (script,) = re.findall(r"^`count.sh`:\n\n```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    command = f'isogloss() {{ "{sys.executable}" -m isogloss "$@"; }}\n{script.replace("/4", "/3")}'
    Path("parts").mkdir()
    for number in (1, 2, 3):
        subprocess.run(["sh", "-c", command], check=True, env={"SLURM_ARRAY_TASK_ID": f"{number}"}, timeout=60)
    merged = run_isogloss("merge", *map(str, Path("parts").iterdir()), "-f", "json")
    assert merged == run_isogloss("ner", "gold/", "system/", "-f", "json")
