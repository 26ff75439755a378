from __future__ import annotations

import encodings.aliases

import pytest
from excusing import spans_of

from isogloss.tasks.code_switching.excuses import Finder
from isogloss.text.scripts import data


def found(text: str, reason: str) -> list[str]:
    """What is found for one reason alone, but not what lies within other spans."""
    spans = [span for span, _ in spans_of(text, finder=Finder(frozenset({reason})))]
    return [span for span in spans if not any(span in other and span != other for other in spans)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("пишіть на a.b+c@mail.example.com, будь ласка", ["a.b+c@mail.example.com"]),
        ("(me@example.org)", ["me@example.org"]),
        ("адреса:me@example.org.", ["me@example.org"]),
        ("від user@приклад.укр", ["user@приклад.укр"]),
        ("me@localhost", []),
        ("@example.com", []),
        ("a @ b.com", []),
    ],
)
def test_emails(text: str, expected: list[str]) -> None:
    assert found(text, "email") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("див. https://example.com/a?b=c#d.", ["https://example.com/a?b=c#d"]),
        ("див. HTTP://EXAMPLE.COM!", ["HTTP://EXAMPLE.COM"]),
        ("https://münchen.de/straße, так", ["https://münchen.de/straße"]),
        ("сайт:https://приклад.укр/path", ["https://приклад.укр/path"]),
        ("(https://a.b/c)", ["https://a.b/c"]),
        ("«ftp://a.b/c»", ["ftp://a.b/c"]),
        ("www.example.com.", ["www.example.com"]),
        ("www.example.pl", ["www.example.pl"]),
        ("example.com:8080/a,b", ["example.com:8080/a"]),
        ("на example.co.uk", ["example.co.uk"]),
        ("xn--e1afmkfd.xn--j1amh", ["xn--e1afmkfd.xn--j1amh"]),
        ("slovo.wordly", []),
        ("a_b.com", []),
        ("com", []),
        ("sentence.Name", []),
        ("myhttp", []),
        ("3.14a", []),
        ("münchen.de", ["münchen.de"]),
    ],
)
def test_urls_and_domains(text: str, expected: list[str]) -> None:
    assert found(text, "url") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("від @user_1, так", ["@user_1"]),
        ("(@user)", ["@user"]),
        ("me@user", []),
        ("user @ home", []),
        ("@@user", []),
    ],
)
def test_mentions(text: str, expected: list[str]) -> None:
    assert found(text, "mention") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("#OOTD і #київ_love!", ["#OOTD", "#київ_love"]), ("C# lang", []), ("# title", []), ("&#x27; page/#top", [])],
)
def test_hashtags(text: str, expected: list[str]) -> None:
    assert found(text, "hashtag") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("файл main.go.", ["main.go"]),
        ("«README.md»", ["README.md"]),
        ("звіт_v2.1.docx", ["_v2.1.docx"]),
        ("archive.tar.gz, так", ["archive.tar.gz"]),
        ("main.py:12", ["main.py"]),
        ("src/app/main.py:12", ["src/app/main.py"]),
        ("~/data/x ./run/it /usr/bin", ["~/data/x", "./run/it", "/usr/bin"]),
        ("../a/b", ["../a/b"]),
        (r"C:\Users\me, так", [r"C:\Users\me"]),
        ("у .docx або .gitignore", [".docx", ".gitignore"]),
        ("main.c util.h", ["main.c", "util.h"]),
        ("go class state name text", []),
        ("U.S.A. a.m. p.m. 10.m", []),
        ("end.So this", []),
        ("and/or його/her", []),
        ("...go", []),
        ("main.", []),
        ("/ x", []),
    ],
)
def test_file_names(text: str, expected: list[str]) -> None:
    assert found(text, "file_name") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("у UTF-8, cp1251 та KOI8-U.", ["UTF-8", "cp1251", "KOI8-U"]),
        ("windows-1251 ISO-8859-5 utf8 Shift_JIS", ["windows-1251", "ISO-8859-5", "utf8", "Shift_JIS"]),
        ("(UTF-8-)", ["UTF-8"]),
        ("hex binary greek zip ascii big", []),
        ("COVID-19 MP3 xutf-8", []),
    ],
)
def test_encodings(text: str, expected: list[str]) -> None:
    assert found(text, "encoding") == expected


def test_every_alias_with_a_digit_that_python_knows_is_an_encoding() -> None:
    for alias in encodings.aliases.aliases:
        if len(alias) >= 4 and alias.isidentifier() and any(map(str.isdigit, alias)):
            assert found(alias.replace("_", "-"), "encoding") == [alias.replace("_", "-")], alias


def test_domains_and_extensions_are_those_that_people_write() -> None:
    domains, extensions = set(data("domains.txt").split()), set(data("extensions.txt").split())
    assert {"com", "org", "net", "ua", "info", "io", "uk", "museum"} <= domains
    assert {"py", "go", "docx", "pdf", "txt", "tar", "gz", "json", "csv", "html", "png", "class", "c"} <= extensions
    assert not {"", "com", "the", "and", "state", "word"} & extensions
    assert not {"", "html", "docx", "word", "state"} & domains
    for name in domains | extensions:
        assert name == name.lower()
        assert name.isascii()
        assert "." not in name


@pytest.mark.parametrize(
    "text",
    ["Це слово.", "п'ять", "3,14", "...", "а/б/в", "«так»", "@", "#", "http://", "://", "a:"],
)
def test_plain_text_has_no_addresses(text: str) -> None:
    """A Latin word stands beside it, so that the text is looked at."""
    assert not {"email", "mention", "hashtag", "file_name", "encoding"} & {why for _, why in spans_of(f"{text} word")}
