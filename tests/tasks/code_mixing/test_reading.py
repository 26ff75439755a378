"""Utterances from files and lists, their languages from tags, scripts and functions, and faults in them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.cli import run as command
from isogloss.errors import DataError, FormatError, UsageError
from isogloss.tasks.code_mixing.scripts import name_scripts

ROWS = [
    {"id": "x", "tokens": ["I", "want", "tacos", "#food"], "languages": ["en", "en", "es", "other"], "from": "web"},
    {"id": "y", "tokens": ["hola", "Maria"], "languages": ["es", "ne"], "from": "tv"},
]
CONLL = """# sent_enum = 1
# from = web
I\ten
want\ten
tacos\tes
#food\tother

# sent_enum = 2
# from = tv
hola\tes
Maria\tne
"""


def write(path: Path, kind: str) -> Path:
    if kind == "conll":
        text = CONLL
    elif kind == "spaces":
        text = CONLL.replace("\t", " ").replace("\n", "\r\n")
    elif kind == "three columns":
        text = CONLL.replace("\t", "\tX\t")
    elif kind == "csv":
        lines = [f"{row['id']},{' '.join(row['tokens'])},{' '.join(row['languages'])},{row['from']}" for row in ROWS]
        text = "\n".join(["id,tokens,languages,from", *lines]) + "\n"
    elif kind == "array":
        text = json.dumps(ROWS)
    else:
        names = {"words": "tokens", "lid": "languages"} if kind == "lince" else {}
        rows = [{**row, **{new: row[old] for new, old in names.items()}} for row in ROWS]
        rows = [{key: value for key, value in row.items() if key not in names.values()} for row in rows]
        text = "".join(json.dumps(row) + "\n" for row in rows)
    path.write_bytes(text.encode())
    return path


@pytest.mark.parametrize("kind", ["conll", "spaces", "three columns", "jsonl", "lince", "array", "csv"])
def test_every_format_has_the_same_scores_and_slices(kind: str, tmp_path: Path) -> None:
    expected = isogloss.code_mixing(ROWS, by=["from"], findings=True).to_dict()
    more: dict[str, Any] = {"language_column": -1} if kind == "three columns" else {}
    path = write(tmp_path / ("rows.csv" if kind == "csv" else "rows"), kind)
    run = isogloss.code_mixing(path, by=["from"], findings=True, **more)
    found = run.to_dict()
    assert found["scores"] == expected["scores"]
    assert found["slices"] == expected["slices"]
    assert (found["scores"]["utterances"]["mixed_count"], found["scores"]["tokens"]["tagged"]) == (1, 4)
    (finding,) = run.findings
    line = 5 if kind in ("conll", "spaces", "three columns") else 2 if kind == "csv" else 1
    assert finding.where == f"{path}:{line}"


def test_pairs_are_tokens_and_languages() -> None:
    pairs = [[("I", "en"), ("want", "en"), ("tacos", "es"), ("#food", "other")], [("hola", "es"), ("Maria", "ne")]]
    assert isogloss.code_mixing(pairs).to_dict()["scores"] == isogloss.code_mixing(ROWS).to_dict()["scores"]


def test_offsets_of_switch_points_count_code_points_of_the_text() -> None:
    row = {"text": "Яke  привет, ok", "tokens": ["Яke", "привет", ",", "ok"], "languages": ["mixed", "ru", None, "en"]}
    (finding,) = isogloss.code_mixing([row], findings=True).findings
    (mark,) = finding.marks
    assert row["text"][mark.start : mark.end] == "ok"
    assert (mark.label, finding.extra["from"], finding.extra["unit"]) == ("en", "ru", "code point")
    (bare,) = isogloss.code_mixing([{"tokens": row["tokens"], "languages": row["languages"]}], findings=True).findings
    assert (bare.marks[0].start, bare.marks[0].end, bare.extra["unit"]) == (3, 4, "token")


@pytest.mark.parametrize(
    ("tokens", "scripts"),
    [
        (["Привет", "World", "12", "!"], ["Cyrl", "Latn", None, None]),
        (["今", "日", "は", "カメラ", "OK"], ["Jpan", "Jpan", "Jpan", "Jpan", "Latn"]),
        (["今", "天", "OK"], ["Hani", "Hani", "Latn"]),
        (["AI의", "한국어", "سلام", "हिन्दी", "ไทย"], ["mixed", "Hang", "Arab", "Deva", "Thai"]),
        (["café", "cafe\u0301", "हि\u0902"], ["Latn", "Latn", "Deva"]),
    ],
)
def test_tokens_have_the_script_of_their_letters(tokens: list[str], scripts: list[str | None]) -> None:
    assert name_scripts(tokens) == scripts


def test_texts_without_tags_are_measured_by_scripts_and_functions(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_text("Я люблю pizza 24 года\n\nничего\n", encoding="utf-8")
    by_script = isogloss.code_mixing(path, languages_from="scripts")
    assert by_script.documents == 2
    assert by_script.scores["utterances"].mixed_count == 1
    assert by_script.by_label["Cyrl"]["words"]["count"] == 4

    def identify(tokens: list[str]) -> list[str | None]:
        return [None if token.isdigit() else "en" if token.isascii() else "ru" for token in tokens]

    by_function = isogloss.code_mixing(path, identifier=identify)
    assert by_function.scores["mixing"].cc == by_script.scores["mixing"].cc
    assert str(by_function.signature).startswith("code-mixing|languages:identify|independent:default|")


def fail(tokens: list[str]) -> list[str]:
    raise ZeroDivisionError("no")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (fail, r"texts\[0\]: the identifier fails: ZeroDivisionError: no"),
        (lambda tokens: ["en"], "returns 1 languages for 2 tokens"),
        (lambda tokens: [1, 2], "returns 1 as a language"),
        (lambda tokens: None, "the identifier fails: TypeError"),
    ],
)
def test_faulty_identifier_is_named_with_the_place(function: Any, message: str) -> None:
    with pytest.raises(DataError, match=message):
        isogloss.code_mixing([["a", "b"]], identifier=function)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"tokens": ["a", "b"], "languages": ["x"]}, r"texts\[0\]: the row has 2 tokens and 1 languages"),
        ({"tokens": ["a"]}, "has no `languages`.*languages-from scripts"),
        ({"text": "a"}, "has no `languages`"),
        ({"tokens": "ab", "languages": ["x"]}, "`tokens`: expected `array"),
        ({"tokens": ["a", "b"], "languages": ["x", "x"], "text": "b a"}, r"`tokens\[1\]`, 'b', is not in the text"),
        (["a", ("b", "x")], "of type list"),
        (5, "of type int"),
    ],
)
def test_faulty_row_is_refused_with_its_place(row: Any, message: str) -> None:
    with pytest.raises(DataError, match=f"(?s){message}"):
        isogloss.code_mixing([row])


def test_missing_column_is_refused_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "tokens.conll"
    path.write_text("# sent_enum = 1\nI\ten\nwant\n", encoding="utf-8")
    assert command(["code-mixing", str(path)]) == 3
    assert "tokens.conll:3: the line has 1 column, and no column 2" in capsys.readouterr().err
    with pytest.raises(FormatError, match="no column 3"):
        isogloss.code_mixing(path, language_column=3)


def test_repeated_id_is_refused() -> None:
    with pytest.raises(DataError, match="'x'"):
        isogloss.code_mixing([ROWS[0], ROWS[0]])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"languages_from": "guess"}, "Choose from tags, scripts"),
        ({"identifier": 5}, "identifier must be a function"),
        ({"identifier": len, "languages_from": "scripts"}, "leave one of them out"),
        ({"independent": "other"}, r"write \['other'\]"),
        ({"language_column": 1}, "the first has the tokens"),
        ({"input_format": "conll"}, "texts is a list"),
    ],
)
def test_wrong_option_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        isogloss.code_mixing(ROWS, **options)


def test_shards_do_not_share_utterances(tmp_path: Path) -> None:
    for name in ("a.conll", "b.conll"):
        (tmp_path / name).write_text("I\ten\ntacos\tes\n", encoding="utf-8")
    run = isogloss.code_mixing(tmp_path, by=["file"], findings=True)
    assert run.documents == 2
    assert [finding.where for finding in run.findings] == [f"{tmp_path}/{name}:2" for name in ("a.conll", "b.conll")]


@pytest.mark.extra
def test_command_stores_compares_and_gates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, times in (("a", 12), ("b", 10)):
        rows = [{**row, "id": f"{row['id']}{k}"} for k in range(times) for row in ROWS]
        rows += [{"id": f"z{k}", "tokens": ["I", "want"], "languages": ["en", "es"]} for k in range(24 - 2 * times)]
        rows = sorted(rows, key=lambda row: str(row["id"]))
        for k, row in enumerate(rows):
            row["id"] = str(k)
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    assert command(["code-mixing", "a.jsonl", "b.jsonl", "--save=run", "--confidence", "0.9", "-f", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [run["scores"]["utterances"]["total"] for run in document["runs"]] == [24, 24]
    assert command(["compare", "run-1", "run-2"]) == 0
    assert "utterances.cmi" in capsys.readouterr().out
    assert command(["code-mixing", "a.jsonl", "--fail-over", "utterances.cmi=5"]) == 1
    capsys.readouterr()
    assert command(["report", "run-1", "run-2", "-o", "report.html"]) == 0
    assert "Code-mixing: 2 systems" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.extra
def test_route_answers_as_the_call_does() -> None:
    pytest.importorskip("starlette")
    from isogloss.service.jobs import Job, Worker  # noqa: PLC0415  an extra
    from isogloss.service.settings import ModelSettings  # noqa: PLC0415  an extra

    texts = [{key: value for key, value in row.items() if key != "from"} for row in ROWS]
    body = json.dumps({"texts": texts, "independent": ["other"]}).encode()
    reply = Worker(ModelSettings())(Job("/v1/code-mixing", 0, 1000), body)
    expected = isogloss.code_mixing(texts, independent=["other"]).to_dict()
    assert json.loads(reply.body)["scores"] == expected["scores"]
