"""Names beside labels in a line of a language model's answer.

The labels of the reference and the text of the document are known, so any marks may stand between a name and its
label: `1. **Ada** -> PER (a name)`, `PER: "Ada", "Bob"; LOC: Oslo`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from isogloss.formats.documents import Mention
from isogloss.formats.mention_shapes import NOTHING, Vocabulary, split_names

SYMBOLS = "\u2022-\u2027\u2043\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"  # bullets, arrows, boxes, dingbats, emoji
BULLET = re.compile(rf"(?:[-*•–+]\s+|[•・·▪◦]\s*|[{SYMBOLS}]+\s+|[(（]?\d{{1,3}}[.):、．）：]\s*|#{{1,6}}\s*)+")
WORD = re.compile(r"\w+(?:-\w+)*")
QUOTES = '"“”„‟«»「」『』《》'
MARKS = f" \t*_`{QUOTES}'‘’‚‹›()（）[]【】{{}}<>|:：;；؛,，、،=~→←⇒⇐/"  # around a name
VERBS = "is \\w+ as|is|as|es|est|ist|è|é|jest|är|er"  # between a name and its label
ARTICLES = "an?|the|eine?|une?|una|el|la"
JOINING_WORDS = re.compile(rf"\s(?:{VERBS})(?: (?:{ARTICLES}))?\s*$")
MAX_JOINT = 40  # characters of these words
MAX_WORDS = 20  # of prose before a name
TITLE = re.compile(r"\W*+(?P<title>[^\W\d][\w ]{0,40}[(\[])?\W*+")  # before a label that begins a line
AFTER_TITLE = re.compile(r"[)\]）】]\W*?[:：=–—-]")
AND = r"\b(?:and|y|et|und|og|och)\b"
BETWEEN_NAMES = re.compile(rf"[,;|，；、،؛&]|{AND}")
NEXT_ITEM = re.compile(  # after a label
    rf"[)）\]】}}>*`_\"”“»'」]*\s*(?:\([^()]*\)\s*)?(?:(?:,\s*)?{AND}|[,;|.，；、،؛。]|&)\s*"
)
PREFIXED = re.compile(r"O|[BIESLUM]-.+")
REMARK = re.compile(r"\s*\([^()]*\)\.?$")
INTRODUCTION = re.compile(r"[\w ]{1,40}(?:[:：]|=>|→)\s+")


def parse_label_words(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse names of the text before labels, with any marks between them.

    Return None if what stands before a label is anything else.
    """
    labels = [word for word in WORD.finditer(line) if known.is_label(word[0])] if known.labels and known.text else []
    if not labels:
        return None
    before = line[: labels[0].start()]
    title = TITLE.fullmatch(before)
    is_title = title is not None and (title["title"] is None or AFTER_TITLE.match(line, labels[0].end()) is not None)
    if is_title and not known.has_name(before.strip(MARKS + "-.")):
        return _parse_after_labels(line, labels, known)
    mentions, at = list[Mention](), 0
    for label in labels:
        part, at = line[at : label.start()], label.end()
        names = _parse_names_before(part, known, is_first=not mentions) if _has_joint(part) else None
        if names is None:
            return None
        mentions += [(name, label[0]) for name in names]
    return mentions or None


def _parse_after_labels(line: str, labels: Sequence[re.Match[str]], known: Vocabulary) -> list[Mention] | None:
    """Parse the names of the text after each label."""
    mentions: list[Mention] = []
    ends = [label.start() for label in labels[1:]] + [len(line)]
    for label, end in zip(labels, ends, strict=True):
        part = REMARK.sub("", line[label.end() : end].rstrip(" .,;|*`_<([\"“「'")).strip(MARKS + "-–—.…")
        names = [name for each in BETWEEN_NAMES.split(part) if (name := each.strip(MARKS + "."))]
        if part.casefold() in NOTHING:
            names = []
        elif known.has_name(part) and ";" not in part:
            names = [part]
        if line[label.end() :][:1].isalpha() or not all(map(known.has_name, names)):
            return None
        mentions += [(name, label[0]) for name in names]
    return mentions or None


def _has_joint(part: str) -> bool:
    """Return whether more than a space separates a name from its label."""
    end = len(part)
    while end and not (part[end - 1].isalnum() or unicodedata.category(part[end - 1])[0] == "M"):
        end -= 1
    joint = part[end:]
    return bool(joint.strip()) or "\t" in joint or "  " in joint or JOINING_WORDS.search(part[-MAX_JOINT:]) is not None


def _parse_names_before(part: str, known: Vocabulary, *, is_first: bool) -> list[str] | None:
    """Parse names before a label; return None without such names."""
    part = part[:-MAX_JOINT] + JOINING_WORDS.sub("", part[-MAX_JOINT:])
    begin = INTRODUCTION.match(part) if is_first else NEXT_ITEM.match(part)
    if begin is None and not is_first:
        return None  # a text with labels in it
    for at in (0, *([] if begin is None else [begin.end()])):
        whole = part[at:].strip(MARKS)
        if not known.has_name(whole):
            whole = strip_marks(whole.strip(" -–—.…").strip(MARKS))
        names = [name.strip(MARKS) for name in split_names(drop_prose(whole, known), known)]
        if names and all(map(known.has_name, names)):
            return names
    return None


def drop_prose(names: str, known: Vocabulary) -> str:
    """Drop the prose before a name: `The entities are Ada`.

    Only its first word may begin with a capital.
    """
    words = re.sub(rf"^{AND}\s+", "", names).split() if known.text is not None and not known.has_name(names) else []
    names = " ".join(words) or names
    for at in range(2, min(len(words), MAX_WORDS)):
        if not words[at - 1].islower() or known.has_name(names):
            break
        if known.has_name(name := " ".join(words[at:])) and not words[at].islower():
            return name
    return names


def strip_marks(line: str) -> str:
    """Remove the bullet, bold, code and quotes around a line."""
    line = BULLET.sub("", line.strip(), count=1) if BULLET.match(line.strip()) else line.strip()
    line = line.strip().strip("*_`" + QUOTES).strip()
    return line[1:-1] if line[1:-1].strip() and line[0] == line[-1] == "'" else line


def merge_tags(pairs: Sequence[Mention], known: Vocabulary) -> list[Mention]:
    """Merge tokens with tags to names with labels: `Ada B-PER`, `Byron I-PER`.

    Args:
        pairs: each token with its tag.
        known: what is known about the document; without spaces in its text, names have none.
    """
    mentions, words, label = list[Mention](), list[str](), ""
    for token, tag in [*pairs, ("", "O")]:
        prefix, own = tag[:1], tag[2:]
        if words and (prefix in "OBUS" or own != label):
            mentions.append((_join_words(words, known), label))
            words = []
        if own:
            words, label = [*words, token], own
    return mentions


def _join_words(words: Sequence[str], known: Vocabulary) -> str:
    name = " ".join(words)
    return "".join(words) if not known.has_name(name) and known.has_name("".join(words)) else name
