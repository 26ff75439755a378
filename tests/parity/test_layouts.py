"""The layouts of named entities against what the tools themselves print, byte by byte.

conlleval.pl is taken from the folder that ISOGLOSS_PEERS names; see `test_conlleval.py`.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import warnings
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from peer_comparison import SYSTEMS, Documents, compare_all, find_gold, load_pairs, load_tags, needs_systems

import isogloss
from isogloss.tasks.ner.layouts import format_in_layout

pytestmark = pytest.mark.parity

Script = tuple[str, str]  # the command that runs conlleval.pl
CORPORA, FEW, DOCUMENTS = 100, 30, 100
LABELS = (["P"], ["PER", "LOC", "ORG"], ["A-B", "A", "0", "-", "_"], ["é", "人名", "สถานที่", "مكان"], ["L" * 40, "m"])
ESCAPES = re.compile(r"\x1b\[[\d;]*m")


def corpora(number: int = CORPORA) -> Iterator[tuple[Documents, Documents]]:
    """Small corpora: some labels are on one side alone. No document begins with I, which spaCy refuses."""
    for seed in range(number):
        draw = random.Random(seed)
        labels, quiet, change = LABELS[seed % 5], draw.choice([0.5, 0.9, 0.99]), draw.choice([0.0, 0.1, 0.5, 1.0])
        tags = [f"{letter}-{label}" for letter in "BI" for label in labels]
        sides: tuple[Documents, Documents] = ([], [])
        for _ in range(DOCUMENTS):
            reference = ["O" if draw.random() < quiet else draw.choice(tags) for _ in range(draw.choice([1, 3, 8]))]
            predicted = [draw.choice(["O", *tags]) if draw.random() < change else tag for tag in reference]
            for side, own in zip(sides, (reference, predicted), strict=True):
                side.append(["B" + own[0][1:] if own[0][0] == "I" else own[0], *own[1:]])
        yield sides


def edges(*totals: int) -> Iterator[tuple[Documents, Documents]]:
    """Numbers of chunks whose F lies on the edge of two roundings, where the order of its computation can tell."""
    for total, step in ((total, 1 + total // 20) for total in totals):
        for right in (1, 3, 5, 7):
            for found in range(right, total - right, step):
                missed, made_up = total - found - right, found - right
                reference = ["B-P"] * (right + missed) + ["O"] * made_up
                yield [reference], [["B-P"] * right + ["O"] * missed + ["B-P"] * made_up]


def written(path: Path, sentences: Documents) -> Path:
    path.write_text("\n".join("".join(f"w\t{tag}\n" for tag in tags) for tags in sentences) + "\n", "utf-8")
    return path


# seqeval


def report(*sides: Documents, **options: Any) -> Any:
    metrics = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of 0/0
        return metrics.classification_report(*sides, **options)


@pytest.mark.parametrize("digits", [0, 1, 4, 15])
def test_decimals_of_the_report_can_be_chosen(digits: int) -> None:
    compared = 0
    for reference, predicted in corpora(200):
        run = isogloss.ner(reference, predicted, profile="seqeval")
        if not run.by_label:
            continue  # seqeval ends with an error
        assert format_in_layout([run], "sklearn", digits=digits) == report(reference, predicted, digits=digits)
        compared += 1
    assert compared > 100


def same_report(zero: int, profile: str, options: Any, reference: Documents, predicted: Documents) -> None:
    options = {**options, "zero_division": zero}
    scheme = "iob2" if profile == "seqeval-strict" else "auto"
    ours = isogloss.ner(reference, predicted, profile=profile, zero_division=zero, scheme=scheme)
    if any(tag != "O" for side in (reference, predicted) for tags in side for tag in tags):
        assert format_in_layout([ours], "sklearn") == report(reference, predicted, **options)
    told = json.loads(format_in_layout([ours], "sklearn", "json"))
    assert told == json.loads(json.dumps(report(reference, predicted, output_dict=True, **options), default=float))


@pytest.mark.parametrize("profile", ["seqeval", "seqeval-strict"])
def test_sklearn_is_the_report_of_seqeval(profile: str) -> None:
    schemes = pytest.importorskip("seqeval.scheme", reason="seqeval is not installed")
    options = {"mode": "strict", "scheme": schemes.IOB2} if profile == "seqeval-strict" else {}
    for zero in (0, 1):
        compare_all(
            f"sklearn, {profile}", islice(corpora(), zero, None, 2), partial(same_report, zero, profile, options)
        )


def test_sklearn_is_rounded_as_by_seqeval() -> None:
    compare_all("sklearn, rounding", edges(16, 64), partial(same_report, 0, "seqeval", {}))


@needs_systems
def test_sklearn_is_the_report_of_seqeval_on_real_files() -> None:
    compare_all("sklearn, real files", load_pairs(SYSTEMS, load_tags), partial(same_report, 0, "seqeval", {}))


# seqscore


def score_files(reference: Path, *predicted: Path) -> None:
    """Print what `seqscore score --labels BIO --repair-method conlleval --quiet` prints."""
    conll = pytest.importorskip("seqscore.conll", reason="seqscore is not installed")
    options = {"ignore_document_boundaries": False, "allow_comment_lines": False, "quiet": True}
    line = conll.LineSpec(0, -1)
    conll.score_conll_files(
        list(map(str, predicted)),
        reference,
        "BIO",
        "conlleval",
        "utf-8",
        line,
        output_format="pretty",
        delim="\t",
        **options,
    )


def same_tables(out: pytest.CaptureFixture[str], reference: Path, *predicted: Path) -> None:
    score_files(reference, *predicted)
    theirs = out.readouterr().out
    runs = [isogloss.ner(reference, path, profile="seqscore", scheme="iob2", repair="begin") for path in predicted]
    assert format_in_layout(runs, "seqscore") == theirs


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels as wide as they have characters, as without `wcwidth`, which seqscore does not ask for."""
    monkeypatch.setattr(pytest.importorskip("tabulate"), "WIDE_CHARS_MODE", False)


