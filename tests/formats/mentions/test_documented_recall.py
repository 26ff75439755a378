"""Real systems whose offsets are thrown away: the page on mentions says how many spans are found again."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.formats.annotation import FormatOptions
from isogloss.formats.detection import open_annotations
from isogloss.formats.documents import LabelledSpan, Mention, SpanDocument
from isogloss.formats.mention_locating import locate_mentions
from isogloss.formats.tagged_documents import DecodedFile, batch_file_tags
from isogloss.records.sources import Source
from isogloss.spans.decoder import Decoder
from isogloss.spans.scheme_detection import decide_schemes
from isogloss.spans.tag_evidence import TagEvidence

DATA = Path(__file__).parents[4] / "shared" / "data" / "ner"
PAGE = Path(__file__).parents[3] / "docs" / "formats" / "mentions.md"
FILES = {"English EWT": "uner_en_ewt", "Chinese GSDSimp": "uner_zh_gsdsimp", "Serbian SET": "uner_sr_set"}
SYSTEMS = {"reference": "gold", "spaCy": "spacy", "CRF": "crf", "logistic regression": "logreg"}
Order = Callable[[list[Mention], random.Random], list[Mention]]
ORDERS: dict[str, Order] = {
    "in order of the text": lambda names, _: names,
    "by label": lambda names, _: sorted(names, key=lambda name: name[1]),
    "in any order": lambda names, dice: dice.sample(names, len(names)),
    "each name once": lambda names, _: list(dict.fromkeys(names)),
}
pytestmark = pytest.mark.skipif(not (DATA.exists() and PAGE.exists()), reason=f"{DATA} or {PAGE} is not there")


def rows() -> list[tuple[str, str, list[str]]]:
    """Corpus, system and numbers of each row of the table."""
    found, corpus = [], ""
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 10 and cells[1] in SYSTEMS:
            corpus = cells[0] or corpus
            found.append((FILES[corpus], SYSTEMS[cells[1]], cells[2:]))
    return found


def documents(path: Path) -> list[SpanDocument]:
    tags = open_annotations(Source(path), "conll", FormatOptions()).tags
    assert tags is not None
    decision = decide_schemes(sum(map(TagEvidence.from_batch, batch_file_tags(tags, "reference")), TagEvidence()))
    return list(DecodedFile(tags, "reference", Decoder(decision)))


def again(text: str, spans: list[LabelledSpan], order: Order, dice: random.Random) -> tuple[list[Mention], int, int]:
    """The names in this order, how many are found where they were, and how many nowhere."""
    names = order([(text[start:end], label) for start, end, label in spans], dice)
    found = locate_mentions(names, text)
    return names, len({*spans} & {*found.spans}), len(found.unlocated)


def f1(corpus: str, prediction: Path) -> str:
    return f"{isogloss.ner(DATA / corpus / 'gold.test.conll', prediction).scores['strict'].f1:.4f}"


@pytest.mark.skipif(not PAGE.exists(), reason="the page is not there")
def test_the_table_has_every_system() -> None:
    assert len(rows()) == len(list(DATA.glob("*/*.test.conll")))


@pytest.mark.parametrize(("corpus", "system", "numbers"), rows() if PAGE.exists() else [])
def test_so_many_spans_are_found_again(corpus: str, system: str, numbers: list[str], tmp_path: Path) -> None:
    path = DATA / corpus / f"{system}.test.conll"
    texts = [(document.text or "", sorted(document.spans)) for document in documents(path)]
    counted = [f"{sum(len(spans) for _, spans in texts):,}"]
    scores = [f1(corpus, path)]
    for name, order in ORDERS.items():
        dice = random.Random(12345)
        found = [again(text, spans, order, dice) for text, spans in texts]
        counted.append(f"{sum(same for _, same, _ in found):,}")
        assert not any(unlocated for _, _, unlocated in found)
        if name in {"in order of the text", "each name once"}:
            lines: list[dict[str, Any]] = [
                {"text": text, "mentions": names} for (text, _), (names, _, _) in zip(texts, found, strict=True)
            ]
            (tmp_path / "names.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), encoding="utf-8")
            scores.append(f1(corpus, tmp_path / "names.jsonl"))
    assert numbers == counted + scores


@pytest.mark.parametrize(("corpus", "in_order", "once"), [("uner_en_ewt", 1087, 821), ("uner_zh_gsdsimp", 752, 664)])
def test_in_longer_documents_fewer_are(corpus: str, in_order: int, once: int) -> None:
    sentences = documents(DATA / corpus / "gold.test.conll")
    counts = [0, 0]
    for first in range(0, len(sentences), 20):
        text, spans = "", []
        for sentence in sentences[first : first + 20]:
            spans += [(len(text) + start, len(text) + end, label) for start, end, label in sorted(sentence.spans)]
            text += f"{sentence.text}\n"
        for at, name in enumerate(("in order of the text", "each name once")):
            counts[at] += again(text, spans, ORDERS[name], random.Random())[1]
    assert counts == [in_order, once]
    page = PAGE.read_text(encoding="utf-8")
    assert f"{in_order:,} of the" in page
    assert f"{once} " in page
