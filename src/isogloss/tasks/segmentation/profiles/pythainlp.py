"""`pythainlp.benchmarks` of PyThaiNLP 5.4: `thainlp benchmark word-tokenization --test-file ... --input-file ...`.

What is reproduced
    1. Samples are cleaned as by the benchmark of 2019, but a leading `| |` stays. As whitespace goes and a leading
       separator means nothing, this changes no figure.
    2. A sample that is empty on either side after this is left out.
    3. It counts per sample, and publishes figures of the sums over the corpus: `character`, `word`.

Exceptions
    The three of the benchmark of 2019.
"""

from __future__ import annotations

from isogloss.tasks.segmentation.metric import WordSegmentation
from isogloss.tasks.segmentation.profiles import SegmentationProfile
from isogloss.tasks.segmentation.profiles.thai_benchmark import TRAILING_SEPARATOR, tidy_sample


def clean_pythainlp(sample: str) -> str:
    """Clean a sample as the tool does."""
    return tidy_sample(TRAILING_SEPARATOR.sub("", sample.strip()))


PROFILE = SegmentationProfile(
    name="pythainlp",
    make_metric=lambda _: WordSegmentation(zero_division=0.0),
    clean=clean_pythainlp,
    drop_empty=True,
)
