"""Score damaged files, and report tracebacks, silent losses and slow inputs.

    python tools/fuzz.py --mutants 10000 --seed 7 --format code-switching-csv

Each format has small files of its own. A mutant is one of them with up to three damages: bytes changed, lines removed,
brackets put in, numbers replaced, the end cut off. It must be scored, or refused with an error of isogloss.

For plain formats a naive reader of a few lines says what a file holds. If isogloss scores other counts than the naive
reader finds, or scores what the naive reader cannot read, this is a silent loss. A naive reader answers None for what
it does not judge. The exit code is 1 if there is a traceback, a silent loss or a slow input; each is shown with its
first mutants, which are kept in the folder that --keep names.

With --results, a line of JSON for each format is added to a file; --page writes them as the table of a page.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import random
import re
import signal
import sys
import tempfile
import traceback
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import isogloss
from isogloss.cli.app import BUG_EXIT_CODE
from isogloss.cli.app import run as run_command
from isogloss.errors import IsoglossError

SLOW_SECONDS = 5.0  # processor time of one mutant
Counts = tuple[int, ...]
Score = Callable[[Path], Counts | None]  # None if nothing is compared
Naive = Callable[[bytes], Counts | None]  # raises ValueError for what must be refused


class SlowInputError(BaseException):
    """A mutant takes too long; no handler of errors may catch it."""


class CommandCrashError(Exception):
    """A command ended with the exit code of a bug."""


class CommandRefusalError(IsoglossError):
    """A command refused its input."""


@dataclass(frozen=True)
class Target:
    """A format or command that is fed with mutants.

    Args:
        name: its name, for `--format`.
        seeds: small sound files.
        file: name of the file that is damaged.
        score: scores a file, and returns counts to compare.
        naive: returns the same counts; None without a naive reader.
    """

    name: str
    seeds: Sequence[bytes]
    file: str
    score: Score
    naive: Naive | None = None


@dataclass
class Report:
    """What happened to the mutants of a target.

    Args:
        name: name of the target.
        outcomes: number of mutants by outcome.
        faults: outcome, what happened, and the mutant; only the first of each kind.
    """

    name: str
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, str, bytes]] = field(default_factory=list)

    def add_fault(self, outcome: str, what: str, mutant: bytes) -> None:
        """Keep a fault, unless one like it is known."""
        if (outcome, what) not in [(known, told) for known, told, _ in self.faults]:
            self.faults.append((outcome, what, mutant))


# --- Mutations

TOKENS = [
    b"[",
    b"]",
    b"{",
    b"}",
    b'"',
    b"[[",
    b"\\",
    b",",
    b";",
    b":",
    b"|",
    b"\t",
    b"\n",
    b"\r\n",
    b"\r",
    b" ",
    b"\n\n",
]
TOKENS += [
    "\ufeff".encode(),
    b"\0",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\\ud800",
    b"\x0b",
    "\u2028\u0301".encode(),
    b"#",
]
TOKENS += [
    b"null",
    b"NaN",
    b"1e999",
    b"-1",
    b"0",
    b"99999999999999999999999",
    b"1-2",
    b"1.1",
    b"true",
    b"B-",
    b"O",
    b"<",
    b">",
]
NUMBER = re.compile(rb"-?\d+")
NUMBERS = [b"-1", b"0", b"1", b"2", b"7", b"1e999", b"99999999999999999999", b"0.5", b"1e3", b"01", b"2-3"]


def make_mutant(seed: bytes, chance: random.Random) -> bytes:
    """Return a file with one to three damages."""
    data = seed
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        data = chance.choice(MUTATIONS)(data, chance)
    return data


def _change_byte(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) or 1)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _insert_token(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.choice(TOKENS) + data[at:]


def _insert_at_begin(data: bytes, chance: random.Random) -> bytes:
    return chance.choice(TOKENS) * chance.randint(1, 3) + data


def _remove_part(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[at + chance.randint(1, 12) :]


def _repeat_part(data: bytes, chance: random.Random) -> bytes:
    at, size = chance.randrange(len(data) + 1), chance.randint(1, 20)
    return data[:at] + data[at : at + size] * chance.choice((2, 3, 40)) + data[at + size :]


def _cut_end(data: bytes, chance: random.Random) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _replace_number(data: bytes, chance: random.Random) -> bytes:
    places = list(NUMBER.finditer(data))
    if not places:
        return data
    place = chance.choice(places)
    return data[: place.start()] + chance.choice(NUMBERS) + data[place.end() :]


def _change_lines(data: bytes, chance: random.Random) -> bytes:
    lines = data.split(b"\n")
    one, other = chance.randrange(len(lines)), chance.randrange(len(lines))
    kind = chance.randrange(4)
    if kind == 0:
        del lines[one]
    elif kind == 1:
        lines.insert(other, lines[one])
    elif kind == 2:  # noqa: PLR2004  the third kind
        lines[one], lines[other] = lines[other], lines[one]
    else:
        lines.insert(one, chance.choice((b"", b" ", b"\t", b",,", b"#")))
    return b"\n".join(lines)


def _change_quote(data: bytes, chance: random.Random) -> bytes:
    places = [at for at, byte in enumerate(data) if byte in b"\"'[]{}|,:\t"]
    if not places:
        return data
    at = chance.choice(places)
    return data[:at] + chance.choice((b"", *TOKENS[:12])) + data[at + 1 :]


MUTATIONS = (
    *(_change_byte, _insert_token, _insert_at_begin, _remove_part, _repeat_part),
    *(_cut_end, _replace_number, _change_lines, _change_quote),
)


# --- Naive readers: each returns counts, None for what it does not judge; ValueError for what must be refused


def _decode(data: bytes) -> str:
    text = data.removeprefix(b"\xef\xbb\xbf").decode()
    if "\0" in text:
        raise ValueError("a NUL")
    return text


def _split_lines(data: bytes) -> list[str]:
    return [line.removesuffix("\r") for line in _decode(data).split("\n")]


def read_json_rows(data: bytes) -> list[Any]:
    """Read JSON lines, or an array of objects, with the json module alone."""
    text = _decode(data)
    rows = (
        json.loads(text)
        if text.lstrip(" \t\r\n").startswith("[")
        else [json.loads(line) for line in text.split("\n") if line.strip()]
    )
    if not all(isinstance(row, dict) for row in rows):
        raise ValueError("not an object")
    return rows


def count_json_rows(data: bytes) -> Counts:
    """Count the rows of JSON lines."""
    return (len(read_json_rows(data)),)


def count_json_spans(data: bytes) -> Counts | None:
    """Count the rows and spans of JSON lines; a span given twice is not judged."""
    rows = read_json_rows(data)
    if any(not isinstance(row.get("entities"), list) for row in rows):
        return None
    spans = [[json.dumps(span) for span in row["entities"]] for row in rows]
    return len(rows), sum(map(len, spans))


def count_results(data: bytes) -> Counts | None:
    """Count the texts and items of results, which are lists in any layout; items given twice are not judged."""
    text, values, at = _decode(data), [], 0
    while (at := at + len(text[at:]) - len(text[at:].lstrip())) < len(text):  # a line of whitespace is blank
        value, at = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode(text, at)
        values.append(value)
    if len(values) == 1 and isinstance(values[0], list) and not any(isinstance(each, dict) for each in values[0]):
        values = values[0]
    if not all(isinstance(value, list) and all(isinstance(item, dict) for item in value) for value in values):
        return None
    items = [[json.dumps(item) for item in value] for value in values]
    return len(items), sum(map(len, items))


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def count_conll(data: bytes) -> Counts | None:
    """Count sentences and tokens of columns between tabs."""
    sentences, tokens, before = 0, 0, False
    for line in _split_lines(data):
        if line.startswith(("#", "-DOCSTART-")) or "\u2028" in line or "\x0b" in line:
            return None
        is_token = bool(line.strip())
        sentences += is_token and not before
        tokens += is_token
        before = is_token
    return sentences, tokens


def count_sentences(data: bytes) -> Counts | None:
    """Count sentences of columns between tabs."""
    counts = count_conll(data)
    return counts and counts[:1]


def count_pipes(data: bytes) -> Counts | None:
    """Count samples and words of lines with `|` between words."""
    lines = _split_lines(data)
    lines = lines[:-1] if data[-1:] in {b"", b"\n"} else lines
    if any(re.search(r"[^\S ]", line) or "|" not in line for line in lines):
        return None
    return len(lines), sum(bool(word.strip()) for line in lines for word in line.split("|"))


def count_csv_rows(data: bytes) -> Counts | None:
    """Count the rows below the header of a table."""
    text = _decode(data)
    if "\r" in text.replace("\r\n", ""):
        return None
    lines = iter(io.StringIO(text, newline="\n"))
    try:
        rows = [row for row in csv.reader(lines, strict=True) if any(cell.strip() for cell in row)]
    except csv.Error as error:
        raise ValueError(error) from error
    if not rows or "," not in text.lstrip().split("\n")[0] or "text" not in rows[0]:
        return None
    return (len(rows) - 1,)


def count_texts(data: bytes) -> Counts | None:
    """Count the lines that are not blank; what looks like JSON or a table is not judged."""
    lines = [line for line in _split_lines(data) if line and not line.isspace()]
    return None if any(line.lstrip()[:1] in '[{"\ufeff' or "," in line for line in lines) else (len(lines),)


# --- Seeds


def _write_lines(*rows: Any) -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


SPAN = {"start": 0, "end": 3, "label": "PER"}
TEXT = "Ada met Bob in Åbo 😀"
ENTITIES = {
    "transformers": {"entity_group": "PER", "score": 0.9, "word": "Ada", "start": 0, "end": 3},
    "presidio": {"entity_type": "PER", "start": 0, "end": 3, "score": 0.85, "analysis_explanation": None},
    "stanza": {"text": "Ada", "type": "PER", "start_char": 0, "end_char": 3},
    "flair": {"text": "Ada", "start_pos": 0, "end_pos": 3, "labels": [{"value": "PER", "confidence": 0.9}]},
    "comprehend": {"BeginOffset": 0, "EndOffset": 3, "Score": 0.9, "Text": "Ada", "Type": "PERSON"},
    "azure": {"text": "Ada", "category": "Person", "offset": 0, "length": 3, "confidenceScore": 0.9},
    "google-nl": {"name": "Ada", "type": "PERSON", "mentions": [{"text": {"content": "Ada", "beginOffset": 0}}]},
}
TOKENS_OF_PIPELINE = [
    {"entity": tag, "score": 0.9, "index": number, "word": "Ada", "start": 4 * number, "end": 4 * number + 3}
    for number, tag in enumerate(("B-PER", "I-PER", "B-LOC"))
]
TOKENS_OF_STANZA = [
    [
        {"id": 1, "text": "Ada", "ner": "S-PERSON", "start_char": 0, "end_char": 3},
        {"id": 2, "text": "met", "ner": "O", "start_char": 4, "end_char": 7},
    ]
] * 2
PARAGRAPH = {
    "raw": "Ada met",
    "sentences": [{"tokens": [{"orth": "Ada", "ner": "U-PER"}, {"orth": "met", "ner": "O"}]}],
}
REGION = {
    "from_name": "l",
    "to_name": "text",
    "type": "labels",
    "value": {"start": 0, "end": 3, "text": "Ada", "labels": ["PER"]},
}
CONLLU_WORD = "{}\t{}\t_\tX\t_\t_\t0\t_\t_\t{}\n"
CONLLU = (
    "# text = Ada au lac\n"
    + CONLLU_WORD.format("1", "Ada", "NER=B-PER")
    + CONLLU_WORD.format("2-3", "au", "SpaceAfter=No")
    + CONLLU_WORD.format("2", "à", "NER=O")
    + CONLLU_WORD.format("3", "le", "NER=O")
    + CONLLU_WORD.format("4", "lac", "NER=B-LOC")
    + "\n"
    + CONLLU_WORD.format("1", "Bob", "NER=B-PER")
    + "\n"
).encode()
NER: dict[str, tuple[str, list[bytes], Naive | None]] = {
    "conll": ("a.conll", [b"Ada\tB-PER\nmet\tO\nBob\tB-PER\n\nin\tO\nOslo\tB-LOC\n\n" * 2], count_conll),
    "conllu": ("a.conllu", [CONLLU], None),
    "jsonl": (
        "a.jsonl",
        [
            _write_lines(
                *(
                    {"id": f"{n}", "n": 1.5, "text": TEXT, "entities": [SPAN, {**SPAN, "start": 8, "end": 11}]}
                    for n in range(3)
                )
            )
        ],
        count_json_spans,
    ),
    "jsonl-tags": (
        "a.jsonl",
        [
            _write_lines(
                *(
                    {"n": 1.5, "tokens": [{"start": 0, "end": 3}, {"start": 4, "end": 7}], "tags": ["B-PER", "O"]}
                    for _ in range(3)
                )
            )
        ],
        count_json_rows,
    ),
    "spacy": (
        "a.jsonl",
        [
            _write_lines(
                *(
                    {"n": 1.5, "text": TEXT, "ents": [SPAN], "tokens": [{"id": 0, "start": 0, "end": 3}]}
                    for _ in range(3)
                )
            )
        ],
        None,
    ),
    "prodigy": (
        "a.jsonl",
        [
            _write_lines(
                *(
                    {"n": 1.5, "text": TEXT, "spans": [SPAN], "answer": "accept", "_input_hash": n, "_task_hash": n}
                    for n in range(3)
                )
            )
        ],
        None,
    ),
    "doccano": (
        "a.jsonl",
        [_write_lines(*({"id": n, "n": 1.5, "text": TEXT, "label": [[0, 3, "PER"]]} for n in range(3)))],
        None,
    ),
    "argilla": (
        "a.json",
        [
            _write_lines(
                *(
                    {
                        "id": f"{n}",
                        "fields": {"text": TEXT},
                        "responses": {"spans": [{"value": [SPAN], "user_id": "u"}]},
                        "suggestions": {"spans": {"value": [SPAN]}},
                        "metadata": {"n": 1},
                    }
                    for n in range(3)
                )
            ),
            json.dumps(
                [
                    {
                        "text": "Ada",
                        "q.responses": [[SPAN]],
                        "q.responses.status": ["submitted"],
                        "score": 0.5,
                        "q.suggestion": [SPAN],
                    }
                ]
                * 2
            ).encode(),
            json.dumps(
                [
                    {
                        "text": "Ada",
                        "tokens": ["Ada"],
                        "score": 1.5,
                        "prediction": [["PER", 0, 3]],
                        "annotation": [SPAN],
                        "status": "Default",
                    }
                ]
                * 2
            ).encode(),
        ],
        None,
    ),
    "label-studio": (
        "a.json",
        [
            json.dumps(
                [
                    {
                        "id": n,
                        "data": {"text": "Ada", "n": 2},
                        "annotations": [{"id": 1, "result": [REGION]}],
                        "predictions": [{"result": []}],
                    }
                    for n in range(2)
                ]
            ).encode(),
            json.dumps(
                [
                    {
                        "id": 2,
                        "text": "Ada",
                        "l": [REGION["value"]],
                        "annotator": 1,
                        "annotation_id": 1,
                        "lead_time": 1.5,
                        "updated_at": "2026",
                    }
                ]
            ).encode(),
            json.dumps({"id": 1, "data": {"text": "Ada"}, "annotations": [{"result": [REGION]}]}, indent=2).encode(),
            _write_lines(
                *({"id": n, "result": [REGION], "task": {"id": n, "data": {"text": "Ada"}}} for n in range(2))
            ),
        ],
        None,
    ),
    "spacy-training": (
        "a.json",
        [json.dumps([{"id": n, "paragraphs": [PARAGRAPH] * 2} for n in range(2)], indent=1).encode()],
        None,
    ),
    "transformers-tokens": (
        "a.json",
        [_write_lines(*[TOKENS_OF_PIPELINE] * 3), json.dumps([TOKENS_OF_PIPELINE] * 2, indent=1).encode()],
        None,
    ),
    "stanza-tokens": (
        "a.json",
        [_write_lines(*[TOKENS_OF_STANZA] * 3), json.dumps([TOKENS_OF_STANZA] * 2, indent=1).encode()],
        None,
    ),
    "gliner": (
        "a.json",
        [json.dumps([{"n": 1.5, "tokenized_text": ["Ada", "met"], "ner": [[0, 0, "PER"]]}] * 2).encode()],
        None,
    ),
    "token-tags": (
        "a.jsonl",
        [_write_lines(*({"n": 1.5, "tokens": ["Ada", "met"], "ner_tags": ["B-PER", "O"]} for _ in range(3)))],
        count_json_rows,
    ),
    "mentions": (
        "a.jsonl",
        [_write_lines(*({"n": 1.5, "text": TEXT, "mentions": [{"text": "Ada", "label": "PER"}]} for _ in range(3)))],
        None,
    ),
    "pubtator": (
        "a.pubtator",
        [b"1|t|Ada met\n1|a|Bob ran\n1\t0\t3\tAda\tPER\n1\t8\t11\tBob\tPER\n\n2|t|Ada\n2\t0\t3\tAda\tPER\n\n"],
        None,
    ),
}
SEGMENTATION: dict[str, tuple[str, list[bytes], Naive | None]] = {
    "pipes": ("a.txt", ["ผม|ไป|โรงเรียน\nเขา|มา\nab|c d|e\n".encode()], count_pipes),
    "conllu": ("a.conllu", [CONLLU], None),
    "columns": ("a.lst20", ["ผม\tPR\nไป\tVV\n_\tPU\n\nเขา\tPR\nมา\tVV\n\n".encode()], None),
    "jsonl": (
        "a.jsonl",
        [
            _write_lines(
                {"text": "ab c", "tokens": ["ab", "c"]},
                {"tokens": ["x"], "spaces": [False]},
                {"text": "ab", "tokens": [{"start": 0, "end": 2}]},
            )
        ],
        count_json_rows,
    ),
    "csv": ("a.csv", [b'id,text,words\n1,ab c,"[""ab"", ""c""]"\n2,de,d|e\n'], count_csv_rows),
}
LABELLED = [{"id": f"{n}", "gold": "pos" if n % 2 else "neg", "scores": {"pos": 0.9, "neg": 0.1 * n}} for n in range(4)]
CLASSIFICATION: dict[str, tuple[str, list[bytes], Naive | None]] = {
    "labels": ("a.txt", [b"pos\nneg\nneg\npos\n"], count_texts),
    "jsonl": (
        "a.txt",
        [_write_lines(*LABELLED), _write_lines(*({"id": n, "label": "pos"} for n in range(4)))],
        count_json_rows,
    ),
    "jsonl-one-line": ("a.txt", [_write_lines(LABELLED[0]), json.dumps(LABELLED).encode()], count_json_rows),
    "csv": ("a.csv", [b'id,text,label\n1,"a, b",pos\n2,"c\nd",neg\n3,e,pos\n'], count_csv_rows),
}
TEXTS = [{"id": f"{n}", "text": text} for n, text in enumerate(("Це слово coffee.", "Тут I was.", "Так, 5 км."))]
CODE_SWITCHING: dict[str, tuple[str, list[bytes], Naive | None]] = {
    "lines": (
        "a.txt",
        ["Це слово coffee.\nТут I was. Ще http://x.org/a\n\nТак «the end» 5 km.\n".encode()],
        count_texts,
    ),
    "jsonl": (
        "a.txt",
        [
            _write_lines(*TEXTS),
            _write_lines(*({"text": row["text"], "tokens": [{"start": 0, "end": 2}], "n": 1.5} for row in TEXTS)),
        ],
        count_json_rows,
    ),
    "jsonl-one-line": ("a.txt", [_write_lines(TEXTS[0]), json.dumps(TEXTS).encode()], count_json_rows),
    "csv": (
        "a.csv",
        ['id,text\n1,Це слово coffee.\n2,"Тут, I was.\nТак"\n3,"Це ""the"" end"\n'.encode()],
        count_csv_rows,
    ),
}
CODE_MIXING: dict[str, tuple[str, list[bytes], Naive | None]] = {
    "columns": ("a.conll", [b"I\ten\nwant\ten\ntacos\tes\n\nhola\tes\nMaria\tne\n\n" * 2], count_sentences),
    "jsonl": (
        "a.jsonl",
        [_write_lines(*({"tokens": ["I", "tacos", "!"], "languages": ["en", "es", "other"]} for _ in range(3)))],
        count_json_rows,
    ),
}
ANSWERS = [
    answer.encode()
    for answer in (
        'Sure!\n```json\n[{"text": "Ada", "label": "PER"}, {"text": "Åbo", "label": "LOC"}]\n```\n',
        '{"entities": [{"start": 0, "end": 3, "label": "PER"}]}',
        "- **Ada** (PER): a name\n- Bob -> PER\n- Åbo: LOC\n",
        "PER: Ada, Bob; LOC: Åbo",
        "<PER>Ada</PER> met [Bob](PER) in [Åbo]{LOC} 😀",
        "| Entity | Type |\n|---|---|\n| Ada | PER |\n",
        "[Entity(text='Ada', label='PER')]",
        '{"choices": [{"message": {"role": "assistant", "content": "[[\\"Ada\\", \\"PER\\"]]"}}]}',
    )
]
INSTANCES = [
    {
        "id": f"{n}",
        "source": "Duna",
        "targets": [{"mention": "Duna", "translation": "x"}],
        "entity_types": ["Book"],
        "target_locale": "it",
    }
    for n in range(3)
]
TRANSLATIONS: dict[str, tuple[str, list[bytes], Naive | None]] = {
    "jsonl": ("a.jsonl", [_write_lines(*INSTANCES)], None),
    "csv": (
        "a.csv",
        [
            b"id,source,targets,entity_types\n"  # noqa: ISC004  one file
            b'0,Duna,"[{""mention"": ""Duna""}]",Book\n1,Duna,"[{""mention"": ""x""}]",Book\n'
        ],
        None,
    ),
}
PREDICTED = _write_lines(*({"id": f"{n}", "prediction": "Duna x"} for n in range(3)))


# --- Scoring


def _score_ner(path: Path) -> Counts:
    run = isogloss.ner(path, path, findings=True)
    return run.documents, int(run.scores["tokens"].total if "tokens" in run.scores else run.scores["strict"].possible)


def _score_ner_documents(path: Path) -> Counts:
    return (isogloss.ner(path, path, findings=True).documents,)


def _score_results(path: Path) -> Counts:
    """Return the documents, and the items that are scored or counted as not usable; both sides are the same file."""
    run = isogloss.ner(path, path, findings=True)
    unusable = sum(each.count for each in run.warnings if each.code == "unusable-items")
    return run.documents, int(run.scores["strict"].possible) + unusable // 2


def _score_quoted_results(path: Path) -> None:
    """Score results in the texts of another file, as a prediction and as a reference."""
    texts = path.with_name("texts.jsonl")
    texts.write_bytes(_write_lines(*({"text": TEXT, "entities": [SPAN]} for _ in range(3))))
    isogloss.ner(texts, path, findings=True)
    isogloss.ner(path, texts, findings=True)


def _score_segmentation(path: Path) -> Counts:
    run = isogloss.segmentation(path, path, findings=True)
    return run.documents, int(run.scores["word"].reference)


def _score_segmentation_documents(path: Path) -> Counts:
    return _score_segmentation(path)[:1]


def _score_classification(path: Path) -> Counts:
    one_side = path.suffix == ".csv" or b"scores" not in path.read_bytes()[:200]
    run = (
        isogloss.classification(path, path, findings=True) if one_side else isogloss.classification(path, findings=True)
    )
    return (run.documents,)


def _score_code_switching(path: Path) -> Counts:
    return (isogloss.code_switching(path, language="uk", findings=True).documents,)


def _score_code_mixing(path: Path) -> Counts:
    run = isogloss.code_mixing(path, findings=True)
    return (run.documents,)


def _score_answer(path: Path) -> None:
    """Score the file as the answer of a model, which must never be refused."""
    texts, answers = path.with_name("texts.jsonl"), path.with_name("answers.jsonl")
    texts.write_bytes(_write_lines({"text": TEXT, "entities": [SPAN]}))
    answers.write_bytes(_write_lines({"answer": path.read_bytes().decode(errors="replace")}))
    try:
        isogloss.ner(texts, answers, answers="answer", findings=True)
    except IsoglossError as error:
        raise ValueError("an answer is refused") from error


def _score_translations(path: Path) -> None:
    predicted = path.with_name("predicted.jsonl")
    predicted.write_bytes(PREDICTED)
    isogloss.entity_translation(path, predicted, findings=True)


def _make_command(*words: str) -> Score:
    """Return a function that runs a command on a file, and fails if the command ends with a traceback."""

    def run(path: Path) -> None:
        given = [str(path) if word == "FILE" else word for word in (*words, "-o", os.devnull)]
        output = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(output):
            code = run_command(given)
        if code == BUG_EXIT_CODE:
            raise CommandCrashError(output.getvalue())
        if code not in (0, 1):
            raise CommandRefusalError(output.getvalue())

    return run


def list_targets() -> Iterator[Target]:
    """Yield all formats and commands that can be fed."""
    for name, (file, seeds, naive) in NER.items():
        score = _score_ner_documents if naive is count_json_rows else _score_ner
        yield Target(f"ner-{name}", seeds, file, score, naive)
        if b'"n"' in seeds[0]:
            yield Target(f"ner-{name}-by", seeds[:1], file, lambda path: void(isogloss.ner(path, path, by=["n"])))
    for name, item in ENTITIES.items():
        yield from _list_result_targets(name, item)
    yield from _list_task_targets()
    yield Target("ner-answers", ANSWERS, "a.txt", _score_answer)
    yield from _list_binary_targets()
    yield from _list_folder_targets()
    yield Target("label-rules", LABEL_RULES, "labels.toml", _score_with_rules)
    conll, jsonl = NER["conll"][1], NER["jsonl"][1]
    yield Target("tags-validate", conll, "a.conll", _make_command("tags", "validate", "FILE"))
    yield Target("tags-repair", conll, "a.conll", _make_command("tags", "repair", "FILE"))
    yield Target("convert", jsonl, "a.jsonl", _make_command("convert", "FILE", "--to", "conll"))
    yield Target("lint", jsonl, "a.jsonl", _make_command("lint", "ner", "FILE"))


def _list_task_targets() -> Iterator[Target]:
    """Yield the formats of the tasks that are not named entities."""
    for name, (file, seeds, naive) in SEGMENTATION.items():
        count = _score_segmentation_documents if naive in (count_json_rows, count_csv_rows) else _score_segmentation
        yield Target(f"segmentation-{name}", seeds, file, count, naive)
    for name, (file, seeds, naive) in CLASSIFICATION.items():
        yield Target(f"classification-{name}", seeds, file, _score_classification, naive)
    scores = (
        ("code-switching", CODE_SWITCHING, _score_code_switching),
        ("code-mixing", CODE_MIXING, _score_code_mixing),
    )
    for task, formats, score in scores:
        for name, (file, seeds, naive) in formats.items():
            yield Target(f"{task}-{name}", seeds, file, score, naive)
    for name, (file, seeds, naive) in TRANSLATIONS.items():
        yield Target(f"entity-translation-{name}", seeds, file, _score_translations, naive)


def _list_result_targets(name: str, item: dict[str, Any]) -> Iterator[Target]:
    """Yield the targets of a recogniser: lists of its items, and objects with these lists and their texts."""
    results = [[item, json.loads(json.dumps(item).replace("0,", "8,").replace("3", "11"))], [], [item]]
    lists = [_write_lines(*results), json.dumps(results).encode(), json.dumps(results, indent=2).encode()]
    key = "Entities" if name == "comprehend" else "entities"
    rows = [{"id": f"{n}", "text": TEXT, key: found[:1]} for n, found in enumerate(results)]
    objects = [_write_lines(*rows), json.dumps(rows, indent=2).encode(), "\n".join(map(json.dumps, rows)).encode()]
    if name in {"azure", "google-nl"}:  # what their offsets count is known with the text only
        yield Target(f"ner-{name}", [_write_lines(*(found[:1] for found in results))], "a.json", _score_quoted_results)
    else:
        yield Target(f"ner-{name}", lists, "a.json", _score_results, count_results)
        yield Target(
            f"ner-{name}-texts", [_write_lines(*(found[:1] for found in results))], "a.json", _score_quoted_results
        )
    yield Target(f"ner-{name}-objects", objects, "a.json", lambda path: void(_score_ner(path)))
    yield Target(f"convert-{name}", objects, "a.json", _make_command("convert", "FILE", "--to", "jsonl"))


def void(result: object) -> None:
    """Drop a result that is not compared."""
    del result


def _list_binary_targets() -> Iterator[Target]:
    """Yield the formats that need pyarrow; none if it is missing."""
    try:
        import pyarrow as pa  # noqa: PLC0415
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError:
        return
    tables: dict[str, tuple[list[dict[str, Any]], Score]] = {
        "ner": ([{"tokens": ["Ada", "met"], "ner_tags": ["B-PER", "O"]}] * 3, lambda path: void(_score_ner(path))),
        "code-switching": ([row | {"n": "x"} for row in TEXTS], lambda path: void(_score_code_switching(path))),
        "code-switching-lists": (
            [row | {"tokens": [{"start": 0, "end": 2, "note": "ab"}]} for row in TEXTS],
            lambda path: void(_score_code_switching(path)),
        ),
        "classification": (
            [{"id": "1", "label": "pos"}, {"id": "2", "label": "neg"}],
            lambda path: void(isogloss.classification(path, path)),
        ),
    }
    for name, (rows, score) in tables.items():
        table = pa.Table.from_pylist(rows)
        plain, arrow = io.BytesIO(), io.BytesIO()
        parquet.write_table(table, plain, compression="none", use_dictionary=False)
        with pa.ipc.new_file(arrow, table.schema) as writer:
            writer.write_table(table)
        yield Target(f"{name}-parquet", [plain.getvalue()], "a.parquet", score)
        yield Target(f"{name}-arrow", [arrow.getvalue()], "a.arrow", score)


BRAT = b"T1\tPER 0 3\tAda\nT2\tPER 8 11\tBob\nA1\tSure T1\nR1\tKnows Arg1:T1 Arg2:T2\n#1\tAnnotatorNotes T1\ta note\n"
LABEL_RULES = [
    b'drop = ["DATE"]\ndefault = "keep"\n[rename]\nPERSON = "PER"\n[merge]\nLOC = ["GPE", "FAC"]\n',
    b'[parents]\nPER = "ANY"\nLOC = "ANY"\n[reference]\ndrop = ["DATE"]\n[prediction.rename]\nX = "PER"\n',
]


def _list_folder_targets() -> Iterator[Target]:
    """Yield the formats that are folders, and shards; those whose libraries are missing are left out."""
    yield Target("ner-brat", [BRAT], "folder/a.ann", _score_brat)
    yield Target("ner-shards", NER["conll"][1], "folder/a-1.conll", _score_shards, count_conll_shards)
    yield Target("ner-jsonl-shards", NER["jsonl"][1], "folder/a-1.jsonl", lambda path: void(_score_ner(path.parent)))
    with contextlib.suppress(ImportError):
        import spacy  # noqa: PLC0415

        doc = spacy.blank("en")("Ada met Bob")
        doc.ents = [doc.char_span(0, 3, "PER")]
        packed = spacy.tokens.DocBin(docs=[doc, doc]).to_bytes()
        unpacked = zlib.decompress(packed)  # damages of packed bytes are noticed by zlib
        yield Target("ner-docbin", [packed], "a.spacy", lambda path: void(_score_ner(path)))
        yield Target("ner-docbin-unpacked", [unpacked], "a.spacy", _score_packed)
    with contextlib.suppress(ImportError):
        import pyarrow as pa  # noqa: PLC0415

        table, stream = pa.Table.from_pylist([{"tokens": ["Ada", "met"], "ner_tags": ["B-PER", "O"]}] * 3), io.BytesIO()
        with pa.ipc.new_stream(stream, table.schema) as writer:
            writer.write_table(table)
        state = json.dumps({"_data_files": [{"filename": "data.arrow"}], "_fingerprint": "x", "_split": None}).encode()
        for name, seed in (("state.json", state), ("data.arrow", stream.getvalue())):
            score = partial(_score_saved_dataset, {"state.json": state, "data.arrow": stream.getvalue()})
            yield Target(f"ner-datasets-{Path(name).stem}", [seed], f"folder/{name}", score)


def _score_brat(path: Path) -> None:
    path.with_suffix(".txt").write_text(TEXT, encoding="utf-8")
    void(_score_ner(path.parent))


def _score_shards(path: Path) -> Counts:
    path.with_name("a-2.conll").write_bytes(NER["conll"][1][0])
    return _score_ner(path.parent)


def count_conll_shards(data: bytes) -> Counts | None:
    """Count sentences and tokens of a damaged and of a sound shard."""
    counts = [count_conll(each) for each in (data, NER["conll"][1][0])]
    return None if None in counts else tuple(sum(pair) for pair in zip(*filter(None, counts), strict=True))


def _score_packed(path: Path) -> None:
    path.write_bytes(zlib.compress(path.read_bytes()))
    void(_score_ner(path))


def _score_saved_dataset(files: dict[str, bytes], path: Path) -> None:
    for name, content in (files | {"dataset_info.json": b"{}"}).items():
        if name != path.name:
            path.with_name(name).write_bytes(content)
    void(_score_ner(path.parent))


def _score_with_rules(path: Path) -> None:
    gold = [[(0, 1, "PER"), (2, 3, "GPE")], [(0, 1, "DATE")]]
    system = [[(0, 1, "PERSON"), (2, 3, "LOC")], [(0, 1, "X")]]
    void(isogloss.ner(gold, system, labels=path, findings=True).to_json())


# --- Running


def fuzz(target: Target, mutants: int, seed: int, folder: Path, slow_seconds: float = SLOW_SECONDS) -> Report:
    """Feed a target with mutants.

    Args:
        target: the format or command.
        mutants: number of mutants.
        seed: seed of the mutations; the same gives the same mutants.
        folder: folder for the files.
        slow_seconds: processor time from which a mutant is slow.
    """
    chance, report = random.Random(f"{target.name} {seed}"), Report(target.name)  # noqa: S311  no secret
    for _ in range(mutants):
        _feed(target, make_mutant(chance.choice(target.seeds), chance), folder / target.file, slow_seconds, report)
    return report


def _feed(target: Target, mutant: bytes, path: Path, slow_seconds: float, report: Report) -> None:
    """Score one mutant, and add what happens to the report."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(mutant)
    try:
        with _bound_time(slow_seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = target.score(path)
    except IsoglossError:
        outcome, what = "refused", ""
    except SlowInputError:
        outcome, what = "slow", f"more than {slow_seconds:g} s"
    except Exception:  # noqa: BLE001  that is what is searched
        outcome, what = "traceback", "\n".join(traceback.format_exc().strip().split("\n")[-7:])
    else:
        what = _find_loss(target, mutant, found)
        outcome = "silent loss" if what else "scored"
    report.outcomes[outcome] += 1
    if what:
        report.add_fault(outcome, what, mutant)


def _find_loss(target: Target, mutant: bytes, found: Counts | None) -> str:
    """Return how the counts differ from those of the naive reader; empty if they do not."""
    if target.naive is None or found is None:
        return ""
    try:
        expected = target.naive(mutant)
    except (ValueError, RecursionError) as error:
        is_empty = target.naive in (count_json_rows, count_json_spans) and b'":' not in mutant  # no JSON is left
        return "" if is_empty else f"scored, but it cannot be read: {type(error).__name__}"
    return "" if expected in (None, found) else f"{found} in place of {expected}"


@contextlib.contextmanager
def _bound_time(seconds: float) -> Iterator[None]:
    """Raise SlowInputError after some seconds of processor time."""

    def stop(*_: object) -> None:
        raise SlowInputError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def _print_report(report: Report, keep: Path | None) -> None:
    counts = ", ".join(f"{number} {outcome}" for outcome, number in sorted(report.outcomes.items()))
    print(f"{report.name}: {counts}", flush=True)  # noqa: T201
    for number, (outcome, what, mutant) in enumerate(report.faults):
        print(f"  {outcome}: {what}\n    {mutant[:300]!r}", flush=True)  # noqa: T201
        if keep is not None:
            (keep / f"{report.name}-{number}").write_bytes(mutant)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fuzzer; return 1 if there is a fault."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", 1)[0])
    parser.add_argument("--mutants", type=int, default=1000, help="mutants of each format")
    parser.add_argument("--seed", type=int, default=1, help="seed of the mutations")
    parser.add_argument("--format", action="append", help="name of a format; can be repeated; all by default")
    parser.add_argument("--list", action="store_true", help="list the names of formats")
    parser.add_argument("--keep", type=Path, help="folder to keep mutants with faults in")
    parser.add_argument("--results", type=Path, help="file that a line of JSON for each format is added to")
    parser.add_argument("--commit", default="", help="commit of the code, for the results")
    parser.add_argument("--page", type=Path, help="page whose table the results become; nothing is fed")
    given = parser.parse_args(arguments)
    if given.page is not None:
        write_page(given.page, given.results)
        return 0
    targets = list(list_targets())
    if given.list:
        print("\n".join(target.name for target in targets))  # noqa: T201
        return 0
    unknown = {*(given.format or ())} - {target.name for target in targets}
    if unknown:
        parser.error(f"unknown format: {', '.join(sorted(unknown))}; --list shows all")
    if given.keep is not None:
        given.keep.mkdir(parents=True, exist_ok=True)
    faults = 0
    for target in targets:
        if given.format is None or target.name in given.format:
            faults += _fuzz_in_child(target, given)
    return 1 if faults else 0


