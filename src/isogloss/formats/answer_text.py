"""Names with labels in answers of language models that are not JSON.

| form | example |
|---|---|
| tags in the text | `<PER>Ada</PER>`, `<entity type="PER">Ada</entity>`, `[Ada](PER)`, `[PER: Ada]`, `@@Ada##` |
| XML | `<entity><text>Ada</text><type>PER</type></entity>` |
| table | of Markdown, or CSV with a header |
| YAML | `- text: Ada`, then `  label: PER` |
| tokens | `Ada B-PER`, a line each |
| lines | `- Ada (PER)`, `Ada: PER`, `PER: Ada, Bob`, `Persons (PER): Ada`, `Ada -> PER`, `"Ada" is a PER` |
| offsets | `0-3 PER Ada`, `T1 PER 0 3 Ada` |
| headings | `PER:`, then `- Ada`; `Ada`, then `Type: PER` |

`parse_plain_answer` uses the first form that fits. Lines before and after are prose; a line between two names that
is not read is counted.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence

from isogloss.formats.answer_lines import (
    ARTICLES,
    COMMA,
    MIN_CELLS,
    NO_NAMES,
    PREFIXED,
    QUOTES,
    VERBS,
    PlainAnswer,
    list_lines,
    merge_tags,
    restore_ends,
    strip_marks,
)
from isogloss.formats.answer_lists import parse_lists
from isogloss.formats.answer_tables import parse_tables
from isogloss.formats.documents import Mention
from isogloss.formats.mention_shapes import LABELS, TEXTS, Vocabulary, parse_mention

MARKUP = re.compile(r"</?(?:b|i|em|strong|u)>|<!\[CDATA\[|\]\]>")
TAG = re.compile(
    r"[<\[](?P<close>/?)(?P<name>[\w.-]+)(?P<attributes>(?:\s+[\w:-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'))*)\s*[>\]]"
)
ATTRIBUTE = re.compile(r"=\s*[\"'](?P<value>[^\"'<>]*)[\"']")
PARAMETER = re.compile(r"<parameter=(\w+)>([^<>]*)</parameter>")
CALL = re.compile(r"(</?function)(?:=\w+)?>")
BRACKETS = (
    re.compile(r"\[(?P<name>[^\[\]\n]{1,200})\] ?[({<\[](?P<label>[^(){}<>\[\]\n]{1,60})[)}>\]]"),
    re.compile(r"\[(?P<label>[\w-]{1,60}): ?(?P<name>[^\[\]\n|]{1,200})\]"),
    re.compile(r"\[(?P<name>[^\[\]\n|]{1,200})\|(?P<label>[^\[\]\n|]{1,60})\]"),
    re.compile(r"<(?P<label>[\w-]{1,60}): ?(?P<name>[^<>\n]{1,200})>"),
    re.compile(r"\{\{(?P<label>[\w-]{1,60})\|(?P<name>[^{}\n]{1,200})\}\}"),
    re.compile(r"\{(?P<name>[^{}\n|]{1,200})\|(?P<label>[\w-]{1,60})\}"),
    re.compile(r"\[(?P<name>[^\[\]\n/]{1,200})/(?P<label>[\w-]{1,60})\]"),
    re.compile(r"\[(?P<label>[\w-]{1,60}) (?P<name>[^\[\]\n]{1,200})\]"),
    re.compile(r"\((?P<name>[^()\n]{1,200})[,;] ?(?P<label>[\w-]{1,60})\)"),
    re.compile(r"@@(?P<name>[^@#\n]{1,200})##[ :/]?(?P<label>[\w-]{1,60})"),
    re.compile(
        r"<\w+ (?:text|name|mention)=\"(?P<name>[^\"\n]{1,200})\" (?:label|type)=\"(?P<label>[\w-]{1,60})\" ?/>"
    ),
)
MARKED_NAMES = (  # in prose; the names must be in the text
    re.compile(
        r"(?P<mark>\*{1,2}|[\"`])(?P<name>[^*\"`\n]{1,200})(?P=mark),? ?"
        r"[(\[](?P<label>[\w-]{1,60})(?:, [^()\[\]]*)?[)\]]"
    ),
    re.compile(
        rf"[{QUOTES}](?P<name>[^{QUOTES}\n]{{1,200}})[{QUOTES}] (?:{VERBS})"
        rf" (?:(?:{ARTICLES}) )?(?P<label>[\w-]{{1,60}})"
    ),
)
LABEL_OF_NAME = re.compile(
    rf"[(\[{{<](?P<label>[\w-]{{1,60}})[)\]}}>]|\b(?:{VERBS}) (?:(?:{ARTICLES}) )?(?P<word>[\w-]{{1,60}})"
)
MARKED = re.compile(r"@@(.{1,200}?)##")
TOKEN = re.compile(r"(?P<token>\S+?)[ \t]*(?:[ \t:|]|->|→|=>)[ \t]*(?P<tag>O|[BIESLUM][-_][\w-]+)")
TAG_AND_TOKEN = re.compile(r"(?P<tag>O|[BIESLUM][-_][\w-]+)[ \t]+(?P<token>\S+)")
PARALLEL = re.compile(r"(?:tokens|words)\W+(?P<tokens>\[[^\[\]]*\])\s*(?:\w+\W+)(?P<tags>\[[^\[\]]*\])", re.IGNORECASE)
LISTED = re.compile(r"[\"']((?:[^\"'\\]|\\.)+)[\"']")
SLASHED = re.compile(r"(?P<token>\S+)/(?P<tag>O|[BIESLUM]-[\w-]+)")
EXPLAINED = re.compile(rf"(?P<name>.{{1,200}}?)\s*(?:[(（].*|\b(?:{VERBS}) (?:{ARTICLES}) .*)", re.DOTALL)
COUNTED = re.compile(r"(?P<name>.{1,200}?)\s*[(\[]?[×x✕✖] ?\d+[)\]]?")
YAML_COMMENT = re.compile(r"(?:^|\s)#\s.*")
YAML_OBJECT = re.compile(r"-\s*\{(?P<fields>[^{}]*)\}")
XML_FIELDS = frozenset((*TEXTS, *LABELS))


def parse_plain_answer(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse the names of an answer without JSON.

    The first form that fits counts. Return None if the answer is in no known form.

    Args:
        answer: the answer, without JSON.
        known: what is known about the document.
    """
    return next(parse_plain_answers(answer, known), None)


