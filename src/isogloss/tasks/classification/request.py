"""Declare the body of an HTTP request that scores text classification."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from isogloss.tasks.task import Request

Number = int | float


def make_request() -> Request:
    """Return the types of the data in a request, and an example."""
    return Request(
        "ClassificationRequest",
        "Text classification: labels, or scores of labels, against a reference.",
        {
            "reference": Annotated[
                list[str | list[str | Number] | dict[str, Number | bool | None]],
                Meta(description="For each document its label, a list of labels, or 0, 1 or null by label."),
            ],
            "prediction": Annotated[
                list[str | list[str | Number] | dict[str, Number]],
                Meta(
                    description="For each document scores by label, its label, or a list of labels; or rows of scores.",
                ),
            ],
        },
        {"reference": ["toxic", "fine"], "prediction": [{"toxic": 0.9, "fine": 0.1}, {"toxic": 0.6, "fine": 0.4}]},
    )
