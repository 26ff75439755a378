"""All that docs/moving.md shows is run: the snippets of both tools, the commands, and every row of its tables."""

from __future__ import annotations

import math
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages import Shown, blocks, make_files, read_page, run

import isogloss
from isogloss.cli import run as command
from isogloss.errors import IsoglossError

pytestmark = [pytest.mark.parity, pytest.mark.extra]


seqeval = pytest.importorskip("seqeval.metrics", reason="seqeval is not installed")
nervaluate = pytest.importorskip("nervaluate", reason="nervaluate is not installed")
seqscore = pytest.importorskip("seqscore.scoring", reason="seqscore is not installed")
encoding = pytest.importorskip("seqscore.encoding", reason="seqscore is not installed")
spacy = pytest.importorskip("spacy", reason="spaCy is not installed")
get_ner_prf = pytest.importorskip("spacy.scorer").get_ner_prf

TEXT = read_page("moving.md")
TOOLS = ("seqeval", "nervaluate", "seqscore", "spaCy")
WORDS = [["Ada", "Lovelace", "in", "old", "New", "York"], ["Acme", "paid", "the", "Babbage"]]
Spans = list[list[tuple[int, int, str]]]
pytestmark += [pytest.mark.filterwarnings("ignore")]  # the tools warn of 0/0 and of much else