def parse_plain_answers(answer: str, known: Vocabulary) -> Iterator[PlainAnswer]:
    """Yield the names of an answer in each form that fits.

    Args:
        answer: the answer.
        known: what is known about the document.
    """
    for parse in (_parse_tags, _parse_brackets, _parse_marks, _parse_tokens, parse_tables, _parse_yaml, parse_lists):
        plain_answer = parse(answer, known)
        if plain_answer is not None:
            cleaned = [(_clean_name(name, answer, known), label) for name, label in plain_answer.mentions]
            plain_answer.mentions = [each for each in cleaned if any(map(str.isalnum, each[0]))]
            plain_answer.unusable += len(cleaned) - len(plain_answer.mentions)
            yield plain_answer
        if parse is _parse_tags and plain_answer is not None:
            return  # what stands outside of tags is the text
    is_empty = NO_NAMES.fullmatch(answer.strip()) is not None
    is_copy = known.text is not None and answer.strip() == known.text.strip() != ""
    if is_empty or is_copy:
        yield PlainAnswer()


def _clean_name(name: str, answer: str, known: Vocabulary) -> str:
    """Change a name to how the text has it.

    Explanations after it and entities of HTML are dropped, and marks that belong to it are restored. An example is `Ada
    (a mathematician)`.
    """
    if "&" in name and not known.has_name(name) and known.has_name(html.unescape(name)):
        return html.unescape(name)
    if known.text is None or known.has_name(name):
        return restore_ends(name, answer, known)
    for form in (COUNTED, EXPLAINED):
        explained = form.fullmatch(name)
        kept = "" if explained is None else strip_marks(explained["name"])
        if known.has_name(kept):
            return kept
    return name


