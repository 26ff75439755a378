"""What one task reads, every task reads: a table or an array scores as the JSON lines of its rows, or is refused."""
# the texts are in many scripts

from __future__ import annotations

import csv
import gzip
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import run

Streams = pytest.CaptureFixture[str]
Rows = Sequence[Mapping[str, Any]]

SIDES: Mapping[str, tuple[Rows, ...]] = {
    "ner": (
        [
            {"id": "1", "text": "Ada met Bob", "entities": [{"start": 0, "end": 3, "label": "PER"}]},
            {"id": "2", "text": "In Rome,\nsaid Ada", "entities": [{"start": 3, "end": 7, "label": "LOC"}]},
            {"id": "3", "text": "nobody", "entities": []},
        ],
        [
            {"id": "3", "text": "nobody", "entities": []},
            {"id": "1", "text": "Ada met Bob", "entities": [{"start": 8, "end": 11, "label": "PER"}]},
            {"id": "2", "text": "In Rome,\nsaid Ada", "entities": [{"start": 3, "end": 7, "label": "LOC"}]},
        ],
    ),
    "segmentation": (
        [
            {"id": "1", "text": "Ada, ran", "words": ["Ada", ",", "ran"]},
            {"id": "2", "text": "กินผัก", "words": ["กิน", "ผัก"]},
            {"id": "3", "text": "ตากลม", "words": ["ตา", "กลม"]},
        ],
        [
            {"id": "1", "text": "Ada, ran", "words": ["Ada,", "ran"]},
            {"id": "2", "text": "กินผัก", "words": ["กิน", "ผัก"]},
            {"id": "3", "text": "ตากลม", "words": ["ตาก", "ลม"]},
        ],
    ),
    "entity-translation": (
        [
            {"id": "Q1_0", "entity_types": ["Book"], "targets": [{"mention": "Duna", "translation": "È Duna, sì."}]},
            {"id": "Q2_0", "entity_types": ["TV series"], "targets": [{"mention": "Roma", "translation": "È Roma."}]},
            {"id": "Q3_0", "entity_types": ["Book"], "targets": [{"mention": "Rosa", "translation": "È Rosa."}]},
        ],
        [
            {"id": "Q1_0", "prediction": "È Duna, sì."},
            {"id": "Q3_0", "prediction": "È una rosa?"},
            {"id": "Q2_0", "prediction": "È Rome."},
        ],
    ),
    "code-switching": (
        [
            {"id": "1", "text": "Це звичайний, простий текст."},
            {"id": "2", "text": "Тут забули слово translate."},
            {"id": "3", "text": "Слово."},
        ],
    ),
    "classification": (
        [{"id": "1", "label": "pos"}, {"id": "2", "label": "neg"}, {"id": "3", "label": "pos"}],
        [{"id": "3", "label": "pos"}, {"id": "1", "label": "pos"}, {"id": "2", "label": "pos"}],
    ),
}
OPTIONS = {"code-switching": ["--language", "uk"]}


def as_lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def as_table(rows: Rows, delimiter: str = ",") -> bytes:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        cells = {key: value if isinstance(value, str) else json.dumps(value) for key, value in row.items()}
        writer.writerow(cells)
    return stream.getvalue().encode()


def as_parquet(rows: Rows) -> bytes:
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet  # noqa: PLC0415  an extra

    stream = io.BytesIO()
    parquet.write_table(pa.Table.from_pylist(list(rows)), stream)
    return stream.getvalue()


