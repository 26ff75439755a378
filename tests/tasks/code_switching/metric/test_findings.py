# the texts are in many scripts
from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.kernel.findings import Finding

EXAMPLES = {
    "ar": ("هذا نص عربي مع كلمة foreign هنا", ["foreign"]),
    "hi": ("यह हिन्दी पाठ है word और दिcover", ["word", "दिcover"]),
    "th": ("ข้อความภาษาไทย foreign คำ", ["foreign"]),
    "zh": ("这是中文文本，其中有 foreign 单词", ["foreign"]),
    "ja": ("これは日本語のtext文章です", ["text"]),
    "ko": ("한국어 문장에 AI의 단어 word", ["AI의", "word"]),
    "he": ("זה טקסט בעברית עם word כאן", ["word"]),
    "uk": ("п'ять об\u2019єктів та і\u0301нше cafe\u0301 е\u0308лка", ["cafe\u0301", "е\u0308лка"]),
    "el": ("Ελληνικά και λέξη word", ["word"]),
}


def found(texts: Any, **options: Any) -> tuple[Finding, ...]:
    return isogloss.code_switching(texts, **{"language": "uk", "findings": True, **options}).findings


@pytest.mark.parametrize("language", EXAMPLES)
def test_offsets_refer_to_the_original_text(language: str) -> None:
    text, expected = EXAMPLES[language]
    before = "🙂\u00a0\t"
    findings = found([before + text], language=language)
    spans = [(finding.marks[0].start, finding.marks[0].end) for finding in findings]
    assert [(before + text)[start:end] for start, end in spans] == expected == [f.extra["token"] for f in findings]


@pytest.mark.parametrize("language", EXAMPLES)
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_unicode_normalization_changes_no_verdict(language: str, form: Any) -> None:
    text, expected = EXAMPLES[language]
    findings = found([unicodedata.normalize(form, text)], language=language)
    assert [f.extra["token"] for f in findings] == [unicodedata.normalize(form, word) for word in expected]


@pytest.mark.parametrize("language", EXAMPLES)
@pytest.mark.parametrize("context", [0, 1, 3, 99])
def test_the_context_marks_the_token_and_cuts_no_cluster(language: str, context: int) -> None:
    text, expected = EXAMPLES[language]
    findings = found([text], language=language, context=context)
    for finding, token in zip(findings, expected, strict=True):
        shown = finding.text or ""
        assert shown[finding.marks[0].text_start : finding.marks[0].text_end] == token
        assert shown in text
        assert unicodedata.category(shown[0]) != "Mn"
        assert (finding.before, finding.after) == (not text.startswith(shown), not text.endswith(shown))


def test_findings_include_tags_and_marks_that_pnacos_drops() -> None:
    text = 'Це <b>сло</b>во, е\u0301, wo<br/>rd <a href="x">cafe\u0301</a> тут'
    findings = found([text], profile="pnacos", excuses=[])
    assert [f.extra["token"] for f in findings] == ["wo<br/>rd", "cafe\u0301"]
    assert [text[f.marks[0].start : f.marks[0].end] for f in findings] == ["wo<br/>rd", "cafe\u0301"]


def test_a_file_read_whole_has_the_line_of_each_finding(tmp_path: Path) -> None:
    path = tmp_path / "book.txt"
    path.write_text("слово\nще word\n\nword і\nword", encoding="utf-8")
    assert [f.where for f in found(str(path), input_format="whole")] == [f"{path}:{n}" for n in (2, 4, 5)]


def test_lines_of_dropped_tags_count_in_locations(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    path.write_text("слово <div\nclass='a'\nid='b'>\nще word</div>", encoding="utf-8")
    assert [f.where for f in found(str(path), input_format="whole", profile="pnacos")] == [f"{path}:4"]


def test_a_file_of_lines_has_the_line_of_each_text(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("word\n\nслово\nще word\n", encoding="utf-8")
    assert [f.where for f in found(str(path))] == [f"{path}:1", f"{path}:4"]


def test_a_list_has_the_position_of_each_text_and_its_id() -> None:
    first, second = found([{"id": "a", "text": "слово"}, {"id": "b", "text": "word"}, {"id": "c", "text": "word"}])
    assert (first.document, first.where) == ("b", "texts[1]")
    assert (second.document, second.where) == ("c", "texts[2]")


def test_a_finding_tells_kind_reason_verdict_and_script() -> None:
    (broken, third, excused) = found(["слово word λέξη «quoted»"])
    assert (broken.kind, broken.marks[0].label, broken.extra) == (
        "foreign",
        None,
        {"token": "word", "verdict": "foreign", "script": "Latn"},
    )
    assert (third.kind, third.extra["script"]) == ("third_script", "Grek")
    assert (excused.kind, excused.marks[0].label) == ("excused", "quotation")
    assert excused.extra["verdict"] == "excused"


def test_a_finding_of_an_excused_mixture_has_its_kind_and_reason() -> None:
    (finding,) = found(["слово Кiев тут"], names=["Кiев"])
    assert (finding.kind, finding.marks[0].label, finding.extra["verdict"]) == ("homoglyph", "name", "excused")


def test_excused_findings_come_last() -> None:
    findings = found(["«one» two «three» four"])
    assert [finding.extra["token"] for finding in findings] == ["two", "four", "one", "three"]


def test_the_number_of_findings_is_limited() -> None:
    for limit in [0, 1, 3, 9]:
        texts = ["one two", "three", "four «five»"]
        run = isogloss.code_switching(texts, language="uk", findings=limit)
        assert len(run.findings) == min(limit, 5)
        assert run.kinds["foreign"] + run.kinds["excused"] == 5


def test_findings_are_as_many_as_are_counted() -> None:
    run = isogloss.code_switching(["one «two» Кiев λέξη жq"], language="uk", findings=True)
    for kind, count in run.kinds.items():
        assert sum(finding.kind == kind for finding in run.findings) == count


def test_a_row_of_a_finding_has_offsets_context_and_verdict() -> None:
    (finding,) = isogloss.code_switching(["Тут слово word є."], language="uk", findings=True, context=1).findings
    assert finding.to_dict() == {
        "kind": "foreign",
        "document": "1",
        "where": "texts[0]",
        "predicted": {"start": 10, "end": 14, "label": None, "in_text": [6, 10]},
        "text": "слово word є.",
        "before": True,
        "after": False,
        "token": "word",
        "verdict": "foreign",
        "script": "Latn",
    }
