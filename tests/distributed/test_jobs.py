"""Several processes give the bytes of one, and lose nothing when one of them dies."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import run_isogloss, try_isogloss
from dying_calls import die_always, die_once, fail
from parts_of_corpora import CORPORA, SHARDS, write_languages, write_model, write_texts

from isogloss.distributed.jobs import WorkerPool
from isogloss.distributed.partials import Partial
from isogloss.errors import DataError, UsageError

EVIDENCE = ["--confidence", "0.9", "--resamples", "100", "--errors", "5", "-f", "json"]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ISOGLOSS_PART_BYTES", "2000")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("task", CORPORA)
def test_processes_over_shards_give_the_bytes_of_one(task: str, tmp_path: Path) -> None:
    names, options = CORPORA[task](tmp_path, random.Random(3))
    patterns = [f"{name}/{name}-*" for name in names]
    whole = run_isogloss(task, *patterns, *options, *EVIDENCE)
    code, divided, errors = try_isogloss(task, *patterns, *options, *EVIDENCE, "--jobs", "2", "--resume", "parts")
    assert (code, errors) == (0, "")
    assert divided == whole
    assert len(list(Path("parts").iterdir())) == SHARDS


@pytest.mark.parametrize("task", CORPORA)
def test_processes_over_ranges_of_one_file_give_the_bytes_of_one(task: str, tmp_path: Path) -> None:
    names, options = CORPORA[task](tmp_path, random.Random(4))
    for name in names:
        Path(f"{name}.txt").write_text("".join(each.read_text() for each in sorted(Path(name).iterdir())))
    files = [f"{name}.txt" for name in names]
    whole = run_isogloss(task, *files, *options, *EVIDENCE)
    code, divided, errors = try_isogloss(task, *files, *options, *EVIDENCE, "--jobs", "2", "--resume", "parts")
    assert (code, errors) == (0, "")
    assert divided == whole
    assert len(list(Path("parts").iterdir())) > SHARDS


@pytest.mark.parametrize("options", [["a", "a", "--by", "language"], ["a", "b", "--profile", "ea-mt"]])
def test_processes_over_a_folder_of_languages_give_the_bytes_of_one(options: list[str], tmp_path: Path) -> None:
    write_languages(tmp_path, random.Random(8))
    command = ["entity-translation", "gold/", *options, *EVIDENCE[:-4], "-f", "json"]
    whole = run_isogloss(*command)
    code, divided, errors = try_isogloss(*command, "--jobs", "2", "--resume", "parts")
    assert (code, divided) == (0, whole)
    assert "one process" not in errors
    assert len(list(Path("parts").iterdir())) > 3
    for number in (1, 2, 3):
        words = [word for word in command if word not in {"-f", "json"}]
        run_isogloss("count", *words, "--part", f"{number}/3", "-o", f"part-{number}.iso")
    assert run_isogloss("merge", *(f"part-{number}.iso" for number in (3, 1, 2)), "-f", "json") == whole


@pytest.mark.parametrize(
    ("line", "command"),
    [
        ("สวัสดี|ครับ\n\nดี|มาก\n", ["segmentation", "texts.txt", "texts.txt", "--errors", "2"]),
        ("Це текст hello.\nІ ще\n \n", ["code-switching", "texts.txt", "--language", "uk", "--errors", "2"]),
    ],
)
def test_lines_of_text_are_divided(line: str, command: list[str], tmp_path: Path) -> None:
    Path("texts.txt").write_text(line * 100, encoding="utf-8")
    whole = run_isogloss(*command, "-f", "json")
    assert run_isogloss(*command, "-f", "json", "--jobs", "2", "--resume", "parts") == whole
    assert len(list(Path("parts").iterdir())) > 1


def test_warnings_about_languages_are_those_of_the_whole_corpus(tmp_path: Path) -> None:
    rows = [("ja", "これは本です"), ("zh", "这是书"), ("uk", "Це книга"), ("de", "Das Buch")]
    lines = [f'{{"text": "{text}", "language": "{language}"}}\n' * 40 for language, text in rows]
    Path("texts.jsonl").write_text("".join(lines), encoding="utf-8")
    command = ["code-switching", "texts.jsonl", "--language-field", "language", "-f", "json"]
    whole = run_isogloss(*command)
    assert whole.count("mixed-units") == 1
    assert run_isogloss(*command, "--jobs", "2") == whole


def test_a_profile_that_needs_the_whole_corpus_is_scored_by_one_process(tmp_path: Path) -> None:
    Path("gold.conll").write_text("Ada\tB-PER\n\n" * 300)
    command = ["ner", "gold.conll", "gold.conll", "--profile", "nervaluate", "-f", "json"]
    whole = run_isogloss(*command)
    code, output, errors = try_isogloss(*command, "--jobs", "2")
    assert (code, output) == (0, whole)
    assert "because its parts cannot be counted by themselves: --profile nervaluate scores" in errors


def test_a_process_loads_its_model_once_for_all_parts(tmp_path: Path) -> None:
    write_texts(tmp_path, random.Random(6))
    model, loads = write_model(tmp_path)
    Path("a.jsonl").write_text("".join(each.read_text() for each in Path("a").iterdir()))
    command = ["code-switching", "a.jsonl", "--language", "uk", "--recogniser", model, "-f", "json"]
    whole = run_isogloss(*command)
    loads.unlink()
    assert run_isogloss(*command, "--jobs", "2", "--resume", "parts") == whole
    processes = [line.split()[0] for line in loads.read_text().splitlines()]
    assert len(processes) == len({*processes}) < len(list(Path("parts").iterdir()))


def test_files_with_other_records_are_read_by_one_process(tmp_path: Path) -> None:
    Path("gold.conll").write_text("Ada\tB-PER\n\n" * 300)
    Path("sys.conll").write_text("Ada\tB-PER\n\n\n\n" * 300)
    whole = run_isogloss("ner", "gold.conll", "sys.conll", "-f", "json")
    code, output, errors = try_isogloss("ner", "gold.conll", "sys.conll", "-f", "json", "--jobs", "2")
    assert (code, output) == (0, whole)
    assert "one process reads this input" in errors


def test_the_error_of_a_range_is_that_of_the_whole_file(tmp_path: Path) -> None:
    lines = ["Ada\tB-PER", ""] * 400
    Path("gold.conll").write_text("\n".join(lines) + "\n")
    lines[600] = "Bob\tB-PER"
    Path("sys.conll").write_text("\n".join(lines) + "\n")
    alone = try_isogloss("ner", "gold.conll", "sys.conll")
    divided = try_isogloss("ner", "gold.conll", "sys.conll", "--jobs", "2", "-q")
    assert alone[0] == divided[0] == 3
    assert alone[2] == divided[2]


def test_a_resumed_job_counts_only_what_is_missing(tmp_path: Path) -> None:
    CORPORA["ner"](tmp_path, random.Random(5))
    command = ["ner", "gold", "a", "--jobs", "2", "--resume", "parts", "-f", "json"]
    first = run_isogloss(*command)
    partials = sorted(Path("parts").iterdir())
    partials[0].write_bytes(partials[0].read_bytes()[:-1])
    partials[1].unlink()
    before = partials[2].stat().st_mtime_ns
    assert run_isogloss(*command) == first
    assert partials[2].stat().st_mtime_ns == before
    assert sorted(Path("parts").iterdir()) == partials
    assert all(Partial.load(path).documents for path in partials)


def test_a_killed_process_is_replaced_and_its_item_done_again(tmp_path: Path) -> None:
    with WorkerPool(2) as pool:
        found = sorted(pool.map(die_once, [(str(tmp_path), k) for k in range(4)]))
    assert found == [(k, k) for k in range(4)]


def test_an_item_whose_process_is_killed_twice_is_named(tmp_path: Path) -> None:
    with WorkerPool(2) as pool, pytest.raises(DataError, match=r"part 2: the process .* ended by signal 9, 2 times"):
        list(pool.map(die_always, [(str(tmp_path), k) for k in range(4)], lambda k: f"part {k}"))


def test_an_error_of_a_call_is_raised_in_the_parent() -> None:
    with WorkerPool(1) as pool, pytest.raises(UsageError, match="no 7"):
        list(pool.map(fail, [(7,)]))


def test_an_interrupt_leaves_the_finished_partials(tmp_path: Path) -> None:
    Path("gold.conll").write_text("Ada\tB-PER\nmet\tO\n\n" * 20_000)
    command = ["ner", "gold.conll", "gold.conll", "--jobs", "2", "--resume", "parts", "-f", "json"]
    process = subprocess.Popen(
        [sys.executable, "-m", "isogloss", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    end = time.monotonic() + 60
    while time.monotonic() < end and not list(Path().glob("parts/part-*.iso")):
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    done = {path: path.stat().st_mtime_ns for path in Path("parts").glob("part-*.iso")}
    assert (process.returncode, errors) == (130, b"isogloss: interrupted\n")
    assert done
    assert all(Partial.load(path).documents for path in done)
    run_isogloss(*command)
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in done.items())
