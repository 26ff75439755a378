"""Verdicts as JUnit XML, which build servers show as tests."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from typing import Protocol

# What XML 1.0 has no way to write.
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Judged(Protocol):
    """A verdict of any gate; `str` says it in one line."""

    @property
    def gate(self) -> object:
        """What was asked for; `str` says it in one line, the same for every run."""

    @property
    def names_system(self) -> bool:
        """Whether that line says what was judged."""

    @property
    def system(self) -> str:
        """What was judged."""

    @property
    def passed(self) -> bool:
        """Whether the gate is met."""


def said(verdict: Judged, *, several: bool) -> str:
    """A verdict in one line, with its system where there are several."""
    text = str(verdict)
    return f"{verdict.system}: {text}" if several and not verdict.names_system else text


def junit(verdicts: Sequence[Judged], *, suite: str = "isogloss") -> str:
    """A test suite with a case for each verdict.

    Args:
        verdicts: in the order in which they are shown.
        suite: its name.
    """
    failures = sum(not verdict.passed for verdict in verdicts)
    root = ET.Element("testsuites", tests=str(len(verdicts)), failures=str(failures))
    element = ET.SubElement(
        root, "testsuite", name=suite, tests=str(len(verdicts)), failures=str(failures), errors="0", skipped="0"
    )
    for verdict in verdicts:
        found = _writable(str(verdict))
        names = {"classname": _writable(verdict.system), "name": _writable(str(verdict.gate))}
        case = ET.SubElement(element, "testcase", names)
        if verdict.passed:
            ET.SubElement(case, "system-out").text = found
        else:
            ET.SubElement(case, "failure", message=found, type="threshold")
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _writable(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
