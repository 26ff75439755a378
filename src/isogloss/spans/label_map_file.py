"""Reading of label maps from TOML files and dictionaries.

`isogloss.spans.label_map` says what the rules mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.errors import SourceError, UsageError
from isogloss.kernel.argument_checks import check_strings, closest
from isogloss.kernel.provenance import SIDES, Side
from isogloss.kernel.scores import format_path
from isogloss.records.sources import Source, is_path
from isogloss.spans.label_map import DROP, KEEP, LabelMap, LabelRule

SIDE_TABLES: Mapping[str, Side] = {"reference": "reference", "prediction": "predicted"}
SIDE_KEYS = ("default", "drop", "keep", "rename", "merge")
MAP_KEYS = (*SIDE_KEYS, "parents", *SIDE_TABLES)
MAX_LEVELS = 20
TABLE_LINE = re.compile(r"\s*\[([^\[\]]+)\]\s*(?:#.*)?$")
KEY_PART = re.compile(r"""(["'])(?P<quoted>.*?)\1|(?P<bare>[\w-]+)""")


def parse_label_option(name: str, value: Any) -> tuple[str, ...] | LabelMap | None:
    """Parse a value of `labels`: labels to score, or rules.

    Args:
        name: name of the argument.
        value: a list of labels; or a dictionary with rules, or the path of a file with rules.

    Raises:
        UsageError: if it is neither, or rules conflict.
        SourceError: if the file cannot be read.
    """
    if isinstance(value, str) and not Path(value).exists():
        rules = "or the path of a file with rules"
        raise UsageError(f"{name} must be a list of strings, such as [{value!r}], {rules}; there is no file {value!r}.")
    if isinstance(value, LabelMap | Mapping) or is_path(value):
        return load_label_map(value)
    return check_strings(name, value)


def load_label_map(value: Any) -> LabelMap:
    """Load a map from a TOML file, or from a dictionary.

    Args:
        value: path of the file, or a dictionary with the same keys.

    Raises:
        UsageError: if a key is unknown or rules conflict; the message names the line or the key.
        SourceError: if the file cannot be read.
    """
    if isinstance(value, LabelMap):
        return value
    if isinstance(value, Mapping):
        return _build_map(value, MapText("labels", ""))
    return _load_file(value if isinstance(value, Source) else Source(value))


def _load_file(source: Source) -> LabelMap:
    import tomllib  # noqa: PLC0415  only a map needs it

    label = f"To score only the label {source.name}, use --label {source.name} (labels=[{source.name!r}])."
    try:
        text = "".join(block.text for block in source.blocks())
    except SourceError as error:
        remedy = " ".join(filter(None, (error.remedy, label)))
        raise SourceError(error.message, where=error.where, detail=error.detail, remedy=remedy) from None
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{source.name} is not a TOML file: {error}.") from None
    except RecursionError:
        raise UsageError(
            f"{source.name} nests lists or tables too deeply. A rule is a label or a list of labels."
        ) from None
    return replace(_build_map(given, MapText(source.name, text)), source=source)


@dataclass(frozen=True)
class MapText:
    """Text of a map, for the places in messages.

    Args:
        name: path of the file, or name of the argument.
        text: text of the file; empty for a dictionary.
    """

    name: str
    text: str

    def build_error(self, place: tuple[str, ...], message: str) -> UsageError:
        """Build an error at a key, with its line.

        Args:
            place: keys from the table to the label.
            message: what is wrong, and what to do.
        """
        line = self._find_line(place)
        where = self.name if line is None else f"{self.name}:{line}"
        return UsageError(f"{where}: {format_path(place)}: {message}")

    def _find_line(self, place: tuple[str, ...]) -> int | None:
        """Find the line of a key, or of a list item."""
        lines = [*self._list_lines()]
        own = [number for number, key, _ in lines if key == place]
        near = [number for number, key, line in lines if key == place[:-1] and place[-1] in line]
        return next(iter((*own, *near)), None)

    def _list_lines(self) -> Iterator[tuple[int, tuple[str, ...], str]]:
        """Yield number, key and text of each line.

        The lines of a list have the key of the list.
        """
        table: tuple[str, ...] = ()
        key = table
        for number, line in enumerate(self.text.split("\n"), start=1):
            header = TABLE_LINE.match(line)
            if header:
                table = key = _split_key(header[1])
            elif "=" in line.partition("#")[0]:
                key = (*table, *_split_key(line.partition("=")[0]))
            yield number, key, line


def _split_key(text: str) -> tuple[str, ...]:
    """Split a key of TOML at its dots, and remove quotes."""
    return tuple(match["bare"] or match["quoted"] for match in KEY_PART.finditer(text))


def _build_map(given: Mapping[str, Any], text: MapText) -> LabelMap:
    _check_keys(given, MAP_KEYS, (), text)
    rules = [*_read_rules(given, SIDES, (), text)]
    defaults = dict.fromkeys(SIDES, _read_default(given, (), text))
    for table, side in SIDE_TABLES.items():
        own = _check_table(given, table, (), text)
        _check_keys(own, SIDE_KEYS, (table,), text)
        rules += _read_rules(own, (side,), (table,), text)
        if "default" in own:
            defaults[side] = _read_default(own, (table,), text)
    _refuse_conflicts(rules, text)
    parents = [*_read_parents(given, rules, text)]
    others = [*_make_default_rules(defaults)]
    return LabelMap((*rules, *parents, *others), defaults)


def _check_keys(given: Mapping[str, Any], allowed: Sequence[str], at: tuple[str, ...], text: MapText) -> None:
    for key in given:
        if key not in allowed:
            close = closest(key, allowed)
            meant = "." if close is None else f"; did you mean {close}?"
            raise text.build_error((*at, str(key)), f"unknown key{meant} Choose from {', '.join(allowed)}.")


def _check_table(given: Mapping[str, Any], key: str, at: tuple[str, ...], text: MapText) -> Mapping[str, Any]:
    table = given.get(key, {})
    if not isinstance(table, Mapping) or not all(isinstance(name, str) for name in table):
        raise text.build_error((*at, key), f"must be a table with labels as keys, got {table!r}.")
    return table


def _read_default(given: Mapping[str, Any], at: tuple[str, ...], text: MapText) -> str:
    return _check_label(given.get("default", KEEP), (*at, "default"), text)


def _check_label(value: Any, at: tuple[str, ...], text: MapText) -> str:
    if not isinstance(value, str) or not value:
        raise text.build_error(at, f"must be a label, got {value!r}.")
    return value


def _read_rules(
    given: Mapping[str, Any], sides: tuple[Side, ...], at: tuple[str, ...], text: MapText
) -> Iterator[LabelRule]:
    for label, target in _check_table(given, "rename", at, text).items():
        place = (*at, "rename", label)
        yield LabelRule("rename", label, _check_label(target, place, text), sides, place)
    for target, labels in _check_table(given, "merge", at, text).items():
        place = (*at, "merge", target)
        for label in _check_labels(labels, place, text):
            yield LabelRule("merge", label, target, sides, place)
    for label in _check_labels(given.get(DROP, []), (*at, DROP), text):
        yield LabelRule("drop", label, None, sides, (*at, DROP))
    for label in _check_labels(given.get(KEEP, []), (*at, KEEP), text):
        yield LabelRule("keep", label, label, sides, (*at, KEEP))


def _check_labels(value: Any, at: tuple[str, ...], text: MapText) -> list[str]:
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(each, str) for each in value):
        raise text.build_error(at, f"must be a list of labels, such as ['PER'], got {value!r}.")
    return [_check_label(each, at, text) for each in value]


