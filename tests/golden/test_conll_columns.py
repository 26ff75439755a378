"""The files of `conll` have the names that a person reads in them, and the run says what it decided."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import isogloss
from isogloss.records.sources import Source
from isogloss.tasks.ner.tag_checks import count_tags
from isogloss.tasks.ner.tag_files import open_tag_file

FOLDER = Path(__file__).parent / "conll"
CHOSEN, HEADER, MIXED = "columns-chosen", "header-row", "mixed-separators"


@dataclass(frozen=True)
class Case:
    """What a person reads in a file; `columns` and `notation` are those of the signature."""

    file: str
    sentences: int
    tokens: int
    names: tuple[tuple[str, str], ...]
    warnings: dict[str, str]  # line by code
    columns: str | None = None
    notation: str | None = None
    given: tuple[int | str, ...] | None = None
    in_messages: tuple[str, ...] = field(default=())


GERMEVAL = (("ORG", "Universität Berlin"), ("PER", "Ada"), ("PER", "Bo"))
HIPE = (("pers", "Frau Lovelace"), ("loc", "Oslo"), ("pers", "Bo"))
FINE = (("pers.ind", "Frau Lovelace"), ("loc.adm.town", "Oslo"), ("pers.ind", "Bo"))
CASES = [
    Case("germeval.tsv", 2, 9, GERMEVAL, {CHOSEN: ":2"}, "2,3", in_messages=("look like tags: 3, 4;",)),
    Case("germeval.tsv", 2, 9, (("LOC", "Berlin"),), {}, "2,4", given=(2, 4)),
    Case("hipe.tsv", 2, 8, HIPE, {HEADER: ":1", CHOSEN: ":1"}, "TOKEN,NE-COARSE-LIT",
         in_messages=("NE-COARSE-LIT, NE-COARSE-METO, NE-FINE-LIT, NE-NESTED;",)),
    Case("hipe.tsv", 2, 8, FINE, {HEADER: ":1"}, "NE-FINE-LIT", given=("NE-FINE-LIT",)),
    Case("hipe.tsv", 2, 8, (("org", "Oslo"),), {HEADER: ":1"}, "1,NE-COARSE-METO", given=(1, "NE-COARSE-METO")),
    Case("uner.iob2", 1, 4, (("PER", "Ada"), ("LOC", "Oslo")), {CHOSEN: ":4"}, "2,3"),
    Case("thai-ner.conll", 2, 9,
         (("PERSON", "เอดา   ลัฟเลซ"), ("LOCATION", "ออสโล"), ("PERSON", "โบ")), {}),
    Case("lst20.txt", 1, 5, (("CLS", "เอดา ลัฟเลซ แห่ง _ ออสโล"),), {CHOSEN: ":1"}, None, "underscore",
         in_messages=("look like tags: 3, 4; the token is column 1, the tag is column 4",)),
    Case("lst20.txt", 1, 5, (("PER", "เอดา ลัฟเลซ แห่ง"), ("LOC", "ออสโล")), {}, "1,3", "underscore", (1, 3)),
    Case("separators.conll", 2, 4, (("PER", "Ada Lovelace"), ("LOC", "Oslo")), {MIXED: ":2"}),
]  # fmt: skip


@pytest.fixture(params=CASES, ids=lambda case: f"{case.file} {case.given or ''}")
def case(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Case:
    found: Case = request.param
    shutil.copy(FOLDER / found.file, tmp_path)
    monkeypatch.chdir(tmp_path)
    return found


def test_sentences_tokens_and_names_are_those_a_person_reads(case: Case) -> None:
    counts = count_tags(open_tag_file(Source(case.file), case.given), names=True)
    assert (counts.sentences, counts.tokens) == (case.sentences, case.tokens)
    assert counts.columns[0].names == Counter(case.names)


def test_a_run_says_what_it_decided_about_the_columns(case: Case) -> None:
    shutil.copy(case.file, "system")
    run = isogloss.ner(case.file, "system", columns=case.given)
    about = [warning for warning in run.warnings if warning.code in {CHOSEN, HEADER, MIXED}]
    assert {warning.code: warning.where for warning in about} == {
        code: f"{case.file}{line}" for code, line in case.warnings.items()
    }
    assert all(warning.count == 2 for warning in about)  # once for each file
    assert run.signature.choices.get("columns") == case.columns
    assert run.signature.choices.get("notation") == case.notation
    assert all(any(part in warning.message for warning in about) for part in case.in_messages)
    assert run.scores["strict"]["correct"] == len(case.names)


def test_a_corpus_compared_with_another_format_warns_too(case: Case) -> None:
    isogloss.convert(case.file, to="jsonl", output="system.jsonl", columns=case.given)
    run = isogloss.ner(case.file, "system.jsonl", columns=case.given)
    assert {*case.warnings} <= {warning.code for warning in run.warnings}
    assert run.scores["strict"]["f1"] == 1
