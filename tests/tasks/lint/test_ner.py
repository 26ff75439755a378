from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isogloss.cli import run
from isogloss.errors import DataError, TagError, UsageError
from isogloss.formats.annotation import FormatOptions
from isogloss.records.sources import Source
from isogloss.spans.schemes import SCHEMES
from isogloss.tasks.ner.lint import lint_ner_file
from isogloss.tasks.ner.lint_documents import (
    FAULT_KINDS,
    AnnotationFault,
    LintReport,
    check_fault_kinds,
    format_lint_report,
    to_lint_json,
)
from isogloss.tasks.ner.tag_checks import validate_tags
from isogloss.tasks.ner.tag_files import InvalidTag, open_tag_file
from isogloss.text.display import split_graphemes

TAGS = ["O", "X-A", *(f"{letter}-{label}" for letter in "BIESLU" for label in "AB")]
DATA = Path(__file__).parents[4] / "shared" / "data" / "ner"
Streams = pytest.CaptureFixture[str]


def file(folder: Path, *rows: Any, name: str = "notes.jsonl") -> Source:
    path = folder / name
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Source(path)


def of_text(folder: Path, text: str, *spans: Sequence[Any]) -> list[AnnotationFault]:
    return lint_ner_file(file(folder, {"text": text, "entities": spans})).faults


def kinds(folder: Path, text: str, *spans: Sequence[Any]) -> list[str]:
    return [fault.kind for fault in of_text(folder, text, *spans)]


def tagged(folder: Path, *tokens: str, scheme: str = "auto") -> LintReport:
    return lint_ner_file(file(folder, *tokens, name="notes.conll"), scheme=scheme)


def test_sound_annotations_have_no_faults(tmp_path: Path) -> None:
    rows = [
        {"id": "1", "text": "Ada Lovelace met Bob in St. Louis.", "entities": [[0, 12, "PER"], [17, 20, "PER"]]},
        {"id": "2", "text": "สมชายไปกรุงเทพฯ", "entities": [[0, 5, "PER"], [7, 15, "LOC"]]},
        {"id": "3", "text": "It rained.", "entities": []},
    ]
    report = lint_ner_file(file(tmp_path, *rows))
    assert (report.documents, report.spans, report.faults, report.counts.total()) == (3, 4, [], 0)
    assert format_lint_report(report).endswith("3 documents, 4 spans (jsonl)\nNo faults found.\n")


@pytest.mark.parametrize(
    ("text", "span", "whole"),
    [
        ("น้ำ", [0, 1], "น้ำ"),
        ("दिल्ली", [2, 4], "ल्ली"),
        ("e\u0301", [0, 1], "e\u0301"),
        ("🇹🇭", [1, 2], "🇹🇭"),
        ("a\r\nb", [0, 2], "a\r\n"),
    ],
)
def test_cut_cluster_names_the_whole_cluster(tmp_path: Path, text: str, span: list[int], whole: str) -> None:
    fault = of_text(tmp_path, text, [*span, "X"])[0]
    assert fault.kind == "cut-cluster"
    assert fault.message.endswith(f"whole ones are {whole!r}")


