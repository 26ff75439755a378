from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given
from hypothesis import strategies as st

from isogloss.report.html.figures import Markup, build_element, format_percent, join_markup
from isogloss.text.display import make_visible


class One(HTMLParser):
    """The attributes and the text of one element."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: dict[str, str | None] = {}
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes = dict(attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(), st.text())
def test_any_text_comes_back_as_it_is_shown(text: str, value: str) -> None:
    found = One(build_element("text", text, label=value))
    assert found.tags == ["text"]
    assert found.text == make_visible(text)
    assert found.attributes == {"label": make_visible(value)}


def test_drawings_are_not_escaped_again() -> None:
    assert (
        build_element("g", build_element("line"), join_markup(build_element("a"), build_element("b")))
        == "<g><line></line><a></a><b></b></g>"
    )


def test_names_of_attributes_lose_their_underscores() -> None:
    assert build_element("text", class_="x", text_anchor="end", id=None) == '<text class="x" text-anchor="end"></text>'


def test_numbers_are_rounded_and_have_no_zeros_at_the_end() -> None:
    assert build_element("rect", x=1.0, y=2.346, width=10.5) == '<rect x="1" y="2.35" width="10.5"></rect>'


def test_templates_take_a_drawing_as_it_is() -> None:
    assert Markup("<b>").__html__() == "<b>"


def test_a_share_is_cut_to_what_is_drawn_on() -> None:
    assert [format_percent(share) for share in (-1, 0, 0.12345, 1, 2)] == [
        "0.00%",
        "0.00%",
        "12.35%",
        "100.00%",
        "100.00%",
    ]
