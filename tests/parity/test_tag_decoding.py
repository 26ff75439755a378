"""Decoding beside the installed peers, valid and invalid tags, 10,000 random documents each."""

import random

import pytest
from peer_comparison import NER_DATA, load_tags, needs_systems
from tag_batches import decode_tags, list_spans

from isogloss.spans.schemes import SCHEMES, TagRepair

pytest.importorskip("seqeval", reason="seqeval is not installed")
pytest.importorskip("seqscore", reason="seqscore is not installed")

from seqeval.metrics.sequence_labeling import get_entities
from seqeval.scheme import BILOU, IOB1, IOB2, IOBES, IOE1, IOE2, Token, Tokens
from seqscore.encoding import get_encoding
from seqscore.model import Mention, Span

pytestmark = pytest.mark.parity


def random_documents(letters: str, count: int = 10_000) -> list[list[str]]:
    generator = random.Random(letters)
    tags = ["O", *(f"{letter}-{label}" for letter in letters for label in ("PER", "LOC", "A-B"))]
    # The peers do not take empty documents.
    return [[generator.choice(tags) for _ in range(generator.randint(1, 12))] for _ in range(count)]


def strict(documents: list[list[str]], scheme: type[Token]) -> list[list[tuple[int, int, str]]]:
    return [[(found.start, found.end, found.tag) for found in Tokens(tags, scheme).entities] for tags in documents]


def mentions(tags: list[str], encoding: str) -> list[tuple[int, int, str]]:
    found = get_encoding(encoding).decode_labels(tags)
    return [(mention.span.start, mention.span.end, mention.type) for mention in found]


def test_begin_is_the_default_of_seqeval() -> None:
    for scheme in ["iob1", "iob2", "ioe1", "ioe2", "iobes", "io"]:
        documents = random_documents(SCHEMES[scheme].letters)
        expected = [[(start, end + 1, label) for label, start, end in get_entities(tags)] for tags in documents]
        assert list_spans(decode_tags(scheme, documents, repair="begin")) == expected


def test_discard_is_strict_of_seqeval() -> None:
    for scheme, peer in [("iob2", IOB2), ("ioe2", IOE2), ("iobes", IOBES), ("bilou", BILOU)]:
        documents = random_documents(SCHEMES[scheme].letters)
        assert list_spans(decode_tags(scheme, documents, repair="discard")) == strict(documents, peer)


@pytest.mark.parametrize(("repair", "peer"), [("begin", "conlleval"), ("discard", "discard")])
def test_repairs_of_iob2_are_those_of_seqscore(repair: TagRepair, peer: str) -> None:
    documents = random_documents("BI")
    encoding = get_encoding("BIO")
    expected = [mentions(encoding.repair_labels(tags, peer), "BIO") for tags in documents]
    assert list_spans(decode_tags("iob2", documents, repair=repair)) == expected


def test_iob1_is_iob_of_seqscore_after_its_repair() -> None:
    documents = random_documents("BI")
    encoding = get_encoding("IOB")
    expected = [mentions(encoding.repair_labels(tags, "conlleval"), "IOB") for tags in documents]
    assert list_spans(decode_tags("iob1", documents)) == expected


def test_tags_that_seqscore_writes_are_read_as_it_meant_them() -> None:
    for scheme, peer in [
        ("iobes", "BIOES"),
        ("bilou", "BILOU"),
        ("bmes", "BMES"),
        ("bmewo", "BMEOW"),
        ("io", "IO"),
        ("iob1", "IOB"),
    ]:
        generator = random.Random(peer)
        encoding = get_encoding(peer)
        expected, documents = [], []
        for _ in range(10_000):
            meant, end = [], 0
            for _ in range(generator.randint(0, 4)):
                # IO cannot keep touching spans of one label apart.
                start = end + generator.randint(int(scheme == "io"), 2)
                end = start + generator.randint(1, 4)
                meant.append((start, end, generator.choice(("PER", "LOC"))))
            expected.append(meant)
            written = [Mention(Span(start, stop), label) for start, stop, label in meant]
            documents.append(list(encoding.encode_mentions(written, end + 1)))
        result = decode_tags(scheme, documents, repair="error")
        assert list_spans(result) == expected


def test_strict_iob1_of_seqeval_drops_needless_b() -> None:
    """Seqeval drops such a B; conlleval, seqscore and we read it as a begin."""
    tags = [["B-PER", "O"]]
    assert strict(tags, IOB1) == [[]]
    assert list_spans(decode_tags("iob1", tags, repair="discard")) == [[(0, 1, "PER")]]


def test_strict_ioe1_of_seqeval_loses_touching_spans() -> None:
    """Its own source says that IOE1 does not work yet."""
    tags = [["E-PER", "I-PER", "O"]]
    assert strict(tags, IOE1) == [[(1, 2, "PER")]]
    assert list_spans(decode_tags("ioe1", tags, repair="discard")) == [[(0, 1, "PER"), (1, 2, "PER")]]


@needs_systems
def test_invalid_tags_of_real_systems_are_as_published() -> None:
    for file, invalid in [
        ("uner_en_ewt/logreg.dev.conll", 179),
        ("uner_en_ewt/logreg.test.conll", 176),
        ("uner_en_ewt/crf.test.conll", 0),
        ("uner_en_ewt/spacy.test.conll", 0),
        ("uner_zh_gsdsimp/crf.dev.conll", 1),
        ("uner_zh_gsdsimp/logreg.dev.conll", 206),
        ("uner_zh_gsdsimp/logreg.test.conll", 182),
        ("uner_sr_set/gold.dev.conll", 2),
        ("uner_sr_set/logreg.dev.conll", 58),
        ("uner_sr_set/logreg.test.conll", 55),
    ]:
        notices = decode_tags("iob2", load_tags(NER_DATA / file)).warnings
        assert [notice.count for notice in notices] == [invalid] * (2 if invalid else 0)


@needs_systems
def test_begin_finds_two_more_entities_in_serbian_gold() -> None:
    documents = load_tags(NER_DATA / "uner_sr_set/gold.dev.conll")
    assert len(decode_tags("iob2", documents, repair="begin").predicted) == 844
    assert len(decode_tags("iob2", documents, repair="discard").predicted) == 842