@pytest.mark.parametrize(
    ("text", "span", "kind", "message"),
    [
        ("Ada", [-1, 2], "outside-text", "[-1, 2) 'X' begins before its text"),
        ("Ada", [2, 2], "outside-text", "[2, 2) 'X' has no extent"),
        ("Ada", [3, 2], "outside-text", "[3, 2) 'X' has no extent"),
        ("Ada", [0, 4], "outside-text", "[0, 4) 'X' ends after its text, which has 3 code points"),
        ("ten Berliners met", [4, 10], "cut-word", "'Berlin' 'X' cuts a word: 'Berliners'"),
        ("Budapesten", [0, 8], "cut-word", "'Budapest' 'X' cuts a word: 'Budapesten'"),
        ("لمحمد", [1, 5], "cut-word", "'محمد' 'X' cuts a word: 'لمحمد'"),
        ("दिल्लीवाला", [0, 6], "cut-word", "'दिल्ली' 'X' cuts a word: 'दिल्लीवाला'"),
        ("Boeing747", [0, 6], "cut-word", "'Boeing' 'X' cuts a word: 'Boeing747'"),
        ("Ada met", [0, 4], "edge-space", "'Ada ' 'X' ends with a space"),
        ("a Ada", [1, 5], "edge-space", "' Ada' 'X' begins with a space"),
        ("Ada\u200b", [0, 4], "edge-space", "'Ada\\u200b' 'X' ends with U+200B"),
        ("\u3000Ada", [0, 4], "edge-space", "'\\u3000Ada' 'X' begins with U+3000"),
    ],
)
def test_span_has_one_fault(tmp_path: Path, text: str, span: list[int], kind: str, message: str) -> None:
    assert [(fault.kind, fault.message) for fault in of_text(tmp_path, text, [*span, "X"])] == [(kind, message)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Ada's", "Ada"),
        ("สมชายไป", "สมชาย"),
        ("北京大学", "北京"),
        ("서울은", "서울"),
        ("在IBM工作", "IBM"),
        ("Ada-Bob", "Ada"),
    ],
)
def test_name_with_clear_edges_has_no_fault(tmp_path: Path, text: str, name: str) -> None:
    start = text.index(name)
    assert kinds(tmp_path, text, [start, start + len(name), "X"]) == []


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        *(
            (name, [])
            for name in ("Ada", "Inc.", "U.S.", "D.C.", "Seth K .", "St. Louis", "C++", "A&M", "@ada", "#1", "5%")
        ),
        *(
            (name, [])
            for name in ('"Foo"', "Foo (Bar)", "«Аврора»", "《红楼梦》", "กรุงเทพฯ", "צה״ל", "O'Brien", "James'")
        ),
        *((name, []) for name in ("'t Hooft", ".NET", "„Die Zeit“", "Ёж", "ད་")),
        *(
            (name, ["ends"])
            for name in ("Ada,", "Paris.", "Yahoo!", "Foo (", "Bar)", 'Ada"', "Ada '", "Ada-", "北京，", "दिल्ली।")
        ),
        *((name, ["ends"]) for name in ("القاهرة،", "Ada…", "“Ada””)", "Foo ...")),
        *(
            (name, ["begins"])
            for name in (", Inc.", "(Foo", ")Foo", '"Ada', "—Ada", "' Ada", "- Ada", "；阿斯", "``Ada")
        ),
        ("(Foo,", ["begins", "ends"]),
        ("-", ["begins"]),
    ],
)
def test_punctuation_at_the_edge_of_a_name_is_a_fault(tmp_path: Path, name: str, ends: list[str]) -> None:
    faults = of_text(tmp_path, name, [0, len(name), "X"])
    assert [fault.kind for fault in faults] == ["edge-punctuation"] * len(ends)
    assert [fault.message.split(" 'X' ")[1].split()[0] for fault in faults] == ends


def test_each_repeated_span_is_a_duplicate_span(tmp_path: Path) -> None:
    assert kinds(tmp_path, "Ada", *[[0, 3, "PER"]] * 3) == ["duplicate-span"] * 2


@pytest.mark.parametrize(
    ("spans", "messages"),
    [
        ([[0, 8, "A"], [4, 8, "B"]], ["'York' [4, 8) 'B' lies in 'New York' [0, 8) 'A'"]),
        ([[4, 13, "B"], [0, 8, "A"]], ["'York City' [4, 13) 'B' crosses 'New York' [0, 8) 'A'"]),
        ([[0, 8, "B"], [0, 8, "A"]], ["'New York' [0, 8) 'B' has the place of 'New York' [0, 8) 'A'"]),
        ([[0, 3, "A"], [4, 8, "A"]], []),
        ([[0, 3, "A"], [3, 8, "A"]], []),
        (
            [[0, 13, "A"], [0, 3, "B"], [4, 8, "C"]],
            [
                "'New' [0, 3) 'B' lies in 'New York City' [0, 13) 'A'",
                "'York' [4, 8) 'C' lies in 'New York City' [0, 13) 'A'",
            ],
        ),
    ],
)
def test_overlap_names_the_other_span(tmp_path: Path, spans: list[Any], messages: list[str]) -> None:
    found = of_text(tmp_path, "New York City", *spans)
    assert [fault.message for fault in found if fault.kind == "overlap"] == messages


def test_document_without_text_is_an_empty_document(tmp_path: Path) -> None:
    rows = [{"text": "Ada", "entities": []}, {"text": "", "entities": []}, {"text": " \n", "entities": []}]
    faults = lint_ner_file(file(tmp_path, *rows)).faults
    assert [(fault.kind, fault.where[-1]) for fault in faults] == [("empty-document", "2"), ("empty-document", "3")]


def test_duplicate_document_names_the_first_place(tmp_path: Path) -> None:
    ada, none = [[0, 3, "PER"]], list[Any]()
    rows = [("1", "Ada", ada), ("1", "Bob", none), ("2", "Ada", ada), ("3", "Ada", none)]
    source = file(tmp_path, *({"id": i, "text": text, "entities": spans} for i, text, spans in rows))
    found = [(fault.kind, fault.document, fault.message) for fault in lint_ner_file(source).faults]
    assert found == [
        ("duplicate-document", "1", f"the id '1' stands before, at {source.name}:1"),
        ("duplicate-document", "2", f"the text 'Ada' stands before, at {source.name}:1"),
        ("conflicting-document", "3", f"the text 'Ada' stands before, at {source.name}:1, with other spans"),
    ]


