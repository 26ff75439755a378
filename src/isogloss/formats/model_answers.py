"""Names with labels in the answer of a language model.

The answer is that of an API, JSON in prose, or plain text.

    parse_answer('Sure! [{"text": "Ada", "label": "PER"},]').mentions
    # [('Ada', 'PER')]

Answers of APIs are unwrapped first: messages, blocks of content and calls of tools as Anthropic, OpenAI (chat and
Responses), Gemini, Ollama and Hugging Face give them, and `<tool_call>`. Thoughts are left out. Then JSON is searched
in the text; without JSON, `answer_text` reads the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

import msgspec

from isogloss.formats.answer_lines import PREFIXED, merge_tags
from isogloss.formats.answer_text import parse_plain_answer
from isogloss.formats.documents import LabelledSpan, Mention
from isogloss.formats.lenient_json import JsonValue, find_json_values
from isogloss.formats.mention_shapes import (
    COMMON_LABELS,
    MentionList,
    Vocabulary,
    parse_mention,
    parse_mentions,
    parse_spans,
)

THOUGHTS = re.compile(r"\A.*</think(?:ing)?>|<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
ESCAPED_JSON = re.compile(r'(?s)\A(?!.*[\[{]\s*").*[\[{]\s*\\"')
NEXT_EXAMPLE = re.compile(
    r"^[#*> ]*(?:text|input|sentence|passage|document|texte|phrase|texto|entrada|satz|eingabe|текст|ввод|metin"
    r"|文本|输入|句子|入力|文|テキスト|입력|문장|ข้อความ|النص|पाठ|वाक्य)(?: \d+)?\**[ ]*[:：]\**(?P<text>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
MIN_TEXT = 20  # characters of a text rather than a name
CALL_ARGUMENTS = ("arguments", "args", "parameters", "input")
MAX_DEPTH = 8  # of answers in answers
MAX_PARTS = 200  # to search in an answer
INPUTS = frozenset(("prompt", "input", "instruction", "question", "system", "user", "reasoning_content", "thinking"))


@dataclass
class ParsedAnswer:
    """The names in an answer of a language model.

    Args:
        mentions: names with labels.
        is_decoded: whether the answer held names, or said that there are none.
        is_truncated: whether the answer breaks off, or a part of it cannot be read.
        is_one_of_several: whether another value of the answer held other names, or none.
        unusable: number of items that are not a name with a label.
        spans: start, end and label of each mention, if the answer has offsets in place of names; otherwise empty.
    """

    mentions: list[Mention] = field(default_factory=list)
    is_decoded: bool = True
    is_truncated: bool = False
    is_one_of_several: bool = False
    unusable: int = 0
    spans: list[LabelledSpan] = field(default_factory=list)


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
        read.is_decoded
        and not read.unusable
        and (text is None or any(known.has_name(name) for name, _ in read.mentions))
    ):
        return read
    return _parse_inner(_decode(answer), read, known)


def _parse_inner(answer: Any, read: ParsedAnswer, known: Vocabulary) -> ParsedAnswer:
    """Parse the part of an answer with the most names.

    It is for an answer that is in no known form as a whole. Programs and APIs wrap the text of a model, its input, and
    figures in objects of their own.

    Args:
        answer: the answer.
        read: what was read from the whole answer.
        known: what is known about the document.
    """
    parts = [part for part in islice(_list_inner(answer), MAX_PARTS) if part != known.text]
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


def _list_inner(value: Any) -> Iterator[Any]:
    """Yield texts, lists and objects in a value.

    The outer ones come first. Those that were given to the model are left out.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        joined = ["".join(each) for each in level if isinstance(each, list) and _are_texts(each)]  # pieces of a text
        inner = [part for each in level for part in _list_children(each) if isinstance(part, str | list | dict)]
        level = [*joined, *inner]
        yield from level


def _list_children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [part for key, part in value.items() if key.lower() not in INPUTS]
    return value if isinstance(value, list) and not _are_texts(value) else ()


def _are_texts(items: list[Any]) -> bool:
    return bool(items) and all(isinstance(item, str) for item in items)


