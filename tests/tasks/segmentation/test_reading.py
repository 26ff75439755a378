from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from isogloss.errors import DataError, FormatError, SourceError, UsageError
from isogloss.records.sources import Source
from isogloss.tasks.segmentation.inputs import read_lists
from isogloss.tasks.segmentation.reading import Reading, detect_format, read_samples
from isogloss.tasks.segmentation.samples import SampleBlock

CONLLU = (
    "# text = Ada can't\n1\tAda\t_\t_\t_\t_\t9\t_\t_\t_\n2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "2\tca\t_\t_\t_\t_\tx\t_\t_\t_\n3\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n3.1\tnil\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
)


LST20 = "กา\tNN\tO\tB_CLS\n_\tPU\tO\tI_CLS\nดำ\tVV\tO\tE_CLS\n\nไก่\tNN\tO\tB_CLS\n"


COLUMNS = "Ada\tB-PER\nran\tO\n\nBob\tB-PER\n"


BEST = "<NE>กรุงเทพ</NE>|เมือง|<AB>กทม.</AB>|<POEM>กา|ดำ</POEM>|\nไก่|\n"


VISTEC = '<ne>กรุงเทพ</ne>|<msp value="มั้ย">ไหม</msp>|<msp=ก็>ก้อ</msp>|<compound>รถ|ไฟ</compound>\nกา|ดำ\n'


PIPE = "กา|ดำ\nไก่| |ขัน\n"


SPACES = "中文 分词 好\n上海\u3000大学 人\n"


RAW = "ลูกเสือชาวบ้านไปเที่ยว ภูเขาและทะเลทุกปี\nกาดำบินไปแล้วก็ไม่กลับมา\n"


JSONL = '{"tokens": ["Ada", "ran"], "text": "Ada ran"}\n{"tokens": ["Bob"]}\n'