@pytest.mark.usefixtures("narrow")
def test_seqscore_is_the_table_of_seqscore(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for sides in (*corpora(), *edges(16, 64, 320)):
        same_tables(capsys, *(written(tmp_path / name, own) for name, own in zip("rp", sides, strict=True)))


@pytest.mark.usefixtures("narrow")
def test_seqscore_of_several_systems_has_their_means(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for seed, (reference, predicted) in enumerate(corpora(FEW)):
        draw = random.Random(seed)
        systems = [[[*tags] if draw.random() < 0.7 else ["O"] * len(tags) for tags in predicted] for _ in range(3)]
        labels = [{tag[2:] for tags in (*reference, *own) for tag in tags} for own in systems]
        if labels[0] == labels[1] == labels[2]:  # else the standard error is that of one system
            files = [written(tmp_path / f"{k}.conll", own) for k, own in enumerate([reference, *systems])]
            same_tables(capsys, *files)


@needs_systems
def test_seqscore_is_the_table_of_seqscore_on_real_files(capsys: pytest.CaptureFixture[str]) -> None:
    for gold in sorted({find_gold(path) for path in SYSTEMS}):
        same_tables(capsys, gold, *(path for path in SYSTEMS if find_gold(path) == gold))


# conlleval.pl


def text_of(script: Script, reference: Documents, predicted: Documents) -> str:
    pairs = zip(reference, predicted, strict=True)
    lines = ["".join(f"w {gold} {found}\n" for gold, found in zip(*pair, strict=True)) for pair in pairs]
    run = subprocess.run(script, input=("\n".join(lines) + "\n").encode(), capture_output=True, check=True, timeout=60)
    return run.stdout.decode()


def same_conlleval(script: Script, *sides: Documents) -> None:
    assert format_in_layout([isogloss.ner(*sides, profile="conlleval")], "conlleval") == text_of(script, *sides)


def test_conlleval_is_the_report_of_conlleval(conlleval: Script) -> None:
    unlabelled = (([["B", "I", "O", "B-P"]], [["B", "I", "O", "B-Q"]]), ([["B"]], [["O"]]), ([["O"]], [["B"]]))
    pairs = (*corpora(), *edges(16, 64, 320), *unlabelled)
    compare_all("conlleval", pairs, partial(same_conlleval, conlleval))


@needs_systems
def test_conlleval_is_the_report_of_conlleval_on_real_files(conlleval: Script) -> None:
    compare_all("conlleval, real files", load_pairs(SYSTEMS, load_tags), partial(same_conlleval, conlleval))


# spaCy


class Pipeline:
    """A pipeline that has its scores already."""

    def __init__(self, scores: Mapping[str, Any]) -> None:
        self.scores = scores

    def evaluate(self, *_: Any, **__: Any) -> Mapping[str, Any]:
        return self.scores


def evaluated(sides: Sequence[Documents], words: Sequence[Sequence[str]]) -> dict[str, Any]:
    """What spaCy's scorers give, with labels in the order of ours."""
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
    from spacy.pipeline.spancat import spancat_score  # noqa: PLC0415
    from spacy.scorer import get_ner_prf  # noqa: PLC0415  an optional package
    from spacy.tokens import Doc  # noqa: PLC0415
    from spacy.training import Example  # noqa: PLC0415

    vocabulary = spacy.blank("xx").vocab
    examples = []
    for own, reference, predicted in zip(words, *sides, strict=True):
        documents = [Doc(vocabulary, words=own, ents=tags) for tags in (predicted, reference)]
        for document in documents:
            document.spans["sc"] = list(document.ents)
        examples.append(Example(*documents))
    scores: dict[str, Any] = get_ner_prf(examples) | spancat_score(examples, spans_key="sc")
    return {key: dict(sorted(own.items())) if isinstance(own, dict) else own for key, own in scores.items()}


def same_output(
    sides: tuple[Documents, Documents], folder: Path, words: Any, out: pytest.CaptureFixture[str], patch: Any
) -> None:
    module = pytest.importorskip("spacy.cli.evaluate", reason="spaCy is not installed")
    scores = evaluated(sides, words)
    patch.setattr(module.util, "load_model", lambda _: Pipeline(scores))
    patch.setattr(module, "Corpus", lambda *_, **__: lambda _: [])
    patch.setattr(module, "setup_gpu", lambda *_, **__: None)  # which says that there is none
    (folder / "data").touch()
    out.readouterr()
    module.evaluate("model", folder / "data", output=folder / "scores.json", silent=False)
    theirs = ESCAPES.sub("", out.readouterr().out).partition("✔ Saved results")[0]
    run = isogloss.ner(*sides, profile="spacy", scheme="iob2")
    assert format_in_layout([run], "spacy") == theirs
    assert format_in_layout([run], "spacy", "json") == (folder / "scores.json").read_text("utf-8") + "\n"


@pytest.mark.extra
def test_spacy_is_the_output_of_spacy_evaluate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for sides in (*corpora(FEW), *edges(64)):
        words = [["w"] * len(tags) for tags in sides[0]]
        same_output(sides, tmp_path, words, capsys, monkeypatch)


@pytest.mark.extra
@needs_systems
def test_spacy_is_the_output_of_spacy_evaluate_on_real_files(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for sides in load_pairs(SYSTEMS, load_tags):
        begun = [[["B" + t[0][1:], *t[1:]] if t[0][0] == "I" else t for t in side] for side in sides]  # E093
        same_output((begun[0], begun[1]), tmp_path, [["w"] * len(t) for t in begun[0]], capsys, monkeypatch)
