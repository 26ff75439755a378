"""What a language model wrote, without what is around it.

    list(unwrap({"role": "assistant", "content": [{"type": "text", "text": "Ada (PER)"}]}))  # ["Ada (PER)"]

Messages, blocks of content and calls of tools are unwrapped as Anthropic, OpenAI (chat and Responses), Gemini, Bedrock,
Cohere, Ollama and Hugging Face give them, also as events of a stream. Of several choices, the first counts. What was
given to the model is left out, and so are thoughts, marks of chat templates, and examples of other texts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from isogloss.formats.mention_shapes import Vocabulary

MAX_DEPTH = 8  # of answers in answers
MIN_EVENTS = 2  # of a stream
CALL_ARGUMENTS = ("arguments", "args", "parameters", "input")
INPUTS = frozenset((
    "prompt", "input", "instruction", "question", "system", "user", "doc", "target", "expected", "gold", "vars",
    "testcase", "test_case", "assert", "gradingresult", "chat_history", "citations", "metadata", "response_metadata",
    "reasoning", "reasoning_content", "reasoningcontent", "thinking", "thinking_blocks",
))  # fmt: skip
BLOCKS = {
    "text": "text", "output_text": "text", "thinking": "thinking", "redacted_thinking": "data", "reasoning": "summary",
    "refusal": "refusal", "tool_use": "input", "server_tool_use": "input", "function_call": "arguments",
    "message": "content",
}  # fmt: skip
TEXT_BLOCK_KEYS = {"type", "text", "annotations", "citations", "cache_control", "logprobs", "id"}
THOUGHT_BLOCKS = {"thinking", "redacted_thinking", "reasoning", "refusal"}
STOP_REASONS = ("finish_reason", "stop_reason", "finishReason", "stopReason", "done_reason", "native_finish_reason")
CUT_REASONS = frozenset(("length", "max_tokens", "MAX_TOKENS", "model_length", "max_output_tokens"))
THOUGHTS = re.compile(
    r"\A.*</think(?:ing)?>|<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)|\[\[ ## reasoning ## \]\].*?(?=\[\[ ## )"
    r"|\A.*<\|channel\|>(?:final|commentary)[^<]*(?:<\|constrain\|>\w*\s*)?<\|message\|>",
    re.DOTALL,
)
REPLY_MARK = re.compile(
    r"\[/INST\]|<\|assistant\|>|<\|im_start\|>assistant|<start_of_turn>model"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>"
)
END_MARK = re.compile(
    r"</s>|<\|(?:im_end|endoftext|eot_id|eom_id|end|return|call|end_of_text)\|>|<eos>|<end_of_turn>|\[INST\]"
)
FIELD_MARK = re.compile(r"<extra_id_\d+>")
OTHER_MARK = re.compile(r"\[\[ ## \w+ ## \]\]|<\|[\w/]+\|>|<s>|<unk>|<pad>|\[/?INST\]|\u2581")
FULLWIDTH_BRACKETS = str.maketrans("｛｝［］", "{}[]")
ESCAPED_JSON = re.compile(r'(?s)\A(?!.*[\[{]\s*").*[\[{]\s*\\"')
NEXT_EXAMPLE = re.compile(
    r"^[#*> ]*(?:text|input|sentence|passage|document|paragraph|texte|phrase|texto|entrada|satz|eingabe|текст|ввод"
    r"|metin|文本|输入|句子|入力|文|テキスト|입력|문장|ข้อความ|النص|पाठ|वाक्य)(?: \d+)?\**[ ]*[:：]\**\s*(?P<text>.*)$",
    re.IGNORECASE | re.MULTILINE,
)
OPENING, CLOSING = re.compile(r"[\[{]"), re.compile(r"[\]}]")
MIN_TEXT = 20  # characters of a text rather than a name
QUOTED = " \"'“”„«»*_`"  # around a text


def unwrap(answer: Any, labels: frozenset[str] = frozenset(), depth: int = MAX_DEPTH) -> Iterator[Any]:
    """Yield the texts and values in an answer of an API.

    Anything else is yielded as it is.

    Args:
        answer: a text, or JSON that was decoded already.
        labels: labels of the reference, which may be the names of tools.
        depth: how deep answers may be in answers.
    """
    if isinstance(answer, str):
        value = _decode_wrapper(answer) if depth else answer
        parts = None if value is answer else [value] if isinstance(value, str) else _find_parts(value, labels)
    else:
        parts = _find_parts(answer, labels) if depth else None
    if parts is None:
        yield answer
        return
    for part in parts:
        yield from unwrap(part, labels, depth - 1)


def is_cut_off(answer: Any, depth: int = MAX_DEPTH) -> bool:
    """Check whether an API says that the model reached its maximum length."""
    if isinstance(answer, str):
        answer = decode(answer) if "eason" in answer else None
    if isinstance(answer, dict):
        if any(answer.get(key) in CUT_REASONS for key in STOP_REASONS if isinstance(answer.get(key), str)):
            return True
        return depth > 0 and any(
            is_cut_off(part, depth - 1) for part in answer.values() if isinstance(part, dict | list)
        )
    return isinstance(answer, list) and depth > 0 and any(is_cut_off(part, depth - 1) for part in answer)


def clean_answer(answer: str, known: Vocabulary) -> tuple[str, bool]:
    """Return what a model wrote about a text.

    Return also whether it went on with other texts. Thoughts, marks of chat templates, examples of other texts and
    superfluous backslashes are left out. Such backslashes are in JSON that was escaped once too often.

    Args:
        answer: the answer.
        known: what is known about the document.
    """
    answer = _cut_turn(THOUGHTS.sub("", answer), known).translate(FULLWIDTH_BRACKETS)
    answer = answer.replace('\\"', '"') if ESCAPED_JSON.search(answer) else answer
    answer = answer[_find_own_example(answer, known) :]
    end = _find_next_example(answer, known)
    return answer[:end], end < len(answer)


def _cut_turn(answer: str, known: Vocabulary) -> str:
    """Return the turn of a model without marks of its template.

    If there are several turns, it is the one after the text of the document, else the first. An answer may begin
    within its turn.
    """
    if "<" not in answer and "[" not in answer:
        return answer
    turns = REPLY_MARK.split(answer)
    own = max((k for k, turn in enumerate(turns[:-1]) if known.text and known.text in turn), default=0)
    turn = turns[own + 1] if len(turns) > 1 and turns[own + 1].strip() else turns[-1]
    if not own and END_MARK.split(turns[0])[0].strip() and not turns[0].lstrip().startswith("<"):
        turn = turns[0]
    end = next(
        (mark.start() for mark in END_MARK.finditer(turn) if OTHER_MARK.sub("", turn[: mark.start()]).strip()), None
    )
    return OTHER_MARK.sub("", END_MARK.sub("", FIELD_MARK.sub("\t", turn[:end])))


def _find_own_example(answer: str, known: Vocabulary) -> int:
    """Return where an answer begins after repeated examples.

    A program may repeat its prompt. The examples are examples of other texts before the text of the document. The
    result is 0 without such examples.
    """
    begin = answer.find(known.text) if known.text else -1
    if begin <= 0 or all(_is_own_text(each["text"], known) for each in NEXT_EXAMPLE.finditer(answer[:begin])):
        return 0
    return begin + len(known.text or "")


def _find_next_example(answer: str, known: Vocabulary) -> int:
    """Return where a model goes on with the next example.

    Models that do not stop go on with their prompt. An example begins with another text. The result is the length of
    the answer if there is none.
    """
    if known.text is None:
        return len(answer)
    for example in NEXT_EXAMPLE.finditer(answer):
        is_end = not example["text"].strip() and example.end() == len(answer.rstrip())
        if answer[: example.start()].strip() and (is_end or not _is_own_text(example["text"], known)):
            return example.start()
    return len(answer)


def _is_own_text(text: str, known: Vocabulary) -> bool:
    """Return whether a text is a part of the document, or short."""
    text = text.strip(QUOTED)
    return len(text) <= MIN_TEXT or known.has_name(text)


def list_inner(value: Any) -> Iterator[Any]:
    """Yield texts, lists and objects in a value.

    The outer ones come first. Those that were given to the model are left out.
    """
    level = [value]
    for _ in range(MAX_DEPTH):
        joined = ["".join(each) for each in level if isinstance(each, list) and _are_texts(each)]  # pieces of a text
        inner = [part for each in level for part in _list_children(each) if isinstance(part, str | list | dict)]
        level = [*joined, *inner]
        yield from level


def decode(value: Any) -> Any:
    """Decode JSON in a string; keep anything else."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return value


