"""Measure counting in several processes, and merging.

    python benchmarks/scale.py [--megabytes 600] [--partials 10000] [--kills 50] [--only jobs,merge,kills,resume,ray]

Each line of the table is one measurement: processor time of all processes, and elapsed time beside it, as other
programs may run. `ray` needs the extra `ray`.
"""

from __future__ import annotations

import argparse
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

SEED = 20
WORDS = ("Ada", "met", "Bob", "in", "Rome", "yesterday", "evening")
TIMEOUT = 1800
KILLS_OF_JOB = 4


def write_corpus(folder: Path, megabytes: float) -> None:
    """Write gold.conll and sys.conll, together of about so many megabytes."""
    rng = random.Random(SEED)
    sides: list[list[str]] = [[], []]
    for _ in range(4000):
        tokens = rng.choices(WORDS, k=rng.randint(5, 30))
        for side in sides:
            previous, lines = "O", []
            for token in tokens:
                kind = rng.choices(["O", "PER", "LOC"], [8, 1, 1])[0]
                lines.append(f"{token}\t{kind if kind == 'O' else ('I-' if previous == kind else 'B-') + kind}")
                previous = kind
            side.append("\n".join(lines) + "\n\n")
    blocks = ["".join(side) for side in sides]
    times = max(1, round(megabytes * 1e6 / sum(map(len, blocks))))
    for name, block in zip(("gold", "sys"), blocks, strict=True):
        with (folder / f"{name}.conll").open("w") as file:
            for _ in range(times):
                file.write(block)


