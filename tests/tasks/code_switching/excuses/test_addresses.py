from __future__ import annotations

import encodings.aliases

from excused_spans import list_excuses

from isogloss.tasks.code_switching.excuses import ExcuseFinder
from isogloss.text.scripts import read_data_file


def found(text: str, reason: str) -> list[str]:
    """What is found for one reason alone, but not what lies within other spans."""
    spans = [span for span, _ in list_excuses(text, finder=ExcuseFinder(frozenset({reason})))]
    return [span for span in spans if not any(span in other and span != other for other in spans)]


def test_emails() -> None:
    for text, expected in [
        ("пишіть на a.b+c@mail.example.com, будь ласка", ["a.b+c@mail.example.com"]),
        ("(me@example.org)", ["me@example.org"]),
        ("адреса:me@example.org.", ["me@example.org"]),
        ("від user@приклад.укр", ["user@приклад.укр"]),
        ("me@localhost", []),
        ("@example.com", []),
        ("a @ b.com", []),
    ]:
        assert found(text, "email") == expected


def test_urls_and_domains() -> None:
    for text, expected in [
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
    ]:
        assert found(text, "url") == expected


def test_mentions() -> None:
    for text, expected in [
        ("від @user_1, так", ["@user_1"]),
        ("(@user)", ["@user"]),
        ("me@user", []),
        ("user @ home", []),
        ("@@user", []),
    ]:
        assert found(text, "mention") == expected


def test_hashtags() -> None:
    for text, expected in [
        ("#OOTD і #київ_love!", ["#OOTD", "#київ_love"]),
        ("C# lang", []),
        ("# title", []),
        ("&#x27; page/#top", []),
    ]:
        assert found(text, "hashtag") == expected


def test_file_names() -> None:
    for text, expected in [
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
    ]:
        assert found(text, "file_name") == expected


def test_encodings() -> None:
    for text, expected in [
        ("у UTF-8, cp1251 та KOI8-U.", ["UTF-8", "cp1251", "KOI8-U"]),
        ("windows-1251 ISO-8859-5 utf8 Shift_JIS", ["windows-1251", "ISO-8859-5", "utf8", "Shift_JIS"]),
        ("(UTF-8-)", ["UTF-8"]),
        ("hex binary greek zip ascii big", []),
        ("COVID-19 MP3 xutf-8", []),
    ]:
        assert found(text, "encoding") == expected


def test_every_python_alias_with_a_digit_is_an_encoding() -> None:
    for alias in encodings.aliases.aliases:
        if len(alias) >= 4 and alias.isidentifier() and any(map(str.isdigit, alias)):
            assert found(alias.replace("_", "-"), "encoding") == [alias.replace("_", "-")], alias


def test_lists_have_common_domains_and_extensions() -> None:
    domains, extensions = set(read_data_file("domains.txt").split()), set(read_data_file("extensions.txt").split())
    assert {"com", "org", "net", "ua", "info", "io", "uk", "museum"} <= domains
    assert {"py", "go", "docx", "pdf", "txt", "tar", "gz", "json", "csv", "html", "png", "class", "c"} <= extensions
    assert not {"", "com", "the", "and", "state", "word"} & extensions
    assert not {"", "html", "docx", "word", "state"} & domains
    for name in domains | extensions:
        assert name == name.lower()
        assert name.isascii()
        assert "." not in name


def test_plain_text_has_no_addresses() -> None:
    """A Latin word stands beside it, so that the text is looked at."""
    for text in ["Це слово.", "п'ять", "3,14", "...", "а/б/в", "«так»", "@", "#", "http://", "://", "a:"]:
        assert not {"email", "mention", "hashtag", "file_name", "encoding"} & {
            why for _, why in list_excuses(f"{text} word")
        }
