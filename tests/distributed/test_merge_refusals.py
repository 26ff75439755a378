"""`merge` refuses what is not one corpus, and names the files."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import try_isogloss

from isogloss import DataError, UsageError, count, merge
from isogloss.distributed.partials import Partial

NUMBERS = (1, 2, 3)


@pytest.fixture(autouse=True)
def _parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for number in NUMBERS:
        for side in ("gold", "sys"):
            Path(f"{side}-{number}.conll").write_text(f"Ada{number}\tB-PER\nBob\tI-PER\n\nRome\tB-LOC\n")
        assert try_isogloss(*name_command(number))[0] == 0


def name_command(number: int, *more: str) -> list[str]:
    return ["count", "ner", f"gold-{number}.conll", f"sys-{number}.conll", "-o", f"{number}.iso", *more]


def damage() -> None:
    data = bytearray(Path("2.iso").read_bytes())
    data[-5] ^= 1
    Path("2.iso").write_bytes(bytes(data))


def count_again(*more: str) -> Callable[[], None]:
    return lambda: assert_counted(name_command(2, "--force", *more))


def assert_counted(command: list[str]) -> None:
    assert try_isogloss(*command)[0] == 0


def copy_part() -> None:
    Path("3.iso").write_bytes(Path("2.iso").read_bytes())


def use_other_definition() -> None:
    partial = Partial.load("2.iso")
    replace(partial, definition=partial.definition + 1).save("2.iso")


def use_other_scheme() -> None:
    Path("sys-2.conll").write_text("Ada2\tB-PER\nBob\tE-PER\n\nRome\tS-LOC\n")
    Path("gold-2.conll").write_text("Ada2\tB-PER\nBob\tE-PER\n\nRome\tS-LOC\n")
    assert_counted(name_command(2))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (damage, "2.iso: the partial is damaged: its checksum does not fit"),
        (lambda: Path("2.iso").write_text("x"), "2.iso: is not a partial"),
        (count_again("--zero-division", "0"), "2.iso: has another signature than 1.iso"),
        (count_again("--by", "file"), "2.iso: has another unit, slices or findings than 1.iso"),
        (copy_part, "3.iso: has the same part of the corpus as 2.iso"),
        (use_other_definition, "2.iso: has another version of the definition of the scores than 1.iso"),
        (use_other_scheme, "2.iso: has another signature than 1.iso"),
    ],
)
def test_a_partial_that_does_not_fit_is_named(change: Callable[[], None], message: str) -> None:
    change()
    code, _, errors = try_isogloss("merge", "1.iso", "2.iso", "3.iso")
    assert code == 3
    assert message in errors


def test_a_part_that_the_manifest_has_and_no_partial_is_named() -> None:
    Path("gold.txt").write_text("gold-1.conll\ngold-2.conll\n\ngold-3.conll\n")
    code, _, errors = try_isogloss("merge", "1.iso", "3.iso", "--manifest", "gold.txt")
    assert code == 3
    assert "1 of 3 files of the manifest are in no partial: gold-2.conll" in errors
    assert try_isogloss("merge", "1.iso", "2.iso", "3.iso", "--manifest", "gold.txt")[0] == 0


def test_a_missing_number_is_named() -> None:
    for number in (1, 3):
        command = ["count", "ner", "gold-*", "sys-*", "--part", f"{number}/3", "-o", f"part-{number}.iso"]
        assert_counted(command)
    code, _, errors = try_isogloss("merge", "part-1.iso", "part-3.iso")
    assert code == 3
    assert "1 of 3 parts are missing: 2/3" in errors


def test_a_partial_that_matches_is_not_counted_again() -> None:
    before = Path("1.iso").stat().st_mtime_ns
    _, _, errors = try_isogloss(*name_command(1))
    assert "1.iso is there and matches" in errors
    assert Path("1.iso").stat().st_mtime_ns == before
    assert_counted(name_command(1, "--beta", "2"))
    assert Path("1.iso").stat().st_mtime_ns > before


def test_gates_decide_the_exit_code_of_merge() -> None:
    assert try_isogloss("merge", "1.iso", "2.iso", "3.iso", "--fail-under", "strict.f1=1.0")[0] == 0
    assert try_isogloss("merge", "1.iso", "2.iso", "3.iso", "--fail-over", "strict.f1=0.5")[0] == 1


def test_parts_that_were_read_with_different_schemes_are_refused() -> None:
    parts = [count("ner", [tags], [tags]) for tags in (["I-PER", "O"], ["I-PER", "B-PER"])]
    with pytest.raises(DataError, match=r"scheme:iob1(.|\n)*--scheme"):
        merge(parts)
    named = [count("ner", [tags], [tags], scheme="iob1") for tags in (["I-PER", "O"], ["I-PER", "B-PER"])]
    assert merge(named).scores["strict"].correct == 3


def test_intervals_can_be_chosen_when_merging() -> None:
    parts = [Partial.load(f"{number}.iso") for number in NUMBERS]
    run = merge(parts, confidence=0.9)
    assert run.intervals["strict.f1"].level == 0.9


def test_an_empty_list_is_an_error_of_the_call() -> None:
    with pytest.raises(UsageError, match="There is no partial to merge"):
        merge([])
