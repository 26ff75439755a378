"""Names beside labels in a line of a language model's answer.

The labels of the reference and the text of the document are known, so any marks may stand between a name and its
label: `1. **Ada** -> PER (a name)`, `PER: "Ada", "Bob"; LOC: Oslo`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from isogloss.formats.documents import Mention
from isogloss.formats.mention_shapes import NOTHING, Vocabulary, join_suffixes, split_names

SYMBOLS = "\u2022-\u2027\u2043\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"  # bullets, arrows, boxes, dingbats, emoji
BULLET = re.compile(rf"(?:[-*•–+]\s+|[•・·▪◦]\s*|[{SYMBOLS}]+\s+|[(（]?\d{{1,3}}(?:[.)、．）：]\s*|:\s+)|#{{1,6}}\s*)+")
WORD = re.compile(r"\w+(?:-\w+)*")
QUOTES = '"“”„‟«»「」『』《》'
CURLY_PAIRS = (("«", "»"), ("“", "”"), ("「", "」"), ("『", "』"))
QUOTE_PAIRS = (*CURLY_PAIRS, ("„", "“"), ('"', '"'))
PAIRS = (*CURLY_PAIRS, ("(", ")"), ("[", "]"), ("（", "）"), ('"', '"'))
MARKS = f" \t*_`{QUOTES}'‘’‚‹›()（）[]【】{{}}<>|:：;；؛,，、،=~→←⇒⇐/"  # around a name
VERBS = "is \\w+ as|is|as|es|est|ist|è|é|jest|är|er"  # between a name and its label
ARTICLES = "an?|the|eine?|une?|una|el|la"
JOINING_WORDS = re.compile(rf"\s(?:{VERBS})(?: (?:{ARTICLES}))?\s*$")
MAX_JOINT = 40  # characters of these words
MAX_WORDS = 20  # of prose before a name
TITLE = re.compile(r"\W*+(?P<title>[^\W\d][\w ]{0,40}[(\[])?\W*+")  # before a label that begins a line
AFTER_TITLE = re.compile(r"[)\]）】]\W*?[:：=–—-]")
AND = r"(?:\b(?:and|y|et|und|og|och|e|и|та|ve|en|oraz|及|和|と|および|และ|और)\b|\s(?:و|และ|और)\s?)"
BETWEEN_NAMES = re.compile(rf"[,;|，；、،؛&]|{AND}")
NEXT_ITEM = re.compile(  # after a label
    rf"[)）\]】}}>*`_\"”“»'」]*\s*(?:\([^()]*\)\s*)?(?:(?:,\s*)?{AND}|[,;|.，；、،؛。]|&)\s*"
)
NO_NAMES = re.compile(
    r"(?:none|n/a|nothing)\.?|none of the .{0,60}\b(?:occur|appear|are|is|found|present)\b.{0,40}"
    r"|.{0,60}\bno (?:[\w-]+,? ){0,12}?(?:entity|entities|names)\b.{0,80}",
    re.IGNORECASE,
)
NO_ENTITIES = re.compile(r"\bno (?:[\w-]+,? ){0,6}?(?:entity|entities)\b|\bnone of the\b", re.IGNORECASE)
NO_NAME = re.compile(
    r"\W*(?:none|null|n/a|keine|aucune?|ningun[oa]|nenhum\w*|нет|немає|yok|无|無|なし|없음|ไม่มี|لا)\b", re.IGNORECASE
)
QUOTED_NAME = re.compile(r"[\"“”„«「『]([^\"“”„«»「」『』]+)[\"“”»」』]")
QUOTED_NAMES = re.compile(rf"(?:{QUOTED_NAME.pattern.replace('(', '(?:', 1)}(?:[\s,;、]|{AND})*+)+")
ABBREVIATED = re.compile(r"(?:\.\w|\b(?:jr|sr|inc|ltd|co|corp))$", re.IGNORECASE)
PREFIXED = re.compile(r"O|[BIESLUM]-.+")
REMARK = re.compile(r"\s*\([^()]*\)\.?$")
INTRODUCTION = re.compile(r"[\w ]{1,40}(?:[:：]|=>|→)\s+")
FENCE = "```"
PARENTHESES = re.compile(r"(?P<one>[^()\[\]]+?)\s*[(\[](?P<other>[^()\[\]]+)[)\]]\.?")
LABELLED = re.compile(r"[(\[](?P<other>[^()\[\]]+)[)\]]\s*(?P<one>[^()\[\]]+)")
SENTENCE = re.compile(
    r"[\"“«]?(?P<one>[^\"“”«»:]+?)[\"”»]? is (?:an? |the )?(?:(?:named )?entity of (?:the )?type )?(?P<other>[\w-]+)\.?"
)
SERIES = re.compile(r"\s*(?P<one>[^()|;,=:]+?)\s*(?:\((?P<in>[^()]+)\)|[=:]\s*(?P<after>[\w-]+))\s*(?:[|;,،؛、]|\.?$)")
LABEL_BEFORE_NAMES = re.compile(r"(?:^|[;；|.,]\s*)\**(?P<label>[\w-]{1,60})\**\s*[:：]\s*")
COMMA = re.compile(r"\s*(?:[;，；]|(?<!\d),|,(?!\d))\s*")
SEPARATOR = re.compile(r"\s*(?:\t|->|→|←|=>|⇒|\||：|::?|=|\s[-–—]\s|\s{2,})\s*")
PIECES = re.compile(rf"{SEPARATOR.pattern}|{COMMA.pattern}|[()（）\[\]{QUOTES}{SYMBOLS}]")
MAX_NAME = 60  # characters of a line with only a name and perhaps a label
MIN_CELLS = 2
LINE_COMMENT = re.compile(r"(?<!\s)\s{2,}# .*$")
DEFINITION = re.compile(r"(?<!\n)\n+: +")


@dataclass
class PlainAnswer:
    """The names of an answer that is not JSON.

    Args:
        mentions: names with labels.
        unusable: number of lines or cells that should be names and are not.
        is_truncated: whether a tag is open at the end.
        is_one_of_several: whether an earlier list of the answer held other names.
    """

    mentions: list[Mention] = field(default_factory=list)
    unusable: int = 0
    is_truncated: bool = False
    is_one_of_several: bool = False


def has_label(line: str, known: Vocabulary) -> bool:
    """Return whether a line looks like a name with a label."""
    return any(known.is_label(strip_marks(part)) for parts in _split_line(line) for part in parts)


def parse_line(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse the names of a line.

    Return None if the line has no names that are certain.
    """
    series = parse_label_words(line, known) or _parse_series(line, known) or _parse_label_series(line, known)
    if series is not None:
        return series
    for one, other in _split_line(line):
        pair = _parse_pair(strip_marks(one), strip_marks(other), known)
        if pair is not None:
            return pair
    return _parse_pieces(line, known)