def test_label_conflict_lists_counts_and_places(tmp_path: Path) -> None:
    labels = ["LOC", "LOC", "PER", "LOC"]
    rows = [{"text": f"{number} Paris", "entities": [[2, 7, label]]} for number, label in enumerate(labels)]
    source = file(tmp_path, *rows)
    [fault] = lint_ner_file(source).faults
    assert fault.to_dict() == {
        "kind": "label-conflict",
        "where": f"{source.name}:3",
        "message": f"'Paris' is 'LOC' 3 times ({source.name}:1), 'PER' 1 time ({source.name}:3)",
        "labels": {"LOC": {"count": 3, "where": f"{source.name}:1"}, "PER": {"count": 1, "where": f"{source.name}:3"}},
    }


def test_labels_that_differ_by_case_are_a_fault(tmp_path: Path) -> None:
    spans = [[0, 3, "PER"], [4, 7, "per"], [8, 11, "Per"], [12, 15, "LOC"]]
    [fault] = of_text(tmp_path, "Ada Bob Eve Ulm", *spans)
    assert fault.kind == "label-case"
    assert list(fault.more["labels"]) == ["PER", "Per", "per"]


def test_names_outside_their_text_are_unlocated(tmp_path: Path) -> None:
    report = lint_ner_file(file(tmp_path, {"text": "Ada", "mentions": [["Ada", "PER"], ["Eve", "PER"]]}))
    assert [(fault.kind, fault.message) for fault in report.faults] == [
        ("unlocated", "'Eve' 'PER' is not in the text, or not so often")
    ]
    assert [notice.code for notice in report.warnings] == ["unlocated"]


def test_documents_without_text_have_span_faults(tmp_path: Path) -> None:
    rows = [{"entities": [[0, 3, "PER"], [2, 5, "per"], [7, 6, "X"], [0, 2**64, "Y"]]}]
    faults = lint_ner_file(file(tmp_path, *rows)).faults
    assert [fault.kind for fault in faults] == [*["outside-text"] * 2, "overlap", "label-case"]
    assert faults[1].message == f"[0, {2**64}) 'Y' ends where no text is long enough"


@pytest.mark.parametrize(
    ("scheme", "tags", "misfits"),
    [
        ("iob2", "O I-A I-A B-B I-A O", [(2, "begins"), (5, "begins")]),
        ("iobes", "B-A O S-B I-B E-B E-A", [(1, "ends"), (4, "begins"), (6, "begins")]),
        ("iobes", "B-A I-A O", [(2, "ends")]),
        ("bilou", "I-A O U-A L-A", [(1, "begins"), (4, "begins")]),
        ("io", "I-A O I-B", []),
        ("iob2", "B-A X-A I-A PER", [(2, "is not a tag"), (3, "begins"), (4, "is not a tag")]),
        ("iob1", "B-A O I-A B-A", [(1, "B- only parts touching spans of one label; 'I-A' would fit")]),
        ("ioe1", "I-A E-A I-A O E-A O", [(5, "E- only parts touching spans of one label; 'I-A' would fit")]),
    ],
)
def test_invalid_tags_have_lines_and_messages(
    tmp_path: Path, scheme: str, tags: str, misfits: list[tuple[int, str]]
) -> None:
    report = tagged(tmp_path, *(f"w{at}\t{tag}" for at, tag in enumerate(tags.split())), scheme=scheme)
    found = [fault for fault in report.faults if fault.kind == "misfit-tag"]
    assert [int(fault.where.rpartition(":")[2]) for fault in found] == [line for line, _ in misfits]
    assert all(word in fault.message for fault, (_, word) in zip(found, misfits, strict=True))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    scheme=st.sampled_from(sorted(SCHEMES)),
    sentences=st.lists(st.lists(st.sampled_from(TAGS), min_size=1, max_size=6), min_size=1, max_size=4),
)
def test_invalid_tags_equal_those_of_tags_validate(tmp_path: Path, scheme: str, sentences: list[list[str]]) -> None:
    path = tmp_path / "tags.conll"
    path.write_text("\n".join("".join(f"w {tag}\n" for tag in tags) for tags in sentences), encoding="utf-8")
    told: list[InvalidTag] = []
    validate_tags(open_tag_file(Source(path), scheme=scheme), told.append)
    faults = lint_ner_file(Source(path), scheme=scheme, max_faults=None).faults
    found = [(fault.where, fault.message) for fault in faults if fault.kind == "misfit-tag"]
    assert found == [(misfit.where, misfit.message) for misfit in told]


