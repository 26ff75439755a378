from __future__ import annotations

import random
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from libraries import library
from span_texts import document, read, write

import isogloss
from isogloss.errors import FormatError, UsageError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

spacy = library("spacy")
pytestmark = pytest.mark.extra
Token = tuple[int, int, str]
Streams = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def vocab() -> Any:
    return spacy.blank("xx").vocab


def doc(
    vocab: Any, words: Sequence[str], ents: Iterable[Token] | None = (), spaces: Sequence[bool] | None = None
) -> Any:
    """A document of spaCy with entities, None for no annotation."""
    made = spacy.tokens.Doc(vocab, words=words, spaces=[True] * len(words) if spaces is None else spaces)
    if ents is not None:
        made.ents = [spacy.tokens.Span(made, start, end, label=label) for start, end, label in ents]
    return made


def saved(path: Path, docs: Iterable[Any], **how: Any) -> Path:
    """A DocBin that spaCy writes."""
    spacy.tokens.DocBin(docs=docs, **how).to_disk(path)
    return path


def test_entities_are_read_with_their_text(vocab: Any, tmp_path: Path) -> None:
    made = doc(vocab, ["New", "York", "!"], [(0, 2, "LOC")], [True, False, False])
    path = saved(tmp_path / "a.spacy", [made, doc(vocab, [])])
    first, second = read(path)
    assert (first.text, first.spans) == ("New York!", [(0, 8, "LOC")])
    assert (first.line, first.id, first.joined, first.tokens) == ("document 1", None, False, [(0, 3), (4, 8), (8, 9)])
    assert (second.text, second.spans, second.left_out, second.warnings) == ("", [], False, ())


def test_the_spans_of_a_key_may_overlap(vocab: Any, tmp_path: Path) -> None:
    made = doc(vocab, ["Bank", "of", "Oslo"], None)
    made.spans["sc"] = [spacy.tokens.Span(made, *span) for span in ((0, 3, "ORG"), (2, 3, "LOC"), (2, 3, "LOC"))]
    made.spans["none"] = []
    path = saved(tmp_path / "a", [made])
    assert read(path, columns=["sc"])[0].spans == [(0, 12, "ORG"), (8, 12, "LOC"), (8, 12, "LOC")]
    assert read(path, columns=["none"])[0].spans == []
    assert [warning.code for warning in read(path, columns=["none"])[0].warnings] == []


def test_a_document_without_the_key_is_named(vocab: Any, tmp_path: Path) -> None:
    made = [doc(vocab, ["a"]), doc(vocab, ["b"])]
    made[0].spans["1"] = made[1].spans["ruler"] = []
    path = saved(tmp_path / "a", made)
    with pytest.raises(FormatError, match="the document has no spans '1'") as error:
        read(path, columns=[1])
    assert error.value.where == f"{path}:document 2"
    assert error.value.remedy == "The keys of its spans: 'ruler'."


def test_a_reference_without_entity_annotation_is_left_out(vocab: Any, tmp_path: Path) -> None:
    gold = saved(
        tmp_path / "gold", [doc(vocab, ["Ada"], None), doc(vocab, ["Bob"], [(0, 1, "PER")]), doc(vocab, ["x"])]
    )
    pred = saved(tmp_path / "pred", [doc(vocab, [word], [(0, 1, "PER")]) for word in ("Ada", "Bob", "x")])
    run = isogloss.ner(gold, pred)
    assert [run.scores["strict"][name] for name in ("correct", "spurious")] == [1, 1]
    assert [(warning.code, warning.count, warning.where) for warning in run.warnings] == [
        ("documents-left-out", 1, f"{gold}:document 1")
    ]


def test_a_prediction_without_entity_annotation_has_none(vocab: Any, tmp_path: Path) -> None:
    gold = saved(tmp_path / "gold", [doc(vocab, ["Ada"], [(0, 1, "PER")])])
    pred = saved(tmp_path / "pred", [doc(vocab, ["Ada"], None)])
    run = isogloss.ner(gold, pred)
    assert run.scores["strict"]["missed"] == 1
    assert [(warning.code, warning.where) for warning in run.warnings] == [
        ("documents-unpredicted", f"{pred}:document 1")
    ]


def test_attributes_without_entities_are_no_annotation(vocab: Any, tmp_path: Path) -> None:
    path = saved(tmp_path / "a", [doc(vocab, ["Ada"], [(0, 1, "PER")])], attrs=["LEMMA"])
    assert read(path)[0].left_out


