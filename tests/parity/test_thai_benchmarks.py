"""The PyThaiNLP benchmark of 2019 and its successor, on random samples with what real files have in them.

The benchmark of 2019 is in no registry: name a folder that holds its `word_tokenisation.py` in ISOGLOSS_PEERS.
"""

from __future__ import annotations

import importlib.util
import os
import random
import warnings
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from cuts import pairs

import isogloss

pd = pytest.importorskip("pandas")
SAMPLES = 10_000
NOISE = ("", "", "", "", "| |", "||", " ", "|<NE>", "</NE>|", "|<ne>|")
pytestmark = [pytest.mark.parity, pytest.mark.extra]


def decorated(words: list[str], generator: random.Random) -> str:
    """Words between separators, some of them more than that."""
    text = generator.choice(("", "", "|", "| |"))
    for word in words:
        text += word + (generator.choice(NOISE) or "|")
    return text


def modern() -> Any:
    return pytest.importorskip("pythainlp.benchmarks.word_tokenization", reason="pythainlp is not installed")


def seed() -> Any:
    path = Path(os.environ.get("ISOGLOSS_PEERS", "")) / "word_tokenisation.py"
    if not path.is_file():
        pytest.skip("the benchmark of 2019 is not there: ISOGLOSS_PEERS names no folder with word_tokenisation.py")
    spec = importlib.util.spec_from_file_location("word_tokenisation", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # escapes of an older Python
        spec.loader.exec_module(module)
    return module


PEERS: dict[str, Callable[[], Any]] = {"pythainlp": modern, "thai-benchmark": seed}


def samples(peer: Any, number: int = SAMPLES) -> tuple[list[str], list[str]]:
    """Random samples that the peer survives, and whose texts are equal once it has cleaned them."""
    generator = random.Random(7)
    sides: tuple[list[str], list[str]] = [], []
    for both in pairs(number * 4, 11):
        written = [decorated(words, generator) for words in both]
        cleaned = [peer.preprocessing(sample) for sample in written]
        same = cleaned[0].replace("|", "") == cleaned[1].replace("|", "")
        if generator.random() < 0.02:
            written[generator.randrange(2)], same = generator.choice(("", "| |", "<NE>")), True  # dropped
            cleaned = [peer.preprocessing(sample) for sample in written]
        if same and not any(text.endswith("|") for text in cleaned):
            for side, sample in zip(sides, written, strict=True):
                side.append(sample)
        if len(sides[0]) == number:
            break
    return sides


@lru_cache
def benchmarked(name: str) -> tuple[list[str], list[str], Any]:
    """The samples of both sides, and what the peer says of each."""
    peer = PEERS[name]()
    reference, predicted = samples(peer)
    return reference, predicted, peer.benchmark(reference, predicted)


@pytest.mark.parametrize("name", PEERS)
def test_every_column_of_every_sample_is_equal(name: str) -> None:
    reference, predicted, theirs = benchmarked(name)
    as_words = ([sample.split("|") for sample in side] for side in (reference, predicted))
    ours = isogloss.segmentation_frame(*as_words, profile=name)
    print(f"{len(ours)} samples compared")  # noqa: T201  how many were compared
    assert len(ours) > SAMPLES * 0.9
    assert set(theirs.columns) == set(ours.columns)
    for column in theirs.columns:
        if theirs[column].dtype == float:
            assert ours[column].to_numpy() == pytest.approx(theirs[column].to_numpy(), abs=1e-12), column
        elif column in ("expected", "actual"):  # there, empty words may be left between separators
            assert [words(text) for text in ours[column]] == [words(text) for text in theirs[column]], column
        else:
            assert ours[column].tolist() == theirs[column].tolist(), column


def words(text: str) -> list[str]:
    return [word for word in text.split("|") if word]


def test_sums_are_those_that_the_successor_prints(tmp_path: Path) -> None:
    reference, predicted, theirs = benchmarked("pythainlp")
    for name, side in (("gold", reference), ("pred", predicted)):
        (tmp_path / name).write_text("\n".join(side) + "\n", encoding="utf-8")
    run = isogloss.segmentation(tmp_path / "gold", tmp_path / "pred", profile="pythainlp", input_format="pipe")
    for bit in ("tp", "fp", "tn", "fn"):
        assert run.scores["character"][bit] == theirs[f"char_level:{bit}"].sum()
    correct = theirs["word_level:correctly_tokenized_words"].sum()
    assert run.scores["word"].precision == correct / theirs["word_level:total_words_in_sample"].sum()
    assert run.scores["word"].recall == correct / theirs["word_level:total_words_in_ref_sample"].sum()


def test_means_are_those_that_the_benchmark_of_2019_prints() -> None:
    reference, predicted, theirs = benchmarked("thai-benchmark")
    described = theirs.describe()
    run = isogloss.segmentation(
        *([sample.split("|") for sample in side] for side in (reference, predicted)), profile="thai-benchmark"
    )
    for level, ours in (("char_level", "character"), ("word_level", "word")):
        for name in ("precision", "recall", "f1"):
            spread = run.per_document[f"{ours}.{name}"]
            column = described[f"{level}:{name}"]
            got = (spread.documents, spread.mean, spread.std, spread.min, spread.max)
            assert got == pytest.approx(tuple(column[["count", "mean", "std", "min", "max"]]), abs=1e-12)
