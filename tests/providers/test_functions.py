from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from isogloss.errors import DataError, UsageError
from isogloss.providers import Span, open_recogniser, open_splitter, open_tokenizer
from isogloss.providers.functions import to_span

SOURCE = '''
import os

def capitals(texts):
    """Every capital letter."""
    return [[(at, at + 1, "CAPITAL") for at, letter in enumerate(text) if letter.isupper()] for text in texts]

def process(texts):
    """A span whose label is the number of the process."""
    return [[(0, 1, str(os.getpid()))] for _ in texts]

class Finders:
    @staticmethod
    def first(texts):
        return [[(0, 1)] for _ in texts]

class Given:
    name = "mine"
    def annotate(self, texts):
        return [[] for _ in texts]

given = Given()
'''


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a module with functions, which other processes can import as well."""
    (tmp_path / "finders_of_a_test.py").write_text(SOURCE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    yield "finders_of_a_test"
    sys.modules.pop("finders_of_a_test", None)


def test_a_function_is_named_by_its_module(module: str) -> None:
    provider = open_recogniser(f"python:{module}:capitals", language="uk")
    assert provider.annotate(["aB", "C"]) == [[Span(1, 2, "CAPITAL")], [Span(0, 1, "CAPITAL")]]
    assert provider.name == f"python:{module}:capitals"


def test_a_function_is_named_by_its_file(module: str, tmp_path: Path) -> None:
    provider = open_recogniser(f"python:{tmp_path}/{module}.py:Finders.first", language="uk")
    provider.load()
    assert provider.annotate(["aB"]) == [[Span(0, 1)]]


def test_a_provider_object_is_used_as_it_is(module: str) -> None:
    assert open_recogniser(f"python:{module}:given", language="uk").name == "mine"


def test_labels_can_be_chosen(module: str) -> None:
    assert open_recogniser(f"python:{module}:capitals?labels=OTHER", language="uk").annotate(["AB"]) == [[]]


def test_a_function_is_given_a_list_of_texts() -> None:
    seen: list[Any] = []

    def find(texts: list[str]) -> Iterator[Any]:
        seen.append(texts)
        return ([] for _ in texts)

    assert open_recogniser(find, language="uk").annotate(("a", "b")) == [[], []]
    assert seen == [["a", "b"]]


def words(texts: list[str]) -> list[list[tuple[int, int]]]:
    """The first word of each text."""
    return [[(0, text.index(" "))] for text in texts]


def test_a_function_can_split_and_cut_as_well() -> None:
    assert open_splitter(words, language="uk").annotate(["ab c"]) == [[Span(0, 2)]]
    assert open_tokenizer(words, language="uk").annotate(["ab c"]) == [[Span(0, 2)]]


def test_a_callable_has_its_own_name_in_signatures() -> None:
    assert open_recogniser(words, language="uk").name == f"python:{__name__}:words"
    assert open_recogniser(Called(), language="uk").name == f"python:{__name__}:Called"


class Called:
    def __call__(self, texts: list[str]) -> list[Any]:
        return [[] for _ in texts]


def test_spans_of_other_libraries_are_converted() -> None:
    for item in [
        (1, 3, "PER"),
        [1, 3, "PER"],
        Span(1, 3, "PER"),
        (np.int64(1), np.int32(3), "PER"),
        {"start": 1, "end": 3, "label": "PER", "score": 0.5},
        {"start": 1, "end": 3, "entity_group": "PER", "word": "x"},
        {"start_char": 1, "end_char": 3, "type": "PER"},
        SimpleNamespace(start=1, end=3, label="PER"),
        SimpleNamespace(start_char=1, end_char=3, start=0, end=1, label_="PER", label=380),
        SimpleNamespace(start_char=1, end_char=3, type="PER"),
    ]:
        span = to_span(item)
        assert span == Span(1, 3, "PER")
        assert type(span.start) is type(span.end) is int


@pytest.mark.parametrize("item", [(1, 2), {"start": 1, "end": 2}, SimpleNamespace(start=1, end=2)])
def test_a_label_may_be_missing(item: Any) -> None:
    assert to_span(item) == Span(1, 2, None)


@pytest.mark.parametrize("item", [(1,), (1, 2, "A", 3), {"start": 1}, "ab", 5, (1, 2.0), ("1", "2")])
def test_an_invalid_span_is_refused(item: Any) -> None:
    with pytest.raises(DataError, match="is not a span"):
        open_recogniser(lambda texts: [[item] for _ in texts], language="uk").annotate(["abc"])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("python:no_such_module:find", r"No .*Name its file \(python:FILE.py:function\), or .* PYTHONPATH"),
        ("python:./no/such.py:find", r"there is no file '\./no/such\.py' in .*Check the path"),
    ],
)
def test_an_error_of_a_missing_module_has_a_remedy(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_recogniser(spec, language="uk")


def test_a_function_that_is_not_there_is_a_usage_error(module: str) -> None:
    with pytest.raises(UsageError, match="no attribute 'capital'"):
        open_recogniser(f"python:{module}:capital", language="uk")


def test_a_spec_needs_module_and_function() -> None:
    for spec in ["python", "python:module", "python::f", "python:m:"]:
        with pytest.raises(UsageError, match="python:module:function"):
            open_recogniser(spec, language="uk")


@pytest.mark.parametrize("form", ["{module}", "{folder}/{module}.py"])
def test_several_processes_keep_the_order_of_texts(module: str, tmp_path: Path, form: str) -> None:
    place = form.format(module=module, folder=tmp_path)
    texts = ["aB", "", "Cd", "ef", "G"] * 3
    several = open_recogniser(f"python:{place}:capitals", language="uk", jobs=2, batch_size=2)
    assert several.annotate(texts) == open_recogniser(f"python:{place}:capitals", language="uk").annotate(texts)
    elsewhere = open_recogniser(f"python:{place}:process", language="uk", jobs=2, batch_size=1)
    (here,) = open_recogniser(f"python:{place}:process", language="uk").annotate(["a"])[0]
    assert here.label not in {span.label for (span,) in elsewhere.annotate(["a", "b", "c"])}


def test_a_function_that_cannot_be_pickled_is_refused() -> None:
    provider = open_recogniser(lambda texts: [[] for _ in texts], language="uk", jobs=2, batch_size=1)
    with pytest.raises(UsageError, match=r"cannot run in 2 processes.*top of a module, or use jobs=1"):
        provider.annotate(["a", "b"])
