"""Names with labels in decoded JSON of many shapes.

The shapes are those that people ask language models for.

| shape | example |
|---|---|
| objects | `[{"text": "Ada", "label": "PER"}]`, `[{"entity": {"text": "Ada", "label": "PER"}}]` |
| pairs | `[["Ada", "PER"]]`, `[["PER", ["Ada"]]]` |
| lists by label | `{"PER": ["Ada"]}`, `[{"PER": ["Ada"]}]`, `[{"label": "PER", "entities": ["Ada"]}]` |
| a name and a label | `{"Ada": "PER"}`, `{"PER": "Ada"}`, `[{"Ada": "PER"}]`, `{"Ada": {"type": "PER"}}` |
| spans without names | `[{"start": 0, "end": 3, "label": "PER"}]`, `[[0, 3, "PER"]]`, see `parse_spans` |
| one of these under a key of `WRAPPERS` | `{"entities": [...]}` |

The name of an object is its first field out of `TEXTS`, its label the first out of `LABELS`; the case of keys does not
matter. Other fields are ignored, even offsets: models often get them wrong, and the text shows where a name is.
A `Vocabulary` decides which of two strings is the label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import Any, TypeGuard

from isogloss.formats.documents import LabelledSpan, Mention

TEXTS = (
    "text", "mention", "surface", "span", "word", "token", "name", "entity_name", "entity_text", "phrase", "term",
    "string", "entity", "value",
)  # fmt: skip
LABELS = (
    "label", "labels", "hypertextlabels", "type", "entity_type", "entity_label", "category", "class", "kind", "tag",
    "entity_group", "entity",
)  # fmt: skip
WRAPPERS = (
    "entities", "mentions", "named_entities", "ner", "annotations", "spans", "results", "result", "output", "data",
    "response", "answer", "predictions",
)  # fmt: skip
COMMON_LABELS = frozenset((
    "per", "person", "people", "loc", "location", "place", "city", "country", "gpe", "geo", "org", "organization",
    "organisation", "company", "institution", "misc", "miscellaneous", "other", "date", "time", "money", "percent",
    "product", "event", "facility", "fac", "norp", "language", "law", "work_of_art", "quantity", "ordinal", "cardinal",
    "title", "disease", "drug", "chemical", "gene", "species",
))  # fmt: skip
WORD = re.compile(r"[^\W\d_][\w-]*")
CAMEL_CASE = re.compile(r"(?<=[a-z])(?=[A-Z])")
FIELDS = frozenset((*TEXTS, *LABELS, *WRAPPERS))
INNER = frozenset(("nested", "nested_entities", "inner", "children", "sub_entities", "subentities", "embedded"))
STARTS = ("start", "start_offset", "start_char", "start_pos", "begin")
ENDS = ("end", "end_offset", "end_char", "end_pos")
MAX_NESTING = 6  # wrappers in wrappers
PAIR_LENGTH = 2  # name and label
SPAN_LENGTH = 3  # start, end and label


@dataclass(frozen=True)
class Vocabulary:
    """Knowledge about a document before its answer is read.

    It consists of the text of the document and the labels of the reference.

    Args:
        text: the text of the document; None if unknown.
        labels: the labels of the reference; empty if unknown.
    """

    text: str | None = None
    labels: frozenset[str] = frozenset()
    _folded: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_folded", frozenset(map(fold_label, self.labels)))

    def is_label(self, word: str) -> bool:
        """Check whether a word is a label, in any case.

        The known labels decide; if none are known, the word must look like a label.
        """
        if self._folded:
            return fold_label(word) in self._folded
        return is_in_capitals(word) or word.casefold() in COMMON_LABELS

    def has_name(self, name: str) -> bool:
        """Check whether the known text has a name, in any case.

        Without a known text, no name is in it.
        """
        return bool(name) and self.text is not None and name.casefold() in self.text.casefold()

    def orient(self, one: str, other: str, *, by_looks: bool = True) -> Mention | None:
        """Return the name and the label out of two strings.

        Return None if they cannot be told apart.

        The labels of the reference decide, then the text, then whether a string looks like a label.

        Args:
            one: a name or a label.
            other: the other of the two.
            by_looks: whether looks decide if nothing else does.
        """
        one, other = one.strip(), other.strip()
        if self.labels and self.is_label(one) != self.is_label(other):
            return (other, one) if self.is_label(one) else (one, other)
        if self.has_name(one) != self.has_name(other):
            return (one, other) if self.has_name(one) else (other, one)
        if by_looks and not self.labels and self.is_label(one) != self.is_label(other):
            return (other, one) if self.is_label(one) else (one, other)
        return None


@lru_cache(maxsize=4096)
def fold_label(label: str) -> str:
    """Fold the case of a label.

    Dots on i do not matter: `KİŞİ` and `Kişi` are equal, and so are `ÜLKE ADI` and `Ülke adı`.
    """
    return label.casefold().replace("i\u0307", "i").replace("ı", "i")


def is_in_capitals(word: str) -> bool:
    """Return whether a word is in capitals, as labels are: `PER`, `KİŞİ`."""
    return word.isupper() and WORD.fullmatch(word) is not None


NOTHING_KNOWN = Vocabulary()


@dataclass
class MentionList:
    """The names in a value, in their order.

    Args:
        mentions: each name with its label.
        unusable: number of items that are not names.
        example: the first of these.
        is_mapping: whether the value maps strings to strings, which may also be a legend of labels.
    """

    mentions: list[Mention] = field(default_factory=list)
    unusable: int = 0
    example: Any = None
    is_mapping: bool = False

    @property
    def is_unusable(self) -> bool:
        """Whether there are items, but no names."""
        return bool(self.unusable) and not self.mentions

    def add_mentions(self, mentions: list[Mention] | None, item: Any) -> None:
        """Add the names of an item, or count an unusable item.

        An item is unusable if its names are None.
        """
        if mentions is not None:
            self.mentions += mentions
            return
        if not self.unusable:
            self.example = item
        self.unusable += 1


def parse_mentions(value: Any, known: Vocabulary = NOTHING_KNOWN, depth: int = MAX_NESTING) -> MentionList | None:
    """Parse the names of a list or object, else return None.

    Args:
        value: a JSON value.
        known: what is known about the document.
        depth: how deep wrappers may be nested.
    """
    names = MentionList()
    if isinstance(value, list):
        for item in value:
            _add_item(names, item, known)
        return names
    if not isinstance(value, dict):
        return None
    inner = _find_inner_list(value)
    if inner is None:
        _add_mapping(names, value, known)
        return names
    label = _read_label(value)
    if isinstance(label, str) and isinstance(inner, list) and all(isinstance(item, str) for item in inner):
        return MentionList([(item, label) for item in inner])
    labels = _get_field(value, "labels")
    if _are_strings(labels) and _are_strings(inner) and len(labels) == len(inner):
        return MentionList(list(zip(inner, labels, strict=True)))
    return parse_mentions(inner, known, depth - 1) if depth else None


def _are_strings(value: Any) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _find_inner_list(value: dict[str, Any]) -> list[Any] | dict[str, Any] | None:
    """Return the list or object inside an object that holds names.

    Return None if the object holds the names itself.
    """
    wrapped = _get_wrapped(value)
    if wrapped is not None:
        return wrapped
    if value and all(isinstance(item, dict) for item in value.values()):
        return [_add_key(key, item) for key, item in value.items()]
    lists = [item for item in value.values() if isinstance(item, list)]
    if len(lists) != 1 or not lists[0] or not all(isinstance(item, dict) for item in lists[0]):
        return None
    are_names = len(value) > 1 and all(map(_read_label, lists[0]))
    return lists[0] if are_names or all(_get_wrapped(item) is not None for item in lists[0]) else None


def _get_wrapped(item: dict[str, Any]) -> list[Any] | dict[str, Any] | None:
    """Return the list or object under a key of `WRAPPERS`."""
    wrapped = (_get_field(item, wrapper) for wrapper in WRAPPERS)
    return next((value for value in wrapped if isinstance(value, list | dict)), None)


def _add_key(key: str, item: dict[str, Any]) -> dict[str, Any]:
    """Add its key to an object that lacks a name or label."""
    text_key = _find_text_key(item)
    if text_key is None and _read_label(item) is not None:
        return {"text": key} | item
    if text_key is None:
        return item if any(isinstance(value, list | dict) for value in item.values()) else {"text": key} | item
    return item | {"label": key} if _read_label(item, text_key) is None else item


def parse_spans(value: Any, text: str | None, depth: int = MAX_NESTING) -> tuple[list[LabelledSpan], int] | None:
    """Parse a list of spans without names: start, end and label.

    Return the spans that are in the text, and the number of other items. Return None without such a span, or with an
    item that has a name.

    Args:
        value: a JSON value.
        text: the text of the document; None if unknown.
        depth: how deep wrappers may be nested.
    """
    if isinstance(value, dict):
        inner = _get_wrapped(value)
        value = [value] if inner is None else inner
        if isinstance(value, dict):
            return parse_spans(value, text, depth - 1) if depth else None
    if not isinstance(value, list) or text is None:
        return None
    spans = [_parse_span(item, text) for item in value]
    sound = [span for span in spans if span is not None]
    has_names = any(isinstance(item, dict) and _find_text_key(item) is not None for item in value)
    return (sound, len(spans) - len(sound)) if sound and not has_names else None


def _parse_span(item: Any, text: str) -> LabelledSpan | None:
    if isinstance(item, dict):
        label, keys = _read_label(item), [[key for key in names if key in item] for names in (STARTS, ENDS)]
        edges = [item[names[0]] for names in keys if names] if _find_text_key(item) is None else []
    else:
        is_triple = isinstance(item, list | tuple) and len(item) == SPAN_LENGTH
        edges, label = (list(item[:2]), item[2]) if is_triple else ([], None)
    if not isinstance(label, str) or not label.strip() or [type(edge) for edge in edges] != [int, int]:
        return None
    start, end = edges
    return (start, end, label.strip()) if 0 <= start < end <= len(text) else None


def parse_mention(item: Any, known: Vocabulary = NOTHING_KNOWN) -> list[Mention] | None:
    """Parse an object or list that is one name with labels.

    The name has one label or several. Return None for anything else.

    Args:
        item: a JSON value.
        known: what is known about the document.
    """
    if isinstance(item, dict):
        mentions = _parse_object(item, None)
        return _swap_back(mentions, known) if mentions else _parse_by_values(item, known)
    if not isinstance(item, list | tuple) or len(item) < PAIR_LENGTH:
        return None
    words = [part for part in item if isinstance(part, str) or _is_first_number(part, item)]
    if len(words) != PAIR_LENGTH or not all(isinstance(part, str | int | float) for part in item):
        return None
    text, label = words
    if isinstance(text, str) and isinstance(label, str):
        text, label = known.orient(text, label, by_looks=len(item) > PAIR_LENGTH) or (text, label)
    return _build_mentions(text, label)


def _swap_back(mentions: list[Mention], known: Vocabulary) -> list[Mention]:
    """Swap a name and its label if their fields are swapped."""
    [(name, label), *others] = mentions
    is_swapped = not others and known.labels and known.is_label(name) and not known.is_label(label)
    return [(label, name)] if is_swapped and known.has_name(label) else mentions


def _is_first_number(part: Any, item: list[Any] | tuple[Any, ...]) -> bool:
    """Return whether a number stands for a name: `[2020, "DATE"]`."""
    return part is item[0] and len(item) == PAIR_LENGTH and _to_text(part) is not None


def _add_item(names: MentionList, item: Any, known: Vocabulary, depth: int = MAX_NESTING) -> None:
    """Add the names of an item of a list.

    The item is a name with its label, or several names of a label.
    """
    mentions = parse_mention(item, known)
    if mentions is None and isinstance(item, dict) and item:
        inner = _parse_nested(item, known)
        if inner is not None and not inner.is_unusable:
            names.mentions += inner.mentions
            names.unusable += inner.unusable
            return
    if mentions is None and _is_label_with_list(item):
        mentions = _parse_list(item[1], item[0], known)
    names.add_mentions(mentions, item)
    if mentions and depth and isinstance(item, dict):
        lists = [value for key, value in item.items() if isinstance(value, list) and _to_snake_case(key) in INNER]
        for part in chain.from_iterable(lists):
            _add_item(names, part, known, depth - 1)


def _parse_nested(item: dict[str, Any], known: Vocabulary) -> MentionList | None:
    """Parse an object of a list that is not a name itself.

    It has lists by label, or a name and a label.
    """
    only = [value for value in item.values() if isinstance(value, dict)]
    if len(only) == 1 and (len(item) == 1 or parse_mention(only[0], known)):
        return parse_mentions(only, known, 0)
    return parse_mentions(item, known, 1)


def _is_label_with_list(item: Any) -> bool:
    return (
        isinstance(item, list | tuple)
        and len(item) == PAIR_LENGTH
        and isinstance(item[0], str)
        and isinstance(item[1], list)
    )


def _parse_list(items: Iterable[Any], label: str, known: Vocabulary) -> list[Mention] | None:
    """Parse the names of a label.

    Return None if an item is not a name.
    """
    mentions: list[Mention] = []
    for item in items:
        one = _parse_labelled(item, label, known)
        if one is None:
            return None
        mentions += one
    return mentions


def _parse_labelled(item: Any, label: str, known: Vocabulary) -> list[Mention] | None:
    """Parse a name from a list of a label.

    Its own label counts if the list belongs to a key that is not a label.
    """
    if not isinstance(item, dict):
        return _build_mentions(item, label)
    own = None if known.is_label(label) else _parse_by_values(item, known)
    return _parse_object(item, label) if own is None else own


def _add_mapping(names: MentionList, value: dict[str, Any], known: Vocabulary) -> None:
    """Add lists by label, and names with labels."""
    is_object = any(_to_snake_case(key) in FIELDS for key in value)
    for key, field_value in value.items():
        if field_value is None:
            continue
        item = _join_groups(key, field_value, known)
        if isinstance(item, list) and key.strip():
            swapped = _swap_list(key, item, known)
            if item and (texts := [_parse_nested_text(part, known) for part in item]) and None not in texts:
                swapped = [mention for each in texts if each is not None for mention in each]
            for part in item if swapped is None else ():
                names.add_mentions(_parse_labelled(part, key.strip(), known), part)
            names.mentions += swapped or ()
        elif isinstance(item, str) and not is_object and (mentions := _parse_entry(key, item, known)) is not None:
            names.is_mapping = True
            names.mentions += mentions
        else:
            names.add_mentions(None, {key: item})


def _join_groups(key: str, value: Any, known: Vocabulary) -> Any:
    """Join the lists in an object below a label.

    An example is `{"ORG": {"banks": ["Alpha"], "firms": ["Beta"]}}`.
    """
    if not isinstance(value, dict) or not (known.labels and known.is_label(key)):
        return value
    groups = list(value.values())
    return list(chain.from_iterable(groups)) if all(map(_are_strings, groups)) else value


def _parse_nested_text(item: Any, known: Vocabulary) -> list[Mention] | None:
    """Return the names in an object beside its text, else None."""
    if not isinstance(item, dict) or _find_text_key(item) is None or _parse_object(item, "label") is not None:
        return None
    inner = parse_mentions(item, known, 1)
    return None if inner is None or inner.unusable else inner.mentions


def _swap_list(key: str, items: list[Any], known: Vocabulary) -> list[Mention] | None:
    """Return the name `key` with each label of a list.

    Return None if the list does not hold labels.
    """
    if not known.labels or known.is_label(key.strip()) or not items:
        return None
    are_labels = all(isinstance(item, str) and known.is_label(item.strip()) for item in items)
    return [(key.strip(), item.strip()) for item in items] if are_labels else None


NOTHING = frozenset((  # answers in place of a name
    "", "none", "n/a", "-", "–", "[]", "null", "nil", "(none)", "keine", "keiner", "aucun", "aucune", "ninguno",
    "ninguna", "nessuno", "nessuna", "nenhum", "нет", "немає", "yok", "无", "無", "なし", "없음", "ไม่มี",
    "لا يوجد", "لا توجد", "لا شيء", "không có", "không", "κανένα", "καμία", "κανένας", "brak", "žádné", "žádná",
    "ingen", "inga", "ingenting", "geen", "nincs", "nema", "нема", "няма", "nulla", "nenhuma", "niente", "hiçbiri",
    "tidak ada", "कोई नहीं", "नहीं", "해당 없음", "해당없음", "該当なし", "没有", "沒有", "暂无", "none found", "none.",
    "—", "==none==",
))  # fmt: skip
SEMICOLON = re.compile(r"[;؛；]")
COMMAS = re.compile(r"\s*[,;、،؛；，]\s*")


SUFFIX = re.compile(r"(?:jr|sr|inc|ltd|llc|llp|co|corp|gmbh|ag|s\.?a|d\.c|ph\.?d|m\.?d|ii|iii)\.?", re.IGNORECASE)


def _parse_entry(one: str, other: str, known: Vocabulary) -> list[Mention] | None:
    """Parse a key and its string as names with a label.

    They are a label and its names, or a name and its label.
    """
    if not one.strip() or (known == NOTHING_KNOWN and other.casefold().strip() not in NOTHING):
        return None
    if other.casefold().strip() in NOTHING:
        return []
    oriented = known.orient(one, other)
    if oriented is None:
        return None
    if oriented[1] == one.strip():
        return [(name, oriented[1]) for name in split_names(oriented[0], known)]
    return [oriented]


def split_names(names: str, known: Vocabulary) -> list[str]:
    """Split names at commas and semicolons.

    Names that the text has as they are stay whole, unless they have a semicolon.
    """
    if known.has_name(names) and not SEMICOLON.search(names):
        return [names]
    return join_suffixes([name for name in COMMAS.split(names) if name and name.casefold() not in NOTHING], names)


def join_suffixes(parts: Sequence[str], names: str) -> list[str]:
    """Join names that were split before `Jr.` or `Inc.`.

    Args:
        parts: the names, split at commas.
        names: the names before that.
    """
    joined: list[str] = []
    for name in parts:
        whole = f"{joined[-1]}, {name}" if joined and SUFFIX.fullmatch(name) else ""
        if whole and whole in names:
            joined[-1] = whole
        else:
            joined.append(name)
    return joined


def _parse_object(item: dict[str, Any], label: str | None) -> list[Mention] | None:
    """Parse a name from an object.

    It may take its label from its list.
    """
    key = _find_text_key(item)
    if key is None:
        return None
    own = _read_label(item, key)
    if own is None and _get_wrapped(item) is not None:
        return None  # a text with its names
    return _build_mentions(_get_field(item, key), label if own is None else own)


def _parse_by_values(item: dict[str, Any], known: Vocabulary) -> list[Mention] | None:
    """Parse an object with any keys: `{"Nombre": "Ada", "Tipo": "PER"}`.

    One value must be a label, and one of the others must be in the text. Of several the one under a key of `TEXTS`
    counts.
    """
    values = [value for value in item.values() if isinstance(value, str)]
    labels = [value for value in values if known.is_label(value) and (known.labels or not known.has_name(value))]
    names = [value for value in values if value not in labels and known.has_name(value)]
    own = _get_field(item, _find_text_key(item) or "")
    names = [own] if own in names else names
    if len(labels) != 1 or len(names) != 1 or any(known.is_label(key) or known.has_name(key) for key in item):
        return None
    return _build_mentions(names[0], labels[0])


def _find_text_key(item: dict[str, Any]) -> str | None:
    """Return the key of an object's name, else None."""
    return next((key for key in TEXTS if _to_text(_get_field(item, key)) is not None), None)