@pytest.fixture(scope="module")
def shown() -> list[tuple[str, list[Shown]]]:
    """The name above each block, and what the block shows; all blocks are run in their order."""
    names: dict[str, Any] = {}
    titles = re.findall(r"(?:^\*\*(\w+)\*\*\n\n)?^```python\n", TEXT, re.MULTILINE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [(title, list(run(block, names))) for title, block in zip(titles, blocks(TEXT), strict=True)]


def test_every_example_gives_what_stands_below_it(shown: list[tuple[str, list[Shown]]]) -> None:
    found = [each for _, block in shown for each in block]
    assert [each for each in found if not each.agrees] == []
    assert len(found) == 28


def test_isogloss_gives_the_same_as_each_tool(shown: list[tuple[str, list[Shown]]]) -> None:
    titled = [(title, block) for title, block in shown if title]
    pairs = list(zip(titled[::2], titled[1::2], strict=True))
    assert [theirs for (theirs, _), _ in pairs] == ["seqeval", "seqeval", "nervaluate", "seqscore", "spaCy"]
    for (_, theirs), (ours, found) in pairs:
        assert ours == "isogloss"
        assert [each.value for each in found] == [each.value for each in theirs]


def consoles() -> list[tuple[str, str]]:
    """Commands and what they print."""
    return re.findall(r"^```console\n\$ ([^\n]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_files(TEXT)


def test_commands_print_what_stands_below_them(files: None, capsys: pytest.CaptureFixture[str]) -> None:
    (theirs, their_output), (ours, our_output) = consoles()
    program = Path(sys.executable).with_name(shlex.split(theirs)[0])
    done = subprocess.run(
        [program, *shlex.split(theirs)[1:]],
        capture_output=True,
        encoding="utf-8",
        check=True,
        timeout=100,
    )
    assert done.stdout == their_output
    assert command(shlex.split(ours)[1:]) == 0
    assert [line.rstrip() for line in capsys.readouterr().out.splitlines()] == our_output.splitlines()


def rows() -> Iterator[tuple[str, str, str, str, str]]:
    """Tool, input, score, their number and ours, of all rows that show a difference."""
    for tool in TOOLS:
        section = TEXT.split(f"## From {tool}\n")[1].split("\n## ")[0].split("Without the profile:")[1]
        for line in section.strip().splitlines()[2:]:
            if line.startswith("|"):
                what, path, theirs, ours, _ = (cell.strip() for cell in line.strip("|").split(" | "))
                yield tool, what, path.strip("`"), theirs, ours


def sides(what: str) -> tuple[Any, Any]:
    """Reference and prediction of a row."""
    if what == "the corpus above":
        names: dict[str, Any] = {}
        list(run(blocks(TEXT)[0], names))
        return names["gold"], names["system"]
    found = re.fullmatch(r"`(.*)` → `(.*)`", what)
    assert found
    reference, prediction = ([_span(item) or item for item in side.split()] for side in found.groups())
    return [reference], [prediction]


def _span(item: str) -> tuple[int, int, str] | None:
    found = re.fullmatch(r"(\w+)\[(\d+),(\d+)\)", item)
    return None if found is None else (int(found[2]), int(found[3]), found[1])


def by_seqeval(gold: Any, system: Any, path: str) -> float:
    average, name = ("macro" if path.startswith("macro") else "micro"), path.rpartition(".")[2]
    score: float = getattr(seqeval, f"{name}_score")(gold, system, average=average)
    return score


def by_nervaluate(gold: Any, system: Any, path: str) -> float:
    if isinstance(gold[0][0], tuple):
        labels = sorted({label for _, _, label in gold[0]})
        both = ([[{"start": s, "end": e - 1, "label": n} for s, e, n in d] for d in side] for side in (gold, system))
        found = nervaluate.Evaluator(*both, tags=labels, loader="dict").evaluate()
    else:
        labels = sorted({tag[2:] for tags in gold for tag in tags if tag != "O"})
        found = nervaluate.Evaluator(gold, system, tags=labels, loader="list").evaluate()
    *where, schema, name = path.split(".")
    figures = found["entities"][where[1]] if where else found["overall"]
    number: float = getattr(figures[{"type": "ent_type"}.get(schema, schema)], name)
    return number


def by_seqscore(gold: Any, system: Any, path: str) -> float:
    found = seqscore.ClassificationScore()
    if isinstance(gold[0][0], tuple):
        both = ([encoding.Mention(encoding.Span(s, e), n) for s, e, n in side[0]] for side in (system, gold))
        seqscore.score_sequence_mentions(*both, found)
    else:
        found, _ = seqscore.score_label_sequences(system, gold, "BIO", repair=None)
    number: float = getattr(found, path.rpartition(".")[2])
    return number


def by_spacy(gold: Any, system: Any, path: str) -> float | None:
    vocabulary = spacy.blank("xx").vocab

    def document(tags: list[str]) -> Any:
        return spacy.tokens.Doc(vocabulary, words=[f"w{k}" for k in range(len(tags))], ents=tags)

    pairs = zip(system, gold, strict=True)
    found = get_ner_prf([spacy.training.Example(document(x), document(y)) for x, y in pairs])
    number: float | None = found[{"precision": "ents_p", "recall": "ents_r", "f1": "ents_f"}[path.rpartition(".")[2]]]
    return number


def by_isogloss(gold: Any, system: Any, path: str) -> float:
    return isogloss.ner(gold, system).score(path)


THEIRS: dict[str, Callable[[Any, Any, str], float | None]] = dict(
    zip(TOOLS, (by_seqeval, by_nervaluate, by_seqscore, by_spacy), strict=True),
)
REFUSED = (IsoglossError, encoding.EncodingError, ValueError)


def cell(score: Callable[[Any, Any, str], float | None], gold: Any, system: Any, path: str) -> str:
    """A number as the tables of the page write it."""
    try:
        number = score(gold, system, path)
    except REFUSED:
        return "refused"
    if number is None:
        return "None"
    return "undefined" if math.isnan(number) else f"{number:.3f}".rstrip("0").rstrip(".")


@pytest.mark.parametrize(("tool", "what", "path", "theirs", "ours"), list(rows()), ids=str)
def test_every_row_of_differences_shows_what_both_give(tool: str, what: str, path: str, theirs: str, ours: str) -> None:
    gold, system = sides(what)
    assert cell(THEIRS[tool], gold, system, path) == theirs
    assert cell(by_isogloss, gold, system, path) == ours


def test_there_are_rows_of_every_tool() -> None:
    assert {tool: sum(row[0] == tool for row in rows()) for tool in TOOLS} == {
        "seqeval": 5,
        "nervaluate": 5,
        "seqscore": 4,
        "spaCy": 4,
    }