def _refuse_conflicts(rules: Iterable[LabelRule], text: MapText) -> None:
    """Refuse two rules for a label on one side."""
    known: dict[tuple[Side, str], LabelRule] = {}
    for rule in rules:
        for side in rule.sides:
            first = known.setdefault((side, rule.label or ""), rule)
            if first is not rule:
                at = rule.place if rule.kind == "rename" else (*rule.place, rule.label or "")
                message = f"the label {rule.label!r} has another rule, {first.key}: remove one of the two."
                raise text.build_error(at, message)


def _read_parents(given: Mapping[str, Any], rules: Sequence[LabelRule], text: MapText) -> Iterator[LabelRule]:
    table = _check_table(given, "parents", (), text)
    for label, parent in table.items():
        at = ("parents", label)
        if isinstance(parent, Sequence) and not isinstance(parent, str):
            names = " and ".join(map(str, parent))
            raise text.build_error(at, f"the label has several parents, {names}: a label has one parent at most.")
        _check_label(parent, at, text)
        _refuse_cycle(label, table, text)
        _refuse_renamed_child(label, rules, text)
        yield LabelRule("parents", label, parent, SIDES, at)


def _refuse_cycle(label: str, parents: Mapping[str, Any], text: MapText) -> None:
    """Refuse a label below itself, or with too many ancestors."""
    path = [label]
    while isinstance(parents.get(path[-1]), str):
        path.append(parents[path[-1]])
        if path[-1] == label:
            raise text.build_error(("parents", label), f"the parents form a cycle: {' → '.join(path)}.")
        if len(path) > MAX_LEVELS:
            if len({*path}) < len(path):
                return  # the cycle is that of another label
            raise text.build_error(("parents", label), f"the label has more than {MAX_LEVELS - 1} ancestors.")


def _refuse_renamed_child(label: str, rules: Sequence[LabelRule], text: MapText) -> None:
    """Refuse the parent of a label that rules remove."""
    own = {side: rule for rule in rules if rule.label == label and rule.target != label for side in rule.sides}
    if len(own) < len(SIDES) or any(rule.target == label for rule in rules):
        return
    rule = own["reference"]
    new = "dropped" if rule.target is None else f"renamed to {rule.target!r}"
    remedy = "remove one of the two" if rule.target is None else "give the parent of the new label"
    raise text.build_error(("parents", label), f"the label is {new} by {rule.key}: {remedy}.")


def _make_default_rules(defaults: Mapping[Side, str]) -> Iterator[LabelRule]:
    """Make a rule for each default other than keep.

    Its spans are then counted.
    """
    for default in dict.fromkeys(defaults.values()):
        if default != KEEP:
            sides = tuple(side for side in SIDES if defaults[side] == default)
            yield LabelRule("default", None, None if default == DROP else default, sides, ("default",))