WORDS = {
    "conllu": (CONLLU, [["Ada", "can't"]]),
    "jsonl": (JSONL, [["Ada", "ran"], ["Bob"]]),
    "lst20": (LST20, [["กา", "ดำ"], ["ไก่"]]),
    "columns": (COLUMNS, [["Ada", "ran"], ["Bob"]]),
    "best": (BEST, [["กรุงเทพ", "เมือง", "กทม.", "กา", "ดำ"], ["ไก่"]]),
    "vistec": (VISTEC, [["กรุงเทพ", "ไหม", "ก้อ", "รถ", "ไฟ"], ["กา", "ดำ"]]),
    "pipe": (PIPE, [["กา", "ดำ"], ["ไก่", "ขัน"]]),
    "spaces": (SPACES, [["中文", "分词", "好"], ["上海", "大学", "人"]]),
    "raw": (RAW, [[line.replace(" ", "")] for line in RAW.splitlines()]),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def source(content: str | bytes) -> Source:
    Path("file").write_bytes(content if isinstance(content, bytes) else content.encode())
    return Source("file")


def words(blocks: Any) -> list[list[str]]:
    """The words of each sample, cut out one by one."""
    result = []
    for block in blocks:
        for row in range(len(block)):
            low, high = int(block.offsets[row]), int(block.offsets[row + 1])
            found: list[str] = []
            for at in range(low, high):
                if block.starts[at]:
                    found.append("")
                found[-1] += chr(int(block.text[at]))
            result.append(found)
    return result


def words_in(content: str | bytes, **options: Any) -> list[list[str]]:
    return words(read_samples(source(content), Reading(**options)))


def places(blocks: Any) -> list[str]:
    return [block.where(row) for block in blocks for row in range(len(block))]


def test_a_format_is_recognised_by_its_content() -> None:
    for name in WORDS:
        assert detect_format(source(WORDS[name][0])) == name


def test_the_words_of_each_format_are_read() -> None:
    for name in WORDS:
        assert words_in(WORDS[name][0]) == WORDS[name][1]


def test_windows_line_ends_and_a_byte_order_mark_change_nothing() -> None:
    for name in WORDS:
        content = b"\xef\xbb\xbf" + WORDS[name][0].replace("\n", "\r\n").encode()
        assert detect_format(source(content)) == name
        assert words_in(content, whitespace="keep" if name == "pipe" else "ignore") == words_in(
            WORDS[name][0],
            whitespace="keep" if name == "pipe" else "ignore",
        )


def test_places_are_file_and_line() -> None:
    for name in WORDS:
        content = WORDS[name][0]
        found = places(read_samples(source(content), Reading()))
        firsts = {"conllu": ["file:2"], "lst20": ["file:1", "file:5"], "columns": ["file:1", "file:4"]}
        assert found == firsts.get(name, ["file:1", "file:2"])


def test_only_the_first_lines_that_are_not_blank_decide() -> None:
    assert detect_format(source("\n" * 300 + PIPE * 100 + "x\ty\n" * 900)) == "pipe"


def test_blank_files_have_no_format() -> None:
    with pytest.raises(SourceError, match="file: the file is empty: it holds no text"):
        detect_format(source(" \n\n"))


def test_spaces_between_phrases_are_no_spaces_between_words() -> None:
    assert detect_format(source("ลูกเสือชาวบ้าน ไปเที่ยวภูเขาและทะเล ทุกๆปี\n" * 3)) == "raw"


def test_lower_case_tags_come_off_too() -> None:
    assert words_in("<ne>กา</ne>|ดำ\n", input_format="best") == [["กา", "ดำ"]]


def test_tags_come_off_before_words_are_looked_for() -> None:
    assert words_in("ab|<AB>|</AB>|\n", input_format="best") == [["ab"]]


def test_other_angle_brackets_are_text() -> None:
    assert words_in("a|<b>|<3\n", input_format="best") == [["a", "<b>", "<3"]]


def test_blank_lines_are_samples_without_words() -> None:
    assert words_in("a|b\n\nc\n", input_format="pipe") == [["a", "b"], [], ["c"]]


@pytest.mark.parametrize(
    ("whitespace", "expected"),
    [
        ("ignore", ["a", "bc", "d"]),
        ("separate", ["a", "b", "c", "d"]),
        ("keep", ["a ", "b\u00a0c", " ", "d"]),
    ],
)
def test_whitespace_is_what_the_policy_says(whitespace: str, expected: list[str]) -> None:
    assert words_in("a |b\u00a0c| |d\n", input_format="pipe", whitespace=whitespace) == [expected]


def test_whitespace_is_what_str_isspace_accepts() -> None:
    code_points = [c for c in range(0x3100) if not 0xD800 <= c < 0xE000 and chr(c) not in "\n\0|\r"]
    line = "|".join(map(chr, code_points)) + "\n"
    kept = [word for sample in words_in(line, input_format="pipe") for word in sample]
    assert kept == [chr(c) for c in code_points if not chr(c).isspace()]


def test_blocks_may_be_cut_anywhere() -> None:
    lines = [f"word{k}|และ|{k}\n" for k in range(60_000)]
    found = list(read_samples(source("".join(lines)), Reading()))
    assert len(found) > 2
    assert words(found)[::9999] == [line.strip().split("|") for line in lines[::9999]]
    assert places(found)[-1] == "file:60000"


def test_rows_of_a_block_keep_their_places() -> None:
    block = next(iter(read_samples(source("a|b\nc\nd|e\n"), Reading(input_format="pipe"))))
    part = block.select_rows(1, 3)
    assert words([part]) == [["c"], ["d", "e"]]
    assert places([part]) == ["file:2", "file:3"]
    assert part.count_words().tolist() == [1, 2]
    assert words([block.select_rows(0, 3)]) == words([block])


def test_a_text_is_given_as_it_is_without_marks() -> None:
    assert next(iter(read_samples(source("a |b\n"), Reading(input_format="pipe")))).locate(0).get_text() == "a b"
    assert next(iter(read_samples(source(CONLLU), Reading()))).locate(0).get_text() == "Ada can't"
    assert next(iter(read_samples(source(SPACES), Reading()))).locate(0).get_text() == "中文 分词 好"


def test_tokens_of_several_words_keep_their_words() -> None:
    block = next(iter(read_samples(source(CONLLU + CONLLU), Reading())))
    assert block.multiword == ((3, ("ca", "n't")), (11, ("ca", "n't")))


def test_space_follows_a_token_unless_space_after_is_no() -> None:
    row = "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t{}\n"
    content = row.format(1, "New York", "_") + row.format(2, "ran", "A=b|SpaceAfter=No") + row.format(3, ".", "_")
    assert next(iter(read_samples(source(content), Reading(whitespace="keep")))).locate(0).get_text() == "New York ran."
    assert words_in(content) == [["NewYork", "ran", "."]]


def test_the_text_of_a_sentence_says_where_its_spaces_are() -> None:
    row = "{}\t{}\t_\t_\t_\t_\t_\t_\t_\t_\n"
    content = "# text = a  b \n" + row.format(1, "a") + row.format(2, "b")
    assert next(iter(read_samples(source(content), Reading(whitespace="keep")))).locate(0).get_text() == "a  b "


def test_rows_say_in_many_ways_where_words_stand() -> None:
    for row, text in [
        ('{"tokens": ["a", "b"], "text": " a  b"}', " a  b"),
        ('{"words": ["a", "b"], "whitespace": [true, false]}', "a b"),
        ('{"tokens": ["a", "b"], "spaces": [false, true]}', "ab "),
        ('{"tokens": [{"text": "a", "ws": true}, {"text": "b", "ws": false}]}', "a b"),
        ('{"tokens": [{"start": 0, "end": 1}, {"start": 2, "end": 3}], "text": "a b"}', "a b"),
        ('{"tokens": [{"text": "a", "start": 0, "end": 1}, {"text": "b", "start": 2, "end": 3}]}', "a b"),
    ]:
        block = next(iter(read_samples(source(row + "\n"), Reading(whitespace="keep"))))
        assert block.locate(0).get_text() == text
        assert words_in(row + "\n") == [["a", "b"]]


FAULTS = {
    "other columns": ("conllu", "1\ta\t_\n", "file:1", "3 columns, but CoNLL-U has 10"),
    "a huge id": ("conllu", "9" * 5000 + "\ta" + "\t_" * 8 + "\n", "file:1", "is not the id"),
    "no id": ("conllu", "x\ta" + "\t_" * 8 + "\n", "file:1", "'x' is not the id"),
    "no form": ("conllu", "1\t " + "\t_" * 8 + "\n", "file:1", "the form is empty"),
    "another text": ("conllu", "# text = b\n1\ta" + "\t_" * 8 + "\n", "file:2", "`# text` does not hold"),
    "ragged": ("columns", "a\tb\nc\td\te\n", "file:2", "3 columns, but line 1 has 2"),
    "no word": ("columns", "a\tb\n\td\n", "file:2", "column 1 is empty"),
    "broken JSON": ("jsonl", '{"tokens": [}\n', "file:1:13", "broken JSON"),
    "no tokens": ("jsonl", '{"text": "a"}\n', "file:1", "no `tokens`"),
    "tokens of another text": ("jsonl", '{"tokens": ["b"], "text": "a"}\n', "file:1", "do not stand in `text`"),
    "too few flags": ("jsonl", '{"tokens": ["a"], "spaces": []}\n', "file:1", "1 tokens, but 0 flags"),
    "overlapping": (
        "jsonl",
        '{"tokens": [{"start": 0, "end": 2}, {"start": 1, "end": 2}], "text": "ab"}\n',
        "file:1",
        "[1, 2)",
    ),
    "beyond": ("jsonl", '{"tokens": [{"start": 0, "end": 3}], "text": "ab"}\n', "file:1", "[0, 3)"),
    "text left over": ("jsonl", '{"tokens": [{"start": 0, "end": 1}], "text": "ab"}\n', "file:1", "'b' after the last"),
    "text between": ("jsonl", '{"tokens": [{"start": 1, "end": 2}], "text": "ab"}\n', "file:1", "'a' before"),
    "mixed": ("jsonl", '{"tokens": [{"start": 0, "end": 1}, "b"], "text": "ab"}\n', "file:1", "has no `start`"),
    "nothing known": ("jsonl", '{"tokens": [{"ws": true}]}\n', "file:1", "neither `text` nor"),
    "no text anywhere": ("jsonl", '{"tokens": [{"start": 0, "end": 1}]}\n', "file:1", "nor has the row"),
    "no character": ("jsonl", '{"tokens": ["a\\uffff\\u0001"]}\n', "file:1", "U+FFFF is not a character"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_refused_with_its_place(name: str) -> None:
    input_format, content, where, says = FAULTS[name]
    with pytest.raises(FormatError) as raised:
        words_in(content, input_format=input_format)
    assert raised.value.where == where
    assert says in str(raised.value)
    assert raised.value.remedy


def lists(value: Any, **options: Any) -> list[SampleBlock]:
    return list(read_lists(value, "predicted", Reading(**options)))


def test_lists_hold_the_words_of_each_sample() -> None:
    found = lists([["ab", "c"], [], ["|", "d e"]])
    assert words(found) == [["ab", "c"], [], ["|", "de"]]
    assert places(found) == ["prediction[0]", "prediction[1]", "prediction[2]"]
    assert found[0].locate(2).get_text() == "|d e"


def test_tuples_and_other_iterables_are_lists_too() -> None:
    assert words(lists(iter([("a", "b"), ["c"]]))) == [["a", "b"], ["c"]]


def test_any_character_may_stand_in_a_word() -> None:
    for word in ["\x01", "\x02", "a\x01\x02b", "\0", "\ud800", "\uffff"]:
        assert words(read_lists([["ก", word], [word, "c"], []], "reference", Reading())) == [
            ["ก", word],
            [word, "c"],
            [],
        ]


def test_empty_words_are_no_words() -> None:
    assert words(lists([["", "a", "", " ", "b"], [""]])) == [["a", "b"], []]


def test_what_is_no_list_of_words_is_refused_with_its_place() -> None:
    for value, where, says in [
        (["a|b"], "prediction[0]", "'ab|c'.split('|')"),
        ([["a"], ["b", 1]], "prediction[1][1]", "1 is not a word"),
        ([["a"], 3], "prediction[1]", "int is not a list"),
        ([["a"], [None]], "prediction[1][0]", "None is not a word"),
        ([["\x01a\ufffe"]], "prediction[0]", "U+FFFE is not a character"),
    ]:
        with pytest.raises(DataError) as raised:
            lists(value)
        assert raised.value.where == where
        assert says in str(raised.value)


@pytest.mark.parametrize("value", [3, {"a": ["b"]}, None])
def test_what_is_no_list_at_all_is_a_wrong_call(value: Any) -> None:
    with pytest.raises(UsageError, match="a list of words for each sample"):
        lists(value)


def test_what_a_tool_does_to_a_sample_is_done_first() -> None:
    upper = Reading(clean=lambda sample: sample.upper().replace("B", ""))
    assert words(read_samples(source("a|b|c\n"), Reading("pipe", "ignore", upper.clean))) == [["A", "C"]]
    assert words(read_lists([["a", "bc"]], "predicted", upper)) == [["A", "C"]]
