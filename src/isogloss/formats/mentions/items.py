"""Values of JSON to names with their labels, in the shapes that people ask language models for.

| shape | example |
|---|---|
| objects | `[{"text": "Ada", "label": "PER"}]` |
| pairs | `[["Ada", "PER"]]` |
| lists by label | `{"PER": ["Ada"]}`, `{"PER": [{"text": "Ada"}]}`, `[{"PER": ["Ada"]}]` |
| one of these under a key of `WRAPPERS` | `{"entities": [...]}` |

An object has its name under the first of `TEXTS` that it has, its label under the first of `LABELS`. All else in it is
left out, offsets too: they are often wrong, and the text says where a name is.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from isogloss.formats.span_pairing import Mention

TEXTS = ("text", "mention", "surface", "span", "word", "name", "entity", "value")
LABELS = ("label", "type", "entity_type", "category", "class", "tag", "entity_group", "entity")
WRAPPERS = ("entities", "mentions", "named_entities", "ner", "annotations", "spans", "results", "result", "output")
NESTED = 4  # wrappers in wrappers
PAIR = 2  # name and label


@dataclass
class Names:
    """Names of a value, in their order.

    Args:
        mentions: each with its label.
        unusable: how many items are none.
        example: the first of these.
    """

    mentions: list[Mention] = field(default_factory=list)
    unusable: int = 0
    example: Any = None

    @property
    def are_none(self) -> bool:
        """Whether there are items, but no names."""
        return bool(self.unusable) and not self.mentions

    def add(self, item: Any, label: str | None = None) -> None:
        """Take an item, which may have its label from the list that it is in."""
        name = name_of(item, label)
        if name is not None:
            self.mentions.append(name)
            return
        if not self.unusable:
            self.example = item
        self.unusable += 1


def name_of(item: Any, label: str | None = None) -> Mention | None:
    """Name and label of an object, or of a list that begins with both; None where it is no such thing.

    Args:
        item: a value of JSON.
        label: of the list that it is in; then the item may be the name alone.
    """
    if isinstance(item, dict):
        return _of_object(item, label)
    if label is not None:
        text = _text(item)
        return None if text is None else (text, label)
    if not isinstance(item, list | tuple) or len(item) < PAIR:
        return None
    text, own, *more = item
    if not all(isinstance(part, int | float) for part in more):
        return None
    return _mention(text, own)


def names_of(value: Any, nested: int = NESTED) -> Names | None:
    """The names of a list or object; None of anything else.

    Args:
        value: a value of JSON.
        nested: how deep wrappers may be nested.
    """
    names = Names()
    if isinstance(value, list):
        for item in value:
            if _is_by_label(item):
                _add_by_label(names, item)
            else:
                names.add(item)
    elif isinstance(value, dict):
        wrapper = next((key for key in WRAPPERS if isinstance(value.get(key), list | dict)), None)
        if wrapper is not None:
            return names_of(value[wrapper], nested - 1) if nested else None
        _add_by_label(names, value)
    else:
        return None
    return names


def _is_by_label(item: Any) -> bool:
    return isinstance(item, dict) and bool(item) and all(isinstance(part, list) for part in item.values())


def _add_by_label(names: Names, value: dict[str, Any]) -> None:
    for label, items in value.items():
        if items is None:
            continue
        if not isinstance(items, list) or not label.strip():
            names.add({label: items})
            continue
        for item in items:
            names.add(item, label.strip())


def _of_object(item: dict[str, Any], label: str | None) -> Mention | None:
    key = next((key for key in TEXTS if _text(item.get(key)) is not None), None)
    if key is None:
        return None
    own = next((item[other] for other in LABELS if other != key and isinstance(item.get(other), str)), label)
    return _mention(item[key], own)


def _mention(text: Any, label: Any) -> Mention | None:
    name = _text(text)
    if name is None or not isinstance(label, str) or not label.strip():
        return None
    return name, label.strip()


def _text(value: Any) -> str | None:
    """A name, which may be a number; None of anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None
