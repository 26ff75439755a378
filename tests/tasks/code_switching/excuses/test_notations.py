from __future__ import annotations

from excused_spans import list_excuses, list_reasons

from isogloss.tasks.code_switching.excuse_patterns import KNOWN_UNITS, PHRASES_BY_WORD
from isogloss.tasks.code_switching.excuses import ExcuseFinder


def found(text: str, reason: str, language: str = "uk") -> list[str]:
    """What is found for one reason alone."""
    return [span for span, _ in list_excuses(text, language, ExcuseFinder(frozenset({reason})))]


def numeral(number: int) -> str:
    """A Roman numeral, by taking away the largest part that fits."""
    parts = (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL")
    text = ""
    for value, letters in (*parts, (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        text += letters * (number // value)
        number %= value
    return text


def test_roman_numerals_are_found_but_for_likely_abbreviations() -> None:
    for number in range(1, 4000):
        text = numeral(number)
        expected = len(text) > 2 or set(text) <= set("IVX")
        assert found(f"розділ {text}, так", "roman_numeral") == [text] * expected, text


def test_roman_numerals_stand_alone() -> None:
    for text, expected in [
        ("XXI-го (XIV) Карл V.", ["XXI", "XIV", "V"]),
        ("XIV–XVI", ["XIV", "XVI"]),
        ("IIII VX IIX CIVIC MILD", []),
        ("iv xiv Ix", []),
        ("CD CV DC L C D M", []),
        ("I'm I’ve", []),
        ("XIVa aXIV", []),
        # Latin letters in a Cyrillic word are no numeral.
        ("УКРАIНА МIСТО XVст", []),
        ("X_1", []),
    ]:
        assert found(text, "roman_numeral") == expected


def test_roman_numerals_may_touch_an_affix() -> None:
    assert found("제II차 세계 대전, XX는", "roman_numeral", "ko") == ["II", "XX"]
    assert found("第XIV章", "roman_numeral", "zh") == ["XIV"]


def test_units_follow_numbers() -> None:
    for text, expected in [
        ("5 km, 3 GB/s.", ["km", "GB/s"]),
        ("5km і 10\u00a0kg", ["km", "kg"]),
        ("1,5 kWh/m², 9.8 m/s2", ["kWh/m²", "m/s2"]),
        ("25°C, 25 °C, 77 °F", ["°C", "°C", "°F"]),
        ("10-mm", ["mm"]),
        ("(100 MHz)", ["MHz"]),
        ("2 µm 2 μm 5 kΩ 3 GiB", ["µm", "μm", "kΩ", "GiB"]),
        ("km, п'ять km", []),
        ("5 in, 5 at, 7 am, 3 us, 2 a, 10 pm", []),
        ("5 words 5 kmh 5 kkm", []),
        ("1.5.3.x v5m a5m", []),
        ("5km_", []),
        ("5 km/dog", []),
        ("5\nkm", []),
    ]:
        assert found(text, "unit") == expected


def test_units_may_touch_an_affix() -> None:
    assert found("5km를 달렸다", "unit", "ko") == ["km"]


def test_no_unit_is_a_common_short_word() -> None:
    words = "a am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we pa"
    assert not KNOWN_UNITS & set(words.split())
    assert {"km", "kg", "mm", "µs", "GHz", "MB", "mAh", "dB", "l", "L"} <= KNOWN_UNITS


def test_symbols_stand_beside_operators_or_are_formulas() -> None:
    for text, expected in [
        ("x = 2", ["x"]),
        ("де y=kx+b", ["y", "b"]),
        ("f(x) > 0", ["f", "x"]),
        ("2 × r", ["r"]),
        ("x² + a₁", ["x²", "a₁"]),
        ("α ≤ 1", ["α"]),
        ("H2O, CO₂, C2H5OH", ["H2O", "CO₂", "C2H5OH"]),
        ("SO₄²⁻ Na⁺", ["SO₄²⁻", "Na⁺"]),
        ("x і y", []),
        ("He No In", []),
        ("R2D2 COVID19 MP3", []),
        ("word = 2", []),
        ("H2Oword", []),
    ]:
        assert found(text, "symbol") == expected


def test_a_homoglyph_in_capitals_is_not_excused() -> None:
    assert list_reasons("УКРАIНА") == [("УКРАIНА", None)]


def test_one_letter_is_a_numeral_unless_among_english_words() -> None:
    for text, expected in [
        ("Глава I, стор. 5", ["I"]),
        ("Карл V помер", ["V"]),
        ("Hello, I am тут", []),
        ("так, I will", []),
        ("and I", []),
        ("Розділ X. Далі", ["X"]),
        ("пункт M тут", []),
    ]:
        assert found(text, "roman_numeral") == expected


def test_a_decade_is_no_time_in_seconds() -> None:
    for text, expected in [
        ("у 1990s роках", []),
        ("in his 30s тут", []),
        ("за 35s час", ["s"]),
        ("за 30 s час", ["s"]),
        ("за 0.5s", ["s"]),
    ]:
        assert found(text, "unit") == expected


def test_a_letter_in_brackets_is_a_symbol_if_it_is_alone_there() -> None:
    for text, expected in [("вода (w water) тут", []), ("кут (a)", ["a"]), ("тут f(x) є", ["f", "x"]), ("(s sand", [])]:
        assert found(text, "symbol") == expected


def test_latin_phrases_are_found_whole() -> None:
    for text, expected in [
        ("це ad hoc, так", ["ad hoc"]),
        ("«De facto» і (status quo).", ["De facto", "status quo"]),
        ("Іваненко et al. пишуть", ["et al."]),
        ("e.g., i. e. так", ["e.g.", "i. e."]),
        ("conditio sine qua non", ["conditio sine qua non", "sine qua non"]),
        ("veni, vidi, vici!", ["veni, vidi, vici"]),
        ("ad hocs", []),
        ("ad-hoc", []),
        ("ad\nhoc", []),
        ("ad word hoc", []),
        ("in the de per se7", []),
        ("status", []),
    ]:
        assert found(text, "latin_phrase") == expected


def test_phrases_may_have_a_capital_and_a_comma() -> None:
    phrases = [phrase for phrases in PHRASES_BY_WORD.values() for phrase in phrases]
    assert len(phrases) == len(set(phrases)) > 90
    for phrase in phrases:
        assert not phrase.isalpha(), phrase
        told = list_reasons(f"слово {phrase.capitalize()}, слово", finder=ExcuseFinder(frozenset({"latin_phrase"})))
        assert {reason for _, reason in told} == {"latin_phrase"}, phrase
