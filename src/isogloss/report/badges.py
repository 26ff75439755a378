"""SVG badges of systems.

A badge shows the main score of a system on each corpus, and links to its run.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path

from isogloss.records.destinations import write_files
from isogloss.report.export import escape_markdown
from isogloss.report.leaderboard import BoardCell, ScoreBoard
from isogloss.report.markup import Markup, build_element
from isogloss.runs.score_tables import UNDEFINED_CELL
from isogloss.text.display import fit_apart, make_visible, measure_width

HEIGHT = 20.0  # pixels
PADDING = 6.0  # beside a text
LETTER_WIDTH = 6.6  # pixels of a narrow character at a font size of 11 pixels; `textLength` sets it
MAX_NAME_WIDTH = 40  # cells of a name
BACK, FRONT, TEXT = "#3f4450", "#14509c", "#ffffff"  # contrast of the text: 9.7 and 7.9
MAX_FILE_NAME = 60  # characters
LIST_FILE = "badges.md"


def write_badges(board: ScoreBoard, folder: Path, link: str = "") -> list[Path]:
    """Write a badge for each system, and a Markdown file of all.

    The Markdown file shows the badges of all systems of the leaderboard.

    Args:
        board: systems by corpora.
        folder: the folder to write to; created if it does not exist.
        link: the page with the runs; empty for badges without links.

    Returns:
        The files.

    Raises:
        SourceError: if a file cannot be written.
    """
    names = choose_file_names([name for name, _, _ in board.rows])
    short = _shorten_names([name for name, _, _ in board.rows])
    content = {
        folder / file: draw_badge(name, format_scores(board, row), _join_link(link, anchor)) + "\n"
        for file, name, (_, anchor, row) in zip(names, short, board.rows, strict=True)
    }
    shown = zip(names, board.rows, strict=True)
    lines = (_format_list_line(name, file, _join_link(link, anchor)) for file, (name, anchor, _) in shown)
    content[folder / LIST_FILE] = "\n".join(lines) + "\n"
    write_files(content, "Name a folder that can be written, with --badges.")
    return list(content)


def draw_badge(left: str, right: Sequence[str], href: str = "") -> Markup:
    """Draw a badge.

    Args:
        left: text on the left.
        right: parts of the text on the right.
        href: address of its link; empty for no link.
    """
    [name], values = _shorten_names([left]), [make_visible(part) for part in right]
    lengths = [LETTER_WIDTH * measure_width(text) for text in (name, "".join(values))]
    first, second = (length + 2 * PADDING for length in lengths)
    spans = [build_element("tspan", part, style="unicode-bidi:isolate") for part in values]
    parts = [
        build_element("rect", width=first, height=HEIGHT, fill=BACK),
        build_element("rect", x=first, width=second, height=HEIGHT, fill=FRONT),
        _draw_text(PADDING, lengths[0], name),
        _draw_text(first + PADDING, lengths[1], *spans),
    ]
    whole = f"{name}: {''.join(values)}"
    inside = [build_element("title", whole), *([build_element("a", *parts, href=href)] if href else parts)]
    return build_element(
        "svg",
        *inside,
        xmlns="http://www.w3.org/2000/svg",
        width=first + second,
        height=HEIGHT,
        role="img",
        aria_label=whole,
    )


def format_scores(board: ScoreBoard, row: Sequence[BoardCell | None]) -> list[str]:
    """Format the scores of a row in parts, without their mean.

    There is a part for each corpus if there are several.

    Args:
        board: systems by corpora.
        row: cells of a system.
    """
    if len(row) == 1:
        return [f"{board.title.removeprefix('Leaderboard: ')} ", _format_score(row[0])]
    parts: list[str] = []
    corpora = len(row) - board.has_mean
    for corpus, cell in zip(_shorten_names(board.columns[:corpora]), row[:corpora], strict=True):
        if cell is not None:
            parts += [*([" \N{MIDDLE DOT} "] if parts else []), corpus, f" {_format_score(cell)}"]
    return parts


def choose_file_names(systems: Sequence[str]) -> list[str]:
    """Choose a different file name for each system.

    The names are valid on every file system.

    Args:
        systems: names of systems.
    """
    file_names: list[str] = []
    for system in systems:
        plain = unicodedata.normalize("NFKD", system).encode("ascii", "ignore").decode().lower()
        stem = re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")[:MAX_FILE_NAME] or "system"
        numbered = chain([f"{stem}.svg"], (f"{stem}-{again}.svg" for again in count(2)))
        file_names.append(next(name for name in numbered if name not in file_names))
    return file_names


def _shorten_names(names: Sequence[str]) -> list[str]:
    return fit_apart([make_visible(name) for name in names], MAX_NAME_WIDTH)


def _format_score(cell: BoardCell | None) -> str:
    return UNDEFINED_CELL if cell is None or math.isnan(cell.value) else f"{cell.value:.3f}"


def _draw_text(x: float, length: float, *parts: str) -> Markup:
    return build_element(
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


def _format_list_line(name: str, file: str, href: str) -> str:
    image = f"![{escape_markdown(name)}]({file})"
    return f"[{image}](<{href}>)" if href else image


def _join_link(link: str, anchor: str) -> str:
    return f"{link}#/run/{anchor}" if link else ""
