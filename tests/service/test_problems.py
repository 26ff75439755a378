from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from isogloss.errors import DataError, MissingExtraError, MissingModelError, UsageError
from isogloss.service.problems import BUG, PROBLEM_KINDS, TYPE_PREFIX, Problem, to_json_pointer, to_problem

BODY = frozenset({"reference", "prediction", "references", "scheme"})
PAGE = Path(__file__).parents[2] / "docs" / "service.md"


@pytest.mark.parametrize(
    ("where", "pointer"),
    [
        ("prediction[3][5]", "/prediction/3/5"),
        ("prediction", "/prediction"),
        ("references['it_IT'][2]", "/references/it_IT/2"),
        ("references['a/b~c'][0]", "/references/a~1b~0c/0"),
        ("reference[2].tags", "/reference/2/tags"),
        ("prediction[3] (and others)", "/prediction/3"),
        ("pred.conll:42", None),
        ("text 1", None),
        ("", None),
    ],
)
def test_a_place_in_an_argument_is_a_json_pointer(where: str, pointer: str | None) -> None:
    assert to_json_pointer(where, BODY) == pointer


def test_data_at_fault_keep_their_place_and_remedy() -> None:
    error = DataError("the tag is empty", where="prediction[3][5]", detail="B-PER ''", remedy="Write O.")
    problem = to_problem(error, BODY)
    assert problem.status == 422
    assert json.loads(problem.to_json("id-1")) == {
        "type": f"{TYPE_PREFIX}unscorable-data",
        "title": "The data cannot be scored",
        "status": 422,
        "detail": "the tag is empty\nB-PER ''",
        "remedy": "Write O.",
        "errors": [{"pointer": "/prediction/3/5", "detail": "the tag is empty\nB-PER ''"}],
        "request_id": "id-1",
    }


def test_a_wrong_value_points_at_its_argument() -> None:
    assert to_problem(UsageError("Unknown scheme 'x'. Choose from auto."), BODY).pointer == "/scheme"
    assert to_problem(UsageError("seed must be 0 or more."), BODY | {"seed"}).pointer == "/seed"
    assert to_problem(UsageError("There is no profile named 'x'."), BODY).pointer is None


@pytest.mark.parametrize(
    "error",
    [MissingExtraError("BLEU", "isogloss[mt]"), MissingModelError("no model uk", "stanza download uk")],
)
def test_a_missing_package_or_model_is_the_fault_of_the_service(error: MissingExtraError) -> None:
    problem = to_problem(error)
    assert problem.status == 501
    assert str(error) in problem.detail


def test_a_bug_says_how_to_report_it_and_nothing_else() -> None:
    assert BUG.status == 500
    assert "report" in BUG.remedy
    assert BUG.pointer is None


def test_members_without_content_are_left_out() -> None:
    assert Problem("bug", "x").to_dict().keys() == {"type", "title", "status", "detail"}


@pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")
def test_every_kind_is_documented_with_its_status() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert dict(rows) == {kind: str(status) for kind, (status, _) in PROBLEM_KINDS.items()}
