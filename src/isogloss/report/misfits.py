"""Tags that do not fit their scheme, for a terminal and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from isogloss.exceptions import DataError
from isogloss.tags.misfits import Misfit
from isogloss.tags.validating import Validated
from isogloss.text import counted, isolates, visible

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
    import msgspec  # noqa: PLC0415  only JSON needs it

    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
