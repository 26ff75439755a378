import io
import unicodedata
from itertools import product

import regex
from hypothesis import given
from hypothesis import strategies as st
from rich.color import Color
from rich.console import Console
from rich.style import Style

from isogloss.kernel.findings import Finding, Mark, add_context
from isogloss.kernel.provenance import Side, TextExcerpt
from isogloss.report.drawing import BRACKETS, OTHER_STYLE, STYLES, draw_finding
from isogloss.text.display import make_visible

WORDS = [
    *["Belgrade", " ", " ", " ", "in 1950", "e\u0301", "z\u035c\u0361"],
    *["กรุงเทพ", "น้ำ", "ที่", "\u0e49", "ລາວ", "ខ្មែរ", "မြို့", "हिन्दी", "क्षत्रिय", "தமிழ்"],
    *["محمد", "في", "رَسُول", "شود\u200c", "תל אביב", "בְּרֵא", "\u0600"],
    *["北京", "東", "한국", "\u1112\u1161\u11ab", "👨‍👩‍👧", "👍🏽", "🇷🇸", "☎️", "🏽"],
    *["\n", "\r\n", "\t", "\x1b[31m", "\u202e", "\u2066", "\u200f", "\u200b", "\x9b", "\ud800"],
    *["[", "]", "⟦", "{x}", "[red]", ":smile:"],
]
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map("".join)


@st.composite
def findings(draw: st.DrawFn) -> Finding:
    text = draw(texts)
    sides: list[Side] = draw(st.sampled_from([["reference"], ["predicted"], ["reference", "predicted"]]))
    marks = []
    for side in sides:
        begin = draw(st.integers(0, len(text) - 1))
        stop = draw(st.integers(begin + 1, len(text)))
        marks.append(Mark(side, draw(st.none() | texts), begin, stop, begin, stop))
    kind = draw(st.sampled_from(["missed", "wrong_boundary"]) | texts)
    return Finding(kind, "1", draw(texts), tuple(marks), text, draw(st.booleans()), draw(st.booleans()))


def found(text: str, kind: str, *marks: tuple[Side, str | None, str], context: int = 3) -> Finding:
    """A finding whose marks are given by the words that they hold."""
    places = [(side, label, text.index(words), text.index(words) + len(words)) for side, label, words in marks]
    return add_context(
        Finding(kind, "1", "pred.conll:118", tuple(Mark(*place) for place in places)),
        TextExcerpt(text),
        context,
    )


def marked(text: str, begin: int, stop: int, *, before: bool = False, after: bool = False) -> Finding:
    """A finding with one mark."""
    mark = Mark("reference", "PER", begin, stop, begin, stop)
    return Finding("missed", "1", "gold.conll:42", (mark,), text, before, after)


def drawn(finding: Finding, width: int = 80, encoding: str = "utf-8") -> list[str]:
    return [str(line) for line in draw_finding(finding, width=width, encoding=encoding)]


def lane(finding: Finding, width: int = 80, encoding: str = "utf-8") -> str:
    """The text of a finding with one mark labelled PER."""
    return drawn(finding, width, encoding)[1].removeprefix("  reference  PER   ")


def cells(text: str) -> int:
    """What a terminal takes by the rules of glibc's `wcwidth`, cluster by cluster."""
    none = {"Mn", "Me", "Cf"}
    return sum(
        1 + (unicodedata.east_asian_width(character) in "WF")
        for cluster in regex.findall(r"\X", text)
        for character in unicodedata.normalize("NFC", cluster)
        if unicodedata.category(character) not in none
    )


def whole_clusters(text: str, begin: int, stop: int) -> tuple[str, str, str]:
    """The text before, in and after the clusters that a span touches."""
    parts: tuple[list[str], list[str], list[str]] = ([], [], [])
    for cluster in regex.finditer(r"\X", text):
        parts[0 if cluster.end() <= begin else 2 if cluster.start() >= stop else 1].append(cluster.group())
    before, span, after = ("".join(part) for part in parts)
    return before, span, after


def lanes_of(finding: Finding, width: int) -> list[tuple[str, str, str]]:
    """For each mark what is shown before, between and after its brackets."""
    lanes = []
    for line in draw_finding(finding, width=width):
        if len(line.pieces) == 4:
            before, span, after = (regex.sub(r"[\u2066-\u2069]", "", piece) for piece, _ in line.pieces[1:])
            opening, closing = next(
                pair for pair in BRACKETS[::-1] if span.startswith(pair[0]) and span.endswith(pair[1])
            )
            lanes.append((before, span.removeprefix(opening).removesuffix(closing), after))
    return lanes


def test_each_side_has_a_line_with_brackets() -> None:
    text = "In 1950 she studied at the University of Belgrade in 1950 and then left"
    finding = found(
        text,
        "wrong_boundary",
        ("reference", "ORG", "University of Belgrade"),
        ("predicted", "ORG", "Belgrade"),
    )
    assert drawn(finding) == [
        "wrong_boundary   pred.conll:118",
        "  reference  ORG   …studied at the [University of Belgrade] in 1950 and…",
        "  predicted  ORG   …studied at the University of [Belgrade] in 1950 and…",
    ]


