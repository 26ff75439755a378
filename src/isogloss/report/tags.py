"""Tags that do not fit their scheme, for a terminal and as JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any, TextIO

from isogloss.errors import DataError
from isogloss.report.text import console_of, show_table
from isogloss.runs.tables import Cell, Column, Table
from isogloss.tasks.ner.tag_checks import ColumnCounts, Counted, Validated, together
from isogloss.tasks.ner.tag_files import Misfit
from isogloss.text.display import counted, isolates, visible

LEFT_OUT = {"file"}  # of a misfit, whose file stands above it


def misfit_line(misfit: Misfit, encoding: str, *, several: bool) -> str:
    """A tag that does not fit, on one line.

    Args:
        misfit: the tag.
        encoding: of the output.
        several: whether to say which column it is in.
    """
    column = f"column {misfit.column}: " if several else ""
    token = visible(misfit.token, encoding)
    token = token.join(isolates(token, encoding))
    return f"{visible(f'{misfit.where}: {column}{misfit.message}', encoding)} [{token}]\n"


def validated_line(validated: Validated, shown: int, encoding: str, *, several: bool) -> str:
    """How many tags of a column fit, on one line.

    Args:
        validated: the column.
        shown: how many misfits of the file were shown.
        encoding: of the output.
        several: whether to say which column it is.
    """
    column = f", column {validated.column}" if several else ""
    title, tokens = validated.scheme.upper(), f"{validated.tokens:,}"
    fits = f"all {tokens} tags fit {title}"
    if validated.misfits:
        fits = f"{validated.misfits:,} of {tokens} tags do not fit {title}"
    only = f"; {shown:,} shown" if shown < validated.misfits else ""
    units = f"{counted(validated.sentences, 'sentence')}, {counted(validated.spans, 'span')}"
    return f"{visible(validated.file, encoding)}{column}: {fits} ({units}{only})\n"


def file_row(columns: Sequence[Validated], misfits: Iterable[Misfit]) -> dict[str, Any]:
    """What JSON has of a file.

    Args:
        columns: its columns of tags, at least one.
        misfits: those that are to be shown.
    """
    first = columns[0]
    return {
        "file": first.file,
        "sentences": first.sentences,
        "tokens": first.tokens,
        "columns": [column.to_dict() for column in columns],
        "rows": [{k: v for k, v in asdict(misfit).items() if k not in LEFT_OUT} for misfit in misfits],
    }


def error_row(name: str, error: DataError) -> dict[str, Any]:
    """What JSON has of a file that cannot be read."""
    said = {"message": error.message, "where": error.where, "detail": error.detail, "remedy": error.remedy}
    return {"file": name, "error": {key: value for key, value in said.items() if value}}


def validated_json(files: Sequence[dict[str, Any]]) -> str:
    """The rows of files with what they come to.

    Args:
        files: what `file_row` and `error_row` have made.
    """
    misfits = sum(column["misfits"] for file in files for column in file.get("columns", ()))
    fits = not misfits and not any("error" in file for file in files)
    return as_json({"fits": fits, "misfits": misfits, "files": files})


def as_json(document: Any) -> str:
    """A document as JSON, indented."""
    import msgspec  # noqa: PLC0415  only curves need it

    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"


LENGTHS = (1, 2, 3, 4)  # tokens; longer spans are counted together
FIELDS = ("file", "column", "what", "label", "value", "count")


def show_counts(files: Sequence[tuple[str, Counted]], names: int, stream: TextIO) -> None:
    """Print tables of the counts of all files together.

    Args:
        files: name and counts of each.
        names: how many of the most frequent names to show.
        stream: where to.
    """
    console = console_of(stream)
    total = together(each for _, each in files)
    units = f"{counted(total.sentences, 'sentence')}, {counted(total.tokens, 'token')}"
    whose = files[0][0] if len(files) == 1 else f"{len(files)} files"
    print(f"{visible(whose, console.encoding)}  {units}", file=stream)
    shown = [_files(files)] if len(files) > 1 else []
    for place, column in enumerate(total.columns, 1):
        number = column.column or f"of tags {place}"
        title = f"column {number}, {column.scheme.upper().replace('+', ' and ')}"
        shown += [_spans(column, title), _tags(column, title), *([_names(column, names, title)] if names else [])]
    for table in shown:
        print(file=stream)
        show_table(table, console)


def counts_json(files: Sequence[tuple[str, Counted]], names: int) -> str:
    """Each file, and all together.

    Args:
        files: name and counts of each.
        names: how many of the most frequent names to show.
    """
    total = together(each for _, each in files)
    rows = [{"file": name} | _counted(each, names) for name, each in files]
    return as_json({"files": rows, "total": _counted(total, names)})


def counts_csv(files: Sequence[tuple[str, Counted]], names: int) -> str:
    """One line per count of each file.

    Args:
        files: name and counts of each.
        names: how many of the most frequent names to show.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for name, each in files:
        writer.writerow((name, "", "sentences", "", "", each.sentences))
        writer.writerow((name, "", "tokens", "", "", each.tokens))
        for column in each.columns:
            writer.writerows((name, column.column, *row) for row in _rows(column, names))
    return out.getvalue()