def test_words_without_white_space_are_joined(vocab: Any, tmp_path: Path) -> None:
    made = spacy.tokens.Doc(vocab, words=["Ada", ",", "Bob"])
    made.ents = [spacy.tokens.Span(made, 2, 3, label="PER")]
    gold = saved(tmp_path / "gold", [made])
    pred = saved(tmp_path / "pred", [doc(vocab, ["Ada", ",", "Bob"], [(2, 3, "PER")], [False, True, False])])
    assert read(gold)[0].joined
    assert isogloss.ner(gold, pred).scores["strict"]["correct"] == 1


def test_user_data_are_ids_and_columns(vocab: Any, tmp_path: Path) -> None:
    if not spacy.tokens.Doc.has_extension("source"):
        spacy.tokens.Doc.set_extension("source", default=None)
    made = doc(vocab, ["Ada"], [(0, 1, "PER")])
    made.user_data |= {"id": 7, "year": 1815, "list": [1]}
    made._.source = "letters"
    path = saved(tmp_path / "a", [made], store_user_data=True)
    (found,) = read(path, attributes=["source", "year", "absent"])
    assert (found.id, found.columns) == ("7", {"source": "letters", "year": "1815"})
    assert set(isogloss.ner(path, path, by=["source"]).slices["source"]) == {"letters"}
    with pytest.raises(UsageError, match=r"year"):
        isogloss.ner(path, path, by=["yaer"])


def test_damaged_files_are_named(vocab: Any, tmp_path: Path) -> None:
    sound = saved(tmp_path / "a", [doc(vocab, ["Ada", "met"], [(0, 1, "PER")])]).read_bytes()
    parts = msgspec.msgpack.decode(zlib.decompress(sound))
    broken = [sound[:-20], sound[:40], zlib.compress(b"attrs"), zlib.compress(b"\x81\xa5attrs\x90")]
    changes = {"strings": [], "tokens": parts["tokens"][:-3], "spaces": b"", "attrs": [99999], "span_groups": [b"x"]}
    broken += [zlib.compress(msgspec.msgpack.encode(parts | {key: value})) for key, value in changes.items()]
    for data in broken:
        path = tmp_path / "b.spacy"
        path.write_bytes(data)
        with pytest.raises(FormatError, match=r"is not a DocBin of spaCy, or damaged") as error:
            read(path, "docbin")
        assert error.value.where == str(path)


def test_it_is_recognised_by_its_beginning(vocab: Any, tmp_path: Path) -> None:
    assert detect_format(Source(saved(tmp_path / "a", [doc(vocab, [f"w{k}" for k in range(9999)])]))) == "docbin"
    for begin in (b"x^2\tO\n", b"x\x01\xda\tO\n", b"x\xda\x80\tO\n"):
        (tmp_path / "b").write_bytes(begin)
        assert detect_format(Source(tmp_path / "b")) == "conll"


def test_spacys_own_scorer_gives_the_same_numbers(vocab: Any, tmp_path: Path) -> None:
    draw = random.Random(7)
    sides: tuple[list[Any], list[Any]] = ([], [])
    for _ in range(300):
        words = [draw.choice("ab") * draw.randint(1, 3) for _ in range(draw.randint(1, 8))]
        for side in sides:
            cuts = sorted(draw.sample(range(len(words) + 1), min(len(words) + 1, 4)))
            ents = [(a, b, draw.choice(["X", "Y"])) for a, b in zip(cuts[::2], cuts[1::2], strict=False)]
            side.append(doc(vocab, words, None if side is sides[0] and draw.random() < 0.2 else ents))
    examples = [spacy.training.Example(pred, gold) for gold, pred in zip(*sides, strict=True)]
    theirs = spacy.scorer.get_ner_prf(examples)
    gold, pred = (saved(tmp_path / name, side) for name, side in zip(("gold", "pred"), sides, strict=True))
    ours = isogloss.ner(gold, pred).scores["strict"]
    assert (ours["precision"], ours["recall"]) == pytest.approx((theirs["ents_p"], theirs["ents_r"]), abs=1e-12)


def test_spaces_are_tokens_only_where_they_must_be(vocab: Any, tmp_path: Path) -> None:
    write([document("Ada  met \nBob ", (4, 8, "X"))], "docbin", tmp_path / "a")
    (found,) = spacy.tokens.DocBin().from_disk(tmp_path / "a").get_docs(vocab)
    assert [token.text_with_ws for token in found] == ["Ada ", " ", "met ", "\n", "Bob "]


def test_own_tokens_and_ids_are_kept(vocab: Any, tmp_path: Path) -> None:
    own = document("don't go", (6, 8, "X"), tokens=[(0, 2), (2, 5), (6, 8)], id="d")
    write([own], "docbin", tmp_path / "a")
    (found,) = read(tmp_path / "a")
    assert (found.tokens, found.id) == (own.tokens, "d")
