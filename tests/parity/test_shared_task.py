"""conll18_ud_eval, in the form that `udtools` carries it, on random CoNLL-U with tokens of several words."""

from __future__ import annotations

import io
import random
from pathlib import Path
from typing import Any

import pytest
from cuts import THAI, recut, words_of

import isogloss

SENTENCES = 10_000
FILES = 20
TREEBANK = dict.fromkeys(
    (
        "no_gapping",
        "no_shared_parents_in_coordination",
        "no_shared_dependents_in_coordination",
        "no_control",
        "no_external_arguments_of_relative_clauses",
        "no_case_info",
        "no_empty_nodes",
    ),
    0,
) | {"multiple_roots_okay": 1}
pytestmark = [pytest.mark.parity, pytest.mark.extra]


def sentence(words: list[str], generator: random.Random) -> str:
    """Lines of a sentence: some tokens are of several words."""
    lines, number = [], 1
    for word in words:
        tail = "\t_\t_\t_\t_\t{}\tdep\t_\t_"
        if generator.random() < 0.15:
            inner = words_of(word.upper() if generator.random() < 0.3 else word, 0.5, generator)
            inner = [*inner, "x"] if generator.random() < 0.2 else inner
            if len(inner) > 1:
                lines.append(f"{number}-{number + len(inner) - 1}\t{word}" + "\t_" * 8)
            else:
                inner = [word]
        else:
            inner = [word]
        for form in inner:
            lines.append(f"{number}\t{form}" + tail.format(0 if number == 1 else 1))
            number += 1
        if generator.random() < 0.03:
            lines.append(f"{number - 1}.1\tempty" + "\t_" * 8)
    return "\n".join(lines) + "\n\n"


def file_of(text: str, cuts: list[list[str]], generator: random.Random) -> str:
    """Sentences of the words of a text, cut where the sentences of the reference end, or now and then elsewhere."""
    assert "".join(word for words in cuts for word in words) == text
    sentences: list[list[str]] = []
    for words in cuts:
        roll = generator.random()
        if sentences and roll < 0.1:
            sentences[-1] += words
        elif roll < 0.2 and len(words) > 1:
            at = generator.randrange(1, len(words))
            sentences += [words[:at], words[at:]]
        else:
            sentences.append(list(words))
    return "".join(sentence(words, generator) for words in sentences)


@pytest.mark.parametrize("seed", range(FILES))
def test_tokens_sentences_and_words_are_equal(seed: int, tmp_path: Path) -> None:
    udeval: Any = pytest.importorskip("udtools.udeval", reason="udtools is not installed")
    generator = random.Random(seed)
    alphabet = THAI[:6] + "abAB"
    texts = ["".join(generator.choices(alphabet, k=generator.randint(1, 40))) for _ in range(SENTENCES // FILES)]
    reference = [words_of(text, 0.35, generator) for text in texts]
    predicted = [recut(words, 0.15, generator) for words in reference]
    for name, cuts in (("gold", reference), ("pred", predicted)):
        (tmp_path / name).write_text(file_of("".join(texts), cuts, generator), encoding="utf-8")
    contents = {name: (tmp_path / name).read_text(encoding="utf-8") for name in ("gold", "pred")}
    loaded = [udeval.load_conllu(io.StringIO(content), name, TREEBANK) for name, content in contents.items()]
    theirs = udeval.evaluate(*loaded)
    run = isogloss.segmentation(tmp_path / "gold", tmp_path / "pred", profile="conll18")
    for name in ("Tokens", "Sentences", "Words"):
        ours, score = run.scores[name.lower()], theirs[name]
        got = (ours.correct, ours.predicted, ours.reference)
        assert got == (score.correct, score.system_total, score.gold_total), name
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx((score.precision, score.recall, score.f1))
    print(f"{run.scores['sentences'].reference} sentences compared")  # noqa: T201  how many were compared
    assert run.scores["sentences"].reference > SENTENCES / FILES / 2