def _fuzz_in_child(target: Target, given: argparse.Namespace) -> bool:
    """Feed a target in a process of its own, which a library may crash; return whether there is a fault."""
    with tempfile.TemporaryDirectory() as folder:
        child = os.fork()
        if not child:
            report = fuzz(target, given.mutants, given.seed, Path(folder))
            _print_report(report, given.keep)
            _add_results(report, given)
            os._exit(bool(report.faults))
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status not in (0, 1):
            what = f"the process ended with {status}, perhaps by a signal within a library"
            report = Report(target.name, faults=[("crash", what, (Path(folder) / target.file).read_bytes())])
            _print_report(report, given.keep)
            report.outcomes["crash"] += 1
            _add_results(report, given)
    return status != 0


# --- Results

OUTCOMES = ("refused", "scored", "traceback", "crash", "silent loss", "slow")
TABLE = re.compile(r"(?<=<!-- fuzz results: begin -->\n).*?(?=<!-- fuzz results: end -->)", re.DOTALL)


def _add_results(report: Report, given: argparse.Namespace) -> None:
    if given.results is None:
        return
    row = {"format": report.name, "seed": given.seed, "commit": given.commit, "outcomes": report.outcomes}
    with given.results.open("a") as file:
        file.write(json.dumps(row | {"date": f"{datetime.now(UTC):%Y-%m-%d}"}) + "\n")