def _parse_whole(answer: Any, known: Vocabulary) -> ParsedAnswer:
    """Parse an answer in a known form."""
    builder, plain, runs_on = _AnswerBuilder(known), list[str](), False
    for part in _unwrap(answer):
        if not isinstance(part, str):
            builder.add_value(JsonValue(part))
            continue
        cleaned = _clean(part)
        plain.append(cleaned[: _find_next_example(cleaned, known)])
        runs_on |= len(plain[-1]) < len(cleaned)
        for value in find_json_values(plain[-1]):
            for inner in _unwrap_value(value):
                builder.add_value(inner)
    if builder.answer is not None:
        builder.answer.is_truncated |= runs_on
        return builder.answer
    plain_answer = parse_plain_answer("\n".join(plain), known)
    if plain_answer is None:
        return ParsedAnswer(is_decoded=False)
    return ParsedAnswer(
        plain_answer.mentions,
        is_truncated=plain_answer.is_truncated or runs_on,
        is_one_of_several=plain_answer.is_one_of_several,
        unusable=plain_answer.unusable,
    )


def _find_next_example(answer: str, known: Vocabulary) -> int:
    """Return where a model goes on with the next example.

    Models that do not stop go on with their prompt. An example begins with another text. The result is the length of
    the answer if there is none.
    """
    if known.text is None:
        return len(answer)
    for example in NEXT_EXAMPLE.finditer(answer):
        other = example["text"].strip()
        is_end = not other and example.end() == len(answer.rstrip())
        if answer[: example.start()].strip() and (is_end or (len(other) > MIN_TEXT and not known.has_name(other))):
            return example.start()
    return len(answer)


def _clean(text: str) -> str:
    """Remove thoughts and superfluous backslashes from an answer.

    Such backslashes are in JSON that was escaped once too often.
    """
    text = THOUGHTS.sub("", text)
    return text.replace('\\"', '"') if ESCAPED_JSON.search(text) else text


def _unwrap_value(value: JsonValue) -> Iterator[JsonValue]:
    """Yield the parts of a value that may be an API answer."""
    parts = list(_unwrap(value.value))
    for part in parts:
        if isinstance(part, str):
            yield from find_json_values(part)
        else:
            yield replace(value, value=part)


def _unwrap(answer: Any, depth: int = MAX_DEPTH) -> Iterator[Any]:
    """Yield the texts and values in an answer of an API.

    Anything else is yielded as it is.
    """
    if isinstance(answer, str):
        yield from _unwrap_text(answer, depth)
        return
    inner = _find_parts(answer) if depth else None
    if inner is None:
        yield answer
        return
    for part in inner:
        yield from _unwrap(part, depth - 1)


def _unwrap_text(text: str, depth: int) -> Iterator[Any]:
    """Yield the parts of a text that is an API answer.

    The text must be such an answer as a whole; otherwise the text itself is yielded.
    """
    if text.lstrip()[:1] in {"{", "["} and depth:
        try:
            value = msgspec.json.decode(text)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            value = None
        parts = None if value is None else _find_parts(value)
        if parts is not None:
            for part in parts:
                yield from _unwrap(part, depth - 1)
            return
    yield text


def _find_parts(value: Any) -> list[Any] | None:
    """Return the parts of an API answer, else None."""
    if isinstance(value, list):
        return _find_list_parts(value)
    if not isinstance(value, dict):
        return None
    return next((parts for find in FINDERS if (parts := find(value)) is not None), None)


def _find_list_parts(items: list[Any]) -> list[Any] | None:
    """Return the parts of content blocks, messages or generated texts."""
    rows = [item for item in items if isinstance(item, dict)]
    if not rows or len(rows) != len(items):
        return None
    if all("role" in row and ("content" in row or "parts" in row) for row in rows):
        return rows[-1:]
    is_blocks = all(_find_block(row) is not None for row in rows)
    return [part for row in rows for part in _find_block(row) or ()] if is_blocks else None


