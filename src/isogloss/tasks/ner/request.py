"""The body of an HTTP request that scores named entities."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from isogloss.tasks.task import Request


class Span(msgspec.Struct, gc=False):
    """A span as an object; the list `[start, end, label]` is equivalent."""

    start: int
    end: int
    label: str


Document = list[str | tuple[int, int, str] | Span]


def make_request() -> Request:
    """Return the body type of a request, with an example."""
    return Request(
        "NerRequest",
        "Predicted named entities against a reference: a list of tags, or of half-open spans, for each document.",
        {
            "reference": Annotated[list[Document], Meta(description="Per document its tags, or its spans.")],
            "prediction": Annotated[
                list[Document],
                Meta(description="The same for the prediction, as many documents."),
            ],
        },
        {"reference": [["B-PER", "I-PER", "O"]], "prediction": [["B-PER", "O", "O"]]},
    )
