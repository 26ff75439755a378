from __future__ import annotations

import math
import re
import shlex
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss
from isogloss.errors import UsageError
from isogloss.kernel.scores import parse_path
from isogloss.runs.comparison import WorseVerdict
from isogloss.runs.gates import (
    Gate,
    GateBound,
    GateVerdict,
    format_gate_summary,
    format_junit,
    format_workflow_commands,
    parse_gate,
)
from isogloss.runs.run import Run
from isogloss.stats.intervals import Interval
from isogloss.stats.smallest_p import SmallestP
from isogloss.tasks.registry import get_task

GOLD = [["B-PER", "O"], ["B-LOC", "B-PER"], ["B-PER", "O"]]
SYSTEM = [["B-PER", "O"], ["B-LOC", "O"], ["B-PER", "O"]]  # 3 of 4 found, none made up: recall 0.75, precision 1


@pytest.fixture(scope="module")
def run() -> Run:
    return isogloss.ner(GOLD, SYSTEM, scheme="iob2", confidence=0.9)


@dataclass(frozen=True)
class Said:
    said: str
    passed: bool
    system: str = "a system"
    names_system = False
    is_undecided = False

    @property
    def gate(self) -> str:
        return f"asked of {self.said}"

    def __str__(self) -> str:
        return self.said


def test_gate_passes_at_or_above_its_threshold(run: Run) -> None:
    for text, passed in [
        ("strict.recall=0.75", True),
        ("strict.recall=0.76", False),
        ("strict.missed=1", True),
        ("strict.missed=2", False),
        ("by_label.PER.strict.precision=1", True),
        ("per_document.strict.recall.mean=0.8", True),
        ('by_label."PER".strict.recall=0.5', True),
    ]:
        score = text.replace('"PER"', "PER")
        assert parse_gate(score).judge(run).passed is passed


def test_upper_gate_passes_at_or_below_its_threshold(run: Run) -> None:
    assert [parse_gate(text, "over").judge(run).passed for text in ("strict.missed=1", "strict.missed=0")] == [
        True,
        False,
    ]


def test_interval_gate_uses_the_end_nearer_to_failing(run: Run) -> None:
    low = run.intervals["strict.recall"].low
    assert low < 0.75
    assert parse_gate("strict.recall=0.75", interval=True).judge(run).passed is False
    assert parse_gate(f"strict.recall={low}", interval=True).judge(run).passed is True
    assert parse_gate("strict.recall=1", "over", interval=True).judge(run).value == run.intervals["strict.recall"].high


def test_undefined_score_fails_a_gate() -> None:
    nothing = isogloss.ner([["O"]], [["O"]], scheme="iob2")
    verdict = parse_gate("strict.f1=0").judge(nothing)
    assert math.isnan(verdict.value)
    assert not verdict.passed
    assert str(verdict) == "strict.f1 is undefined"


def test_verdict_text_states_score_and_threshold(run: Run) -> None:
    assert str(parse_gate("strict.recall=0.9").judge(run)) == "strict.recall is 0.7500, under 0.9"
    assert str(parse_gate("strict.recall=0.7").judge(run)) == "strict.recall is 0.7500, not under 0.7"
    assert str(parse_gate("strict.recall=0.7", interval=True).judge(run)).startswith(
        "the lower end of strict.recall is "
    )


@pytest.mark.parametrize(
    ("value", "limit", "bound", "text"),
    [
        (0.84997, 0.85, "under", "strict.f1 is 0.84997, under 0.85"),
        (0.85, 0.85, "under", "strict.f1 is 0.8500, not under 0.85"),
        (1 / 3, 1 / 3, "under", "strict.f1 is 0.3333333333333333, not under 0.3333333333333333"),
        (0.1 + 0.2, 0.3, "over", "strict.f1 is 0.30000000000000004, over 0.3"),
        (0.9, 0.8500001, "over", "strict.f1 is 0.9000, over 0.8500001"),
    ],
)
def test_verdict_shows_on_which_side_a_score_is(value: float, limit: float, bound: GateBound, text: str) -> None:
    passed = value >= limit if bound == "under" else value <= limit
    assert str(GateVerdict(Gate("strict.f1", limit, bound), "x", value, passed)) == text


