"""Invalid input, one row each: the message, its place and the remedy, through the whole program."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import run
from isogloss.errors import DataError, FormatError, IsoglossError, MismatchError, SourceError, TagError, UsageError
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.segmentation.scoring import segmentation

# Lines 1 and 2 are a sentence, line 4 is another.
GOLD = b"Ada\tB-PER\nran\tO\n\nBob\tB-PER\n"
ROW_1 = b'{"id": "1", "text": "Ada ran", "entities": [{"start": 0, "end": 3, "label": "PER"}]}\n'
ROW_2 = b'{"id": "2", "text": "Bob", "entities": []}\n'
ROWS = ROW_1 + ROW_2
WITHOUT_IDS = ROWS.replace(b'"id": "1", ', b"").replace(b'"id": "2", ', b"")
JSONL = {"input_format": "jsonl"}
SAME_SENTENCES = "must hold the same sentences, token by token, in the same order"
HALF_OPEN = "A span begins at `start` and ends before `end`"


@dataclass(frozen=True)
class Fault:
    """A row of the table.

    Args:
        name: what is wrong.
        prediction: content of the file `pred`, or a Python argument; None leaves the file out.
        kind: the error.
        where: the place that it names, None for errors without one.
        says: what it says is wrong.
        remedy: what it says to do.
        reference: content of the file `gold`, or a Python argument.
        options: of the call.
    """

    name: str
    prediction: Any
    kind: type[IsoglossError]
    where: str | None
    says: str
    remedy: str
    reference: Any = GOLD
    options: Mapping[str, Any] = field(default_factory=dict)


FAULTS = [
    # Reference and prediction do not belong together.
    Fault("fewer sentences", GOLD[:17], MismatchError, "pred:2", "ends after sentence 1, but", "written to its end"),
    Fault("more sentences", GOLD + b"\nran\tO\n", MismatchError, "pred:6", "goes on to 3", "reference is complete"),
    Fault("fewer tokens", b"Ada\tO\n\nBob\tO\n", MismatchError, "pred:2", "sentence 1 has 1 token, but 2", "missing"),
    Fault("more tokens", b"Ada\tO\nran\tO\nfar\tO\n\nBob\tO\n", MismatchError, "pred:3", "has 3 tokens, but 2", "much"),
    Fault("another token", GOLD.replace(b"ran", b"sat"), MismatchError, "pred:2", "'sat', but 'ran'", SAME_SENTENCES),
    Fault("an id twice", ROW_1 + ROW_1, DataError, "pred:2", "id '1' stands twice", "id of its own", ROWS),
    Fault("no ids on one side", WITHOUT_IDS, MismatchError, "pred:1", "have none", "to pair them by order", ROWS),
    Fault("an id on one side only", ROW_1, MismatchError, "gold:2", "1 of 2 ids", "Predict each document", ROWS),
    Fault(
        "fewer rows",
        ROW_1.replace(b'"id": "1", ', b""),
        MismatchError,
        "gold:2",
        "2 documents",
        "one row for each",
        WITHOUT_IDS,
    ),
    Fault(
        "another text",
        ROWS.replace(b"Bob", b"Rob"),
        MismatchError,
        "pred:2",
        "differ from",
        "predict on the text",
        ROWS,
    ),
    # Tags.
    Fault("unknown prefix", GOLD.replace(b"B-", b"X-"), TagError, "pred:1", "'X-PER'", "--scheme"),
    Fault(
        "a tag that the named scheme does not have",
        GOLD.replace(b"B-", b"S-"),
        TagError,
        "pred:1",
        "IOB2 has B-, I-",
        "Correct the tag",
        options={"scheme": "iob2"},
    ),
    Fault(
        "repair=error",
        b"Ada\tO\nran\tI-PER\n\nBob\tO\n",
        TagError,
        "pred:2",
        "'I-PER' after 'O'",
        "--repair begin",
        options={"repair": "error"},
    ),
    # Lines and rows.
    Fault(
        "ragged columns",
        GOLD.replace(b"ran\tO", b"ran"),
        FormatError,
        "pred:2",
        "1 column, but line 1 has 2",
        "tabs",
    ),
    Fault(
        "too many columns",
        GOLD.replace(b"ran\tO", b"ran\tO\tO"),
        FormatError,
        "pred:2",
        "3 columns",
        "a blank line",
    ),
    Fault("broken JSON", ROWS.replace(b"[]", b"["), FormatError, "pred:2:41", "broken JSON", "A row looks like", ROWS),
    Fault(
        "a list of rows in a later line",
        ROW_1 + b"[" + ROW_2[:-1] + b"]\n",
        FormatError,
        "pred:2",
        "array",
        "one object in each line",
        ROWS,
        JSONL,
    ),
    Fault("neither spans nor tags", b'{"id": "1"}\n' + ROW_2, FormatError, "pred:1", "neither", "A row looks", ROWS),
    Fault("end = start", ROWS.replace(b'"end": 3', b'"end": 0'), DataError, "pred:1", "[0, 0)", HALF_OPEN, ROWS),
    Fault("end < start", ROWS.replace(b'"start": 0', b'"start": 4'), DataError, "pred:1", "[4, 3)", HALF_OPEN, ROWS),
    Fault("beyond the text", ROWS.replace(b": 3", b": 8"), DataError, "pred:1", "7 code points", "not bytes", ROWS),
    # Files.
    Fault("not UTF-8", "Ada\tO\nré\tO\n".encode("latin-1"), SourceError, "pred:2", "byte 0xE9 at column 2", "iconv"),
    Fault("NUL", GOLD.replace(b"ran", b"r\0n"), SourceError, "pred", "is binary", "as plain text in UTF-8"),
    Fault(
        "NUL far down",
        b"ran\tO\n" * 2000 + b"r\0n\tO\n",
        SourceError,
        "pred:2001",
        "byte 0x00 at column 2",
        "Remove",
    ),
    Fault("binary", b"PK\x03\x04" + bytes(range(256)), SourceError, "pred", "a zip archive", "Unpack it"),
    Fault("UTF-16", GOLD.decode().encode("utf-16"), SourceError, "pred", "UTF-16", "iconv -f UTF-16"),
    Fault("cut gzip", gzip.compress(GOLD)[:-9], SourceError, "pred", "damaged or cut short", "gzip -t pred"),
    Fault("empty", b"", SourceError, "pred", "holds no documents", "Check that it is"),
    Fault("blank lines only", b"\n \n\n", SourceError, "pred", "holds no documents", "Check that it is"),
    Fault("absent", None, SourceError, "pred", "no such file", "No file in . has a similar name"),
    # Python arguments.
    Fault(
        "other number of documents",
        [["O"]],
        MismatchError,
        "prediction[1]",
        "2 documents, the prediction 1",
        "one predicted list for each",
        [["O"], ["O"]],
    ),
    Fault(
        "other number of tags",
        [["O"]],
        MismatchError,
        "prediction[0]",
        "2 reference tags",
        "one predicted",
        [["O"] * 2],
    ),
    Fault("unknown prefix in a list", [["X-P"]], TagError, "prediction[0][0]", "'X-P'", "Correct the tag", [["B-P"]]),
    Fault(
        "end = start in a list",
        [[(1, 1, "P")]],
        DataError,
        "prediction[0][0]",
        "[1, 1)",
        HALF_OPEN,
        [[(0, 1, "P")]],
    ),
    Fault("a flat list", ["B-P", "O"], UsageError, None, "is a flat list", "wrap it in a list", [["B-P", "O"]]),
    Fault("tags and spans", [[(0, 1, "P")]], UsageError, None, "is a list of span lists", "one kind", [["B-P"]]),
    Fault("a path and a list", [["O"]], UsageError, None, "A path cannot be compared", "two paths or two lists"),
    Fault(
        "two formats",
        ROWS.replace(b"ran", b"sat"),
        MismatchError,
        "pred:1",
        "differ from code point 4",
        "predict on",
    ),
]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def argument(name: str, content: Any) -> Any:
    if content is None:
        return name
    if isinstance(content, bytes):
        Path(name).write_bytes(content)
        return name
    return content


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_refused_with_its_place_and_what_to_do(fault: Fault) -> None:
    with pytest.raises(IsoglossError) as raised:
        ner(argument("gold", fault.reference), argument("pred", fault.prediction), **fault.options)
    error = raised.value
    assert type(error) is fault.kind
    assert getattr(error, "where", None) == fault.where
    assert fault.says in str(error)
    assert fault.remedy in (error.remedy if isinstance(error, DataError) else str(error))


FILES = [fault for fault in FAULTS if isinstance(fault.prediction, bytes | None)]


@pytest.mark.parametrize("fault", FILES, ids=lambda fault: fault.name)
def test_the_command_says_it_on_standard_error_and_leaves_with_the_code_of_the_error(
    fault: Fault,
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = [f"--{name.replace('_', '-')}={value}" for name, value in fault.options.items()]
    arguments = argument("gold", fault.reference), argument("pred", fault.prediction)
    assert run(["ner", *arguments, *options]) == fault.kind.exit_code
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"isogloss: {fault.where}: " if fault.where else "isogloss: ")
    assert fault.says in err
    assert fault.remedy in err
    assert "Traceback" not in err


PLAIN = [fault for fault in FILES if fault.name not in ("absent", "cut gzip")]


@pytest.mark.parametrize("fault", PLAIN, ids=lambda fault: fault.name)
def test_the_same_faults_are_found_in_a_compressed_file(fault: Fault) -> None:
    reference = argument("gold", fault.reference)
    with pytest.raises(IsoglossError) as raised:
        ner(reference, argument("pred", gzip.compress(fault.prediction)), **fault.options)
    assert (type(raised.value), getattr(raised.value, "where", None)) == (fault.kind, fault.where)


@pytest.mark.parametrize("side", ["reference", "prediction"])
def test_a_folder_without_files_is_refused(side: str) -> None:
    Path("gold").write_bytes(GOLD)
    Path("folder").mkdir()
    sides: dict[str, Any] = {"reference": "gold", "prediction": "gold"} | {side: "folder"}
    with pytest.raises(SourceError, match=r"^folder: the folder holds no files\nCheck that it is the right folder"):
        ner(**sides)


def test_a_file_without_permission_is_refused_with_the_command_that_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: Any, **__: Any) -> None:  # root may read everything, so a mode would not do
        raise PermissionError(13, "Permission denied")

    Path("gold").write_bytes(GOLD)
    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(SourceError, match=re.escape("gold: no permission to read it\nAllow it: chmod u+r gold")):
        ner("gold", "gold")


def test_a_misspelt_name_is_answered_with_the_files_that_there_are() -> None:
    Path("gold.conll").write_bytes(GOLD)
    with pytest.raises(SourceError, match=r"^glod\.conll: no such file\nDid you mean gold.conll"):
        ner("gold.conll", "glod.conll")


def test_the_first_difference_is_shown_on_both_sides() -> None:
    Path("gold").write_bytes(GOLD)
    Path("pred").write_bytes(GOLD.replace(b"ran", b"sat"))
    with pytest.raises(MismatchError) as raised:
        ner("gold", "pred")
    shown = [line.split() for line in raised.value.detail.splitlines()]
    assert [">", "2", "ran", "O"] in shown
    assert [">", "2", "sat", "O"] in shown


def test_half_a_surrogate_pair_in_a_cell_is_located(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text('id,text,words\n1,de,"[""d"",""e""]"\n2,ab,"[""a\\ud800b""]"\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"f\.csv:3: a cell holds half a surrogate pair"):
        segmentation(path, path)
