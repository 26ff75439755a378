"""The documentation as a page: plain HTML made of the OpenAPI document, which needs no network and no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

import msgspec

STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
code, pre { font: 14px/1.5 ui-monospace, monospace; }
pre { overflow: auto; padding: .75rem; background: color-mix(in srgb, currentcolor 8%, transparent); }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .2rem 1rem .2rem 0; }
section { margin-top: 2.5rem; }
"""
REF = "#/components/schemas/"


def page(document: Mapping[str, Any], profiles: Mapping[str, Any]) -> str:
    """The page.

    Args:
        document: the OpenAPI document.
        profiles: what `/v1/profiles` answers.
    """
    body = "\n".join((*_head(document), *_running(profiles), *_operations(document), *_schemas(document)))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>isogloss</title>\n'
        '<meta name="viewport" content="width=device-width">\n<link rel="stylesheet" href="/docs/style.css">\n'
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _head(document: Mapping[str, Any]) -> Iterator[str]:
    yield f"<h1>isogloss {escape(document['info']['version'])}</h1>"
    yield f"<p>{escape(document['info']['description'])}</p>"
    yield '<p>For programs: <a href="/openapi.json">/openapi.json</a>. '
    yield 'State: <a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a>.</p>'


def _running(profiles: Mapping[str, Any]) -> Iterator[str]:
    yield '<section id="running">\n<h2>This service</h2>\n<p>What <code>/calculate/</code> runs:</p>'
    yield _table((name, _said(value)) for name, value in profiles["calculate"].items())
    yield "<p>Profiles of the tasks:</p>"
    yield _table((name, _said(names)) for name, names in profiles["profiles"].items()) + "\n</section>"


def _operations(document: Mapping[str, Any]) -> Iterator[str]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f'<section id="{escape(operation["operationId"])}">'
            yield f"<h2><code>{method.upper()} {escape(path)}</code></h2>\n<p>{escape(operation['summary'])}.</p>"
            rows = [(f"?{p['name']}", escape(p.get("description", ""))) for p in operation.get("parameters", ())]
            yield _table(rows)
            if "requestBody" in operation:
                content = operation["requestBody"]["content"]["application/json"]
                yield f"<p>Body: {_type(content['schema'])}</p>\n<pre>{escape(_pretty(content['example']))}</pre>"
            rows = [(status, escape(answer["description"])) for status, answer in operation["responses"].items()]
            yield f"<details><summary>Answers</summary>{_table(rows)}</details>\n</section>"


def _schemas(document: Mapping[str, Any]) -> Iterator[str]:
    for name, schema in document["components"]["schemas"].items():
        yield f'<section id="{escape(name)}">\n<h2>{escape(name)}</h2>\n<p>{escape(schema.get("description", ""))}</p>'
        required = schema.get("required", ())
        rows = []
        for member, kind in schema.get("properties", {}).items():
            needed = " (required)" if member in required else ""
            rows.append((member, f"{_type(kind)}{needed}<br>{escape(_description(kind))}"))
        yield _table(rows) + "\n</section>"


def _type(schema: Mapping[str, Any]) -> str:
    """What a value is, in few words."""
    if "$ref" in schema:
        name = escape(schema["$ref"].removeprefix(REF))
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema or "enum" in schema:
        names = (f"<code>{escape(str(one))}</code>" for one in schema.get("enum", ()))
        return " or ".join((*map(_type, schema.get("anyOf", ())), *names))
    if "prefixItems" in schema:
        return f"[{', '.join(map(_type, schema['prefixItems']))}]"
    inner = schema.get("items", schema.get("additionalProperties"))
    of = f" of ({_type(inner)})" if isinstance(inner, Mapping) else ""
    return escape(_said(schema.get("type", "anything"))) + of


def _description(schema: Mapping[str, Any]) -> str:
    own = schema.get("description", "")
    return str(own or next((one["description"] for one in schema.get("anyOf", ()) if "description" in one), ""))


def _table(rows: Any) -> str:
    """Rows of names and HTML."""
    body = "".join(f"<tr><th><code>{escape(str(name))}</code></th><td>{said}</td></tr>" for name, said in rows)
    return f"<table>{body}</table>" if body else ""


def _said(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, list | tuple):
        return escape(", ".join(map(str, value))) or "none"
    return "the default" if value is None else escape(str(value))


def _pretty(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
