"""Shards on either side have the scores of one file, in every task, and places name the shard."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, FormatError, MismatchError, SourceError
from isogloss.runs.run import Run

Lines = list[str]
NUMBERS = range(23)


def write_sides(folder: Path, ending: str, *sides: Lines, head: str = "") -> list[tuple[Path, Path]]:
    """Write each side as one file, and as four shards named by number."""
    found = []
    for name, lines in zip(("gold", "sys"), sides, strict=False):
        one, shards = folder / f"{name}{ending}", folder / f"{name}.d"
        one.write_text(head + "".join(lines))
        shards.mkdir()
        for number, first in enumerate((0, 6, 11, 12), 8):
            last = {0: 6, 6: 11, 11: 12, 12: len(lines)}[first]
            (shards / f"{name}-{number}{ending}").write_text((head + "".join(lines[first:last])).rstrip("\n"))
        found.append((one, shards))
    return found


def make_rows(*values: dict[str, Any]) -> Lines:
    return [json.dumps({"id": f"d{number}", **value}) + "\n" for number, value in enumerate(values)]


def make_conll(tag: Callable[[int], str]) -> Lines:
    return [f"Ada\tB-PER\nran\tO\nRome{number}\t{tag(number)}\n\n" for number in NUMBERS]


def list_sides(task: str) -> tuple[str, Lines, Lines, str]:  # noqa: PLR0911  one corpus for each task
    """Return ending, both sides and header of a small corpus of a task."""
    if task == "ner-conll":
        return ".conll", make_conll(lambda _: "B-LOC"), make_conll(lambda n: "B-LOC" if n % 3 else "O"), ""
    if task == "ner-spans":
        texts = [{"text": f"Rome {n}", "entities": [[0, 4, "LOC" if n % 2 else "PER"]]} for n in NUMBERS]
        return ".jsonl", make_rows(*texts), make_rows(*({**row, "entities": [[0, 4, "LOC"]]} for row in texts)), ""
    if task == "ner-missed":
        rows = [{"text": "Rome", "entities": [[0, 4, "LOC"]]} for _ in NUMBERS]
        return ".jsonl", make_rows(*rows), make_rows(*rows[:-1], {"text": "Rome", "entities": []}), ""
    if task == "segmentation":
        return ".txt", [f"ab|c{n}\n" for n in NUMBERS], [f"ab|c{n}\n" if n % 3 else f"abc{n}\n" for n in NUMBERS], ""
    if task == "segmentation-rows":
        rows = [{"tokens": ["ab", f"c{n}"]} for n in NUMBERS]
        return ".jsonl", make_rows(*rows), make_rows(*({"tokens": [f"abc{n}"]} for n in NUMBERS))[::-1], ""
    if task == "classification":
        return ".csv", [f"{n},a\n" for n in NUMBERS], [f"{n},{'a' if n % 3 else 'b'}\n" for n in NUMBERS], "id,label\n"
    if task == "classification-labels":
        return ".txt", ["a\n" for _ in NUMBERS], ["a\n" if n % 3 else "b\n" for n in NUMBERS], ""
    gold = make_rows(*({"targets": [{"mention": "Duna"}], "target_locale": "it"} for _ in NUMBERS))
    return ".jsonl", gold, make_rows(*({"prediction": "Duna" if n % 3 else "-"} for n in NUMBERS)), ""


TASKS = (
    *("ner-conll", "ner-spans", "ner-missed", "segmentation", "segmentation-rows", "classification"),
    *("classification-labels", "entity_translation"),
)


def score(task: str, *sides: Any, **options: Any) -> Run:
    call: Callable[..., Run] = getattr(isogloss, task.partition("-")[0])
    return call(*sides, findings=True, by=["file"], **options)


def list_results(run: Run) -> Any:
    """Everything but names of files."""
    whole = run.to_dict()
    findings = [
        {k: v for k, v in row.items() if k not in {"where", "extra", "slices"}} for row in whole["findings"]["rows"]
    ]
    return {k: whole[k] for k in ("scores", "documents", "by_label") if k in whole}, findings


@pytest.mark.parametrize("task", TASKS)
def test_shards_score_as_one_file(task: str, tmp_path: Path) -> None:
    ending, gold, predicted, head = list_sides(task)
    (one, shards), (other, other_shards) = write_sides(tmp_path, ending, gold, predicted, head=head)
    expected = list_results(score(task, one, other))
    pattern = str(other_shards / f"sys-*{ending}")
    for sides in ((shards, other_shards), (shards, other), (one, other_shards), (str(shards), pattern)):
        assert list_results(score(task, *sides)) == expected
    listed = sorted(other_shards.iterdir())
    assert list_results(score(task, shards, listed)) == expected
    assert list_results(score(task, shards, isogloss.Shards(map(str, listed)))) == expected


@pytest.mark.parametrize("task", TASKS)
def test_findings_and_slices_name_the_shard(task: str, tmp_path: Path) -> None:
    ending, gold, predicted, head = list_sides(task)
    _, (_, shards) = write_sides(tmp_path, ending, gold, predicted, head=head)
    run = score(task, tmp_path / "gold.d", shards)
    files = {str(path): path.read_text().splitlines() for path in shards.iterdir()}
    assert set(run.to_dict()["slices"]["file"]) == files.keys()
    for finding in run.findings:
        file, _, line = finding.where.rpartition(":")
        side = files.get(file) or Path(file).read_text().splitlines()
        assert 1 <= int(line) <= len(side)
    assert {Path(finding.where).parent.name for finding in run.findings} <= {"gold.d", "sys.d"}


def test_the_line_of_a_finding_is_that_in_its_shard(tmp_path: Path) -> None:
    _, (_, shards) = write_sides(tmp_path, *list_sides("segmentation")[:3])
    run = score("segmentation", tmp_path / "gold.d", shards)
    wheres = [finding.where for finding in run.findings]
    # samples 0, 3, 6, 9, 12, ...; the shards begin with samples 0, 6, 11 and 12
    expected = [("8", 1), ("8", 4), ("9", 1), ("9", 4), ("11", 1), ("11", 4), ("11", 7), ("11", 10)]
    assert wheres == [f"{shards}/sys-{number}.txt:{line}" for number, line in expected]


def test_inputs_have_one_digest_and_the_number_of_files(tmp_path: Path) -> None:
    write_sides(tmp_path, *list_sides("ner-conll")[:3])
    reference, prediction = score("ner", tmp_path / "gold.d", tmp_path / "sys.conll").to_dict()["inputs"]
    assert reference["files"] == 4
    assert len(reference["sha256"]) == 64
    assert "files" not in prediction


def test_each_file_of_texts_is_a_text_or_its_lines_are(tmp_path: Path) -> None:
    for number, text in ((2, "one two\nтри\n"), (10, "four\n"), (1, "")):
        (tmp_path / f"{number}.txt").write_text(text)
    lines = isogloss.code_switching(tmp_path, language="en", findings=True)
    whole = isogloss.code_switching(tmp_path, language="en", input_format="whole", findings=True, by=["file"])
    assert (lines.scores["texts"].total, whole.scores["texts"].total) == (3, 2)
    assert [finding.where for run in (lines, whole) for finding in run.findings] == [f"{tmp_path}/2.txt:2"] * 2
    assert list(whole.to_dict()["slices"]["file"]) == [f"{tmp_path}/2.txt", f"{tmp_path}/10.txt"]


def test_a_sentence_does_not_go_on_in_the_next_shard(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.conll").write_text(f"Ada{number}\tB-PER\nKing\tI-PER")
    assert isogloss.ner(tmp_path, tmp_path).documents == 2


def test_an_id_in_two_shards_is_refused(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.jsonl").write_text('{"id": "a", "text": "Ada", "entities": []}\n')
    with pytest.raises(DataError, match=r"2\.jsonl:1: the id 'a' stands twice(.|\n)*1\.jsonl:1"):
        isogloss.ner(tmp_path, tmp_path)


def test_shards_of_two_formats_are_named(tmp_path: Path) -> None:
    (tmp_path / "1.dat").write_text('{"id": "a", "text": "Ada", "entities": []}\n')
    (tmp_path / "2.dat").write_text("Ada\tB-PER\n")
    with pytest.raises(FormatError, match=r"2\.dat: is conll, but the first shard, .*1\.dat, is jsonl"):
        isogloss.ner(tmp_path, tmp_path)


def test_conll_shards_must_have_one_layout(tmp_path: Path) -> None:
    (tmp_path / "1.conll").write_text("Ada\tB-PER\n")
    (tmp_path / "2.conll").write_text("Ada\tNNP\tB-PER\n")
    with pytest.raises(FormatError, match=r"2\.conll: is CoNLL .* 1, 3, but the first shard, .* 1, 2"):
        isogloss.ner(tmp_path, tmp_path)


def test_a_brat_folder_stays_one_file(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Ada ran")
    (tmp_path / "a.ann").write_text("T1\tPER 0 3\tAda\n")
    assert isogloss.ner(tmp_path, tmp_path).scores["strict"].correct == 1


def test_files_named_after_languages_are_not_shards(tmp_path: Path) -> None:
    for name in ("it.jsonl", "de.jsonl"):
        (tmp_path / name).write_text('{"id": "Q1_0", "targets": [{"mention": "Duna"}], "prediction": "Duna"}\n')
    folder = isogloss.entity_translation(tmp_path, tmp_path)
    assert set(folder.to_dict()["slices"]["language"]) == {"de", "it"}
    with pytest.raises(SourceError, match="named after languages, not shards of one: de and it"):
        isogloss.entity_translation(str(tmp_path / "*.jsonl"), str(tmp_path / "*.jsonl"))


def test_a_missing_shard_is_named(tmp_path: Path) -> None:
    write_sides(tmp_path, *list_sides("ner-conll")[:3])
    (tmp_path / "sys.d" / "sys-10.conll").unlink()
    with pytest.raises(MismatchError, match=r"has no shard for .*gold-10\.conll"):
        isogloss.ner(tmp_path / "gold.d", tmp_path / "sys.d")


@pytest.mark.parametrize("ending", [".json", ".csv"])
def test_each_shard_may_be_a_table_or_an_array(ending: str, tmp_path: Path) -> None:
    for number in range(3):
        rows = [{"id": f"{number}-{row}", "label": "b" if row else "a"} for row in range(2)]
        table = "id,label\n" + "".join(f"{row['id']},a\n" for row in rows)
        text = "[" + ",\n".join(json.dumps(row | {"label": "a"}) for row in rows) + "]"
        for side, content in (("gold", json.dumps(rows)), ("sys", table if ending == ".csv" else text)):
            (tmp_path / side).mkdir(exist_ok=True)
            (tmp_path / side / f"{number}{ending if side == 'sys' else '.json'}").write_text(content)
    run = isogloss.classification(tmp_path / "gold", tmp_path / "sys", findings=True)
    assert run.scores["overall"].accuracy == 0.5
    line = {".csv": 3, ".json": 2}[ending]
    assert [finding.where for finding in run.findings] == [f"{tmp_path}/sys/{n}{ending}:{line}" for n in range(3)]


@pytest.mark.extra
def test_parquet_shards_are_read_by_columns(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    for number in range(3):
        table = pa.table({"id": [f"{number}a", f"{number}b"], "text": ["one", "тут"]})
        parquet.write_table(table, tmp_path / f"{number}.parquet")
    run = isogloss.code_switching(tmp_path, language="en", findings=True)
    assert [finding.where for finding in run.findings] == [f"{tmp_path}/{number}.parquet:row 2" for number in range(3)]
