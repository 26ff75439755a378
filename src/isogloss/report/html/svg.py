"""Elements of SVG and HTML as text, everything in them escaped."""

from __future__ import annotations

from html import escape

from isogloss.text import visible


class Drawing(str):
    """Markup that is complete: templates take it as it is."""

    __slots__ = ()

    def __html__(self) -> str:
        """What a template that escapes puts in its place."""
        return str(self)


def element(tag: str, *children: str, **attributes: str | float | None) -> Drawing:
    """An element.

    Args:
        tag: its name.
        children: drawings, and texts, which are escaped.
        attributes: by name, `_` standing for `-`, and for nothing at its end; None leaves one out. Numbers are rounded
            to two digits.
    """
    given = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    head = "".join(f' {name}="{_attribute(value)}"' for name, value in given.items())
    inside = "".join(child if isinstance(child, Drawing) else escaped(child) for child in children)
    return Drawing(f"<{tag}{head}>{inside}</{tag}>")


def joined(*parts: str) -> Drawing:
    """Drawings after each other."""
    return Drawing("".join(parts))


def escaped(text: str) -> str:
    """Text of users: control characters shown, and nothing in it markup."""
    return escape(visible(text))


def percent(share: float) -> str:
    """A share as a length, cut to what is drawn on."""
    return f"{100 * min(max(share, 0.0), 1.0):.2f}%"


def _attribute(value: str | float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escaped(str(value))