def test_labels_of_unequal_width_align() -> None:
    finding = found("from 北京 to", "wrong_type", ("reference", "地名", "北京"), ("predicted", "ORGAN", "北京"))
    assert drawn(finding)[1:] == ["  reference  地名    from [北京] to", "  predicted  ORGAN   from [北京] to"]


def test_spans_without_labels_have_no_label_column() -> None:
    assert drawn(found("a b c", "missed", ("reference", None, "b")))[1] == "  reference  a [b] c"


def test_finding_without_text_shows_offsets() -> None:
    finding = Finding("missed", "3", "prediction[3][5]", (Mark("predicted", "LOC", 12, 15),))
    assert drawn(finding) == ["missed   prediction[3][5]", "  predicted  LOC   [12, 15)"]


def test_arabic_text_is_isolated() -> None:
    finding = found("UNESCO في باريس اليوم", "missed", ("reference", "LOC", "باريس"))
    assert drawn(finding)[1] == "  reference  LOC   \u2067UNESCO في [باريس] اليوم\u2069"


def test_hebrew_label_and_file_are_isolated() -> None:
    finding = Finding("missed", "1", "תל אביב:1", (Mark("reference", "שם", 0, 1),))
    assert drawn(finding) == ["missed   \u2067תל אביב:1\u2069", "  reference  \u2067שם\u2069   [0, 1)"]


def test_escapes_and_bidi_controls_are_made_visible() -> None:
    assert lane(marked("\x1b[31m\u202eTel\u2069", 6, 9)) == "␛[31m<U+202E>⟦Tel⟧<U+2069>"


def test_line_ends_and_tabs_are_made_visible() -> None:
    assert lane(marked("a\nb\tc", 2, 3)) == "a␊[b]␉c"


def test_brackets_are_ones_the_text_does_not_contain() -> None:
    for text, shown in [("a[b", "⟦a⟧[b"), ("a]⟧", "{a}]⟧"), ("a]⟧{", "<a>]⟧{"), ("a]⟧{>", "[[a]]]⟧{>")]:
        assert lane(marked(text, 0, 1)) == shown


def test_brackets_are_ones_the_encoding_has() -> None:
    assert lane(marked("a[b", 0, 1), encoding="ascii") == "{a}[b"


def test_ascii_output_uses_dots_and_code_points() -> None:
    assert lane(marked("naïve", 0, 2, before=True, after=True), encoding="ascii") == "...[na]<U+00EF>ve..."


def test_context_is_trimmed_evenly() -> None:
    text = "a" * 50 + "NAME" + "b" * 50
    shown = lane(marked(text, 50, 54), width=60)
    assert shown == "…" + "a" * 17 + "[NAME]" + "b" * 16 + "…"


def test_unused_context_goes_to_the_other_side() -> None:
    shown = lane(marked("aaa" + "NAME" + "b" * 90, 3, 7), width=60)
    assert shown == "aaa[NAME]" + "b" * 31 + "…"


def test_long_span_is_cut_in_its_middle() -> None:
    shown = lane(marked("".join(chr(97 + at % 26) for at in range(200)), 20, 180), width=60)
    before, inside, after = regex.fullmatch(r"…(.*)\[(.*)\](.*)…", shown).groups()
    left, right = inside.split("…")
    assert "abcdefghijklmnopqrst".endswith(before)
    assert "uvwxyzabcdefghijklmnopqrst".startswith(left)
    assert abs(len(left) - len(right)) <= 1
    assert len(left) > 3 * len(before) > 0 < len(after)


def test_span_longer_than_any_line_keeps_its_ends() -> None:
    text = "ab cd " + "x" * 20_000 + " ef"
    marks = (Mark("reference", None, 3, 20_006, 3, 20_006), Mark("predicted", None, 6, 8, 6, 8))
    finding = Finding("wrong_boundary", "1", "x:1", marks, text)
    for width in (80, 100_000):
        _, reference, predicted = drawn(finding, width=width)
        for line in (reference.replace("[cd", "cd").replace("] ef", " ef"), predicted.replace("[xx]", "xx")):
            assert line.count("…") == 1
            assert line.endswith("x ef")
            assert "ab cd xx" in line
        assert len(reference) < 3_000
        assert "[cd" in reference
        assert "] ef" in reference
        assert "[xx]" in predicted


def test_both_sides_omit_the_same_text() -> None:
    text = "x" * 30 + "ab" + "y" * 100 + "cd" + "z" * 30
    marks = (Mark("reference", "A", 0, 1, 30, 134), Mark("predicted", "A", 0, 1, 32, 134))
    _, reference, predicted = drawn(Finding("wrong_boundary", "1", "x:1", marks, text), width=70)
    assert reference.replace("[", "").split("A", 1)[1] == predicted.replace("[", "").split("A", 1)[1]