def _parse_pieces(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse a line with one name and label: `Ada – someone (PER)`.

    The label is one of the reference, the name is in the text.
    """
    pieces = [strip_marks(piece) for piece in PIECES.split(line)]
    labels = [piece for piece in pieces if known.labels and known.is_label(piece)]
    names = [piece for piece in pieces if piece not in labels and known.has_name(piece)]
    return [(names[0], labels[0])] if len(labels) == len(names) == 1 else None


def _parse_pair(one: str, other: str, known: Vocabulary) -> list[Mention] | None:
    if known.is_label(one) and (other.casefold() in NOTHING or NO_NAME.match(other)):
        return []
    oriented = known.orient(one, other)
    if oriented is None or not known.is_label(oriented[1]):
        return None
    name, label = oriented
    if len(name) > MAX_NAME and known.text is not None and not known.has_name(name):
        return None  # prose
    if label != one:
        is_item = '"' in name or (not known.has_name(name) and SEPARATOR.search(name) is not None)
        return None if is_item else [(name, label)]
    names = [strip_marks(each.strip("\"'` ")) for each in split_names(name.strip("[] "), known)]
    is_certain = len(names) == 1 or bool(known.labels) or all(map(known.has_name, names))
    return [(each, label) for each in names] if is_certain else None


def _parse_series(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse several names with labels in one line: `Ada (PER), Oslo (LOC)`."""
    for start in (0, *(match.end() for match in [INTRODUCTION.match(line)] if match)):
        items, at = list[Mention](), start
        while (item := SERIES.match(line, at)) is not None:
            items.append((drop_prose(strip_marks(item["one"]), known), strip_marks(item["in"] or item["after"])))
            at = item.end()
        if len(items) > 1 and at == len(line) and all(known.is_label(label) for _, label in items):
            return items
    return None


def _parse_label_series(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse labels with names in one line: `PER: Ada; LOC: Oslo`."""
    labels = [match for match in LABEL_BEFORE_NAMES.finditer(line) if known.is_label(match["label"])]
    if len(labels) < MIN_CELLS or labels[0].start() > 0:
        return None
    ends = [match.start() for match in labels[1:]] + [len(line)]
    pairs = [(match["label"], line[match.end() : end]) for match, end in zip(labels, ends, strict=True)]
    parsed = [_parse_pair(label, strip_marks(names.strip(" .")), known) for label, names in pairs]
    return [name for names in parsed for name in names or ()] if None not in parsed else None


def _split_line(line: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to split a line into two strings."""
    for form in (SENTENCE, PARENTHESES, LABELLED):
        if (match := form.fullmatch(line)) is not None:
            yield match["one"], match["other"]
            first, comma, _ = match["other"].partition(",")
            if comma:
                yield match["one"], first
    for text in (line, REMARK.sub("", line)):
        for form in (SEPARATOR, COMMA):
            cuts = list(form.finditer(text))
            for cut in (cuts[0], cuts[-1]) if cuts else ():
                yield text[: cut.start()], text[cut.end() :]


def parse_label_words(line: str, known: Vocabulary) -> list[Mention] | None:
    """Parse names of the text before labels, with any marks between them.

    Return None if what stands before a label is anything else.
    """
    labels = [word for word in WORD.finditer(line) if known.is_label(word[0])] if known.labels and known.text else []
    labels = [word for word in labels if word[0] in known.labels] or labels  # others may be words of names
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
        whole = line[label.end() : end]
        full = whole.strip(f" \t:：*_-–—=>→|{QUOTES}")
        part = REMARK.sub("", whole.rstrip(" .,;|*`_<([\"“「'")).strip(MARKS + "-–—.…")
        parts = [name for each in BETWEEN_NAMES.split(part) if (name := each.strip(MARKS + "."))]
        names = split_quoted(whole, known) or [restore_ends(name, whole, known) for name in join_suffixes(parts, whole)]
        if part.casefold() in NOTHING or NO_NAME.match(whole):
            names = []
        elif full.endswith(")") and known.has_name(full) and ";" not in full:
            names = [full]
        elif known.has_name(part) and ";" not in part:
            names = [restore_ends(part, whole, known)]
        if line[label.end() :][:1].isalpha() or not all(map(known.has_name, names)):
            return None
        mentions += [(name, label[0]) for name in names]
    return mentions or None


def split_quoted(part: str, known: Vocabulary) -> list[str]:
    """Split names that are all in quotes.

    An example is `"Hale, Okafor & Stern", "Ada"`. Others give an empty list.
    """
    part = f'{part}"' if part.count('"') % 2 else part  # the last one is lost with the end of the line
    quoted = QUOTED_NAMES.fullmatch(part.strip(" .:：*"))
    names = [name.strip() for name in QUOTED_NAME.findall(part)] if quoted else []
    return names if all(map(known.has_name, names)) else []


def restore_ends(name: str, names: str, known: Vocabulary) -> str:
    """Restore what was removed from the ends of a name.

    That may be the period of an abbreviation, a bracket or a quote.

    Args:
        name: the name.
        names: the part of the answer that it is from.
        known: what is known about the document.
    """
    is_open = {
        end: name.count(begin) > name.count(end) or (begin == end and name.count(end) % 2) for begin, end in PAIRS
    }
    closing = [end for end in is_open if is_open[end]] + ["."] * bool(ABBREVIATED.search(name))
    opening = [begin for begin, end in PAIRS if begin != end and name.count(end) > name.count(begin)]
    wholes = [*(name + end for end in closing), *(begin + name for begin in opening)]
    return next((whole for whole in wholes if whole in names and known.has_name(whole)), name)


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


@lru_cache(maxsize=4096)
def strip_marks(line: str) -> str:
    """Remove the bullet, bold, code and quotes around a line."""
    line = BULLET.sub("", line.strip(), count=1) if BULLET.match(line.strip()) else line.strip()
    line = line.strip().strip("*_`")
    bare = line.strip("*_`" + QUOTES).strip()
    are_cut = (bare.count(begin) > bare.count(end) and f"{bare}{end}" in line for begin, end in CURLY_PAIRS)
    if bare != line and any(are_cut):
        bare = line  # the quotes at its end are part of it
    return bare[1:-1] if bare[1:-1].strip() and bare[0] == bare[-1] == "'" else bare


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


def list_lines(answer: str, *, is_indented: bool = False) -> list[str]:
    """List the lines that are not blank.

    A definition is joined to the line of its term.

    Args:
        answer: the answer.
        is_indented: whether to keep the spaces before a line.
    """
    lines = [LINE_COMMENT.sub("", line).rstrip() for line in DEFINITION.sub(": ", answer).splitlines()]
    lines = [line for line in lines if line and not line.lstrip().startswith(FENCE)]
    return lines if is_indented else [line.strip() for line in lines]
