from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flat_spans import flat
from hypothesis import given
from hypothesis import strategies as st
from span_texts import LETTERS, document, documents, read_rows, read_tagged, write

from isogloss.errors import FormatError
from isogloss.formats.documents import SpanDocument
from isogloss.formats.tagged_documents import TaggedRow


def word(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *"_" * 7, misc]) + "\n"


def rows(text: str, **options: Any) -> list[TaggedRow]:
    Path("file").write_text(text, encoding="utf-8")
    return read_rows("file", "conllu", **options)


def row(text: str, **options: Any) -> TaggedRow:
    (found,) = rows(text, **options)
    return found


def places(found: TaggedRow) -> list[tuple[int, int]]:
    return [(token.start, token.end) for token in found.tokens]


NER = "NER=O"


def test_words_tags_text_lines_and_id_are_read() -> None:
    found = row(
        "# newdoc\n# sent_id = s-1\n"
        + word("1", "Ada", "NER=B-PER|SpaceAfter=No")
        + word("2", ",", "SpaceAfter=Yes|NER=O|X")
        + word("3", "Bob", "Gloss=NER=no")
    )
    assert (found.id, found.text, list(found.tags)) == ("s-1", "Ada, Bob", ["B-PER", "O", "O"])
    assert (found.get_words(), places(found)) == (["Ada", ",", "Bob"], [(0, 3), (3, 4), (5, 8)])
    assert [found.format_place(at) for at in range(3)] == ["file:3", "file:4", "file:5"]
    assert found.joined


def test_empty_nodes_are_skipped_and_words_of_one_token_are_cut_out_of_it() -> None:
    found = row(
        word("0.1", "x", NER)
        + word("1-2", "don't", "SpaceAfter=No")
        + word("1", "do", "NER=O|SpaceAfter=No")
        + word("2", "n't", "NER=B-X")
        + word("2.1", "y", "NER=B-Y")
        + word("3", "go", NER)
    )
    assert (found.text, places(found)) == ("don'tgo", [(0, 2), (2, 5), (5, 7)])
    assert list(found.tags) == ["O", "B-X", "O"]
    assert found.get_words() == ["do", "n't", "go"]


def test_words_that_are_no_parts_of_their_token_stand_where_it_does() -> None:
    found = row(word("1", "vers", NER) + word("2-3", "du") + word("2", "de", NER) + word("3", "le", "NER=B-L"))
    assert (found.text, places(found)) == ("vers du", [(0, 4), (5, 7), (5, 7)])
    assert found.get_words() == ["vers", "de", "le"]


def test_token_without_a_form_takes_the_forms_of_its_words() -> None:
    found = row(word("1-2", "_") + word("1", "a", NER) + word("2", "b", NER) + word("3", "_", NER))
    assert (found.text, found.get_words()) == ("ab _", ["a", "b", "_"])


def test_the_text_is_that_of_the_comment_where_it_holds_the_words() -> None:
    for comment, text, at in [
        ("# text = a  b c", "a  b c", [(0, 1), (3, 4), (5, 6)]),
        ("#text=  a b c ", " a b c ", [(1, 2), (3, 4), (5, 6)]),
        ("# text = abc", "abc", [(0, 1), (1, 2), (2, 3)]),
        ("# text = other", "a b c", [(0, 1), (2, 3), (4, 5)]),
        ("# text = a b c d", "a b c", [(0, 1), (2, 3), (4, 5)]),
        ("# text_en = a  b c", "a b c", [(0, 1), (2, 3), (4, 5)]),
    ]:
        found = row(comment + "\n" + word("1", "a", NER) + word("2", "b", NER) + word("3", "c", NER))
        assert (found.text, places(found)) == (text, at)


def test_white_space_is_what_udpipe_says() -> None:
    found = row(
        word("1", "a", "NER=O|SpacesBefore=\\n|SpacesAfter=\\s\\t")
        + word("2", "b", "NER=O|SpacesAfter=\\r\\n")
        + word("3", "c", "NER=O|SpacesAfter=\u00a0")
        + word("4", "d", "NER=O|SpacesAfter=nothing")
        + word("5", "e", "NER=O|SpacesAfter=\\n")
    )
    assert found.text == "\na \tb\r\nc\u00a0de\n"


def test_sentences_end_with_blank_lines_of_any_kind_and_with_the_file() -> None:
    text = "\n" + word("1", "a", NER) + "\n \t\r\n# alone\n\n" + word("1", "b", NER).replace("\n", "\r\n") + "\r\n"
    assert [found.get_words() for found in rows(text + word("1", "c", NER).rstrip("\n"))] == [["a"], ["b"], ["c"]]


def test_tags_stand_in_misc_under_one_of_some_keys() -> None:
    for misc, tag in [
        ("NER=B-A", "B-A"),
        ("ner=S-A|start_char=0", "S-A"),
        ("NE=B-A", "B-A"),
        ("Tag=B-A", "B-A"),
        ("Entity=B-A", "B-A"),
        ("Tag=B-T|NER=B-N", "B-N"),
        ("NER=A=B", "A=B"),
        ("NER=_", "O"),
        ("NER=", "O"),
        ("NER=O|NER=B-A", "O"),
    ]:
        assert list(row(word("1", "a", misc)).tags) == [tag]


