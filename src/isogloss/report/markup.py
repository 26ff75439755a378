"""Elements of SVG and HTML, with all text escaped."""

from __future__ import annotations

from html import escape

from isogloss.text.display import make_visible


class Markup(str):
    """Escaped markup, which templates insert without escaping."""

    __slots__ = ()

    def __html__(self) -> str:
        """Return the markup for a template that escapes."""
        return str(self)


def build_element(tag: str, *children: str, **attributes: str | float | None) -> Markup:
    """Build an element of SVG or HTML.

    Args:
        tag: its name.
        *children: markup, and texts, which are escaped.
        **attributes: values by name; `_` stands for `-` and is dropped at the end. None leaves an attribute out.
            Numbers are rounded to two digits.
    """
    given = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    head = "".join(f' {name}="{_format_attribute(value)}"' for name, value in given.items())
    inside = "".join(child if isinstance(child, Markup) else escape_text(child) for child in children)
    return Markup(f"<{tag}{head}>{inside}</{tag}>")


def join_markup(*parts: str) -> Markup:
    """Join markup.

    Args:
        *parts: escaped markup.
    """
    return Markup("".join(parts))


def escape_text(text: str) -> str:
    """Escape a text, and show its control characters.

    Args:
        text: plain text.
    """
    return escape(make_visible(text))


def _format_attribute(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape_text(str(value))
