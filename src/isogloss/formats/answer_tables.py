"""Tables in answers: Markdown, HTML, LaTeX and CSV.

A table has a column of names and one of labels, or a column for each label, or a row for each label. Its header may be
in any language, or in none that is known, if the reference has labels and the text is known.
"""

from __future__ import annotations

import csv
import html
import re
from collections.abc import Sequence

from isogloss.formats.answer_lines import MIN_CELLS, PREFIXED, QUOTE_PAIRS, PlainAnswer, list_lines, merge_tags
from isogloss.formats.mention_shapes import LABELS, TEXTS, Vocabulary, split_names

HTML_ROW = re.compile(r"<tr\b[^<>]*>", re.IGNORECASE)
HTML_CELL = re.compile(r"<t[hd]\b[^<>]*>", re.IGNORECASE)
HTML_TAG = re.compile(r"<[^<>]*>")
LINE_BREAK = re.compile(r"\s*<br ?/?>\s*")
LATEX_END = "\\\\"  # of a row
LATEX_CELL = re.compile(r"(?<!\\)&")
LATEX_COMMAND = re.compile(r"\\[a-z]+\{([^{}]*)\}")
LATEX_ESCAPE = re.compile(r"\\([&%_#$])")
TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")


def parse_tables(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse a table; None without one."""
    lines = list_lines(answer)
    rows = _list_html_rows(answer) or _list_latex_rows(lines) or _list_markdown_rows(lines)
    if len(rows) < MIN_CELLS:
        rows = _list_csv_rows(lines)
        return _parse_rows(rows[0], rows[1:], known) if rows else None
    return (
        _parse_rows(rows[0], rows[1:], known)
        or _parse_label_columns(rows[0], rows[1:], known)
        or _parse_label_rows(rows, known)
    )


def _list_html_rows(answer: str) -> list[list[str]]:
    rows = [row.split("</tr")[0] for row in HTML_ROW.split(answer)[1:]]
    cells = ([cell.split("</t")[0] for cell in HTML_CELL.split(row)[1:]] for row in rows)
    return [[html.unescape(HTML_TAG.sub("", cell)).strip() for cell in row] for row in cells if row]


def _list_latex_rows(lines: Sequence[str]) -> list[list[str]]:
    ends = (line.removesuffix("\\hline").rstrip() for line in lines)
    rows = (line.removesuffix(LATEX_END) for line in ends if line.endswith(LATEX_END))
    plain = ([LATEX_COMMAND.sub(r"\1", cell) for cell in LATEX_CELL.split(row)] for row in rows)
    return [[LATEX_ESCAPE.sub(r"\1", cell).strip() for cell in row] for row in plain if len(row) >= MIN_CELLS]


def _list_markdown_rows(lines: Sequence[str]) -> list[list[str]]:
    rows = [line for line in lines if "|" in line]
    if len(rows) <= MIN_CELLS or TABLE_RULE.fullmatch(rows[1]) is None:
        return []
    return [[_strip_cell(cell) for cell in row.strip("|").split("|")] for row in (rows[0], *rows[2:])]


def _list_csv_rows(lines: Sequence[str]) -> list[list[str]]:
    rows = [line for line in lines if any(mark in line for mark in ",;\t")]
    if len(rows) < MIN_CELLS:
        return []
    return list(csv.reader(rows, delimiter=max(",;\t", key=rows[0].count), skipinitialspace=True))


def _parse_label_columns(header: Sequence[str], rows: Sequence[Sequence[str]], known: Vocabulary) -> PlainAnswer | None:
    """Parse a table with a column for each label."""
    if not all(map(known.is_label, header)):
        return None
    cells = [(cell, label) for row in rows for label, cell in zip(header, row, strict=False)]
    return PlainAnswer([(name, label) for cell, label in cells for name in split_names(cell, known)])


def _parse_label_rows(rows: Sequence[Sequence[str]], known: Vocabulary) -> PlainAnswer | None:
    """Parse a table with a row for each label.

    Its names are in one of the other columns.
    """
    labelled = [row for row in rows[1:] if known.labels and known.is_label(row[0])]
    columns = [[split_names(cell, known) for cell in column] for column in zip(*labelled, strict=False)][1:]
    found = [sum(known.has_name(name) for names in column for name in names) for column in columns]
    if not any(found):
        return None
    names = columns[found.index(max(found))]
    return PlainAnswer([(name, row[0]) for row, own in zip(labelled, names, strict=True) for name in own])


def _strip_cell(cell: str) -> str:
    """Remove the marks around the words of a cell.

    Line breaks become commas.
    """
    cell = LINE_BREAK.sub(", ", cell).strip(" *`")
    return cell[1:-1].strip() if (cell[:1], cell[-1:]) in QUOTE_PAIRS else cell


def _parse_rows(header: Sequence[str], rows: Sequence[Sequence[str]], known: Vocabulary) -> PlainAnswer | None:
    """Parse rows below a header.

    The header names the columns of the label and of the name.
    """
    columns = [cell.strip().lower().replace(" ", "_") for cell in header]
    label = next((k for k, name in enumerate(columns) if name in LABELS and name != "entity"), None)
    text = next((k for name in TEXTS for k, column in enumerate(columns) if column == name and k != label), None)
    if (label is None or text is None) and not any(known.is_label(cell) or known.has_name(cell) for cell in header):
        label, text = _find_columns(rows, known)  # the header is in the language of the text
    if text is None or label is None:
        return None
    result, before = PlainAnswer(), ""
    for row in rows:
        cells = [row[k].strip() if k < len(row) else "" for k in (text, label)]
        if label < text and cells[0] and not cells[1] and known.is_label(before):
            cells[1] = before  # the cells of the label are merged
        before = cells[1]
        if all(cells):
            names = split_names(cells[0], known)
            result.mentions += [(name, cells[1]) for name in (names if all(map(known.has_name, names)) else cells[:1])]
        else:
            result.unusable += bool("".join(cells))
    if result.mentions and all(PREFIXED.fullmatch(tag) for _, tag in result.mentions):
        result.mentions = merge_tags(result.mentions, known)
    return result


def _find_columns(rows: Sequence[Sequence[str]], known: Vocabulary) -> tuple[int | None, int | None]:
    """Return the columns of labels and of names; None if unclear.

    There must be only one column of labels, and only one of names in the text.
    """
    columns = list(enumerate(zip(*rows, strict=False))) if known.labels else []
    labels = [k for k, cells in columns if all(map(known.is_label, cells))]
    names = [k for k, cells in columns if k not in labels and all(map(known.has_name, cells))]
    return (labels[0] if len(labels) == 1 else None), (names[0] if len(names) == 1 else None)