def _list_children(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return [part for key, part in value.items() if key.lower() not in INPUTS]
    return value if isinstance(value, list) and not _are_texts(value) else ()


def _are_texts(items: Sequence[Any]) -> bool:
    return bool(items) and all(isinstance(item, str) for item in items)


def _decode_wrapper(text: str) -> Any:
    """Decode a text that is JSON or a stream of events.

    Any other text is returned as it is.
    """
    begin = text.lstrip()[:1]
    if begin in {"{", "[", '"'}:
        value = decode(text)
        if value is not text:
            return value
    if begin != "{" and "data:" not in text:
        return text
    lines = [line.strip().removeprefix("data:").strip() for line in text.splitlines()]
    events = [event for event in map(decode, lines) if isinstance(event, dict)]
    joined = _join_events(events)
    return text if joined is None else joined


def _find_parts(value: Any, labels: frozenset[str]) -> list[Any] | None:
    """Return the parts of an API answer, else None."""
    if isinstance(value, list):
        return _find_list_parts(value, labels)
    if not isinstance(value, dict):
        return None
    return next((parts for find in FINDERS if (parts := find(value, labels)) is not None), None)


def _find_list_parts(items: Sequence[Any], labels: frozenset[str]) -> list[Any] | None:
    """Return the parts of content blocks, messages, generated texts or events."""
    rows = [item for item in items if isinstance(item, dict)]
    if not rows or len(rows) != len(items):
        return None
    if all("role" in row and ("content" in row or "parts" in row) for row in rows):
        return list(rows[-1:])
    joined = _join_events(rows)
    if joined is not None:
        return [joined]
    blocks = [_find_block(row, labels) for row in rows]
    return None if None in blocks else [part for block in blocks for part in block or ()]


def _join_events(events: Sequence[Mapping[str, Any]]) -> str | None:
    """Join the pieces of text in the events of a stream.

    Return None if they are no events.
    """
    pieces = list(map(_find_delta, events))
    return (
        "".join(piece or "" for piece in pieces) if sum(piece is not None for piece in pieces) >= MIN_EVENTS else None
    )


def _find_delta(event: Mapping[str, Any]) -> str | None:
    """Return the piece of text in an event, else None.

    It may be a piece of the arguments of a call.
    """
    choice = next(iter(_get_list(event, "choices") or _get_list(event, "candidates")), {})
    delta = next((each for each in (choice.get("delta"), event.get("delta")) if each is not None), None)
    if isinstance(delta, str):
        is_thought = "reasoning" in str(event.get("type"))
        return "" if is_thought else delta
    if isinstance(delta, dict):
        message = delta.get("message")
        inner = message.get("content") if isinstance(message, dict) else None
        calls = [call.get("function") for call in _get_list(delta, "tool_calls")]
        own = [delta.get(key) for key in ("content", "text", "partial_json")]
        arguments = [call.get("arguments") for call in calls if isinstance(call, dict)]
        found = [each.get("text") if isinstance(each, dict) else each for each in (*own, inner, *arguments)]
        return "".join(each for each in found if isinstance(each, str))
    if "done" in event:  # Ollama
        message = event.get("message")
        content = message.get("content") if isinstance(message, dict) else event.get("response")
        return content if isinstance(content, str) else None
    token = event.get("token")
    content = token.get("text") if isinstance(token, dict) else None
    return content if isinstance(content, str) else None


def _get_list(value: Mapping[str, Any], key: str) -> list[dict[str, Any]]:
    items = value.get(key)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _find_block(block: Mapping[str, Any], labels: frozenset[str]) -> list[Any] | None:
    """Return the parts of a block of content, by its type."""
    if set(block) == {"generated_text"}:
        return [block["generated_text"]]
    kind = block.get("type")
    key = BLOCKS.get(kind) if isinstance(kind, str) else None
    if key is None or key not in block or (kind == "text" and set(block) - TEXT_BLOCK_KEYS):
        return _find_call(block, labels) or _find_gemini_part(block)
    if kind in THOUGHT_BLOCKS:
        return []
    return _find_call(block, labels) or [decode(block[key])]


def _find_gemini_part(part: Mapping[str, Any]) -> list[Any] | None:
    if "reasoningContent" in part:  # Bedrock
        return []
    if set(part) <= {"text", "thought", "thoughtSignature"} and isinstance(part.get("text"), str):
        return [] if part.get("thought") else [part["text"]]
    call = part.get("functionCall", part.get("function_call"))
    return _find_call(call, frozenset()) if isinstance(call, dict) and "args" in call else None


def _find_call(value: Mapping[str, Any], labels: frozenset[str]) -> list[Any] | None:
    """Return the arguments of a call of a tool.

    A call is `{"name": …, "arguments": …}`, also under `function`. If a label is the name of the tool, its arguments
    are names.
    """
    call = value.get("function", value)
    if not isinstance(call, dict) or not isinstance(call.get("name"), str):
        return None
    key = next((key for key in CALL_ARGUMENTS if isinstance(call.get(key), dict | list | str)), None)
    is_decoded = key is not None and (isinstance(call[key], dict | list) or call[key].lstrip()[:1] in {"{", "["})
    if key is None or not is_decoded:
        return None
    arguments = decode(call[key])
    if call["name"] in labels and isinstance(arguments, dict):
        inner = (part if isinstance(part, list) else [part] for part in arguments.values())
        return [{"text": name, "label": call["name"]} for name in chain.from_iterable(inner) if isinstance(name, str)]
    return [arguments]


def _find_choices(value: Mapping[str, Any], _: frozenset[str]) -> list[Any] | None:
    """Return the first choice or candidate of an API answer.

    OpenAI's chat and completions have choices, Gemini has candidates.
    """
    for key in ("choices", "candidates"):
        choices = value.get(key)
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            return [choices[0].get("message", choices[0].get("content", choices[0].get("text")))]
    return None


def _find_message(value: Mapping[str, Any], labels: frozenset[str]) -> list[Any] | None:
    """Return content and calls of a message."""
    if not ("role" in value or value.get("type") == "message" or isinstance(value.get("tool_calls"), list)):
        return None
    content = value.get("content", value.get("parts"))
    parts = content if isinstance(content, list) else [content]
    blocks = [_find_block(part, labels) if isinstance(part, dict) else [part] for part in parts]
    calls = [_find_call(call, labels) for call in value.get("tool_calls") or () if isinstance(call, dict)]
    return _join_texts([part for block in (*blocks, *calls) for part in block or () if part is not None])


def _join_texts(parts: Sequence[Any]) -> list[Any]:
    """Join a text that ends inside JSON and the next one.

    Blocks of content may begin anywhere.
    """
    joined: list[Any] = []
    for part in parts:
        before = joined[-1] if joined else None
        is_open = isinstance(before, str) and len(OPENING.findall(before)) > len(CLOSING.findall(before))
        if isinstance(before, str) and isinstance(part, str) and is_open:
            joined[-1] = before + part
        else:
            joined.append(part)
    return joined


def _find_output(value: Mapping[str, Any], labels: frozenset[str]) -> list[Any] | None:
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
        return [part for blocks in messages for part in _find_list_parts(blocks, labels) or ()]
    return None


FINDERS: tuple[Callable[[Mapping[str, Any], frozenset[str]], list[Any] | None], ...] = (
    _find_choices, _find_message, _find_call, _find_output
)  # fmt: skip