def _read_label(item: dict[str, Any], text_key: str | None = None) -> Any:
    for key in LABELS:
        value = _get_field(item, key) if key != text_key else None
        if isinstance(value, dict):
            value = next((value[name] for name in ("name", "label", "value") if isinstance(value.get(name), str)), None)
        if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(v, str) for v in value)):
            return value
    return None


def _get_field(item: dict[str, Any], key: str) -> Any:
    """Return the value of a key in any case, else None.

    `entity_type`, `Entity_Type` and `entityType` are the same key.
    """
    if key in item:
        return item[key]
    return next((value for name, value in item.items() if _to_snake_case(name) == key), None)


@lru_cache(maxsize=1024)
def _to_snake_case(key: str) -> str:
    """Return a key in small letters unless it is all capitals.

    A key in capitals stays as it is, because labels look like this.
    """
    return key if key.isupper() else CAMEL_CASE.sub("_", key.strip()).lower().replace(" ", "_").replace("-", "_")


def _build_mentions(text: Any, label: Any) -> list[Mention] | None:
    """Build a name with each of its labels.

    There may be one label or several. Return None if the name or the label is missing.
    """
    name = _to_text(text)
    labels = label if isinstance(label, list) else [label]
    if name is None or not all(isinstance(each, str) and each.strip() for each in labels):
        return None
    return [(name, each.strip()) for each in labels]


def _to_text(value: Any) -> str | None:
    """Return a name, which may be a number; None for anything else."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) else None
