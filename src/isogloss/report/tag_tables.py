"""Invalid tags and counts of tags as text, JSON and CSV.

The text is for a terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from isogloss.errors import DataError
from isogloss.report.terminal import open_console, print_table
from isogloss.report.text_formats import format_csv
from isogloss.runs.run_json import format_json
from isogloss.runs.score_tables import ScoreTable, TableCell, TableColumn
from isogloss.tasks.ner.tag_checks import TagColumnCounts, TagFileCounts, TagValidation, merge_tag_counts
from isogloss.tasks.ner.tag_files import InvalidTag
from isogloss.text.display import choose_isolates, format_count, make_visible

OMITTED_FIELDS = {"file"}  # of an invalid tag, because the file is in the row above


def format_invalid_tag(invalid_tag: InvalidTag, encoding: str, *, several: bool) -> str:
    """Format an invalid tag as one line.

    Args:
        invalid_tag: the tag.
        encoding: encoding of the output.
        several: whether to name its column.
    """
    column = f"column {invalid_tag.column}: " if several else ""
    token = make_visible(invalid_tag.token, encoding)
    token = token.join(choose_isolates(token, encoding))
    return f"{make_visible(f'{invalid_tag.where}: {column}{invalid_tag.message}', encoding)} [{token}]\n"


def format_validation(validated: TagValidation, shown: int, encoding: str, *, several: bool) -> str:
    """Format the number of invalid tags of a column as one line.

    Args:
        validated: the column.
        shown: number of invalid tags of the file that were shown.
        encoding: encoding of the output.
        several: whether to name the column.
    """
    column = f", column {validated.column}" if several else ""
    title, tokens = validated.scheme.upper(), f"{validated.tokens:,}"
    fits = f"all {tokens} tags fit {title}"
    if validated.misfits:
        fits = f"{validated.misfits:,} of {tokens} tags do not fit {title}"
    only = f"; {shown:,} shown" if shown < validated.misfits else ""
    units = f"{format_count(validated.sentences, 'sentence')}, {format_count(validated.spans, 'span')}"
    return f"{make_visible(validated.file, encoding)}{column}: {fits} ({units}{only})\n"


def build_file_row(columns: Sequence[TagValidation], invalid_tags: Iterable[InvalidTag]) -> dict[str, Any]:
    """Build the JSON of a file.

    Args:
        columns: its columns of tags, at least one.
        invalid_tags: the invalid tags to show.
    """
    first = columns[0]
    return {
        "file": first.file,
        "sentences": first.sentences,
        "tokens": first.tokens,
        "columns": [column.to_dict() for column in columns],
        "rows": [{k: v for k, v in asdict(tag).items() if k not in OMITTED_FIELDS} for tag in invalid_tags],
    }


def build_error_row(name: str, error: DataError) -> dict[str, Any]:
    """Build the JSON of a file that cannot be read.

    Args:
        name: path of the file.
        error: the reason.
    """
    parts = {"message": error.message, "where": error.where, "detail": error.detail, "remedy": error.remedy}
    return {"file": name, "error": {key: value for key, value in parts.items() if value}}


def format_validation_json(files: Sequence[dict[str, Any]]) -> str:
    """Format the JSON of all files, with the total of invalid tags.

    Args:
        files: built by `build_file_row` and `build_error_row`.
    """
    misfits = sum(column["misfits"] for file in files for column in file.get("columns", ()))
    fits = not misfits and not any("error" in file for file in files)
    return format_json({"fits": fits, "misfits": misfits, "files": files}) + "\n"


LENGTHS = (1, 2, 3, 4)  # tokens; longer spans are counted together
FIELDS = ("file", "column", "what", "label", "value", "count")


def print_counts(files: Sequence[tuple[str, TagFileCounts]], names: int, stream: TextIO) -> None:
    """Print tables of the counts of all files together.

    Args:
        files: name and counts of each.
        names: number of the most frequent names to show.
        stream: the stream to print to.
    """
    console = open_console(stream)
    total = merge_tag_counts(each for _, each in files)
    units = f"{format_count(total.sentences, 'sentence')}, {format_count(total.tokens, 'token')}"
    whose = files[0][0] if len(files) == 1 else f"{len(files)} files"
    print(f"{make_visible(whose, console.encoding)}  {units}", file=stream)
    shown = [_build_file_table(files)] if len(files) > 1 else []
    for place, column in enumerate(total.columns, 1):
        number = column.column or f"of tags {place}"
        title = f"column {number}, {column.scheme.upper().replace('+', ' and ')}"
        shown += [
            _build_span_table(column, title),
            _build_tag_table(column, title),
            *([_build_name_table(column, names, title)] if names else []),
        ]
    for table in shown:
        print(file=stream)
        print_table(table, console)


def format_counts_json(files: Sequence[tuple[str, TagFileCounts]], names: int) -> str:
    """Format the counts of each file and of all as JSON.

    The counts of all files are taken together.

    Args:
        files: name and counts of each.
        names: number of the most frequent names to show.
    """
    total = merge_tag_counts(each for _, each in files)
    rows = [{"file": name} | _build_counts(each, names) for name, each in files]
    return format_json({"files": rows, "total": _build_counts(total, names)}) + "\n"


def format_counts_csv(files: Sequence[tuple[str, TagFileCounts]], names: int) -> str:
    """Format one line per count of each file as CSV.

    Args:
        files: name and counts of each.
        names: number of the most frequent names to show.
    """
    rows = (row for name, each in files for row in _build_rows(name, each, names))
    return format_csv(FIELDS, (dict(zip(FIELDS, row, strict=True)) for row in rows))


def _build_rows(file: str, counts: TagFileCounts, names: int) -> Iterable[tuple[str | int | None, ...]]:
    """Build the rows of a file.

    A row has the file, the column, what is counted, the label, the value and the count.
    """
    yield file, "", "sentences", "", "", counts.sentences
    yield file, "", "tokens", "", "", counts.tokens
    for column in counts.columns:
        place = (file, column.column)
        yield from ((*place, "spans", *key, number) for key, number in sorted(column.spans.items()))
        yield from ((*place, "tags", "", tag, number) for tag, number in sorted(column.tags.items()))
        yield from ((*place, "names", label, name, n) for label, name, n in column.list_frequent_names(names))


def _build_counts(each: TagFileCounts, names: int) -> dict[str, Any]:
    columns = [column.to_dict() for column in each.columns]
    if names:
        for row, column in zip(columns, each.columns, strict=True):
            frequent = column.list_frequent_names(names)
            row["names"] = [{"label": label, "text": text, "count": number} for label, text, number in frequent]
    return {"sentences": each.sentences, "tokens": each.tokens, "columns": columns}


def _build_file_table(files: Sequence[tuple[str, TagFileCounts]]) -> ScoreTable:
    several = len(files[0][1].columns) > 1
    spans = [f"spans {place}" if several else "spans" for place, _ in enumerate(files[0][1].columns, 1)]
    columns = (TableColumn("file"), *(TableColumn(title, "count") for title in ("sentences", "tokens", *spans)))
    rows: list[tuple[TableCell, ...]] = []
    for name, each in files:
        rows.append((name, each.sentences, each.tokens, *(column.total for column in each.columns)))
    return ScoreTable("Files", columns, tuple(rows))


def _build_span_table(column: TagColumnCounts, title: str) -> ScoreTable:
    """Build a row per label with the number of spans by length."""
    heads = ["spans", *(format_count(length, "token") for length in LENGTHS), "more"]
    rows = [_build_span_row(label, column, {label}) for label in column.count_by_label()]
    total = _build_span_row("all", column, set(column.count_by_label()))
    return ScoreTable(
        f"Spans ({title})", (TableColumn("label"), *(TableColumn(head, "count") for head in heads)), (*rows, total)
    )


def _build_span_row(name: str, column: TagColumnCounts, labels: set[str]) -> tuple[TableCell, ...]:
    lengths = [0] * (len(LENGTHS) + 1)
    for (label, length), number in column.spans.items():
        if label in labels:
            lengths[min(length, len(lengths)) - 1] += number
    return (name, sum(lengths), *lengths)


def _build_tag_table(column: TagColumnCounts, title: str) -> ScoreTable:
    rows = tuple(sorted(column.tags.items(), key=lambda item: (-item[1], item[0])))
    return ScoreTable(f"Tags ({title})", (TableColumn("tag"), TableColumn("count", "count")), rows)


def _build_name_table(column: TagColumnCounts, names: int, title: str) -> ScoreTable:
    rows = tuple((name, label, number) for label, name, number in column.list_frequent_names(names))
    return ScoreTable(
        f"Names ({title})", (TableColumn("name"), TableColumn("label"), TableColumn("count", "count")), rows
    )