def test_mark_inside_a_cluster_is_widened_with_a_remark() -> None:
    finding = marked("พบน\u0e49\u0e33ทิพย์", 4, 6)
    assert drawn(finding)[1:] == [
        "  reference  PER   พบ[น\u0e49\u0e33ทิ]พย์",
        "                   begins inside a character, at U+0E33 THAI CHARACTER SARA AM",
        "                   ends inside a character, before U+0E34 THAI CHARACTER SARA I",
    ]


def test_spans_differing_by_a_joiner_have_a_remark() -> None:
    marks = (Mark("reference", "A", 0, 3, 0, 3), Mark("predicted", "A", 0, 4, 0, 4))
    lines = drawn(Finding("wrong_boundary", "1", "x:1", marks, "کتب\u200cش"))
    assert lines[1].split("A")[1] == lines[3].split("A")[1]
    assert lines[2].strip() == "ends inside a character, before U+200C ZERO WIDTH NON-JOINER"


def test_long_file_name_keeps_its_end() -> None:
    finding = Finding("missed", "1", "/a/long/way/" * 8 + "gold.conll:42", (Mark("reference", "PER", 0, 1),))
    heading = drawn(finding)[0]
    assert heading.startswith("missed   …")
    assert heading.endswith("/gold.conll:42")
    assert len(heading) == 80


def test_width_below_40_is_40() -> None:
    finding = marked("a" * 30 + "NAME", 30, 34)
    assert drawn(finding, width=3) == drawn(finding, width=40)


@given(findings(), st.integers(40, 120), st.sampled_from(["utf-8", "ascii", "cp874", "gb18030"]))
def test_lines_fit_the_width(finding: Finding, width: int, encoding: str) -> None:
    assert max(cells(line) for line in drawn(finding, width, encoding)) <= width


@given(findings(), st.integers(40, 120), st.sampled_from(["utf-8", "ascii", "cp874", "gb18030"]))
def test_lines_are_encodable_without_controls(finding: Finding, width: int, encoding: str) -> None:
    for line in drawn(finding, width, encoding):
        line.encode(encoding)
        assert not regex.search(r"[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u200e\u200f\u061c]", line)


@given(findings(), st.integers(40, 120))
def test_isolates_are_closed_before_the_next(finding: Finding, width: int) -> None:
    for line in drawn(finding, width):
        assert regex.fullmatch(r"([^\u2066-\u2069]*[\u2066\u2067][^\u2066-\u2069]+\u2069)*[^\u2066-\u2069]*", line)


@given(findings(), st.integers(40, 120))
def test_brackets_enclose_the_clusters_of_the_span(finding: Finding, width: int) -> None:
    lanes = lanes_of(finding, width)
    assert len(lanes) == len(finding.marks)
    for mark, shown in zip(finding.marks, lanes, strict=True):
        for part, whole in zip(
            shown, whole_clusters(finding.text or "", mark.text_start or 0, mark.text_end or 0), strict=True
        ):
            runs = [regex.escape(run) for run in part.split("…")]
            assert regex.fullmatch(".*".join(runs), make_visible(whole))


@given(findings())
def test_fitting_text_is_shown_whole(finding: Finding) -> None:
    for mark, shown in zip(finding.marks, lanes_of(finding, 10_000), strict=True):
        parts = whole_clusters(finding.text or "", mark.text_start or 0, mark.text_end or 0)
        before, span, after = map(make_visible, parts)
        assert shown == ("…" * finding.before + before, span, after + "…" * finding.after)


@given(findings(), st.integers(40, 120))
def test_console_prints_the_same_lines_as_a_pipe(finding: Finding, width: int) -> None:
    plain = io.StringIO()
    console = Console(file=plain, width=width, color_system=None, legacy_windows=False)
    lines = draw_finding(finding, width=width)
    for line in lines:
        console.print(line)
    assert [line.rstrip() for line in plain.getvalue().split("\n")] == [*(str(line).rstrip() for line in lines), ""]


def test_colour_does_not_change_characters() -> None:
    written = io.StringIO()
    console = Console(file=written, width=80, force_terminal=True, color_system="256", legacy_windows=False)
    line = draw_finding(marked("in [bold]Tel Aviv[/bold]", 9, 17))[1]
    console.print(line)
    coloured = written.getvalue()
    assert "\x1b[1;38;5;160m⟦Tel Aviv⟧\x1b[0m" in coloured
    assert regex.sub(r"\x1b\[[\d;]*m", "", coloured) == f"{line}\n"


def test_unknown_kind_has_no_colour() -> None:
    finding = Finding("split", "1", "x:1", (Mark("reference", None, 0, 2),))
    assert draw_finding(finding)[0].pieces[0] == ("split", OTHER_STYLE)
    assert Style.parse(OTHER_STYLE).color is None


def test_every_colour_is_legible_on_black_and_white() -> None:
    """Contrast as the Web Content Accessibility Guidelines 2.2 define it; 3 is what they ask of bold large text."""
    for kind, background in list(product(STYLES, (0.0, 1.0))):
        colour = Style.parse(STYLES[kind]).color or Color.default()
        linear = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (channel / 255 for channel in colour.get_truecolor())
        ]
        luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        lighter, darker = max(luminance, background), min(luminance, background)
        assert (lighter + 0.05) / (darker + 0.05) > 3.5
