"""The documentation page, made of the OpenAPI document: plain HTML that needs no network and no script.

Change how it looks in `docs_page.html` and `docs_page.css`; here is only what the template cannot do.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import jinja2
import msgspec

STYLE = files("isogloss.service").joinpath("docs_page.css").read_text(encoding="utf-8")


def render_docs_page(document: Mapping[str, Any], description: Mapping[str, Any]) -> str:
    """Render the page from the OpenAPI document and the answer of `/v1/profiles`."""
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isogloss.service", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"value": _format_value, "json": _format_json}
    return environment.get_template("docs_page.html").render(document, running=description)


def _format_value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "the default" if value is None else str(value)


def _format_json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
