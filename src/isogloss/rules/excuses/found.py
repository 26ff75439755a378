"""What finders give, and the letters that they tell apart."""

from __future__ import annotations

Found = tuple[int, int, str]  # first character, character after the last, reason

# Inside brackets of a regular expression. Scripts that are written without spaces, or whose affixes follow a foreign
# word at once: what touches a letter of theirs stands alone none the less.
EAST_ASIAN = "\u1100-\u11ff\u3005-\u30ff\u3130-\u318f\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff"
WORD = rf"(?![{EAST_ASIAN}])\w"  # a letter or digit of any other script
ALONE_BEFORE, ALONE_AFTER = rf"(?<!{WORD})", rf"(?!{WORD})"