def test_invalid_thresholds_are_refused() -> None:
    for text in ["strict.f1", "=0.8", "strict.f1=", "strict.f1=high", "strict..f1=1", "strict.f1=nan"]:
        with pytest.raises(UsageError, match="Invalid threshold"):
            parse_gate(text)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("by_label.บุคคล.strict.f1=0.5", 'by_label."บุคคล".strict.f1=0.5'),
        ("by_label.U.S..strict.f1=0.5", 'by_label."U.S.".strict.f1=0.5'),
        ('by_label."U.S.strict.f1=0.5', 'by_label."U.S".strict.f1=0.5'),
        ("slices.author.J. Doe.strict.f1=0.5", 'slices.author."J. Doe".strict.f1=0.5'),
    ],
)
def test_gate_of_an_unquoted_label_says_how_to_quote_it(text: str, quoted: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_gate(text)
    given = str(caught.value).rpartition("all in single ones: ")[2].removesuffix(".")
    assert shlex.split(given) == [quoted]
    assert parse_gate(quoted).score == quoted.removesuffix("=0.5")


@pytest.mark.parametrize(
    ("task", "text", "remedy"),
    [
        ("ner", "strict.f1=85", "For 85% write strict.f1=0.85."),
        ("ner", "by_label.PER.strict.recall=-0.1", "Give a number from 0 to 1."),
        ("ner", "tokens.accuracy=101", "Give a number from 0 to 1."),
        ("ner", "per_document.strict.f1.std=1.5", "For 1.5% write per_document.strict.f1.std=0.015."),
        ("classification", "by_label.pos.label.precision=90", "For 90% write by_label.pos.label.precision=0.9."),
        ("classification", "macro.label.f1=90", "For 90% write macro.label.f1=0.9."),
        ("segmentation", "slices.genre.news.word.f1=90", "For 90% write slices.genre.news.word.f1=0.9."),
        ("entity-translation", "chrf.score=101", "Give a number from 0 to 100."),
        ("code-switching", "mixing.burstiness=-2", "Give a number from -1 to 1."),
    ],
)
def test_thresholds_that_a_score_never_has_are_refused(task: str, text: str, remedy: str) -> None:
    with pytest.raises(UsageError, match=re.escape(remedy)):
        parse_gate(text, catalogue=get_task(task).scores)


@pytest.mark.parametrize(
    ("task", "text"),
    [
        ("ner", "strict.f1=1"),
        ("ner", "strict.missed=85"),
        ("ner", "per_document.strict.f1.documents=85"),
        ("entity-translation", "chrf.score=85"),
        ("entity-translation", "slices.language.it.comet.score=85"),
        ("entity-translation", "per_document.bleu.score.std=30"),
        ("code-switching", "mixing.cmi=20"),
        ("code-switching", "mixing.burstiness=-0.5"),
        ("code-switching", "scripts.Latn=2"),
    ],
)
def test_thresholds_that_a_score_can_have_are_accepted(task: str, text: str) -> None:
    assert parse_gate(text, catalogue=get_task(task).scores).value == float(text.rpartition("=")[2])


def test_every_ratio_is_within_the_limits_of_the_catalogue() -> None:
    row = {"id": "Q1_0", "targets": [{"translation": "Duna folyo", "mention": "Duna"}]}
    scored = {"a": 0.9, "b": 0.1}
    runs = [
        isogloss.ner(GOLD, SYSTEM, confidence=0.9, by={"k": [str(at) for at in range(len(GOLD))]}),
        isogloss.segmentation([["ab", "c"]], [["a", "b", "c"]]),
        isogloss.classification(["a", "b"], [scored, scored]),
        isogloss.code_switching(["Так word є.", "a б"], language="uk"),
        isogloss.entity_translation([row], ["A Duna"]),
    ]
    for run in runs:
        for name in (row["score"] for row in run.to_rows()):
            value, limits = run.score(name), run.catalogue.find_limits(parse_path(name))
            if isinstance(value, int):
                assert limits is None, name
            elif not name.startswith("scripts."):  # the names of scripts are those of the texts
                assert limits is not None, name
                assert math.isnan(value) or limits[0] <= value <= limits[1], name


def test_unknown_score_suggests_similar_ones(run: Run) -> None:
    with pytest.raises(UsageError, match=r"no score 'strict\.f2'.*strict\.f1"):
        parse_gate("strict.f2=0.5").judge(run)
    with pytest.raises(UsageError, match="--confidence"):
        parse_gate("strict.f1=0.5", interval=True).judge(isogloss.ner(GOLD, SYSTEM, scheme="iob2"))
    with pytest.raises(UsageError, match="only ratios") as caught:
        parse_gate("strict.correct=0.5", interval=True).judge(run)
    assert "strict.recall" in str(caught.value)
    assert "strict.incorrect" not in str(caught.value)  # which has no interval either


def test_junit_has_a_case_per_verdict() -> None:
    root = ET.fromstring(format_junit([Said("fine", passed=True), Said("strict.f1 <is> & low", passed=False)]))
    suite = root[0]
    assert (suite.attrib["tests"], suite.attrib["failures"]) == ("2", "1")
    cases = root.findall("testsuite/testcase")
    assert [case.attrib["name"] for case in cases] == ["asked of fine", "asked of strict.f1 <is> & low"]
    assert suite.findtext("system-out") == "fine"
    assert [case.attrib["message"] for case in root.iter("failure")] == ["strict.f1 <is> & low"]
    assert [case.find("failure") is None for case in cases] == [True, False]


# What both schemas allow: required attributes (with a pattern for their values), optional ones, and children in order.
# Jenkins: junit-10.xsd of the xunit plugin, where `*` stands for any order. Ant: JUnit.xsd of windyroad/JUnit-Schema.
NUMBER, SECONDS, TEXT = r"\d+", r"\d{1,3}\.\d*", r"[\s\S]*"
JENKINS = {
    "testsuites": ({}, {"name", "time", "tests", "failures", "errors"}, "(testsuite )*"),
    "testsuite": (
        dict.fromkeys(("name", "tests", "failures", "errors"), TEXT),
        {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
        "(testsuite |properties |testcase |system-out |system-err )*",
    ),
    "testcase": ({"name": TEXT}, {"time", "classname", "group"}, "(skipped |error |failure |system-out |system-err )*"),
    "failure": ({}, {"type", "message"}, ""),
    "properties": ({}, set[str](), "(property )*"),
    "system-out": ({}, set[str](), ""),
    "system-err": ({}, set[str](), ""),
}
ANT = {
    **JENKINS,
    "testsuites": ({}, set[str](), "(testsuite )*"),
    "testsuite": (
        {
            "name": r"[\s\S]+",
            "package": TEXT,
            "id": NUMBER,
            "hostname": r"[\s\S]+",
            "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
            **dict.fromkeys(("tests", "failures", "errors"), NUMBER),
            "time": SECONDS,
        },
        {"skipped"},
        "properties (testcase )*system-out system-err ",
    ),
    "testcase": ({"name": TEXT, "classname": TEXT, "time": SECONDS}, set[str](), "(skipped |error |failure )?"),
    "failure": ({"type": TEXT}, {"message"}, ""),
}


@pytest.mark.parametrize("schema", [JENKINS, ANT])
@given(st.lists(st.tuples(st.text(), st.booleans()), max_size=4))
def test_junit_is_valid_for_jenkins_and_ant(
    schema: dict[str, tuple[dict[str, str], set[str], str]], texts: list[tuple[str, bool]]
) -> None:
    root = ET.fromstring(format_junit([Said(text, passed=passed, system=text) for text, passed in texts]))
    for element in root.iter():
        required, optional, children = schema[element.tag]
        assert required.keys() <= element.attrib.keys() <= required.keys() | optional
        assert all(re.fullmatch(pattern, element.attrib[name]) for name, pattern in required.items())
        assert re.fullmatch(children, "".join(f"{child.tag} " for child in element))


def test_junit_has_the_time_of_the_suite() -> None:
    now = datetime(2026, 3, 4, 5, 6, 7, 8, tzinfo=UTC)
    assert ET.fromstring(format_junit([], now=now))[0].attrib["timestamp"] == "2026-03-04T05:06:07"


@given(st.text())
def test_junit_is_valid_xml_for_any_text(text: str) -> None:
    root = ET.fromstring(format_junit([Said(text, passed=False, system=text)]))
    assert len(root.findall(".//failure")) == 1


def test_github_annotations_point_to_lines_of_findings(tmp_path: Path) -> None:
    for name, tags in (("gold", ["B-PER", "O"]), ("pred", ["O", "O"])):
        (tmp_path / name).write_text("".join(f"w%{k}\t{tag}\n" for k, tag in enumerate(tags)), encoding="utf-8")
    found = isogloss.ner(tmp_path / "gold", tmp_path / "pred", findings=True)
    error, found_error = format_workflow_commands([found], [Gate("strict.f1", 0.5).judge(found)])
    gold, pred = (str(tmp_path / name).replace("%", "%25") for name in ("gold", "pred"))
    assert error == f"::error file={pred},title=isogloss gate::strict.f1 is 0.0000, under 0.5"
    assert found_error == f"::error file={gold},line=1,title=missed::reference PER: w%250 w%251"
    assert list(format_workflow_commands([found], [Gate("strict.f1", 0).judge(found)])) == [
        found_error.replace("error", "warning", 1)
    ]


def test_github_annotations_stop_at_the_limit() -> None:
    found = isogloss.ner([["B-PER"]] * 30, [["O"]] * 30, scheme="iob2", findings=True)
    assert len(list(format_workflow_commands([found], [], limit=4))) == 4
    assert not any("\n" in line for line in format_workflow_commands([found], []))


@pytest.mark.parametrize(("failed", "findings"), [(0, 10), (3, 7), (10, 0), (14, 0)])
def test_gates_and_findings_share_ten_annotations(failed: int, findings: int) -> None:
    found = isogloss.ner([["B-PER"]] * 30, [["O"]] * 30, scheme="iob2", findings=True)
    lines = list(format_workflow_commands([found], [Gate("strict.recall", 0.5).judge(found)] * failed))
    assert len(lines) == 10
    assert [("gate" in line) for line in lines] == [True] * (10 - findings) + [False] * findings


def test_gate_summary_has_a_row_per_gate() -> None:
    table = format_gate_summary([Said("a | b", passed=True), Said("c", passed=False)])
    assert "| passed | a \\| b |" in table
    assert "| **failed** | c |" in table
    assert format_gate_summary([]) == ""


@given(
    st.floats(0, 1),
    st.one_of(st.floats(0, 1), st.integers(0, 100).map(lambda n: n / 100)),
    st.sampled_from(["under", "over"]),
)
def test_verdict_text_agrees_with_itself(value: float, limit: float, bound: GateBound) -> None:
    """The number of the text is on the side of the threshold that the words say, also next to the threshold."""
    for near in (value, limit, math.nextafter(limit, 0), math.nextafter(limit, 1), round(value, 4)):
        passed = near >= limit if bound == "under" else near <= limit
        text = str(GateVerdict(Gate("strict.f1", limit, bound), "x", near, passed))
        found = re.fullmatch(r"strict\.f1 is (\S+), (not )?(under|over) (\S+)", text)
        assert found is not None
        shown, threshold = float(found[1]), float(found[4])
        fails = shown < threshold if found[3] == "under" else shown > threshold
        assert fails is (found[2] is None)
        assert fails is not passed


def make_evidence(interval: Interval) -> Any:
    """Evidence with one interval."""
    return SimpleNamespace(intervals={"strict.recall": interval})


@pytest.mark.parametrize("bound", ["under", "over"])
def test_interval_without_width_passes_no_gate(bound: GateBound) -> None:
    perfect = isogloss.ner(GOLD, GOLD, scheme="iob2", confidence=0.9)
    point = Interval(1.0, 1.0, 0.9, "bootstrap")
    run = replace(perfect, evidence=make_evidence(point))
    limit = 0.5 if bound == "under" else 1.0
    verdict = Gate("strict.recall", limit, bound, interval=True).judge(run)
    assert not verdict.passed
    end = "lower" if bound == "under" else "upper"
    assert (
        str(verdict) == f"the {end} end of strict.recall is 1.0000, but the interval has no width, so it shows nothing"
    )


def test_undefined_interval_passes_no_gate() -> None:
    run = replace(
        isogloss.ner(GOLD, GOLD, scheme="iob2"),
        evidence=make_evidence(Interval(math.nan, math.nan, 0.9, "bootstrap")),
    )
    verdict = Gate("strict.recall", 0.0, "under", interval=True).judge(run)
    assert not verdict.passed
    assert str(verdict) == "the lower end of strict.recall is undefined"


def test_undecided_gates_are_warnings_and_say_so(run: Run) -> None:
    undecided = WorseVerdict("a", "b", "strict.f1", -1.0, 0.0625, 0.05, False, SmallestP("randomization", 0, 1, 5))  # noqa: FBT003
    assert undecided.is_undecided
    (line,) = format_workflow_commands([run], [undecided])
    assert line.startswith("::warning title=isogloss gate::b is not significantly worse than a")
    assert "| undecided |" in format_gate_summary([undecided])
