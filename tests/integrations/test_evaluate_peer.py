"""`Seqeval` among metrics of the package `evaluate`: combined with others, in every documented call."""

from __future__ import annotations

from typing import Any

import pytest

from isogloss.integrations import Seqeval

pytestmark = [pytest.mark.parity, pytest.mark.extra]
evaluate = pytest.importorskip("evaluate", reason="evaluate is not installed")
datasets = pytest.importorskip("datasets", reason="datasets is not installed")

PREDICTIONS = [["O", "B-MISC", "I-MISC", "O"], ["B-PER", "I-PER", "O"]]
REFERENCES = [["O", "O", "B-MISC", "O"], ["B-PER", "I-PER", "O"]]
ALONE = Seqeval().compute(predictions=PREDICTIONS, references=REFERENCES)


class EqualDocuments(evaluate.Metric):  # type: ignore[misc, name-defined]
    """A metric of evaluate, written here: the number of documents with equal tags."""

    def _info(self) -> Any:
        tags = datasets.Sequence(datasets.Value("string"))
        features = datasets.Features({"predictions": tags, "references": tags})
        return evaluate.MetricInfo(description="", citation="", features=features)

    def _compute(self, predictions: list[list[str]], references: list[list[str]]) -> dict[str, int]:
        return {"equal": sum(map(list.__eq__, predictions, references))}


@pytest.fixture(params=[[0, 1], [1, 0]], ids=["first", "second"])
def combined(request: pytest.FixtureRequest) -> Any:
    """Both metrics as one, in either order."""
    metrics = [Seqeval(), EqualDocuments()]
    return evaluate.combine([metrics[at] for at in request.param])


def test_combined_metrics_compute_at_once(combined: Any) -> None:
    assert combined.compute(predictions=PREDICTIONS, references=REFERENCES) == {**ALONE, "equal": 1}


def test_combined_metrics_take_batches_and_single_documents(combined: Any) -> None:
    combined.add_batch(predictions=PREDICTIONS[:1], references=REFERENCES[:1])
    combined.add(prediction=PREDICTIONS[1], reference=REFERENCES[1])
    assert combined.compute() == {**ALONE, "equal": 1}
    assert combined.compute(predictions=PREDICTIONS[1:], references=REFERENCES[1:])["overall_f1"] == 1  # it forgot


def test_keys_have_the_name_of_the_metric_as_prefix() -> None:
    combined = evaluate.combine([Seqeval(), EqualDocuments()], force_prefix=True)
    found = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert found["seqeval_overall_f1"] == ALONE["overall_f1"]


def test_two_of_it_are_numbered() -> None:
    found = evaluate.combine([Seqeval(), Seqeval()]).compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {name.partition("_overall")[0] for name in found if "overall_f1" in name} == {"seqeval_0", "seqeval_1"}


def test_combined_metrics_can_be_named() -> None:
    combined = evaluate.combine({"ours": Seqeval(), "equal": EqualDocuments()}, force_prefix=True)
    found = combined.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert {"ours_overall_f1", "equal_equal"} <= found.keys()