def _find_block(block: Mapping[str, Any]) -> list[Any] | None:
    """Return the parts of a block of content, by its type."""
    if set(block) == {"generated_text"}:
        return [block["generated_text"]]
    kind = block.get("type")
    key = BLOCKS.get(kind) if isinstance(kind, str) else None
    if key is None or key not in block or (kind == "text" and set(block) - TEXT_BLOCK_KEYS):
        return _find_call(block) or _find_gemini_part(block)
    if kind in THOUGHT_BLOCKS:
        return []
    return [_decode(block[key])]


BLOCKS = {
    "text": "text", "output_text": "text", "thinking": "thinking", "redacted_thinking": "data", "reasoning": "summary",
    "refusal": "refusal", "tool_use": "input", "server_tool_use": "input", "function_call": "arguments",
    "message": "content",
}  # fmt: skip
TEXT_BLOCK_KEYS = {"type", "text", "annotations", "citations", "cache_control", "logprobs", "id"}
THOUGHT_BLOCKS = {"thinking", "redacted_thinking", "reasoning", "refusal"}


def _find_gemini_part(part: Mapping[str, Any]) -> list[Any] | None:
    if set(part) <= {"text", "thought", "thoughtSignature"} and isinstance(part.get("text"), str):
        return [] if part.get("thought") else [part["text"]]
    call = part.get("functionCall", part.get("function_call"))
    return [call.get("args")] if isinstance(call, dict) and "args" in call else None


def _find_call(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the arguments of a call of a tool.

    A call is `{"name": …, "arguments": …}`, also under `function`.
    """
    call = value.get("function", value)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return None
    key = next((key for key in CALL_ARGUMENTS if isinstance(call.get(key), dict | list | str)), None)
    is_decoded = key is not None and (isinstance(call[key], dict | list) or call[key].lstrip()[:1] in {"{", "["})
    return [_decode(call[key])] if key is not None and is_decoded else None


def _find_choices(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the first choice or candidate of an API answer.

    OpenAI's chat and completions have choices, Gemini has candidates.
    """
    for key in ("choices", "candidates"):
        choices = value.get(key)
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            return [choices[0].get("message", choices[0].get("content", choices[0].get("text")))]
    return None


def _find_message(value: Mapping[str, Any]) -> list[Any] | None:
    """Return content and calls of a message."""
    if not ("role" in value or value.get("type") == "message" or isinstance(value.get("tool_calls"), list)):
        return None
    content = value.get("content", value.get("parts"))
    parts = content if isinstance(content, list) else [content]
    blocks = [_find_block(part) if isinstance(part, dict) else [part] for part in parts]
    calls = [_find_call(call) for call in value.get("tool_calls") or () if isinstance(call, dict)]
    return [part for block in (*blocks, *calls) for part in block or () if part is not None]


def _find_output(value: Mapping[str, Any]) -> list[Any] | None:
    """Return the output of OpenAI's Responses or of a wrapping program.

    Such a program wraps the text of its output.
    """
    output = value.get("output")
    if (
        isinstance(output, list)
        and output
        and all(isinstance(item, dict) and item.get("type") in BLOCKS for item in output)
    ):
        messages = [
            item["content"] if item["type"] == "message" else [item] for item in output if item["type"] in BLOCKS
        ]
        return [part for blocks in messages for part in _find_list_parts(blocks) or ()]
    return None


FINDERS: tuple[Callable[[Mapping[str, Any]], list[Any] | None], ...] = (
    _find_choices, _find_message, _find_call, _find_output
)  # fmt: skip


def _decode(value: Any) -> Any:
    """Decode JSON in a string; keep anything else."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value


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

    def add_value(self, value: JsonValue) -> None:
        """Add the next value, if it holds names."""
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
        elif single is not None:
            self._add_mentions(single)
        elif value.is_at_end:
            self.answer = self.answer or ParsedAnswer()
            self.answer.is_truncated = True
        self.is_damaged = self.is_damaged or value.is_data_lost
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

    def _is_legend(self, names: MentionList) -> bool:
        """Return whether strings by label explain labels: `{"PER": "person"}`."""
        return names.is_mapping and all(
            not self.known.has_name(name) if self.known.text is not None else name.casefold() in COMMON_LABELS
            for name, _ in names.mentions
        )
