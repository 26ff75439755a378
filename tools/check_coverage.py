"""Refuse a room whose tests run too few of its branches.

    pytest -n auto --cov --cov-report=json && python tools/check_coverage.py coverage.json

The rooms are those with arithmetic and definitions: what a test does not run there, nobody has checked.
"""

import json
import sys
from collections import Counter
from pathlib import Path

ROOMS = ("kernel", "stats", "spans", "tasks")
FLOOR = 95.0  # percent of the branches of a room
SHOWN = 5  # files with the most branches that no test runs


def room_of(file: str) -> str:
    """Return the room that a file belongs to: `kernel` for `src/isogloss/kernel/counts.py`."""
    folder, _, inside = Path(file).as_posix().rpartition("/isogloss/")
    return inside.partition("/")[0] if folder else ""


def find_low_rooms(report: dict[str, dict[str, dict[str, dict[str, int]]]]) -> list[str]:
    """Print the share of branches of each room, and return the rooms below the floor.

    Args:
        report: what `coverage json` writes.
    """
    run, branches, missed = Counter[str](), Counter[str](), Counter[str]()
    for file, found in report["files"].items():
        summary, room = found["summary"], room_of(file)
        run[room] += summary["covered_branches"]
        branches[room] += summary["num_branches"]
        missed[file] = summary["missing_branches"]
    low = []
    for room in ROOMS:
        share = 100 * run[room] / branches[room] if branches[room] else 0.0  # a room without branches was not measured
        print(f"{room:8} {share:6.2f}% of {branches[room]:5,} branches")  # noqa: T201  a script prints
        if share < FLOOR:
            low.append(room)
            worst = [(file, count) for file, count in missed.most_common() if room_of(file) == room][:SHOWN]
            print(*(f"    {count:4} not run in {file}" for file, count in worst), sep="\n")  # noqa: T201
    return low


if __name__ == "__main__":
    with Path(sys.argv[1]).open(encoding="utf-8") as file:
        low_rooms = find_low_rooms(json.load(file))
    if low_rooms:
        sys.exit(f"fewer than {FLOOR:g}% of the branches are tested in: {', '.join(low_rooms)}")