def test_spans_of_tags_have_the_line_of_their_first_token(tmp_path: Path) -> None:
    report = tagged(
        tmp_path, "in\tO", "Ulm\tB-LOC", ",\tI-LOC", "", "Ulm\tB-LOC", ",\tI-LOC", "Ulm\tB-ORG", "Ulm\tB-LOC"
    )
    found = [(fault.kind, fault.where.rpartition(":")[2]) for fault in report.faults]
    assert found == [("edge-punctuation", "2"), ("edge-punctuation", "5"), ("label-conflict", "7")]


def test_detected_scheme_is_a_warning(tmp_path: Path) -> None:
    [notice] = tagged(tmp_path, "Ulm\tB-LOC").warnings
    assert notice.code == "scheme-detected"
    assert "is read as IOB2" in notice.message
    assert str(tmp_path) in notice.message


def test_warning_has_the_file_name_as_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("ulm.conll").write_text("Ulm\tB-LOC\n", encoding="utf-8")
    [notice] = lint_ner_file(Source("ulm.conll")).warnings
    assert "ulm.conll is read as IOB2" in notice.message


def test_columns_select_the_checked_tags(tmp_path: Path) -> None:
    source = file(tmp_path, "Ulm\tI-LOC\tB-LOC", name="both.conll")
    misfits = [
        lint_ner_file(source, options=FormatOptions(columns=(1, tag)), scheme="iob2").counts["misfit-tag"]
        for tag in (2, 3)
    ]
    assert misfits == [1, 0]


def test_tags_of_no_scheme_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(TagError, match=r"no tag scheme has all of B-, I-, L-, S-"):
        tagged(tmp_path, "a\tB-A", "b\tI-A", "c\tL-A", "d\tS-A")


def test_a_scheme_for_spans_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--scheme iob2 has no effect"):
        lint_ner_file(file(tmp_path, {"text": "Ada", "entities": []}), scheme="iob2")


def test_a_broken_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"notes\.jsonl:2"):
        lint_ner_file(file(tmp_path, {"text": "Ada", "entities": []}, "{"))


def test_max_faults_bounds_kept_faults_not_counts(tmp_path: Path) -> None:
    rows = [{"text": "", "entities": []}] * 5
    report = lint_ner_file(file(tmp_path, *rows), max_faults=2)
    assert (len(report.faults), report.counts["empty-document"]) == (2, 5)
    assert "\n… 3 more of empty-document\n" in format_lint_report(report)
    assert json.loads(to_lint_json(report))["counts"]["empty-document"] == 5
    none = format_lint_report(lint_ner_file(file(tmp_path, *rows), max_faults=0))
    assert none.splitlines()[1:] == ["        5  empty-document"]


def test_unknown_fault_kind_is_refused() -> None:
    check_fault_kinds([*FAULT_KINDS, "all"])
    with pytest.raises(UsageError, match=f"Unknown kind of fault 'foo'. Choose from all, {', '.join(FAULT_KINDS)}"):
        check_fault_kinds(["overlap", "foo"])


def naive(text: str, spans: list[tuple[int, int, str]]) -> dict[str, int]:
    """Counts of one document, each kind by its own definition."""
    within = [span for span in spans if 0 <= span[0] < span[1] <= len(text)]
    edges = {0, *(end for _, end in split_graphemes(text))}
    distinct = sorted(set(within), key=lambda span: (span[0], -span[1], span[2]))
    names = {
        text[start:end]: {label for a, b, label in within if text[a:b] == text[start:end]} for start, end, _ in within
    }
    labels = {label for _, _, label in within}
    return {
        "outside-text": len(spans) - len(within),
        "cut-cluster": sum(not {start, end} <= edges for start, end, _ in within),
        "edge-space": sum(text[start].isspace() + text[end - 1].isspace() for start, end, _ in within),
        "duplicate-span": len(within) - len(distinct),
        "overlap": sum(
            any(a < end and start < b for a, b, _ in distinct[:at]) for at, (start, end, _) in enumerate(distinct)
        ),
        "empty-document": int(not text.strip()),
        "label-conflict": sum(len(of_name) > 1 for of_name in names.values()),
        "label-case": int({"x", "X"} <= labels),
    }


