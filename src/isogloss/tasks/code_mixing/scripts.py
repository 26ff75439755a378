"""The script of each token, for texts without language tags.

A token whose letters share a script has this script, a token of several scripts is `mixed`, and a token without letters
has none. Han, Hiragana and Katakana are one script, `Jpan`, in an utterance with Hiragana or Katakana.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from isogloss.text.scripts import load_character_table, to_code_points
from isogloss.text.words import find_tokens

MIXED = "mixed"
JAPANESE = "Jpan"
KANA = frozenset(("Hira", "Kana", JAPANESE))
JAPANESE_SCRIPTS = KANA | {"Hani"}
CACHED_TOKENS = 1 << 16


def name_scripts(tokens: Sequence[str]) -> list[str | None]:
    """Return the ISO 15924 code of each token's script.

    It is None for a token without letters.
    """
    scripts = [_name_script(token) for token in tokens]
    if not KANA.isdisjoint(scripts):
        return [JAPANESE if script in JAPANESE_SCRIPTS else script for script in scripts]
    return scripts


def split_text(text: str) -> list[tuple[int, int]]:
    """Return start and end of each token of a text.

    The tokens are those of the tokenizer `words`.
    """
    start, end = find_tokens(load_character_table().classes[to_code_points(text)])
    return list(zip(start.tolist(), end.tolist(), strict=True))


@lru_cache(maxsize=CACHED_TOKENS)
def _name_script(token: str) -> str | None:
    table = load_character_table()
    used = [table.script_sets[at] for at in np.unique(table.script_index[to_code_points(token)]).tolist()]
    sets = [scripts for scripts in used if scripts]
    if not sets:
        return None
    shared = frozenset(sets[0]).intersection(*sets[1:])
    if shared:
        first: str = min(sets, key=len)[0]
        return first if first in shared else min(shared)
    return JAPANESE if all(not JAPANESE_SCRIPTS.isdisjoint(scripts) for scripts in sets) else MIXED