def as_arrow(rows: Rows) -> bytes:
    pa = pytest.importorskip("pyarrow")
    table, stream = pa.Table.from_pylist(list(rows)), io.BytesIO()
    with pa.ipc.new_file(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


READ: Mapping[str, Callable[[Rows], bytes]] = {
    "rows.csv": as_table,
    "rows.csv.gz": lambda rows: gzip.compress(as_table(rows)),
    "semicolons.csv": lambda rows: as_table(rows, ";"),
    "windows.csv": lambda rows: b"\xef\xbb\xbf" + as_table(rows).replace(b"\n", b"\r\n"),
    "rows.tsv": lambda rows: as_table(rows, "\t"),
    "rows.tsv.gz": lambda rows: gzip.compress(as_table(rows, "\t")),
    "commas": as_table,
    "tabs.txt": lambda rows: as_table(rows, "\t"),
    "line.json": lambda rows: json.dumps(list(rows)).encode(),
    "pretty.json": lambda rows: json.dumps(list(rows), indent=2).encode(),
    "array.txt": lambda rows: json.dumps(list(rows), indent=1).encode(),
    "array.json.gz": lambda rows: gzip.compress(json.dumps(list(rows)).encode()),
    "rows.parquet": as_parquet,
    "rows.arrow": as_arrow,
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write_sides(task: str, name: str, write: Callable[[Rows], bytes]) -> list[str]:
    """Files with all sides of a task."""
    paths = [f"{side}-{name}" for side in ("a", "b")]
    for path, rows in zip(paths, SIDES[task], strict=False):
        Path(path).write_bytes(write(rows))
    return paths[: len(SIDES[task])]


def numbers(capsys: Streams, task: str, *paths: str) -> Any:
    """Scores, those by label, and the number of documents."""
    assert run([task, *paths, *OPTIONS.get(task, []), "-f", "json", "-q"]) == 0, capsys.readouterr().err
    found = json.loads(capsys.readouterr().out)
    return [found.get(key) for key in ("documents", "scores", "by_label")]


def refusal(capsys: Streams, task: str, *arguments: str) -> str:
    """The error for files that a task does not read."""
    assert run([task, *arguments, *OPTIONS.get(task, []), "-q"]) == 3
    return capsys.readouterr().err


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("task", SIDES)
def test_a_table_or_array_scores_as_its_json_lines(capsys: Streams, task: str, name: str) -> None:
    wanted = numbers(capsys, task, *write_sides(task, "rows.jsonl", as_lines))
    assert numbers(capsys, task, *write_sides(task, name, READ[name])) == wanted


@pytest.mark.parametrize("task", [task for task, sides in SIDES.items() if len(sides) == 2])
def test_a_table_is_compared_with_json_lines(capsys: Streams, task: str) -> None:
    lines, table = write_sides(task, "rows.jsonl", as_lines), write_sides(task, "rows.csv", as_table)
    wanted = numbers(capsys, task, *lines)
    assert numbers(capsys, task, lines[0], table[1]) == wanted
    assert numbers(capsys, task, table[0], lines[1]) == wanted


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("task", SIDES)
def test_json_lines_with_a_damaged_first_line_are_refused(capsys: Streams, task: str, side: int) -> None:
    paths = write_sides(task, "rows.txt", as_lines)
    side = min(side, len(paths) - 1)
    sound = Path(paths[side]).read_bytes()
    for damaged in (sound[5:], sound.replace(b"}\n", b"\n", 1), sound.replace(b'{"id"', b"{id", 1)):
        Path(paths[side]).write_bytes(damaged)
        assert f"{paths[side]}:1" in refusal(capsys, task, *paths)


@pytest.mark.parametrize("task", SIDES)
def test_a_damaged_array_is_refused(capsys: Streams, task: str) -> None:
    paths = write_sides(task, "rows.json", lambda rows: json.dumps(list(rows)).encode()[:-9])
    assert f"{paths[0]}:1" in refusal(capsys, task, *paths)


@pytest.mark.parametrize("name", ["object.json", "object.txt"])
@pytest.mark.parametrize("task", SIDES)
def test_a_single_object_with_rows_inside_is_refused(capsys: Streams, task: str, name: str) -> None:
    for indent in (None, 2):
        data = json.dumps({"rows": SIDES[task][0]}, indent=indent).encode()
        paths = [f"{side}-{name}" for side, _ in zip("ab", SIDES[task], strict=False)]
        for path in paths:
            Path(path).write_bytes(data)
        error = refusal(capsys, task, *paths)
        assert any(f"{path}:1" in error for path in paths)


@pytest.mark.parametrize("name", ["other.csv", "other.csv.gz", "other.txt"])
@pytest.mark.parametrize("task", SIDES)
def test_a_table_without_a_needed_column_is_refused(capsys: Streams, task: str, name: str) -> None:
    data = b"id,source\n1,pos\n2,neg\n3,pos\n"
    Path(name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    error = refusal(capsys, task, *[name] * len(SIDES[task]))
    assert f"{name}:1" in error
    if task != "code-switching" or name == "other.txt":
        assert "looks like a table" in error
        assert "`id`, `source`" in error


@pytest.mark.parametrize("task", SIDES)
def test_a_row_with_too_few_cells_is_refused_with_its_line(capsys: Streams, task: str) -> None:
    paths = write_sides(task, "rows.csv", lambda rows: as_table(rows) + b"one cell\n")
    lines = Path(paths[-1]).read_bytes().count(b"\n")
    assert f":{lines}" in refusal(capsys, task, *paths)


@pytest.mark.parametrize("ending", ["txt", "csv", "tsv"])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_labels_with_ids_but_no_header_are_refused(capsys: Streams, ending: str, delimiter: str) -> None:
    Path(f"labels.{ending}").write_text(f"1{delimiter}pos\n2{delimiter}neg\n3{delimiter}pos\n", encoding="utf-8")
    error = refusal(capsys, "classification", f"labels.{ending}", f"labels.{ending}")
    assert f"labels.{ending}:1" in error
    assert "id,label" in error


def test_labels_of_a_table_are_paired_by_id(capsys: Streams) -> None:
    Path("gold.csv").write_text("id,label\n1,pos\n2,neg\n3,pos\n", encoding="utf-8")
    Path("pred.csv").write_text("label,id\npos,3\npos,2\npos,1\n", encoding="utf-8")
    _, scores, _ = numbers(capsys, "classification", "gold.csv", "pred.csv")
    assert scores["overall"] == {"accuracy": 2 / 3, "correct": 2, "total": 3}


def test_scores_of_a_table_are_json_in_their_cells(capsys: Streams) -> None:
    rows = [{"id": "1", "gold": "a", "scores": {"a": 0.9, "b": 0.1}}, {"id": "2", "gold": "b", "scores": {"a": 1.0}}]
    Path("s.jsonl").write_bytes(as_lines(rows))
    Path("s.csv").write_bytes(as_table(rows))
    Path("s.parquet").write_bytes(as_parquet(rows))
    wanted = numbers(capsys, "classification", "s.jsonl")
    assert numbers(capsys, "classification", "s.csv") == numbers(capsys, "classification", "s.parquet") == wanted


@pytest.mark.parametrize("words", ["กิน|ผัก", '["กิน", "ผัก"]', "กิน ผัก"])
def test_words_of_a_cell_are_marked_in_the_usual_ways(capsys: Streams, words: str) -> None:
    for name, quoted in (("a.csv", words), ("b.csv", "กินผัก")):
        with Path(name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["id", "words"], ["1", quoted], ["2", ""]])
    _, scores, _ = numbers(capsys, "segmentation", "a.csv", "b.csv")
    assert [scores["word"][name] for name in ("reference", "predicted", "correct")] == [2, 1, 0]


def test_a_mention_and_its_translation_have_columns(capsys: Streams) -> None:
    Path("it_IT.csv").write_text("id,mention,translation,entity_types\nQ1_0,Duna,È Duna.,Book|Film\n", encoding="utf-8")
    Path("p.csv").write_text("id,prediction\nQ1_0,duna\n", encoding="utf-8")
    _, scores, by_label = numbers(capsys, "entity-translation", "it_IT.csv", "p.csv")
    assert scores["m_eta"]["correct"] == 1
    assert by_label.keys() == {"Book", "Film"}


def test_folders_of_tables_have_a_file_for_each_language(capsys: Streams) -> None:
    for folder, rows in zip(("gold", "system"), SIDES["entity-translation"], strict=True):
        Path(folder).mkdir()
        Path(folder, "it_IT.csv").write_bytes(as_table(rows))
        Path(folder, "th_TH.json").write_bytes(json.dumps(list(rows)).encode())
        Path(folder, "notes.csv").write_bytes(b"a,b\n1,2\n")
    documents, scores, _ = numbers(capsys, "entity-translation", "gold", "system")
    assert (documents, scores["languages"]["number"]) == (6, 2)


@pytest.mark.parametrize("name", ["rows.csv", "pretty.json"])
def test_errors_name_the_line_in_which_a_row_begins(capsys: Streams, name: str) -> None:
    rows = [{"id": "1", "text": "a\nb", "words": ["a", "b"]}, {"id": "2", "text": "ab", "words": ["c"]}]
    Path(name).write_bytes(READ[name](rows))
    line = {"rows.csv": 4, "pretty.json": 10}[name]
    assert f"{name}:{line}: `tokens`" in refusal(capsys, "segmentation", name, name)


def test_a_cell_with_broken_json_is_refused(capsys: Streams) -> None:
    Path("a.csv").write_text("id,words\n1,a|b\n2,\"['a', 'b']\"\n", encoding="utf-8")
    error = refusal(capsys, "segmentation", "a.csv", "a.csv")
    assert "a.csv:3: the cell of `words` is not JSON" in error


@pytest.mark.parametrize(
    "first", ["[1] Ada|ran", "{sic} Ada|ran", "Ada, Bob, Eve|ran", "[Ada]|ran", "text|, |id", "1, 2|3"]
)
def test_plain_text_stays_plain_text(capsys: Streams, first: str) -> None:
    Path("plain.txt").write_text(f"{first}\nกิน|ผัก, ปลา\na|b|c\n", encoding="utf-8")
    documents, scores, _ = numbers(capsys, "segmentation", "plain.txt", "plain.txt")
    assert (documents, scores["word"]["f1"]) == (3, 1)


@pytest.mark.parametrize("first", ["[1] Слово.", "{Слово} тут.", "Ада, Боб, Єва", "text, id", '"Слово", сказав він.'])
def test_plain_texts_stay_lines(capsys: Streams, first: str) -> None:
    Path("plain.txt").write_text(f"{first}\nСлово, слово.\n", encoding="utf-8")
    documents, _, _ = numbers(capsys, "code-switching", "plain.txt")
    assert documents == 2


@pytest.mark.parametrize("labels", ["pos\nneg\npos\n", "a, b\na, b\nc\n", "a,b\na,b\nc,d\n", "id\nlabel\ntext\n"])
def test_plain_labels_stay_labels(capsys: Streams, labels: str) -> None:
    Path("labels.txt").write_text(labels, encoding="utf-8")
    documents, scores, _ = numbers(capsys, "classification", "labels.txt", "labels.txt")
    assert (documents, scores["overall"]["accuracy"]) == (3, 1)


def test_columns_without_a_header_stay_columns(capsys: Streams) -> None:
    Path("words.tsv").write_text("Ada\tNN\nran\tVB\n\nถูก\tVB\n", encoding="utf-8")
    assert numbers(capsys, "segmentation", "words.tsv", "words.tsv")[0] == 2
    Path("tags.tsv").write_text("Ada\tB-PER\nran\tO\n\n,\tO\n", encoding="utf-8")
    assert numbers(capsys, "ner", "tags.tsv", "tags.tsv")[0] == 2


def test_a_named_format_is_taken_at_its_word(capsys: Streams) -> None:
    Path("a.csv").write_text("id,text\n1,pos\n", encoding="utf-8")
    assert run(["segmentation", "a.csv", "a.csv", "--input-format", "raw", "-q", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["documents"] == 2


def test_a_table_is_read_from_standard_input(capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    path, other = write_sides("classification", "rows.csv", as_table)
    wanted = numbers(capsys, "classification", path, other)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(other).read_bytes())))
    assert numbers(capsys, "classification", path, "-") == wanted


def test_columns_of_a_table_make_slices(capsys: Streams) -> None:
    Path("g.csv").write_text("id,label,genre\n1,pos,news\n2,neg,web\n", encoding="utf-8")
    assert run(["classification", "g.csv", "g.csv", "--by", "genre", "-q", "-f", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["slices"]["genre"].keys() == {"news", "web"}


def test_the_input_of_a_table_has_the_digest_of_its_file(capsys: Streams) -> None:
    import hashlib  # noqa: PLC0415  only this test needs it

    path, other = write_sides("classification", "rows.csv", as_table)
    assert run(["classification", path, other, "-q", "-f", "json"]) == 0
    inputs = json.loads(capsys.readouterr().out)["inputs"]
    assert [file["sha256"] for file in inputs] == [
        hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in (path, other)
    ]
    assert [file["path"] for file in inputs] == [path, other]
