r"""LaTeX cells, tables that fit on a page, and their preamble.

The preamble is what the text of the tables needs.

1. Every special character is escaped, also those that are special at the start of a row (`[`, `*`) or in pairs (`--`).
2. A table that is wider than a line of `article` at 10 pt becomes several tables with the same first column; a table
   with more lines than a page becomes several tables with the same header. A name that is too long gets several lines.
3. Text in any script compiles with lualatex: the preamble names a fallback font for each script. With another engine it
   stops with an error that says so, because xelatex has no fallback fonts. Text from right to left is inside
   `\RL`, which the text itself defines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil

from isogloss.text.display import make_visible, measure_width, split_graphemes
from isogloss.text.scripts import load_character_table

LINE_WIDTH = 330.0  # points: the 345 of `article` at 10 pt, without the indent of a paragraph
COLUMN_GAP = 12.0  # points around a column
NAME_WIDTH = 100.0  # points; a wider text gets several lines
PAGE_LINES = 40  # lines of a table on one page
SMALL = 0.75  # width of `\scriptsize` beside the usual size
BOLD = 1.15  # width of bold beside the usual weight
NARROW, WIDE = "fijlrt.,:;'|!()[]-– ", "mw%&@#"

ESCAPES = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "%": r"\%",
    "&": r"\&",
    "#": r"\#",
    "$": r"\$",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    "'": r"\textquotesingle{}",
    "–": "--",
}
BETWEEN_DASHES = re.compile("(?<=[-–])(?=[-–])")  # where LaTeX would join two dashes to a longer one
_RIGHT = "\u0590-\u065f\u066a-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
RIGHT_TO_LEFT = re.compile(f"[{_RIGHT}](?:[{_RIGHT} \u200c\u200d]*[{_RIGHT}])?")
DEFINE_RIGHT_TO_LEFT = (  # of lualatex, else of xelatex
    r"\ifdefined\textdir\providecommand{\RL}[1]{{\textdir TRT #1}}"
    r"\else\TeXXeTstate=1 \providecommand{\RL}[1]{\beginR #1\endR}\fi"
)
REFUSE_OTHER_ENGINES = (  # which would stop at the next line with an undefined control sequence
    r"\ifdefined\directlua\else\errmessage{These tables have letters of other scripts than Latin: "
    r"compile with lualatex, or with xelatex and one font that has all letters}\stop\fi"
)
BREAKABLE = re.compile(r"[^/_\-.,:;|]*[/_\-.,:;|]+|[^/_\-.,:;|]+")
MAX_UNBROKEN = 16  # characters without a place for a line break

# Fonts of scripts whose name in Noto is not the first word of the names of their letters.
FONTS = {
    **dict.fromkeys(("Latn", "Grek", "Cyrl"), "Noto Sans"),
    **dict.fromkeys(("Hani", "Bopo"), "Noto Sans CJK SC"),
    **dict.fromkeys(("Hira", "Kana"), "Noto Sans CJK JP"),
    "Hang": "Noto Sans CJK KR",
    "Cans": "Noto Sans Canadian Aboriginal",
    "Mtei": "Noto Sans Meetei Mayek",
    "Nkoo": "Noto Sans NKo",
    "Olck": "Noto Sans Ol Chiki",
    "Sylo": "Noto Sans Syloti Nagri",
    "Tale": "Noto Sans Tai Le",
    "Talu": "Noto Sans New Tai Lue",
    "Tibt": "Noto Serif Tibetan",
}
SYMBOL_FONT = "Noto Sans Symbols2"
OPENTYPE_SCRIPTS = {
    "Beng": "bng2",
    "Deva": "dev2",
    "Gujr": "gjr2",
    "Guru": "gur2",
    "Hira": "kana",
    "Knda": "knd2",
    "Laoo": "lao",
    "Mlym": "mlm2",
    "Mymr": "mym2",
    "Nkoo": "nko",
    "Orya": "ory2",
    "Taml": "tml2",
    "Telu": "tel2",
}
LAST_LATIN = "\u024f"  # the default font has the letters up to here
PUNCTUATION = range(0x2000, 0x2070)  # the default font has what we print of these


def escape_latex(text: str) -> str:
    """Escape text for LaTeX.

    Special characters are escaped, control characters are shown, and text from right to left is marked.

    Args:
        text: plain text.
    """
    pieces = BETWEEN_DASHES.split(make_visible(text))
    escaped = r"\kern0pt".join("".join(ESCAPES.get(character, character) for character in piece) for piece in pieces)
    return RIGHT_TO_LEFT.sub(r"\\RL{\g<0>}", escaped)


@dataclass(frozen=True)
class LatexCell:
    """A cell of a LaTeX table.

    Args:
        code: its LaTeX.
        width: its estimated width in points.
        lines: number of its lines.
    """

    code: str
    width: float
    lines: int = 1

    @classmethod
    def from_text(cls, text: str) -> LatexCell:
        """Make a cell of plain text; a long text gets several lines.

        Args:
            text: plain text.
        """
        shown = make_visible(text)
        width = estimate_width(shown)
        if width <= NAME_WIDTH:
            return cls(_protect_start(escape_latex(text)), width)
        code = r"\allowbreak{}".join(escape_latex(piece) for piece in _split_breakable(shown))
        box = rf"\parbox[t]{{{NAME_WIDTH:g}pt}}{{\raggedright\hspace{{0pt}}{code}\strut}}"
        return cls(box, NAME_WIDTH, ceil(1.5 * width / NAME_WIDTH))


def estimate_width(text: str) -> float:
    """Estimate the width of a text in points, at 10 pt.

    Args:
        text: plain text without control characters.
    """
    return sum(map(_estimate_character, text))


def format_tabular(
    comment: str,
    layout: str,
    head: Sequence[LatexCell],
    body: Iterable[Sequence[LatexCell]],
    attached: Collection[int] = (),
) -> str:
    """Format LaTeX tables with booktabs rules.

    There is one table, or several if one is too wide or too long for a page.

    Args:
        comment: one line above each.
        layout: letters of the columns, such as `lrr`.
        head: cells of the header.
        body: rows of cells.
        attached: numbers of the columns that stay beside the column before them, such as intervals.
    """
    rows = list(body)
    parts = [(columns, lines) for lines in _split_rows(rows) for columns in _split_columns(head, rows, attached)]
    title = " ".join(make_visible(comment).split())
    tables = []
    for number, (columns, lines) in enumerate(parts, 1):
        first, *others = (
            " & ".join(row[at].code for at in columns) + r" \\" for row in (head, *(rows[line] for line in lines))
        )
        kinds = "".join(layout[at] for at in columns)
        part = f" (part {number} of {len(parts)})" if len(parts) > 1 else ""
        body_lines = [r"\toprule", first, r"\midrule", *others, r"\bottomrule"]
        tables.append("\n".join([f"% {title}{part}", rf"\begin{{tabular}}{{{kinds}}}", *body_lines, r"\end{tabular}"]))
    return "\n\n\\medskip\n".join(tables) + "\n"


def format_document(notes: Iterable[str], body: str) -> str:
    """Write a LaTeX document with comments above its tables.

    The comments are the preamble that the tables need, and the notes.

    Args:
        notes: lines of comments.
        body: the tables.
    """
    lines = [*list_preamble(body), *(" ".join(make_visible(note).split()) for note in notes)]
    define = [DEFINE_RIGHT_TO_LEFT, ""] if r"\RL{" in body else []
    return "\n".join([*(f"% {line}" for line in lines), *define, body])


def list_preamble(body: str) -> list[str]:
    """List the lines that a document needs before it includes these tables.

    Args:
        body: the tables, as LaTeX.
    """
    printed = "".join(line for line in body.splitlines() if not line.startswith("%"))
    fonts = list(dict.fromkeys(_list_fonts(printed)))
    if not fonts:
        return [r"Preamble: \usepackage{booktabs}"]
    names = ", ".join(f'"{font}"' for font in fonts)
    return [
        "Compile with lualatex. Preamble (fonts: those of your system with these scripts):",
        f"  {REFUSE_OTHER_ENGINES}",
        r"  \usepackage{booktabs,fontspec}",
        rf'  \directlua{{luaotfload.add_fallback("isogloss", {{{names}}})}}',
        r"  \setmainfont{Latin Modern Roman}[RawFeature={fallback=isogloss}]",
    ]


def _list_fonts(text: str) -> Iterator[str]:
    """List fallback fonts with their features, for each script beyond Latin."""
    table, with_font = load_character_table(), set[str]()
    for character in sorted(set(text)):
        scripts = table.find_scripts(character)
        if character <= LAST_LATIN or with_font.intersection(scripts) or ord(character) in PUNCTUATION:
            continue
        if scripts:
            with_font.add(scripts[0])
            yield _describe_font(scripts[0], character)
        elif not unicodedata.category(character).startswith("M"):
            yield f"{SYMBOL_FONT}:mode=harf;"


def _describe_font(script: str, letter: str) -> str:
    name = FONTS.get(script) or f"Noto Sans {unicodedata.name(letter, 'Symbols2').split()[0].title()}"
    return f"{name}:mode=harf;script={OPENTYPE_SCRIPTS.get(script, script.lower())};"


def _split_columns(
    head: Sequence[LatexCell], rows: Sequence[Sequence[LatexCell]], attached: Collection[int]
) -> list[list[int]]:
    """Split the columns into groups that fit on a line.

    Each group begins with the first column.
    """
    widths = [max(row[at].width for row in (head, *rows)) + COLUMN_GAP for at in range(len(head))]
    blocks: list[list[int]] = []
    for at in range(1, len(head)):
        if at in attached and blocks:
            blocks[-1].append(at)
        else:
            blocks.append([at])
    groups = [[0]]
    for block in blocks:
        if len(groups[-1]) > 1 and sum(widths[at] for at in (*groups[-1], *block)) > LINE_WIDTH:
            groups.append([0])
        groups[-1] += block
    return groups


def _split_rows(rows: Sequence[Sequence[LatexCell]]) -> list[list[int]]:
    """Split the rows into groups that fit on a page."""
    groups: list[list[int]] = [[]]
    lines = 0
    for at, row in enumerate(rows):
        own = max(cell.lines for cell in row)
        if groups[-1] and lines + own > PAGE_LINES:
            groups.append([])
            lines = 0
        groups[-1].append(at)
        lines += own
    return groups


def _split_breakable(text: str) -> Iterator[str]:
    """Split a text where a line may break.

    A line may break after punctuation, and between clusters inside long runs of letters.
    """
    for piece in BREAKABLE.findall(text):
        starts = [start for start, _ in split_graphemes(piece)][::MAX_UNBROKEN]
        yield from (piece[start:end] for start, end in zip(starts, [*starts[1:], len(piece)], strict=True))


def _protect_start(code: str) -> str:
    r"""Protect a bracket or star at the start of a row.

    LaTeX would read it as an option of `\\` or `\midrule`.
    """
    return f"{{{code[0]}}}{code[1:]}" if code.startswith(("[", "*")) else code


def _estimate_character(character: str) -> float:
    if character in NARROW:
        return 3.9
    if character in WIDE or character.isupper():
        return 7.8
    return 5.1 if character.isascii() else 6.5 * measure_width(character)
