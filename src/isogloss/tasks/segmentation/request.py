"""The body of an HTTP request that scores word segmentation."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from isogloss.tasks.task import Request


def make_request() -> Request:
    """Return the body type of a request, with an example."""
    return Request(
        "SegmentationRequest",
        "Texts cut into words against a reference: a list of words for each text.",
        {
            "reference": Annotated[list[list[str]], Meta(description="The words of each text.")],
            "prediction": Annotated[
                list[list[str]],
                Meta(description="The predicted words of each text, as many texts."),
            ],
        },
        {"reference": [["ab", "c"]], "prediction": [["a", "b", "c"]]},
    )