def _parse_tags(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse `<PER>Ada</PER>`, `<entity type="PER">Ada</entity>` and objects in XML."""
    result, fields, is_used = PlainAnswer(), dict[str, str](), False
    answer = CALL.sub(r"\1>", PARAMETER.sub(r"<\1>\2</\1>", MARKUP.sub("", _drop_comments(answer))))
    opened: list[tuple[re.Match[str], int]] = []
    for tag in TAG.finditer(answer):
        if not tag["close"]:
            opened.append((tag, tag.end()))
            continue
        while opened and opened[-1][0]["name"] != tag["name"]:
            opened.pop()
        if not opened:
            continue
        start, begin = opened.pop()
        content, label = answer[begin : tag.start()].strip(), _read_tag_label(start, known)
        if tag["name"].lower() in XML_FIELDS and "<" not in content and not start["attributes"] and opened:
            fields[tag["name"].lower()] = content
        elif fields:
            result.mentions += parse_mention(fields, known) or ()
            result.unusable += parse_mention(fields, known) is None
            fields = {}
        elif "<" not in content and label:
            result.mentions += [(content, label)] if content else []
        else:
            result.unusable += not known.labels and known.has_name(content)  # perhaps a label that looks like none
            continue
        is_used = True
    result.is_truncated = any(_read_tag_label(tag, known) for tag, _ in opened)
    return result if is_used and (result.mentions or result.unusable) else None


def _drop_comments(answer: str) -> str:
    """Drop the comments of XML, in linear time."""
    first, *others = answer.split("<!--")
    return first + "".join(each.partition("-->")[2] for each in others)


def _read_tag_label(tag: re.Match[str], known: Vocabulary) -> str:
    """Return the label of a tag.

    It is the value of an attribute, or its name; empty for no label.
    """
    values = [attribute["value"] for attribute in ATTRIBUTE.finditer(tag["attributes"])]
    if len(values) == 1:
        return values[0]
    return next((value for value in (*values, *([] if values else [tag["name"]])) if known.is_label(value)), "")


def _parse_brackets(answer: str, known: Vocabulary) -> PlainAnswer | None:
    for form in BRACKETS:
        marks = [mark for mark in form.finditer(answer) if known.is_label(mark["label"].strip())]
        is_in_text = any(known.has_name(mark["name"].strip()) for mark in marks)
        if is_in_text or (marks and known.labels and known.text is None):
            return _build_marked(marks, form.sub("", answer), known)
    for form in MARKED_NAMES:
        marks = [mark for mark in form.finditer(answer) if known.is_label(mark["label"])]
        if marks and all(known.has_name(mark["name"].strip()) for mark in marks):
            return _build_marked(marks, form.sub("", answer), known)
    return None


def _build_marked(marks: Sequence[re.Match[str]], rest: str, known: Vocabulary) -> PlainAnswer:
    """Build the names of marks in a text.

    Labels in brackets, or after a verb, in the rest of the text are counted.
    """
    unusable = sum(known.is_label(mark["label"] or mark["word"]) for mark in LABEL_OF_NAME.finditer(rest))
    return PlainAnswer([(mark["name"].strip(), mark["label"].strip()) for mark in marks], unusable)


def _parse_marks(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse `@@Ada##`.

    The label is at the beginning of the line, or the only one of the reference.
    """
    mentions, only = list[Mention](), next(iter(known.labels)) if len(known.labels) == 1 else ""
    for line in list_lines(answer):
        names = MARKED.findall(line)
        title = re.split("[:：]", line, maxsplit=1)[0].strip(" *-")
        label = title if known.is_label(title) else only
        if names and not label:
            return None
        mentions += [(name.strip(), label) for name in names]
    return PlainAnswer(mentions) if mentions else None


def _parse_tokens(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse tokens with their tags.

    Each line has a token and its tag, or a slash stands between each token and its tag.
    """
    lines = list_lines(answer)
    listed = PARALLEL.search(answer)
    if listed is not None:
        tokens, tags = (LISTED.findall(listed[name]) for name in ("tokens", "tags"))
        if len(tokens) == len(tags) and all(map(PREFIXED.fullmatch, tags)):
            return PlainAnswer(merge_tags(list(zip(tokens, tags, strict=True)), known))
    for form, parts in ((TOKEN, lines), (TAG_AND_TOKEN, lines), (SLASHED, answer.split())):
        read = [token for token in map(form.fullmatch, parts) if token is not None]
        if len(read) >= MIN_CELLS and len(read) * 2 >= len(parts):
            pairs = [(token["token"], token["tag"]) for token in read]
            return PlainAnswer(merge_tags(pairs, known), len(parts) - len(read))
    return None


def _parse_yaml(answer: str, known: Vocabulary) -> PlainAnswer | None:
    """Parse `text: Ada` and `label: PER`, in any order.

    Both may stand in lines of their own or in one line.
    """
    items: list[dict[str, str]] = []
    for raw in list_lines(answer):
        line = YAML_COMMENT.sub("", raw)
        inner = YAML_OBJECT.fullmatch(line)
        line = f"- {inner['fields']}" if inner else line
        parts = [part.removeprefix("- ").partition(":") for part in COMMA.split(line)]
        if not all(key.strip().lower() in XML_FIELDS for key, _, _ in parts):
            parts = [line.removeprefix("- ").partition(":")]
        for key, _, value in parts:
            name = key.strip(" *0123456789").lower()
            if name not in XML_FIELDS or not value.strip(" *\"'"):
                continue
            if (
                not items
                or name in items[-1]
                or key.lstrip().startswith("-")
                or (line.startswith("- ") and key is parts[0][0])
            ):
                items.append({})
            items[-1][name] = value.strip(" *\"'")
    read = [parse_mention(item, known) for item in items]
    if not any(read):
        return None
    return PlainAnswer([name for names in read if names for name in names], sum(names is None for names in read))
