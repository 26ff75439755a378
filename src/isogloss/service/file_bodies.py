"""Bodies that are files: multipart, CSV and JSON lines.

The files are read as the command line reads them, in any format. Options are fields of the form or of the query.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from msgspec import UNSET, UnsetType

from isogloss.explorer.payloads import Upload
from isogloss.service.problems import Problem, RefusedError
from isogloss.service.requests import Query, Route, get_media_type

MULTIPART = "multipart/form-data"
SUFFIXES: Mapping[str, str] = {
    "text/csv": ".csv",
    "text/tab-separated-values": ".tsv",
    "application/x-ndjson": ".jsonl",
    "application/jsonl": ".jsonl",
}
MEDIA_TYPES = (MULTIPART, *SUFFIXES)
QUERY = frozenset(field.name for field in msgspec.structs.fields(Query))
MULTIPART_REMEDY = "Send each file as a part with its name, and each option as a field."


Fields = list[tuple[str, str]]


@dataclass(frozen=True)
class FileBody:
    """The files and options of a request.

    Args:
        uploads: file by name of the argument, such as `reference`.
        options: options by name, not checked by the task yet.
    """

    uploads: dict[str, Upload] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)


def parse_file_body(body: bytes, content_type: str, query: str, route: Route) -> FileBody:
    """Parse a body that is a file, or a form of files.

    Args:
        body: the body.
        content_type: its Content-Type, with a media type of `MEDIA_TYPES`.
        query: the query of the URL.
        route: route of the request.

    Raises:
        RefusedError: if the form is malformed, a file is missing or unknown, or an option has another type.
    """
    pairs = [pair for pair in parse_qsl(query, keep_blank_values=True) if pair[0] not in QUERY]
    media_type, sides = get_media_type(content_type), [*route.request.data]
    if media_type == MULTIPART:
        files, fields = parse_form(body, content_type, sides)
        pairs += fields
    else:
        files = {sides[0]: Upload(name=f"body{SUFFIXES[media_type]}", content=body)}
    unknown = [name for name in files if name not in sides]
    if unknown or not files:
        problem = f"There is no file {unknown[0]!r}" if unknown else "The request has no file"
        detail = f"{problem}; the files are {', '.join(sides)}."
        raise RefusedError(Problem("invalid-request", detail, MULTIPART_REMEDY))
    return FileBody(files, _convert_fields(pairs, route))


def parse_form(body: bytes, content_type: str, sides: Collection[str]) -> tuple[dict[str, Upload], Fields]:
    """Parse a form into files by name, and fields.

    A field with the name of a file is the text of the file.

    Args:
        body: the body.
        content_type: its Content-Type.
        sides: names of the files.

    Raises:
        RefusedError: if it is malformed.
    """
    from python_multipart import create_form_parser  # noqa: PLC0415  only forms need it
    from python_multipart.exceptions import FormParserError  # noqa: PLC0415

    files: dict[str, Upload] = {}
    fields: Fields = []

    def add_file(file: Any) -> None:
        file.file_object.seek(0)
        name = (file.file_name or b"").decode(errors="replace")
        files[file.field_name.decode(errors="replace")] = Upload(name=name, content=file.file_object.read())

    def add_field(one: Any) -> None:
        name, value = one.field_name.decode(errors="replace"), one.value or b""
        if name in sides:
            files[name] = Upload(name=name, content=value)
        else:
            fields.append((name, value.decode(errors="replace")))

    try:
        parser = create_form_parser(
            {"Content-Type": content_type.encode()},
            add_field,
            add_file,
            config={"MAX_MEMORY_FILE_SIZE": len(body) + 1, "MAX_BODY_SIZE": len(body) + 1},
        )
        parser.write(body)
        parser.finalize()
    except FormParserError as error:
        raise RefusedError(Problem("malformed-request", f"The form is malformed: {error}.", MULTIPART_REMEDY)) from None
    return files, fields


def _convert_fields(pairs: Iterable[tuple[str, str]], route: Route) -> dict[str, Any]:
    """Convert fields from text to the types of the options.

    A field that begins with a bracket or brace is JSON.

    Raises:
        RefusedError: if an option is unknown or has another type.
    """
    kind, lists = _build_fields_type(route)
    values: dict[str, Any] = {}
    try:
        for name, text in pairs:
            value = msgspec.json.decode(text) if text.startswith(("{", "[")) else text
            if name in lists and isinstance(value, str):
                values.setdefault(name, []).append(value)
            else:
                values[name] = value
        fields = msgspec.convert(values, kind, strict=False)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        detail = re.sub(r" - at `\$\.?([^`]*)`", r" in \1", str(error))
        raise RefusedError(Problem("invalid-request", f"{detail}.", "`/docs/` lists the options.")) from None
    return {name: value for name in kind.__struct_fields__ if (value := getattr(fields, name)) is not UNSET}


def list_option_names(route: Route) -> tuple[str, ...]:
    """List the options that fields may give."""
    return _build_fields_type(route)[0].__struct_fields__


@lru_cache
def _build_fields_type(route: Route) -> tuple[type[msgspec.Struct], frozenset[str]]:
    """Build the type of the options of a route.

    The names of options that take several values come second. `by` names columns of the files; in JSON it has their
    values.
    """
    own = [one for one in msgspec.structs.fields(route.body) if one.name not in route.request.data]
    types: dict[str, Any] = {one.name: one.type for one in own} | {"by": list[str] | UnsetType}
    members = [(name, kind, UNSET) for name, kind in types.items()]
    built = msgspec.defstruct(f"{route.request.name}Fields", members, forbid_unknown_fields=True)
    lists = frozenset(name for name, kind in types.items() if _takes_list(msgspec.inspect.type_info(kind)))
    return built, lists


def _takes_list(kind: msgspec.inspect.Type) -> bool:
    match kind:
        case msgspec.inspect.UnionType(types=types):
            return any(map(_takes_list, types))
        case msgspec.inspect.Metadata(type=inner):
            return _takes_list(inner)
    return isinstance(kind, msgspec.inspect.ListType)
