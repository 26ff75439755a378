"""Parts of a corpus, counted by themselves, give the results of the whole, to the last bit."""

import json
import random
from pathlib import Path

import pytest
from command_line import run_isogloss
from parts_of_corpora import CORPORA, SHARDS

SEED = 17
EVIDENCE = ["--confidence", "0.9", "--resamples", "120", "--errors", "7", "--test", "bootstrap"]
COUNTED = EVIDENCE[:-2]


@pytest.fixture(params=CORPORA)
def corpus(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, list[str], list[str]]:
    """Task, patterns of the files, and options."""
    monkeypatch.chdir(tmp_path)
    names, options = CORPORA[request.param](tmp_path, random.Random(SEED))
    return request.param, [f"{name}/{name}-*" for name in names], options


def test_merged_parts_give_the_bytes_of_the_whole(corpus: tuple[str, list[str], list[str]]) -> None:
    task, patterns, options = corpus
    patterns = patterns[: len(patterns) - 1]  # one system
    whole = run_isogloss(task, *patterns, *options, *COUNTED, "-f", "json")
    for number in range(SHARDS):
        files = [pattern.replace("*", f"{number}") for pattern in patterns]
        paths = [str(next(Path().glob(f"{file}.*"))) for file in files]
        run_isogloss("count", task, *paths, *options, *COUNTED, "-o", f"part-{number}.iso")
    merged = run_isogloss("merge", *(f"part-{number}.iso" for number in (2, 0, 1)), "-f", "json")
    assert_same(merged, whole)


def test_chosen_parts_give_the_bytes_of_the_whole(corpus: tuple[str, list[str], list[str]]) -> None:
    task, patterns, options = corpus
    whole = run_isogloss(task, *patterns, *options, *EVIDENCE, "-f", "json")
    for number in (1, 2):
        run_isogloss("count", task, *patterns, *options, *COUNTED, "--part", f"{number}/2", "-o", f"part-{number}.iso")
    merged = run_isogloss("merge", "part-1.iso", "part-2.iso", "--test", "bootstrap", "-f", "json")
    assert merged == whole


def test_parts_of_one_file_give_the_bytes_of_the_whole(
    corpus: tuple[str, list[str], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The digest of the whole file included."""
    monkeypatch.setenv("ISOGLOSS_PART_BYTES", "2000")
    task, patterns, options = corpus
    files = [f"{pattern.split('/')[0]}.txt" for pattern in patterns]
    for file, pattern in zip(files, patterns, strict=True):
        Path(file).write_text("".join(each.read_text() for each in sorted(Path().glob(pattern))))
    whole = run_isogloss(task, *files, *options, *EVIDENCE, "-f", "json")
    for number in (1, 2):
        run_isogloss("count", task, *files, *options, *COUNTED, "--part", f"{number}/2", "-o", f"part-{number}.iso")
    assert run_isogloss("merge", "part-2.iso", "part-1.iso", "--test", "bootstrap", "-f", "json") == whole


def assert_same(merged: str, whole: str) -> None:
    """Compare everything but the names of the corpora, which `merge` knows by their files only."""
    left, right = json.loads(merged), json.loads(whole)
    for run in (left, right):
        run["system"] = ""
        run["inputs"] = [{**file, "path": ""} for file in run["inputs"]]
    assert left == right
