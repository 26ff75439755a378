"""The PyThaiNLP tokenization benchmark of 2019, and its successor `pythainlp.benchmarks`.

`thai-benchmark` is `thai-tokenisation-benchmark.py --test-file ... --input ...` of 2019. What is reproduced
    1. A sample is cleaned in this order: a trailing `|? ?|` is removed, then a leading one, then all whitespace; runs
       of `|` become one; tags `</?[A-Z]+>` are removed, so that a tag between two `|` leaves two; one trailing `|` is
       removed. Lower-case tags stay, and are text.
    2. A sample that is empty on either side after this is left out, so that a tokenizer that fails gains.
    3. Character and word figures as in the default. The published figures are means over samples
       (`per_document.word.f1.mean`), with standard deviation (ddof 1), minimum and maximum.
    4. F is 0 where precision and recall are.

`pythainlp` is `thainlp benchmark word-tokenization --test-file ... --input-file ...` of PyThaiNLP 5.4. What is
reproduced
    1. Samples are cleaned as by the benchmark of 2019, but a leading `| |` stays. Whitespace is removed and a leading
       separator means nothing, so this changes no figure.
    2. A sample that is empty on either side after this is left out.
    3. It counts per sample, and publishes figures of the sums over the corpus: `character`, `word`.

Exceptions of both
    1. Texts are compared first. In the tools, other characters of the same number score as if they were equal, a longer
       or truncated prediction is scored as far as it goes, and a shorter one may end the whole run.
    2. A sample that ends with a separator after it was cleaned, such as `ab|<AB>|</AB>|`, ends the run of the tools.
    3. Another number of samples is an error, but not in their function `benchmark`, which cuts the longer list.
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
    """Clean a sample as the benchmark of 2019 does."""
    return _tidy_sample(LEADING_SEPARATOR.sub("", TRAILING_SEPARATOR.sub("", sample.strip())))


def clean_pythainlp(sample: str) -> str:
    """Clean a sample as `pythainlp.benchmarks` does."""
    return _tidy_sample(TRAILING_SEPARATOR.sub("", sample.strip()))


def _tidy_sample(sample: str) -> str:
    """Remove whitespace, tags, repeated separators and the last separator of a sample."""
    return LAST_SEPARATOR.sub("", UPPERCASE_TAG.sub("", SEPARATOR_RUN.sub("|", WHITESPACE.sub("", sample)))).strip()


THAI_BENCHMARK, PYTHAINLP = (
    SegmentationProfile(
        name=name, make_metric=lambda _: WordSegmentation(zero_division=0.0), clean=clean, drop_empty=True
    )
    for name, clean in (("thai-benchmark", clean_thai_benchmark), ("pythainlp", clean_pythainlp))
)
