"""What a report in one file is made of, and the data in it."""

from __future__ import annotations

import base64
import gzip
import json
from html.parser import HTMLParser

import msgspec

EMPTY = {"meta", "link", "br", "img", "hr", "input"}


class Structure(HTMLParser):
    """Elements of a page with their attributes and texts."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.data: dict[str, str] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        where = self.open[-1] if self.open else ""
        self.texts.setdefault(where, []).append(data)
        if where == "script" and "id" in self.elements[-1][1]:
            name = self.elements[-1][1]["id"]
            self.data[name] = self.data.get(name, "") + data


def parse(html: str) -> Structure:
    found = Structure()
    found.feed(html)
    found.close()
    assert found.open == []
    return found


def unpack(page: Structure) -> dict[str, bytes]:
    """The bytes of each URL in a file."""
    settings = json.loads(page.data["isogloss-data"])
    assert settings["mode"] == "inline"
    files = {url: gzip.decompress(base64.b64decode(page.data[name])) for url, name in settings["files"].items()}
    return split_packs(files, settings["packs"])


def split_packs(files: dict[str, bytes], packs: dict[str, list[int]]) -> dict[str, bytes]:
    """Give each document of a pack its URL back."""
    found = {url: body for url, body in files.items() if "#" not in url}
    for above, starts in packs.items():
        for at, first in enumerate(starts):
            bodies = msgspec.json.decode(files[f"{above}#{at}"], type=list[msgspec.Raw])
            found |= {f"{above}/{number}": bytes(body) for number, body in enumerate(bodies, first)}
    assert len(files) == sum("#" not in url for url in files) + sum(map(len, packs.values()))
    return found