def test_the_first_word_with_a_key_decides_which_one_counts() -> None:
    text = (
        word("1", "a") + word("2", "b", "NE=B-A") + "\n" + word("1", "c", "NER=B-X|NE=B-B") + word("2", "d", "ne=B-C")
    )
    assert [list(found.tags) for found in rows(text)] == [["O", "B-A"], ["B-B", "O"]]


@pytest.mark.parametrize("columns", [("MISC:Mine",), ("FORM", "MISC:Mine"), (2, "MISC:Mine")])
def test_any_key_can_be_named(columns: tuple[str | int, ...]) -> None:
    assert list(row(word("1", "a", "NER=B-X|Mine=B-A"), columns=columns).tags) == ["B-A"]
    assert list(row(word("1", "a"), columns=columns).tags) == ["O"]


def test_a_column_of_conllu_plus_may_have_the_tags() -> None:
    for name, value, tag in [("NER", "B-A", "B-A"), ("UNER:NER", "*", "O"), ("x:ne", "_", "O"), ("TAG", "O", "O")]:
        assert list(row(f"# global.columns = ID FORM {name}\n1\ta\t{value}\n").tags) == [tag]


def test_names_of_columns_may_be_in_lower_case() -> None:
    assert list(row("# global.columns = id form ner misc\n1\ta\tB-PER\t_\n").tags) == ["B-PER"]


def test_columns_of_conllu_plus_may_be_any_and_the_text_needs_none() -> None:
    text = "# global.columns = FORM X:A X:B\na\tB-P\tO\nb\tO\tB-Q\n"
    for columns, tags in ((("X:A",), ["B-P", "O"]), ((1, 3), ["O", "B-Q"]), (("X:B", "FORM", "X:A")[:1], ["O", "B-Q"])):
        found = row(text, columns=columns)
        assert (found.text, list(found.tags)) == ("a b", tags)
    assert row(text, columns=("X:A", "X:B"), side="predicted").tags == ["O", "B-Q"]
    assert row(text, columns=(2, "X:B")).get_words() == ["B-P", "O"]


def test_one_file_is_both_sides() -> None:
    text = word("1", "a", "Gold=B-A|Guess=B-B")
    for side, tag in (("reference", "B-A"), ("predicted", "B-B")):
        assert list(row(text, single_file=True, side=side, columns=("MISC:Gold", "MISC:Guess")).tags) == [tag]
        assert list(row(text, single_file=True, side=side, columns=("FORM", "MISC:Gold", "MISC:Guess")).tags) == [tag]


def test_error_names_the_place_and_the_remedy() -> None:
    for text, where, says in [
        (word("1", "a", NER) + "2\tb\n", "file:2", "2 columns, but the file has 10"),
        (word("1", "a", NER) + word("x", "b"), "file:2", "'x' is not an id of a word"),
        (word("1", "a", NER) + word("9" * 5000, "b"), "file:2", "is not an id of a word"),
        (word("1", "a", NER) + word(f"2-{'9' * 5000}", "b"), "file:2", "is not an id of a word"),
        (word("1", "a", NER) + word("2", " "), "file:2", "the form is empty"),
        (word("1", "a", NER) + word("1", "b"), "file:2", "the id 1 follows 1: a blank line is missing"),
        (word("1", "a", "NER=(e1-person"), "file:1", "'(e1-person' marks entities by brackets"),
        (word("1", "a"), "file", "no MISC has NER=, NE=, Tag= or Entity=, and"),
        ("# global.columns = ID NER\n1\tO\n", "file:1", "has no column FORM"),
        ("# global.columns = ID FORM X\n1\ta\tO\n", "file", "no MISC has NER="),
    ]:
        with pytest.raises(FormatError) as error:
            rows(text)
        assert (error.value.where, says in error.value.message) == (where, True)
        assert error.value.remedy


CORPORA = st.lists(
    documents(LETTERS).map(flat).filter(lambda each: bool((each.text or "").strip())), min_size=1, max_size=4
)


@given(CORPORA, st.sampled_from(["iobes", "ioe1"]))
def test_tags_are_written_in_any_scheme(corpus: list[SpanDocument], scheme: str) -> None:
    write(corpus, "conllu", "out", scheme)
    assert [list(each.spans) for each in read_tagged("out", "conllu", scheme)] == [list(each.spans) for each in corpus]


def test_a_sentence_is_written_like_this() -> None:
    write([document("Ada, hi", (0, 3, "PER"), id="s")], "conllu", "out")
    assert Path("out").read_text(encoding="utf-8") == (
        "# sent_id = s\n# text = Ada, hi\n"
        + word("1", "Ada", "NER=B-PER|SpaceAfter=No")
        + word("2", ",", "NER=O")
        + word("3", "hi", "NER=O")
        + "\n"
    )
