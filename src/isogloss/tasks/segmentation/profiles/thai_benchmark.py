"""The PyThaiNLP tokenization benchmark of 2019: `thai-tokenisation-benchmark.py --test-file ... --input ...`.

What is reproduced
    1. A sample is cleaned in this order: a trailing `|? ?|` comes off, then a leading one, then all whitespace; runs of
       `|` become one; tags `</?[A-Z]+>` come off, so that a tag between two `|` leaves two; one trailing `|` comes off.
       Lower-case tags stay, and are text.
    2. A sample that is empty on either side after this is left out, so that a tokenizer that fails gains.
    3. Character and word figures as in the default. The published figures are means over samples
       (`per_document.word.f1.mean`), with standard deviation (ddof 1), minimum and maximum.
    4. F is 0 where precision and recall are.

Exceptions
    1. Texts are compared first. There, other characters of the same number score as if they were equal, a longer or
       truncated prediction is scored as far as it goes, and a shorter one may end the whole run.
    2. A sample that ends with a separator after it was cleaned, such as `ab|<AB>|</AB>|`, ends the run there.
    3. Another number of samples is an error in both, but not in the function `benchmark`, which cuts the longer list.
"""

from __future__ import annotations

import re

from isogloss.tasks.segmentation.metric import WordSegmentation
from isogloss.tasks.segmentation.profiles import SegmentationProfile

TRAILING_SEPARATOR = re.compile(r"\|? ?\|$")
LEADING_SEPARATOR = re.compile(r"^\|? ?\|")
WHITESPACE = re.compile(r"\s+")
SEPARATOR_RUN = re.compile(r"\|+")
UPPERCASE_TAG = re.compile(r"</?[A-Z]+>")
LAST_SEPARATOR = re.compile(r"\|$")


def clean_thai_benchmark(sample: str) -> str:
    """Clean a sample as the tool does."""
    return tidy_sample(LEADING_SEPARATOR.sub("", TRAILING_SEPARATOR.sub("", sample.strip())))


def tidy_sample(sample: str) -> str:
    """Remove whitespace, tags, repeated separators and the last separator of a sample."""
    return LAST_SEPARATOR.sub("", UPPERCASE_TAG.sub("", SEPARATOR_RUN.sub("|", WHITESPACE.sub("", sample)))).strip()


PROFILE = SegmentationProfile(
    name="thai-benchmark",
    make_metric=lambda _: WordSegmentation(zero_division=0.0),
    clean=clean_thai_benchmark,
    drop_empty=True,
)
