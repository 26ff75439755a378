"""Tag schemes: which letters say that a token begins, continues, ends or is a span.

All schemes are read by one lenient reading, that of the CoNLL shared tasks: a tag goes on with the span of the tag
before it when both have the same label, the tag before is a B, I or M, and the tag itself an I, M, E or L. Every other
tag but O begins a span. Schemes differ only in which tags *fit*: the letters that may stand first in a span and last in
it. A tag that does not fit is *repaired* by the lenient reading, which takes it for the letter that the scheme wants.

| scheme | letters | first | last | |
|---|---|---|---|---|
| iob1 | B I | B I | B I | B only between touching spans of one label |
| iob2 | B I | B | B I | |
| ioe1 | I E | I E | I E | E only between touching spans of one label |
| ioe2 | I E | I E | E | |
| iobes | B I E S | B S | E S | |
| bilou | B I L U | B U | L U | |
| bmes | B M E S | B S | E S | |
| bmewo | B M E W | B W | E W | |
| io | I | I | I | touching spans of one label are one span |
"""

from __future__ import annotations

from dataclasses import dataclass

OUTSIDE = "O"
BEFORE = frozenset("BIM")  # letters after which a span may go on
AFTER = frozenset("IMEL")  # letters that may go on with a span


@dataclass(frozen=True)
class Scheme:
    """One tag scheme.

    Args:
        name: how users name it, lower case.
        letters: the letters of its tags, in the order in which they follow each other.
        opens: letters that may stand first in a span.
        closes: letters that may stand last in a span.
        between: the letter that only sets touching spans of one label apart, if there is one.
    """

    name: str
    letters: str
    opens: str
    closes: str
    between: str = ""

    def __post_init__(self) -> None:
        if not set(self.opens + self.closes + self.between) <= set(self.letters):
            raise ValueError(f"{self.name} uses letters beside its own: {self.letters}")

    @property
    def title(self) -> str:
        """Its name in running text."""
        return self.name.upper()

    @property
    def closes_explicitly(self) -> bool:
        """Whether the last tag of a span always says that it is the last."""
        return BEFORE.isdisjoint(self.closes)


# In the order of preference where several fit equally well.
_ALL = (
    Scheme("iob2", letters="BI", opens="B", closes="BI"),
    Scheme("io", letters="I", opens="I", closes="I"),
    Scheme("iob1", letters="BI", opens="BI", closes="BI", between="B"),
    Scheme("ioe2", letters="IE", opens="IE", closes="E"),
    Scheme("ioe1", letters="IE", opens="IE", closes="IE", between="E"),
    Scheme("iobes", letters="BIES", opens="BS", closes="ES"),
    Scheme("bilou", letters="BILU", opens="BU", closes="LU"),
    Scheme("bmes", letters="BMES", opens="BS", closes="ES"),
    Scheme("bmewo", letters="BMEW", opens="BW", closes="EW"),
)
SCHEMES: dict[str, Scheme] = {scheme.name: scheme for scheme in _ALL}
LETTERS = frozenset("".join(scheme.letters for scheme in _ALL))


def continues(previous: str, current: str, *, same_label: bool) -> bool:
    """Whether a tag goes on with the span of the tag before it, by the lenient reading.

    Args:
        previous: letter of the tag before.
        current: letter of the tag.
        same_label: whether both have the same label.
    """
    return same_label and previous in BEFORE and current in AFTER