def run(folder: Path, *arguments: str) -> tuple[float, float, bytes]:
    """Run isogloss; return wall seconds, processor seconds with those of its children, and the output."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-m", "isogloss", *arguments, "-f", "json", "-q"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=TIMEOUT, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begin, seconds, done.stdout


def measure_jobs(folder: Path, megabytes: float) -> None:
    """Compare one process with two, over ranges of one file."""
    write_corpus(folder, megabytes)
    size = sum(path.stat().st_size for path in folder.glob("*.conll")) / 1e6
    one_wall, one, expected = run(folder, "ner", "gold.conll", "sys.conll")
    two_wall, two, output = run(folder, "ner", "gold.conll", "sys.conll", "--jobs", "2")
    print(
        f"| NER, {size:,.0f} MB in two files | --jobs 1: {one:.1f} s CPU, {one_wall:.1f} s wall | "
        f"--jobs 2: {two:.1f} s CPU, {two_wall:.1f} s wall | {one / two:.0%} of linear by CPU, "
        f"{one_wall / two_wall / 2:.0%} by wall | same bytes: {output == expected} |"
    )


def measure_merge(folder: Path, number: int) -> None:
    """Merge so many partials of 200 documents each."""
    from isogloss import count
    from isogloss.distributed.counting import load_partials, merge_runs

    rng, parts = random.Random(SEED), folder / "partials"
    parts.mkdir()
    for k in range(100):
        sides = [[rng.choices(["O", "B-PER", "B-LOC"], [6, 1, 1], k=12) for _ in range(200)] for _ in range(2)]
        count("ner", *sides, scheme="iob2").save(parts / f"{k}.iso")
    sources = [parts / f"{k}.iso" for k in range(100)]
    for k in range(100, number):
        shutil.copy(sources[k % 100], parts / f"{k}.iso")
    begin, wall = time.process_time(), time.perf_counter()
    run = merge_runs(load_partials(sorted(parts.iterdir())))
    documents, score = run[0].documents, run[0].scores["strict"].f1
    print(
        f"| {number:,} partials of 200 documents | {time.process_time() - begin:.1f} s CPU, "
        f"{time.perf_counter() - wall:.1f} s wall | {documents:,} documents, strict F {score:.4f} |"
    )


def measure_kills(folder: Path, number: int) -> None:
    """Kill workers at random times, resume until the job ends, and compare the totals."""
    rng = random.Random(SEED)
    write_corpus(folder, 30)
    os.environ["ISOGLOSS_PART_BYTES"] = "500000"
    _, _, expected = run(folder, "ner", "gold.conll", "sys.conll")
    kills = rounds = ended = 0
    same = True
    while kills < number and rounds < number:
        rounds += 1
        shutil.rmtree(folder / "parts", ignore_errors=True)
        done, output = run_and_kill(folder, rng)
        kills += done
        ended += output is None
        if output is None:
            _, _, output = run(folder, "ner", "gold.conll", "sys.conll", "--jobs", "2", "--resume", "parts")
        same &= output == expected
    print(
        f"| {kills} SIGKILLs of random workers in {rounds} jobs | {ended} jobs ended because of a part that was killed "
        f"twice, and were resumed | same bytes each time: {same} |"
    )


def run_and_kill(folder: Path, rng: random.Random) -> tuple[int, bytes | None]:
    """Run a job, kill some of its workers; return the kills, and the output if the job ended well."""
    command = [sys.executable, "-m", "isogloss", "ner", "gold.conll", "sys.conll", "--jobs", "2", "--resume", "parts"]
    process = subprocess.Popen(
        [*command, "-f", "json", "-q"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    kills, end = 0, time.monotonic() + TIMEOUT
    while process.poll() is None and time.monotonic() < end and kills < KILLS_OF_JOB:
        time.sleep(rng.uniform(0.2, 4))
        children = list_workers(process.pid)
        if children:
            os.kill(rng.choice(children), signal.SIGKILL)
            kills += 1
    output, _ = process.communicate(timeout=TIMEOUT)
    return kills, output if process.returncode == 0 else None


def list_workers(parent: int) -> list[int]:
    """List the worker processes of a process."""
    try:
        children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        return [int(each) for each in children if b"spawn_main" in Path(f"/proc/{each}/cmdline").read_bytes()]
    except OSError:
        return []


def measure_resume(folder: Path) -> None:
    """Remove a tenth of the partials, and count again."""
    write_corpus(folder, 60)
    os.environ["ISOGLOSS_PART_BYTES"] = "1000000"
    shutil.rmtree(folder / "parts", ignore_errors=True)
    command = ("ner", "gold.conll", "sys.conll", "--jobs", "2", "--resume", "parts")
    _, first, expected = run(folder, *command)
    partials = sorted((folder / "parts").iterdir())
    stamps = {path: path.stat().st_mtime_ns for path in partials}
    for path in partials[::10]:
        path.unlink()
    _, again, output = run(folder, *command)
    counted = sum(path.stat().st_mtime_ns != stamps[path] for path in partials)
    print(
        f"| {len(partials)} parts, {len(partials[::10])} removed | {first:.1f} s CPU, then {again:.1f} s | "
        f"{counted} counted again | same bytes: {output == expected} |"
    )


def measure_ray(folder: Path, megabytes: float) -> None:
    """Compare two nodes of Ray on this machine with two processes."""
    import ray
    from ray.cluster_utils import Cluster

    from isogloss.distributed.jobs import score_in_jobs
    from isogloss.distributed.ray import score_with_ray

    write_corpus(folder, megabytes)
    size = sum(path.stat().st_size for path in folder.glob("*.conll")) / 1e6
    corpus = open_corpus(folder)
    times, outputs = {}, set()
    begin = time.perf_counter()
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False, logging_level="ERROR")
    times["start of the cluster"] = time.perf_counter() - begin, read_seconds(os.getpid())
    steps = {
        "first job": lambda place: score_with_ray(corpus, place),
        "second job": lambda place: score_with_ray(corpus, place),
        "--jobs 2": lambda place: score_in_jobs(corpus, 2, place),
    }
    for name, score in steps.items():
        place = folder / name.replace(" ", "-")
        place.mkdir()
        begin, before = time.perf_counter(), read_seconds(os.getpid())
        (run,) = score(str(place))
        outputs.add(run.to_json())
        times[name] = time.perf_counter() - begin, read_seconds(os.getpid()) - before
    ray.shutdown()
    cluster.shutdown()
    shown = ", ".join(f"{name} {cpu:.1f} s CPU, {wall:.1f} s wall" for name, (wall, cpu) in times.items())
    print(f"| NER, {size:,.0f} MB, {len(list(place.iterdir()))} parts | {shown} | same bytes: {len(outputs) == 1} |")


def read_seconds(process: int) -> float:
    """Read the processor time of a process and all that it started, also of those that ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    seconds = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    for thread in Path(f"/proc/{process}/task").iterdir():
        for child in (thread / "children").read_text().split():
            with suppress(OSError):  # it has ended
                seconds += read_seconds(int(child))
    return seconds


def open_corpus(folder: Path) -> Any:
    """Open the corpus as the command does."""
    from isogloss.distributed.jobs import Corpus
    from isogloss.tasks.registry import get_task
    from isogloss.tasks.scoring import parse_call

    task = get_task("ner")
    call = parse_call(task, {})
    files = str(folder / "gold.conll"), [str(folder / "sys.conll")]
    opened = task.open_systems(*files, call.options, call.scoring_options)
    return Corpus(task, list(opened), call.options, call.scoring_options)


def main() -> None:
    """Measure what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=600)
    parser.add_argument("--partials", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--only", default="jobs,merge,kills,resume")
    given = parser.parse_args()
    steps = {
        "jobs": lambda folder: measure_jobs(folder, given.megabytes),
        "merge": lambda folder: measure_merge(folder, given.partials),
        "kills": lambda folder: measure_kills(folder, given.kills),
        "resume": measure_resume,
        "ray": lambda folder: measure_ray(folder, given.megabytes),
    }
    for name in given.only.split(","):
        with tempfile.TemporaryDirectory(prefix="isogloss-scale-") as folder:
            steps[name](Path(folder))
            sys.stdout.flush()


if __name__ == "__main__":
    main()
