"""Lines of answers with any marks between names and labels, made by a grammar: what is read is right."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from isogloss.formats.model_answers import parse_answer

TEXT = "Ingrid Solheim left Tromsø for the Arctic Institute with Jo Adair."
NAMES = [("Ingrid Solheim", "PER"), ("Tromsø", "LOC"), ("Arctic Institute", "ORG"), ("Jo Adair", "PER")]
BULLETS = ("", "- ", "* ", "• ", "1. ", "(1) ", "👤 ", "・", "▪ ")
QUOTES = ("{}", "**{}**", "`{}`", '"{}"', "“{}”", "'{}'", "「{}」", "_{}_")
JOINTS = (" ({})", ": {}", " - {}", " → {}", " [{}]", " | {}", "\t{}", ", {}", " = {}", " is a {}", " <{}>", " (`{}`)")
REMARKS = ("", " (a name)", ".", ", because it is a name", " – a name", ": a name in the text")
BREAKS = ("\n", "\n\n", ", ", "; ")
INTRODUCTIONS = ("", "Here are the entities:\n\n", "Sure!\n")
LABELS = ("{}", "**{}**", "`{}`", "**{}:**", "[{}]", "<{}>", "{}:", "({})")
SEPARATORS = (": ", " - ", ":\n- ", "\n- ", " -> ", " = ")


def write_names(draw: random.Random) -> str:
    """Write the names, each with its label behind it."""
    bullet, quote, joint, remark = (draw.choice(parts) for parts in (BULLETS, QUOTES, JOINTS, REMARKS))
    between = draw.choice(BREAKS)
    items = [quote.format(name) + joint.format(label) + remark for name, label in NAMES]
    bullet = bullet if "\n" in between else ""
    return draw.choice(INTRODUCTIONS) + between.join(bullet + item for item in items)


def write_labels(draw: random.Random) -> str:
    """Write the labels, each with its names behind it."""
    bullet, shape, separator, quote = (draw.choice(parts) for parts in (BULLETS, LABELS, SEPARATORS, QUOTES))
    between = "\n- " if "\n" in separator else draw.choice((", ", "; ", " and ", "、"))
    lines = [
        bullet
        + shape.format(label)
        + separator
        + between.join(quote.format(name) for name, own in NAMES if own == label)
        for label in ("PER", "LOC", "ORG")
    ]
    return draw.choice(INTRODUCTIONS) + "\n".join(lines)


@pytest.mark.parametrize("write", [write_names, write_labels])
def test_generated_lines_are_read_right_or_counted(write: object) -> None:
    draw, outcomes = random.Random(7), Counter[str]()
    for _ in range(600):
        answer = write(draw)  # type: ignore[operator]
        read = parse_answer(answer, TEXT, ["PER", "LOC", "ORG"])
        is_counted = not read.is_decoded or read.is_truncated or read.is_one_of_several or read.unusable > 0
        is_right = sorted(read.mentions) == sorted(NAMES)
        assert is_right or is_counted, answer
        outcomes["right" if is_right and not is_counted else "counted"] += 1
    assert outcomes["right"] > 420
