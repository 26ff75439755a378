"""SVG badges: a system's main score on each corpus, linked to its run."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from isogloss.records.destinations import write_files
from isogloss.report.export import escaped_markdown
from isogloss.report.html.figures import Drawing, element
from isogloss.report.leaderboard import Board, Score
from isogloss.runs.tables import UNDEFINED
from isogloss.text.display import fit_apart, visible, width

HEIGHT = 20.0  # pixels
PADDING = 6.0  # beside a text
LETTER = 6.6  # pixels of a narrow character at 11 pixels, about; `textLength` makes it so
LONGEST = 40  # cells of a name
BACK, FRONT, TEXT = "#3f4450", "#14509c", "#ffffff"  # contrast of the text: 9.7 and 7.9
FILE_NAME = 60  # characters of the name of a file
LIST = "badges.md"


def write_badges(board: Board, folder: Path, link: str = "") -> list[Path]:
    """Write a badge for each system of a leaderboard, and a Markdown file that shows them all.

    Args:
        board: systems by corpora.
        folder: where to; it is made if it is not there.
        link: the page that has the runs, or nothing for badges without links.

    Returns:
        The files.

    Raises:
        SourceError: they cannot be written.
    """
    names = file_names([name for name, _, _ in board.rows])
    short = _short([name for name, _, _ in board.rows])
    content = {
        folder / file: badge(name, told(board, row), f"{link}#{anchor}" if link else "") + "\n"
        for file, name, (_, anchor, row) in zip(names, short, board.rows, strict=True)
    }
    shown = zip(names, board.rows, strict=True)
    lines = (_listed(name, file, f"{link}#{anchor}" if link else "") for file, (name, anchor, _) in shown)
    content[folder / LIST] = "\n".join(lines) + "\n"
    write_files(content, "Name a folder that can be written, with --badges.")
    return list(content)


def badge(left: str, right: Sequence[str], href: str = "") -> Drawing:
    """A badge.

    Args:
        left: what it is about.
        right: what is said of it, in parts.
        href: where it leads, empty for nowhere.
    """
    [name], told_parts = _short([left]), [visible(part) for part in right]
    lengths = [LETTER * width(text) for text in (name, "".join(told_parts))]
    first, second = (length + 2 * PADDING for length in lengths)
    spans = [element("tspan", part, style="unicode-bidi:isolate") for part in told_parts]
    parts = [
        element("rect", width=first, height=HEIGHT, fill=BACK),
        element("rect", x=first, width=second, height=HEIGHT, fill=FRONT),
        _text(PADDING, lengths[0], name),
        _text(first + PADDING, lengths[1], *spans),
    ]
    whole = f"{name}: {''.join(told_parts)}"
    inside = [element("title", whole), *([element("a", *parts, href=href)] if href else parts)]
    return element(
        "svg",
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        width=first + second,
        height=HEIGHT,
        role="img",
        aria_label=whole,
    )


def told(board: Board, row: Sequence[Score | None]) -> list[str]:
    """The scores of a row in parts, by corpus where there are several."""
    if len(row) == 1:
        return [f"{board.title.removeprefix('Leaderboard: ')} ", _number(row[0])]
    parts: list[str] = []
    for corpus, cell in zip(_short(board.columns), row, strict=True):
        if cell is not None:
            parts += [*([" \N{MIDDLE DOT} "] if parts else []), corpus, f" {_number(cell)}"]
    return parts


def file_names(systems: Sequence[str]) -> list[str]:
    """A name of a file for each system, of letters that every file system takes, no two alike."""
    found: list[str] = []
    for system in systems:
        plain = unicodedata.normalize("NFKD", system).encode("ascii", "ignore").decode().lower()
        stem = re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")[:FILE_NAME] or "system"
        numbered = chain([f"{stem}.svg"], (f"{stem}-{again}.svg" for again in count(2)))
        found.append(next(name for name in numbered if name not in found))
    return found


def _short(names: Sequence[str]) -> list[str]:
    return fit_apart([visible(name) for name in names], LONGEST)


def _number(cell: Score | None) -> str:
    return UNDEFINED if cell is None or math.isnan(cell.value) else f"{cell.value:.3f}"


def _text(x: float, length: float, *parts: str) -> Drawing:
    return element(
        "text",
        *parts,
        x=x,
        y=14.0,
        fill=TEXT,
        textLength=length,
        lengthAdjust="spacingAndGlyphs",
        font_family="Verdana, 'DejaVu Sans', 'Noto Sans', sans-serif",
        font_size=11.0,
    )


def _listed(name: str, file: str, href: str) -> str:
    image = f"![{escaped_markdown(name)}]({file})"
    return f"[{image}](<{href}>)" if href else image
