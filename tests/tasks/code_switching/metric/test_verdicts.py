# the texts are in many scripts
from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.tasks.code_switching.batches import AnnotatedTexts, CharSpans, JoinedTexts
from isogloss.tasks.code_switching.excuses import ExcusedTokens
from isogloss.tasks.code_switching.reasons import NO_REASON, REASONS
from isogloss.tasks.code_switching.rows import TextRow
from isogloss.tasks.code_switching.verdicts import FOREIGN_KINDS, NO_SCRIPT, TokenVerdicts
from isogloss.text.alphabets import FOREIGN, collect_span_flags, flag_characters, load_alphabet

WORDS = ["слово", "word", "жq", "12", "漢"]
Excuse = tuple[int, int, int]


def verdicts(words: Sequence[str], excuses: Iterable[Excuse] = (), language: str = "uk") -> TokenVerdicts:
    """Verdicts on the words of one text, which stand with a space between two."""
    text = " ".join(words)
    joined = JoinedTexts.from_rows([TextRow(text, 0, "1")], lambda place, line: f"{place}:{line}")
    ends = np.cumsum([len(word) + 1 for word in words]) - 1
    starts = ends - [len(word) for word in words]
    tokens = CharSpans(starts.astype(joined.offsets.dtype), ends.astype(joined.offsets.dtype))
    excused = ExcusedTokens(tokens, np.full(len(tokens), NO_REASON, np.uint8))
    excused.add((start, end, REASONS[code]) for start, end, code in excuses)
    own = load_alphabet(language)
    foreign = collect_span_flags(flag_characters(own, joined.code_points), tokens.start, tokens.end) & FOREIGN > 0
    return TokenVerdicts.from_batch(
        AnnotatedTexts(
            documents=np.arange(1),
            offsets=joined.offsets,
            text=joined.code_points,
            sentences=CharSpans(np.array([0]), np.array([len(text)])),
            tokens=tokens,
            reasons=np.where(foreign, excused.reasons, NO_REASON),
            reason_names=REASONS,
            provenance=joined.provenance,
        ),
        own,
    )


@st.composite
def excused(draw: st.DrawFn) -> tuple[list[str], list[Excuse]]:
    """Words, and stretches over them with one of three reasons."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8))
    length = len(" ".join(words))
    spans = draw(st.lists(st.tuples(st.integers(0, length - 1), st.integers(1, length), st.integers(0, 2)), max_size=6))
    return words, [span for span in spans if span[0] < span[1]]


@given(excused())
def test_a_foreign_token_has_the_first_reason_that_overlaps_it(drawn: tuple[list[str], list[Excuse]]) -> None:
    words, excuses = drawn
    told = verdicts(words, excuses)
    at = 0
    for word, reason in zip(words, told.reason_code.tolist(), strict=True):
        over = [code for start, end, code in excuses if start < at + len(word) and at < end]
        assert reason == (min(over, default=NO_REASON) if word in {"word", "жq", "漢"} else NO_REASON)
        at += len(word) + 1


@given(excused())
def test_only_foreign_tokens_have_a_kind(drawn: tuple[list[str], list[Excuse]]) -> None:
    told = verdicts(*drawn)
    assert ((told.kind_code >= 0) == told.foreign).all()


def kinds(words: Sequence[str], *excuses: Excuse, language: str = "uk") -> list[str | None]:
    return [None if code < 0 else FOREIGN_KINDS[code] for code in verdicts(words, excuses, language).kind_code.tolist()]


def test_an_excused_mixture_keeps_its_kind() -> None:
    assert kinds(["Кiев", "жq"], (0, 4, 1)) == ["homoglyph", "glued"]


def test_an_excused_word_of_a_third_script_is_excused() -> None:
    assert kinds(["漢", "漢"], (0, 1, 0)) == ["excused", "third_script"]


def test_latin_and_the_own_script_are_not_third_scripts() -> None:
    assert kinds(["word", "ыё", "слово", "12", "_"]) == ["foreign", "foreign", None, None, None]


def test_accented_letters_may_be_foreign() -> None:
    assert kinds(["café"], language="en") == ["foreign"]
    assert kinds(["café", "cafe\u0301"], language="fr") == [None, None]


def test_a_token_with_an_affix_is_an_attachment() -> None:
    assert kinds(["AI의", "인공지능"], language="ko") == ["attachment", None]


def test_the_first_foreign_letter_gives_the_script_of_a_token() -> None:
    told = verdicts(["жqλ", "жλq", "жы", "ж", "1"])
    names = [told.alphabet.script if code == 0 else code for code in told.script.tolist()]
    assert names[2:] == ["Cyrl", "Cyrl", NO_SCRIPT]
    assert names[0] != names[1]
