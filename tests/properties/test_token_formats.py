"""The same words and tags in every format that has them give the same scores, confusion and findings."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from libraries import library

from isogloss.tasks.ner.scoring import ner

Sentence = list[tuple[str, str, str]]  # words with the tags of both sides
Corpus = list[Sentence]
NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "E-LOC", "S-é"]  # also such as do not fit
WORDS = ["Ada", "met", ".", "#", "é", "กรุงเทพฯ", "القاهرة", "𠀀", "1", "a b", "_", "O"]
TOKENS = st.tuples(st.sampled_from(WORDS), st.sampled_from(NAMES), st.sampled_from(NAMES))
CORPORA = st.lists(st.lists(TOKENS, min_size=1, max_size=6), min_size=1, max_size=5)


def conll(path: Path, corpus: Corpus, side: int) -> None:
    sentences = ["".join(f"{token[0]}\t{token[1 + side]}\n" for token in sentence) for sentence in corpus]
    path.write_text("-DOCSTART-\tO\n\n" + "\n".join(sentences), encoding="utf-8")


def conllu(path: Path, corpus: Corpus, side: int) -> None:
    blanks = ["_"] * 7
    with path.open("w", encoding="utf-8") as file:
        for sentence in corpus:
            for number, token in enumerate(sentence, 1):
                note = f"X=1|NER={token[1 + side]}|Z"
                file.write("\t".join([str(number), token[0], *blanks, note]) + "\n")
            file.write("\n")


def conllu_plus(path: Path, corpus: Corpus, side: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        file.write("# global.columns = UNER:NER ID FORM\n")
        for number, sentence in enumerate(corpus):
            file.write(f"# number = {number}\n")
            for at, token in enumerate(sentence, 1):
                file.write(f"{token[1 + side]}\t{at}\t{token[0]}\n")
            file.write("\n")


def token_tags(path: Path, corpus: Corpus, side: int) -> None:
    rows = [{"tokens": [t[0] for t in s], "ner_tags": [t[1 + side] for t in s]} for s in corpus]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def numbered(path: Path, corpus: Corpus, side: int) -> None:
    rows = [{"words": [t[0] for t in s], "labels": [NAMES.index(t[1 + side]) for t in s]} for s in corpus]
    path.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    info = {"features": {"labels": {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "Sequence"}}}
    path.with_name("dataset_info.json").write_text(json.dumps(info), encoding="utf-8")


def parquet(path: Path, corpus: Corpus, side: int) -> None:
    library("pyarrow.parquet").write_table(table(corpus, side, list), path)


def arrow(path: Path, corpus: Corpus, side: int) -> None:
    """Numbers with names in the metadata, as an Arrow stream, a sentence a batch."""
    pa = library("pyarrow")
    feature = {"info": {"features": {"ner_tags": [{"names": NAMES}]}}}
    numbers = table(corpus, side, lambda tags: [NAMES.index(tag) for tag in tags])
    numbers = numbers.replace_schema_metadata({"huggingface": json.dumps(feature)})
    with pa.ipc.new_stream(str(path), numbers.schema) as writer:
        writer.write_table(numbers, max_chunksize=1)


def table(corpus: Corpus, side: int, encode: Callable[[list[str]], Sequence[str | int]]) -> Any:
    return library("pyarrow").table(
        {"tokens": [[t[0] for t in s] for s in corpus], "ner_tags": [encode([t[1 + side] for t in s]) for s in corpus]}
    )


WRITERS = {each.__name__: each for each in (conllu, conllu_plus, token_tags, numbered, parquet, arrow)}


def figures(reference: Path, prediction: Path) -> dict[str, Any]:
    """All that a run says, but of its files."""
    found = ner(reference, prediction, scheme="iobes", findings=True).to_dict()
    rows = found["findings"]["rows"]
    for row in rows:
        del row["where"]
    keys = ("documents", "scores", "by_label", "macro", "weighted", "per_document", "confusion", "findings")
    notes = sorted((each["code"], each["count"], each["message"]) for each in found.get("warnings", ()))
    return {key: found.get(key) for key in keys} | {"warnings": notes}


@pytest.mark.parametrize("name", WRITERS)
@settings(max_examples=15)
@given(CORPORA)
@example([[("Ada", "B-PER", "I-PER"), ("a b", "I-PER", "O")], [("#", "O", "S-é")]])
def test_the_same_tags_have_the_same_figures_in_every_format(name: str, corpus: Corpus) -> None:
    if not any(not token[0].startswith("#") for sentence in corpus for token in sentence):
        return  # columns whose every token begins with # are comments to a reader of columns
    with TemporaryDirectory() as folder:
        files = {}
        for side in (0, 1):
            for kind, write in {"conll": conll, name: WRITERS[name]}.items():
                files[kind, side] = Path(folder, f"{kind}.{side}")
                write(files[kind, side], corpus, side)
        expected = figures(files["conll", 0], files["conll", 1])
        assert figures(files[name, 0], files[name, 1]) == expected
        assert figures(files["conll", 0], files[name, 1]) == expected
        assert figures(files[name, 0], files["conll", 1]) == expected
        assert expected["scores"]["tokens"]["total"] == sum(map(len, corpus))
