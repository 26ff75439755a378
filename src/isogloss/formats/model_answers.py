"""Names with labels in the answer of a language model.

The answer is that of an API, JSON in prose, or plain text.

    parse_answer('Sure! [{"text": "Ada", "label": "PER"},]').mentions
    # [('Ada', 'PER')]

`answer_wrappers` removes what is around the words of the model. These are read as JSON, in the forms of `answer_text`,
and as labels beside names. `answer_pieces` tells what each reading leaves unread: the first one that leaves nothing
counts, or else the one that leaves least, and what it leaves is counted.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from isogloss.formats.answer_lines import NO_ENTITIES, PREFIXED, QUOTE_PAIRS, PlainAnswer, merge_tags
from isogloss.formats.answer_pieces import OUTSIDE, AnswerPieces
from isogloss.formats.answer_text import parse_plain_answer, parse_plain_answers
from isogloss.formats.answer_wrappers import clean_answer, decode, is_cut_off, list_inner, unwrap
from isogloss.formats.documents import LabelledSpan, Mention
from isogloss.formats.lenient_json import JsonValue, find_json_values, unescape
from isogloss.formats.mention_shapes import (
    COMMON_LABELS,
    MentionList,
    Vocabulary,
    parse_mention,
    parse_mentions,
    parse_spans,
)

FENCE = re.compile(r"^\s*```\w*\s*|\s*```\s*$")
MAX_PARTS = 200  # to search in an answer


@dataclass
class ParsedAnswer:
    """The names in an answer of a language model.

    Args:
        mentions: names with labels.
        is_decoded: whether the answer held names, or said that there are none.
        is_truncated: whether the answer breaks off, or a part of it cannot be read.
        is_one_of_several: whether another value of the answer held other names, or none.
        unusable: number of items that are not a name with a label.
        unread: number of names and labels in the answer that are not among those read.
        spans: start, end and label of each mention, if the answer has offsets in place of names; otherwise empty.
        is_json: whether the names were read from sound JSON that is more than one object.
        is_guessed: whether the names are those beside labels, in an answer of no known form.
    """

    mentions: list[Mention] = field(default_factory=list)
    is_decoded: bool = True
    is_truncated: bool = False
    is_one_of_several: bool = False
    unusable: int = 0
    unread: int = 0
    spans: list[LabelledSpan] = field(default_factory=list)
    is_json: bool = field(default=False, compare=False, repr=False)
    is_guessed: bool = field(default=False, compare=False, repr=False)


def parse_answer(answer: Any, text: str | None = None, labels: Collection[str] = ()) -> ParsedAnswer:
    """Parse the names in an answer.

    Args:
        answer: text, or JSON that was decoded already; None for no answer.
        text: the text that the model read, None if unknown: what it has is a name rather than a label.
        labels: labels of the reference: which string of two is the label.
    """
    known = Vocabulary(text, frozenset(labels))
    read = _parse_whole(answer, known)
    if (
        not read.is_decoded
        or read.unusable
        or not (text is None or any(known.has_name(name) for name, _ in read.mentions))
    ):
        read = _parse_inner(decode(answer), read, known)
    read.is_truncated |= is_cut_off(answer)
    return read


def _parse_inner(answer: Any, read: ParsedAnswer, known: Vocabulary) -> ParsedAnswer:
    """Parse the part of an answer with the most names.

    It is for an answer that is in no known form as a whole. Programs and APIs wrap the text of a model, its input, and
    figures in objects of their own.

    Args:
        answer: the answer.
        read: what was read from the whole answer.
        known: what is known about the document.
    """
    parts = [part for part in islice(list_inner(answer), MAX_PARTS) if part != known.text]
    every = [read, *(_parse_whole(part, known) for part in parts)]
    names = [{each for each in one.mentions if known.text is None or known.has_name(each[0])} for one in every]
    best = max(range(len(every)), key=lambda k: (len(names[k]), -k))
    if best:
        whole = (own for own, one in zip(names, every, strict=True) if not (one.unusable or one.is_truncated))
        every[best].is_one_of_several |= any(own - names[best] for own in whole)
        return every[best]
    sentences = (one for one, part in zip(every[1:], parts, strict=True) if isinstance(part, str) and " " in part)
    says_none = next((one for one in sentences if one.is_decoded and not (one.mentions or one.unusable)), read)
    return read if read.is_decoded else says_none


def _parse_whole(answer: Any, known: Vocabulary) -> ParsedAnswer:
    """Parse an answer in the form in which it is read best."""
    values, runs_on = list[Any](), False
    for part in unwrap(answer, known.labels):
        value, goes_on = clean_answer(part, known) if isinstance(part, str) else (part, False)
        values.append(value)
        runs_on |= goes_on
    pieces = AnswerPieces(map(_to_text, values), known)
    best: ParsedAnswer | None = None
    for read in _parse_forms(values, pieces, known):
        is_whole = _has_only_names(values, read, known)
        unread = [] if is_whole else pieces.list_unread(read.mentions, are_spans=bool(read.spans))
        read.unread = max(0, len(unread) - read.unusable - read.is_truncated)  # each item is counted once
        if best is None or _is_better(read, best, known):
            read.is_truncated |= best is not None and best.is_truncated
            best = read
        if not (best.unread or best.unusable or best.is_guessed):
            break
    best = best or ParsedAnswer(is_decoded=False)
    best.mentions = [
        (_drop_quotes(name, known), label)
        for name, label in best.mentions
        if label != OUTSIDE or OUTSIDE in known.labels
    ]
    best.is_truncated |= runs_on or best.is_guessed or _breaks_off(best, values, known)
    return best


def _drop_quotes(name: str, known: Vocabulary) -> str:
    """Drop the quotation marks around a name of the text."""
    inner = name[1:-1].strip()
    return inner if (name[:1], name[-1:]) in QUOTE_PAIRS and known.has_name(inner) else name


def _has_only_names(values: Sequence[Any], read: ParsedAnswer, known: Vocabulary) -> bool:
    """Return whether an answer is JSON of only the names read.

    Each has its label and nothing else. Then nothing is unread, which is sooner seen than by its pieces.
    """
    if len(values) != 1 or not read.mentions or read.unusable or read.is_truncated or read.spans:
        return False
    if not all(known.is_label(label) for _, label in read.mentions) or len(dict(read.mentions)) < len({*read.mentions}):
        return False
    value = decode(FENCE.sub("", values[0])) if isinstance(values[0], str) else values[0]
    while isinstance(value, dict) and len(value) == 1 and not any(map(known.is_label, value)):
        [value] = value.values()
    if isinstance(value, dict):
        are_labels = all(map(known.is_label, value)) and all(isinstance(part, list) for part in value.values())
        return are_labels and [_count_strings(part) for part in value.values()] == [
            sum(label == own for _, own in read.mentions) for label in value
        ]
    return isinstance(value, list) and [_count_strings(item) for item in value] == [2] * len(read.mentions)


def _count_strings(value: Any) -> int:
    """Return the number of strings in a value, without keys."""
    if isinstance(value, dict | list):
        return sum(map(_count_strings, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str)


def _to_text(part: Any) -> str:
    return html.unescape(unescape(part)) if isinstance(part, str) else json.dumps(part, ensure_ascii=False)


def _is_better(read: ParsedAnswer, best: ParsedAnswer, known: Vocabulary) -> bool:
    """Return whether another reading of an answer is better.

    It has all names of the text that the best one so far has. If it is guessed, or the best one was JSON, it has more.
    """
    names, before = ({name for name, _ in each.mentions if known.has_name(name)} for each in (read, best))
    if best.is_json and best.mentions:
        return False
    if read.is_guessed or best.is_json:
        return names > before and read.unread + read.unusable == 0
    return (len(names), -read.unread - read.unusable) > (len(before), -best.unread - best.unusable)


def _breaks_off(read: ParsedAnswer, values: Sequence[Any], known: Vocabulary) -> bool:
    """Return whether an answer ends inside a row or a name.

    If it ends inside a name, the text has this name only at the beginning of a word.
    """
    last = values[-1].rstrip() if values and isinstance(values[-1], str) else ""
    *before, row = last.splitlines() or [""]
    if before and (row[:1], row[-1:] == "|") == ("|", False) and (before[-1][:1], before[-1][-1:]) == ("|", "|"):
        return True
    if not read.mentions or not known.text or not last.endswith(name := read.mentions[-1][0]):
        return False
    if not known.has_name(name):
        return False
    following = [known.text[end.end() :][:1] for end in re.finditer(re.escape(name), known.text, re.IGNORECASE)]
    return bool(following) and all(letter.lower() != letter.upper() for letter in following)


def _parse_forms(values: Sequence[Any], pieces: AnswerPieces, known: Vocabulary) -> Iterator[ParsedAnswer]:
    """Yield what can be read from an answer in each form.

    Labels beside names are the last form, which is a guess. It does not serve for JSON, unless that is damaged.

    Args:
        values: texts and JSON of the answer.
        pieces: the pieces of the answer.
        known: what is known about the document.
    """
    builder = _AnswerBuilder(known)
    for value in _find_values(values, known):
        builder.add_value(value)
    read = builder.answer
    if read is not None:
        is_one_object = isinstance(builder.last, dict) and len(read.mentions) == 1
        read.is_json = not (builder.is_damaged or is_one_object)
        yield read
        if read.is_json and read.is_truncated and read.mentions:
            return  # what follows in another form is half an item
    texts = [part for part in values if isinstance(part, str)]
    yield from map(_to_answer, parse_plain_answers("\n".join(texts), known))
    if any(map(NO_ENTITIES.search, texts)):
        yield ParsedAnswer(is_truncated=True)
    elif len(texts) == len(values) and (builder.is_damaged or not builder.has_object):
        paired = pieces.pair_names()
        yield from [ParsedAnswer(paired, is_guessed=True)] if paired else []


def _to_answer(plain: PlainAnswer) -> ParsedAnswer:
    return ParsedAnswer(
        plain.mentions,
        is_truncated=plain.is_truncated,
        is_one_of_several=plain.is_one_of_several,
        unusable=plain.unusable,
    )


def _find_values(values: Iterable[Any], known: Vocabulary) -> Iterator[JsonValue]:
    """Yield the values of JSON in texts and values.

    What API answers wrap is unwrapped.
    """
    for part in values:
        if not isinstance(part, str):
            yield JsonValue(part)
            continue
        for value in find_json_values(part):
            for inner in unwrap(value.value, known.labels):
                if isinstance(inner, str):
                    yield from find_json_values(inner)
                else:
                    yield replace(value, value=inner)


def _pair_tokens(value: Any) -> list[Any] | None:
    """Pair tokens and tags: `{"tokens": [...], "ner_tags": [...]}`.

    Return None for anything else.
    """
    tokens = value.get("tokens", value.get("words")) if isinstance(value, dict) else None
    if not isinstance(tokens, list):
        return None
    others = [part for part in value.values() if isinstance(part, list) and part is not tokens]
    tags = [part for part in others if all(isinstance(tag, str) and PREFIXED.fullmatch(tag) for tag in part)]
    return [list(pair) for pair in zip(tokens, tags[0], strict=False)] if len(tags) == 1 else None


@dataclass
class _AnswerBuilder:
    """The names collected so far from the values of an answer."""

    known: Vocabulary
    answer: ParsedAnswer | None = None
    is_open: bool = True  # whether single names that follow are part of the answer
    is_damaged: bool = False  # whether a value without names broke off
    has_object: bool = False  # whether there is an object, or there are names
    last: Any = None  # the last value with names

    def add_value(self, value: JsonValue) -> None:
        """Add the next value, if it holds names."""
        self.has_object |= value.is_finished and bool(value.value) and isinstance(value.value, dict)
        items = list(value.value) if isinstance(value.value, tuple) and value.value else value.value
        spans = parse_spans(value.value, self.known.text)
        if spans is not None:
            self._add_spans(*spans, value)
            return
        is_item = not isinstance(value.value, list) or self.is_damaged  # a pair of a list that broke off
        single = parse_mention(value.value, self.known) if is_item else None
        names = self._parse_names(items) if single is None else None
        if names is not None and (names.mentions or (value.is_finished and not names.unusable)):
            self._replace_answer(names, value)
            self.last = value.value
        elif single is not None:
            self._add_mentions(single)
            self.last = value.value
        elif value.is_at_end:
            self.answer = self.answer or ParsedAnswer()
            self.answer.is_truncated = True
        self.is_damaged = self.is_damaged or (value.is_data_lost and not value.is_at_end)
        if self.answer is not None and self.is_damaged:
            self.answer.is_truncated = True

    def _parse_names(self, value: Any) -> MentionList | None:
        """Parse the names of a value.

        The value may also list lines, or tokens with tags.
        """
        value = _pair_tokens(value) or value
        names = parse_mentions(value, self.known)
        if names is not None and names.is_unusable and all(isinstance(item, str) for item in value):
            plain_answer = parse_plain_answer("\n".join(value), self.known)
            return names if plain_answer is None else MentionList(plain_answer.mentions, plain_answer.unusable)
        if names is not None and names.mentions and all(PREFIXED.fullmatch(label) for _, label in names.mentions):
            names.mentions = merge_tags(names.mentions, self.known)
        return names

    def _add_spans(self, spans: list[LabelledSpan], unusable: int, value: JsonValue) -> None:
        """Add spans without names."""
        mentions = [((self.known.text or "")[start:end], label) for start, end, label in spans]
        if isinstance(value.value, dict) and self.answer is not None and self.answer.spans:
            self.answer.mentions += mentions
            self.answer.spans += spans
            return
        self._replace_answer(MentionList(mentions, unusable), value)
        if self.answer is not None and self.answer.mentions == mentions:
            self.answer.spans = spans

    def _add_mentions(self, mentions: list[Mention]) -> None:
        if self.answer is None:
            self.answer = ParsedAnswer()
        if self.is_open:
            self.answer.mentions += mentions
        elif any(mention not in self.answer.mentions for mention in mentions):
            self.answer.is_one_of_several = True

    def _replace_answer(self, names: MentionList, value: JsonValue) -> None:
        before = [] if self.answer is None else self.answer.mentions
        if before and self._is_legend(names):
            return
        if self.answer is not None and self._goes_on(names, value):
            self.answer.mentions += names.mentions
            self.answer.unusable += names.unusable
            self.answer.is_truncated |= not value.is_finished
            return
        if self.answer is not None and before and not names.mentions:
            self.answer.is_one_of_several = True
            return
        self.answer = ParsedAnswer(
            names.mentions,
            is_truncated=not value.is_finished,
            is_one_of_several=bool(before) and before != names.mentions,
            unusable=names.unusable,
        )
        self.is_open = not value.is_finished

    def _goes_on(self, names: MentionList, value: JsonValue) -> bool:
        """Return whether an object goes on where the one before it ended.

        It has the names of the next sentence, or those of other labels.
        """
        if (
            self.answer is None
            or not value.value
            or not (isinstance(value.value, dict) and isinstance(self.last, dict))
        ):
            return False
        before, own = ({name.casefold() for name, _ in each} for each in (self.answer.mentions, names.mentions))
        text = (self.known.text or "").casefold()
        if before & own or not all(name in text for name in own):
            return False
        if value.value.keys() == self.last.keys():
            return max(map(text.find, before), default=0) <= min(map(text.rfind, own), default=0)
        return bool(own) and value.value.keys().isdisjoint(self.last) and all(map(self.known.is_label, value.value))

    def _is_legend(self, names: MentionList) -> bool:
        """Return whether strings by label explain labels: `{"PER": "person"}`."""
        return names.is_mapping and all(
            not self.known.has_name(name) if self.known.text is not None else name.casefold() in COMMON_LABELS
            for name, _ in names.mentions
        )