def _rows(column: ColumnCounts, names: int) -> Iterable[tuple[str, str, str | int, int]]:
    yield from (("spans", label, length, number) for (label, length), number in sorted(column.spans.items()))
    yield from (("tags", "", tag, number) for tag, number in sorted(column.tags.items()))
    yield from (("names", label, name, number) for label, name, number in column.most_frequent(names))


def _counted(each: Counted, names: int) -> dict[str, Any]:
    columns = [column.to_dict() for column in each.columns]
    if names:
        for row, column in zip(columns, each.columns, strict=True):
            frequent = column.most_frequent(names)
            row["names"] = [{"label": label, "text": text, "count": number} for label, text, number in frequent]
    return {"sentences": each.sentences, "tokens": each.tokens, "columns": columns}


def _files(files: Sequence[tuple[str, Counted]]) -> Table:
    several = len(files[0][1].columns) > 1
    spans = [f"spans {place}" if several else "spans" for place, _ in enumerate(files[0][1].columns, 1)]
    columns = (Column("file"), *(Column(title, "count") for title in ("sentences", "tokens", *spans)))
    rows: list[tuple[Cell, ...]] = []
    for name, each in files:
        rows.append((name, each.sentences, each.tokens, *(column.total for column in each.columns)))
    return Table("Files", columns, tuple(rows))


def _spans(column: ColumnCounts, title: str) -> Table:
    """Spans by label and length."""
    heads = ["spans", *(counted(length, "token") for length in LENGTHS), "more"]
    rows = [_span_row(label, column, {label}) for label in column.by_label()]
    total = _span_row("all", column, set(column.by_label()))
    return Table(f"Spans ({title})", (Column("label"), *(Column(head, "count") for head in heads)), (*rows, total))


def _span_row(name: str, column: ColumnCounts, labels: set[str]) -> tuple[Cell, ...]:
    lengths = [0] * (len(LENGTHS) + 1)
    for (label, length), number in column.spans.items():
        if label in labels:
            lengths[min(length, len(lengths)) - 1] += number
    return (name, sum(lengths), *lengths)


def _tags(column: ColumnCounts, title: str) -> Table:
    rows = tuple(sorted(column.tags.items(), key=lambda item: (-item[1], item[0])))
    return Table(f"Tags ({title})", (Column("tag"), Column("count", "count")), rows)


def _names(column: ColumnCounts, names: int, title: str) -> Table:
    rows = tuple((name, label, number) for label, name, number in column.most_frequent(names))
    return Table(f"Names ({title})", (Column("name"), Column("label"), Column("count", "count")), rows)
