"""Random corpora for toy metrics, and the ways in which the same corpus can arrive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.kernel.counts import CellParts, Counts
from isogloss.kernel.provenance import RunWarning
from isogloss.kernel.scores import Floats, Ints

KINDS = ("name", "place", "U.S.", "дата")
LENGTHS = ("short", "long")
CLASSES = ("sport", "culture")


@dataclass(frozen=True)
class Answer:
    """One thing that two systems got right or wrong. A kind of None is no kind."""

    kind: str | None
    length: str
    right: int
    other: int


@dataclass(frozen=True)
class Document:
    """Answers, a float from outside per system, a score and a verdict per class, and attributes."""

    answers: tuple[Answer, ...] = ()
    fluency: tuple[float, float] = (np.nan, np.nan)
    scores: tuple[float, ...] = (np.nan, np.nan)
    gold: tuple[bool, ...] = (False, False)
    language: str = "it"
    author: str = "a"


Corpus = Sequence[Document]


@dataclass(frozen=True, eq=False)
class Answers:
    """A batch: arrays whose codes mean something in this batch alone."""

    documents: Ints
    row: Ints
    parts: CellParts
    right: Ints
    other: Ints
    fluency: Floats
    other_fluency: Floats
    classes: tuple[str, ...]
    scores: Floats
    gold: NDArray[np.bool_]
    warnings: tuple[RunWarning, ...] = ()

    def of_other_system(self) -> Answers:
        """The same documents as another system answered them."""
        return replace(self, right=self.other, fluency=self.other_fluency)


def batch_of(corpus: Corpus, at: Ints | None = None, *, seed: int = 0, numbers: Ints | None = None) -> Answers:
    """The documents at some positions as a batch.

    Args:
        corpus: all documents.
        at: positions of those in the batch; all of them when left out.
        seed: decides how the batch numbers its names, and which names it knows without using them.
        numbers: the number of every document of the corpus; its position when left out.
    """
    at = np.arange(len(corpus)) if at is None else at
    numbers = np.arange(len(corpus)) if numbers is None else numbers
    generator = np.random.default_rng(seed)
    documents = [corpus[k] for k in at.tolist()]
    placed = [(row, answer) for row, document in enumerate(documents) for answer in document.answers]
    answers = [answer for _, answer in placed]
    classes = generator.permutation(len(CLASSES))
    fluency = np.array([document.fluency for document in documents], np.float64).reshape(len(at), 2)
    shape = (len(at), len(CLASSES))
    return Answers(
        documents=numbers[at],
        row=np.array([row for row, _ in placed], np.int64),
        parts={
            "kind": _coded([answer.kind for answer in answers], generator),
            "length": _coded([answer.length for answer in answers], generator),
        },
        right=np.array([answer.right for answer in answers], np.int64),
        other=np.array([answer.other for answer in answers], np.int64),
        fluency=fluency[:, 0],
        other_fluency=fluency[:, 1],
        classes=tuple(CLASSES[k] for k in classes),
        scores=np.array([document.scores for document in documents], np.float64).reshape(shape)[:, classes],
        gold=np.array([document.gold for document in documents], np.bool_).reshape(shape)[:, classes],
    )


def _coded(names: Sequence[str | None], generator: np.random.Generator) -> tuple[Ints, tuple[str, ...]]:
    """Codes of names in a vocabulary in random order that has one more name than it needs; -1 is none."""
    known = [*sorted({name for name in names if name is not None}), f"unused {generator.integers(3)}"]
    vocabulary = tuple(known[k] for k in generator.permutation(len(known)))
    place: dict[str | None, int] = {None: -1} | {name: k for k, name in enumerate(vocabulary)}
    return np.array([place[name] for name in names], np.int64), vocabulary


@dataclass(frozen=True)
class Arrival:
    """Cuts a corpus into batches, some of them empty, and puts documents and batches into another order."""

    seed: int

    def batches(self, number: int) -> list[Ints]:
        """Positions of the documents of each batch."""
        generator = np.random.default_rng(self.seed)
        cuts = np.sort(generator.integers(0, number + 1, generator.integers(0, 5)))
        parts = np.split(generator.permutation(number), cuts)
        return [parts[k] for k in generator.permutation(len(parts))]


def seeded(corpus: Corpus, arrival: Arrival, numbers: Ints | None = None) -> list[Answers]:
    """A corpus as it arrives: every batch has a vocabulary of its own."""
    places = enumerate(arrival.batches(len(corpus)))
    return [batch_of(corpus, at, seed=arrival.seed + k, numbers=numbers) for k, at in places]


def same(one: Counts, two: Counts) -> bool:
    """Whether two counts are equal in every bit."""
    heads = [(c.parts, c.columns, c.cells, c.measures) for c in (one, two)]
    arrays = ("documents", "row", "cell", "values", "measured")
    return heads[0] == heads[1] and all(
        getattr(one, name).shape == getattr(two, name).shape
        and getattr(one, name).tobytes() == getattr(two, name).tobytes()
        for name in arrays
    )


def in_clusters(counts: Counts, clusters: Ints) -> Counts:
    """Each cluster (documents,) as the sum of its documents."""
    return replace(counts, documents=clusters).normalize()


def widen(counts: Counts) -> Counts:
    """The same counts in the types of a metric."""
    return replace(counts, cell=counts.cell.astype(np.int64), values=counts.values.astype(np.int64))


answers = st.builds(
    Answer,
    kind=st.sampled_from((None, *KINDS)),
    length=st.sampled_from(LENGTHS),
    right=st.integers(0, 1),
    other=st.integers(0, 1),
)
measure = st.one_of(st.just(np.nan), st.floats(-100, 100))  # full mantissas: round floats hide the order of additions
documents = st.builds(
    Document,
    answers=st.lists(answers, max_size=4).map(tuple),
    fluency=st.tuples(measure, measure),
    scores=st.tuples(*[st.one_of(st.just(np.nan), st.integers(0, 5).map(float))] * len(CLASSES)),
    gold=st.tuples(*[st.booleans()] * len(CLASSES)),
    language=st.sampled_from(("it", "de", "")),
    author=st.sampled_from(("a", "b", "c")),
)


@st.composite
def corpora(draw: st.DrawFn, min_size: int = 1) -> list[Document]:
    """Up to a dozen documents, some of them several times."""
    drawn = draw(st.lists(documents, min_size=min_size, max_size=8))
    again = draw(st.lists(st.sampled_from(drawn), max_size=4)) if drawn else []
    return drawn + again


def random_corpus(seed: int, number: int) -> list[Document]:
    """Different documents with measures of full precision, a few authors, and scores without ties."""
    generator = np.random.default_rng(seed)
    return [
        Document(
            answers=tuple(
                Answer(str(generator.choice(KINDS)), LENGTHS[right], int(right), int(generator.integers(2)))
                for right in generator.integers(0, 2, generator.integers(1, 6))
            ),
            fluency=(100 * float(generator.random()), 100 * float(generator.random())),
            scores=tuple(generator.normal(size=len(CLASSES)).tolist()),
            gold=tuple((generator.random(len(CLASSES)) < 0.4).tolist()),
            language=("it", "de")[int(generator.integers(2))],
            author="abcdefgh"[int(generator.integers(8))],
        )
        for _ in range(number)
    ]


arrivals = st.integers(0, 2**32 - 1).map(Arrival)