@given(
    st.text("ab ก้ े्क.\n", max_size=8),
    st.lists(st.tuples(st.integers(-1, 8), st.integers(0, 9), st.sampled_from("xXY")), max_size=6),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_are_those_of_the_definitions(tmp_path: Path, text: str, spans: list[tuple[int, int, str]]) -> None:
    report = lint_ner_file(file(tmp_path, {"text": text, "entities": spans}))
    expected = naive(text, spans)
    assert {kind: report.counts[kind] for kind in expected} == expected


def command(capsys: Streams, *arguments: str) -> tuple[int, str, str]:
    code = run(["lint", "ner", *arguments])
    return code, *capsys.readouterr()


def test_command_prints_faults_with_exit_code_0(tmp_path: Path, capsys: Streams) -> None:
    source = file(tmp_path, {"text": "Ada ", "entities": [[0, 4, "PER"]]})
    code, out, _ = command(capsys, source.path)
    assert (code, out.splitlines()[0]) == (0, f"{source.path}:1: edge-space: 'Ada ' 'PER' ends with a space")


@pytest.mark.parametrize(
    ("kinds_to_fail_on", "code"), [(["edge-space"], 1), (["overlap"], 0), (["overlap", "edge-space"], 1), (["all"], 1)]
)
def test_fail_on_sets_the_exit_code(tmp_path: Path, capsys: Streams, kinds_to_fail_on: list[str], code: int) -> None:
    source = file(tmp_path, {"text": "Ada ", "entities": [[0, 4, "PER"]]})
    assert command(capsys, source.path, *(f"--fail-on={kind}" for kind in kinds_to_fail_on))[0] == code


def test_a_sound_file_fails_on_nothing(tmp_path: Path, capsys: Streams) -> None:
    source = file(tmp_path, {"text": "Ada", "entities": [[0, 3, "PER"]]})
    assert command(capsys, source.path, "--fail-on", "all")[0] == 0


def test_answers_of_models_are_checked(tmp_path: Path, capsys: Streams) -> None:
    source = file(tmp_path, {"text": "Ada", "answer": '[["Eve", "PER"]]'}, {"text": "Bob", "answer": "Sorry."})
    document = json.loads(command(capsys, source.path, "--answers", "answer", "-f", "json")[1])
    assert [fault["kind"] for fault in document["faults"]] == ["unlocated"]
    assert [warning["code"] for warning in document["warnings"]] == ["unlocated", "undecodable-answers"]


def test_an_unknown_kind_is_a_wrong_call(tmp_path: Path, capsys: Streams) -> None:
    code, out, err = command(capsys, str(tmp_path / "absent"), "--fail-on", "foo")
    assert (code, out) == (2, "")
    assert "label-conflict, label-case" in err


def test_the_command_prints_json(tmp_path: Path, capsys: Streams) -> None:
    source = file(tmp_path, {"id": "a", "text": "Ada ", "entities": [[0, 4, "PER"]]})
    document = json.loads(command(capsys, source.path, "-f", "json")[1])
    assert document["faults"] == [
        {
            "kind": "edge-space",
            "where": f"{source.path}:1",
            "document": "a",
            "message": "'Ada ' 'PER' ends with a space",
        }
    ]
    assert set(document["counts"]) == set(FAULT_KINDS)
    assert (document["documents"], document["spans"], document["format"]) == (1, 1, "jsonl")


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")
@pytest.mark.parametrize(
    ("name", "misfits", "spans"),
    [
        ("uner_en_ewt/logreg.test", 176, 944),
        ("uner_zh_gsdsimp/logreg.dev", 206, None),
        ("uner_sr_set/gold.dev", 2, 844),
    ],
)
def test_invalid_tags_of_real_data_are_as_published(name: str, misfits: int, spans: int | None) -> None:
    report = lint_ner_file(Source(DATA / f"{name}.conll"))
    assert report.counts["misfit-tag"] == misfits
    assert spans in {report.spans, None}


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there")
@pytest.mark.parametrize("name", ["uner_en_ewt/spacy", "uner_sr_set/crf", "uner_zh_gsdsimp/crf"])
def test_conflicts_of_real_data_are_those_that_a_table_shows(name: str) -> None:
    path = DATA / f"{name}.test.jsonl"
    labels: dict[str, set[str]] = {}
    texts = []
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        texts.append(row["text"])
        for span in row["entities"]:
            labels.setdefault(row["text"][span["start"] : span["end"]], set()).add(span["label"])
    counts = lint_ner_file(Source(path)).counts
    assert counts["label-conflict"] == sum(len(found) > 1 for found in labels.values())
    repeated = counts["duplicate-document"] + counts["conflicting-document"]
    assert repeated == len(texts) - len(set(texts))