def write_page(page: Path, results: Path) -> None:
    """Write results as the table of a page.

    Of several results of a format, those with the date and commit of the last are added up; each seed counts once.

    Args:
        page: a page with the two marks of the table.
        results: lines of JSON that `--results` wrote.
    """
    rows = list(_add_seeds([json.loads(line) for line in results.read_text().splitlines()]))
    page.write_text(TABLE.sub("\n".join((*_draw_results(rows), "")), page.read_text()))


def _add_seeds(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the last row of each format, with the sum of its seeds."""
    kept = {(row["format"], row["date"], row["commit"], row["seed"]): row for row in rows}
    for last in {row["format"]: row for row in rows}.values():
        parts = [row for row in kept.values() if all(row[key] == last[key] for key in ("format", "date", "commit"))]
        yield last | {"outcomes": sum((Counter(row["outcomes"]) for row in parts), Counter())}


def _draw_results(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of a table with a row for each format and their sum."""
    yield f"| format | mutants | {' | '.join(OUTCOMES)} | date, commit |"
    yield f"|---|{'--:|' * (len(OUTCOMES) + 1)}---|"
    total: Counter[str] = Counter()
    for row in sorted(rows, key=lambda row: str(row["format"])):
        total.update(row["outcomes"])
        yield _draw_row(f"`{row['format']}`", Counter(row["outcomes"]), f"{row['date']}, {row['commit']}")
    yield _draw_row(f"all {len(rows)}", total, "")


def _draw_row(name: str, outcomes: Counter[str], when: str) -> str:
    numbers = (f"{number:,}" for number in (outcomes.total(), *(outcomes[each] for each in OUTCOMES)))
    return f"| {name} | {' | '.join(numbers)} | {when} |"


if __name__ == "__main__":
    sys.exit(main())
