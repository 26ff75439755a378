"""The metric of presidio-evaluator 0.3.2: `SpanEvaluator` with its defaults.

Levels of a hierarchy give its hierarchical scores. presidio-evaluator has two evaluators with
`calculate_hierarchical_scores`. `TokenEvaluator` scores single tokens; the profile is `SpanEvaluator`, which scores
names, and is the evaluator of its documentation. Its hierarchical scores are those of three tables of labels: `binary`,
`branch` and `detailed`. Here `parents` of a label map give the tables: with `PII` as the root they are level 0, level 1
and the last level.

What is reproduced, in building spans
    1. Neighbouring tokens with one label are one span, whatever their prefixes: `B-P B-P` is one span.
    2. Tokens are compared in lower case. The tokens of `presidio_skip_words.txt`, punctuation and white space do not
       count: the bounds of a span are those of its other tokens, and a span of such tokens only is dropped.
    3. Two spans with one label are merged if all tokens between them are such tokens.
    4. Bounds are characters of the tokens joined by spaces. Lower case may be longer than the token.

What is reproduced, in counting
    1. The overlap of two spans is intersection over union of the hull of both, in characters. The threshold is 0.9.
    2. A reference span without an overlap is missed. With one overlapping predicted span, it is correct if the label
       is the same and the overlap reaches the threshold; otherwise it is missed, and the predicted span is spurious.
    3. The spans of several that overlap a reference span are pooled by label. Each label counts as one predicted span,
       which is correct or spurious as in 2. In the overlap of pooled spans, ends are inclusive, and all but the first
       span are shifted by one character to the left.
    4. A reference span is missed if a label before its own does not fit, also if it is correct by its own label; so
       correct and missed spans can be more than the reference spans.
    5. A predicted span that overlaps several reference spans counts as predicted for each of them.
    6. Predicted spans without an overlap are spurious.
    7. precision = correct / predicted, recall = correct / reference; 0/0 is undefined. F has beta = 2 and is undefined
       if precision or recall is undefined, or both are 0.

`pii` has the scores with a single label for all spans, `pii_precision` and so on of the tool; `by_label.LABEL.entity`
those of a label, `per_type` of the tool. The confusion matrix is its `results`, of the pass with labels.

Source: presidio-evaluator of microsoft/presidio-research.

Exceptions
    1. There is no mapping of labels by similarity of names and no built-in hierarchy: a label map has all rules.
    2. In the tool, `results` also has the spurious spans of the pass with a single label, as ("O", "PII").
    3. `beta` 1 cannot be chosen, because it is the default of isogloss.
    4. Texts with character offsets have no tokens, so they are refused. The tool reads them with a tokenizer of spaCy.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from itertools import pairwise

import numpy as np

from isogloss.errors import UsageError
from isogloss.kernel.counts import CellName, Counts
from isogloss.kernel.provenance import SIDES, Side, TextExcerpt
from isogloss.kernel.scores import Floats, Scores, divide
from isogloss.kernel.sums import Sums
from isogloss.spans.batches import SpanPairs, Spans
from isogloss.tasks.ner.metric import SchemaFigures, find_cell_labels, name_figures
from isogloss.tasks.ner.profiles import NerProfile

IOU_THRESHOLD = 0.9
PRESIDIO_COLUMNS = ("correct", "possible", "actual", "missed", "spurious", "paired")
REFERENCE_COLUMNS = frozenset(("possible", "missed"))  # of the label of the reference; others of the predicted label
Event = tuple[str, int | None, int | None]  # column, reference label, predicted label
CountedRow = tuple[int, int, int, int]  # document, reference label, predicted label, position of the column


@dataclass(frozen=True)
class TokenSpan:
    """A span of tokens, without the tokens that do not count.

    Args:
        label: code of its label.
        start: first character.
        end: character after the last.
        counted_start: first character of the tokens that count.
        counted_end: character after the last of the tokens that count, in lower case.
        first: first token.
        after: token after the last.
    """

    label: int
    start: int
    end: int
    counted_start: int
    counted_end: int
    first: int
    after: int


@dataclass(frozen=True)
class PresidioSpans:
    """The metric of `SpanEvaluator`.

    Args:
        beta: weight of recall in the F-measure; above 0.
    """

    beta: float = 2.0

    def count(self, batch: SpanPairs) -> Counts:
        """Count the outcomes of spans by label, and without labels.

        The outcomes with a single label for all spans are in the cell without labels.

        Args:
            batch: documents of tokens.

        Raises:
            UsageError: if a document has no tokens, or spans of one side overlap.
        """
        rows = list(_count_documents(batch))
        table = np.array(rows, np.int64).reshape(-1, 4)  # (rows, [document, reference, predicted, column])
        columns = {name: table[:, 3] == k for k, name in enumerate(PRESIDIO_COLUMNS)}
        parts = {"reference": (table[:, 1], batch.labels), "predicted": (table[:, 2], batch.labels)}
        return Counts.build(batch.documents, columns, row=table[:, 0], parts=parts)

    def overall(self, sums: Sums) -> Scores:
        """Return the scores with a single label for all spans."""
        values = sums.align_to([(None, None)]).values[..., 0, :]
        counted = {name: values[..., k] for k, name in enumerate(PRESIDIO_COLUMNS)}
        return {("pii", name): value for name, value in self._compute_figures(counted).items()}

    def score(self, sums: Sums) -> Scores:
        """Return the overall scores, and those of each label."""
        labels, (reference, predicted) = find_cell_labels(sums)
        number = np.arange(len(labels))[:, None]
        of_reference, of_predicted = reference == number, predicted == number  # (labels, cells)
        counted = {}
        for name in PRESIDIO_COLUMNS:
            mask = of_reference if name in REFERENCE_COLUMNS else of_predicted
            counted[name] = sums.get_column(name) @ mask.T.astype(np.int64)  # (..., labels)
        return self.overall(sums) | name_figures(("by_label",), labels, "entity", self._compute_figures(counted))

    def confusion(self, sums: Sums) -> dict[tuple[CellName, CellName], int]:
        """Return the pairs of labels that the tool lists as its results."""
        paired = sums.get_column("paired")
        return {(cell[0], cell[1]): int(n) for cell, n in zip(sums.cells, paired, strict=True) if n}

    def _compute_figures(self, counted: SchemaFigures) -> SchemaFigures:
        precision = divide(counted["correct"], counted["actual"])
        recall = divide(counted["correct"], counted["possible"])
        figures: SchemaFigures = {
            "precision": precision,
            "recall": recall,
            "f1" if self.beta == 1 else "f": _weigh_ratios(precision, recall, self.beta),
            **{name: counted[name] for name in PRESIDIO_COLUMNS[:-1]},
        }
        return figures | ({} if self.beta == 1 else {"beta": np.full(precision.shape, self.beta)})


def _weigh_ratios(precision: Floats, recall: Floats, beta: float) -> Floats:
    """Return the weighted harmonic mean.

    It is undefined if both ratios are 0, or one is undefined.
    """
    if np.isinf(beta):
        return np.where((precision > 0) | (recall > 0), recall, np.nan)
    return divide((1 + beta**2) * precision * recall, beta**2 * precision + recall)


def _count_documents(batch: SpanPairs) -> Iterator[CountedRow]:
    """Yield the document, the labels and the column of each count."""
    number = len(batch.documents)
    sides = [_split_by_document(spans, number) for spans in (batch.reference, batch.predicted)]
    for row, pair in enumerate(zip(*sides, strict=True)):
        if not any(pair):
            continue
        for own, side in zip(pair, SIDES, strict=True):
            _refuse_overlaps(batch, row, own, side)
        words = DocumentWords.from_excerpt(_get_tokens(batch, row))
        for labelled in (True, False):
            spans = [words.build_spans(each, labelled=labelled) for each in pair]
            for column, reference, predicted in match_spans(*spans):
                if labelled:
                    codes = [-1 if label is None else label for label in (reference, predicted)]
                    yield row, codes[0], codes[1], PRESIDIO_COLUMNS.index(column)
                elif column != "paired":
                    yield row, -1, -1, PRESIDIO_COLUMNS.index(column)


PlacedSpan = tuple[int, int, int]  # first token, token after the last, code of the label


def _split_by_document(spans: Spans, documents: int) -> list[list[PlacedSpan]]:
    """Return the spans of each document, in order."""
    by_document: list[list[PlacedSpan]] = [[] for _ in range(documents)]
    columns = (column.tolist() for column in (spans.row, spans.start, spans.end, spans.label))
    for row, start, end, label in zip(*columns, strict=True):
        by_document[row].append((start, end, label))
    return by_document


def _refuse_overlaps(batch: SpanPairs, row: int, spans: Sequence[PlacedSpan], side: Side) -> None:
    """Refuse a document in which a token has several labels."""
    for span, following in pairwise(spans):
        if following[0] < span[1]:
            where = batch.provenance.where(row, following[0], side)
            message = "--profile presidio scores one label for each token, and spans overlap here"
            raise UsageError(f"{where}: {message}. Leave the profile out.")


def _get_tokens(batch: SpanPairs, row: int) -> TextExcerpt:
    """Return the tokens of a document.

    Raises:
        UsageError: if it has none.
    """
    excerpt = batch.provenance.get_excerpt(row)
    if excerpt is None or excerpt.starts is None:
        where = batch.provenance.where(row, 0, "reference")
        remedy = "Give both sides as tokens with tags (tokens= for lists)."
        raise UsageError(f"{where}: --profile presidio compares tokens, and the document has none. {remedy}")
    return excerpt


@dataclass(frozen=True)
class DocumentWords:
    """The tokens of a document.

    Args:
        starts: (tokens,) first character.
        ends: (tokens,) character after the last.
        lower_ends: (tokens,) character after the last, in lower case.
        counts: (tokens,) whether the token counts.
        separates: (tokens,) whether the token separates two spans with one label.
    """

    starts: Sequence[int]
    ends: Sequence[int]
    lower_ends: Sequence[int]
    counts: Sequence[bool]
    separates: Sequence[bool]

    @classmethod
    def from_excerpt(cls, excerpt: TextExcerpt) -> DocumentWords:
        """Read the tokens of a text."""
        starts, ends = excerpt.starts or (), excerpt.ends or ()
        lower = [excerpt.text[start:end].lower() for start, end in zip(starts, ends, strict=True)]
        return cls(
            starts,
            ends,
            [start + len(word) for start, word in zip(starts, lower, strict=True)],
            [not is_skip_word(word) for word in lower],
            [not is_skip_word(word.strip()) for word in lower],
        )

    def build_spans(self, placed: Iterable[PlacedSpan], *, labelled: bool) -> list[TokenSpan]:
        """Build the spans of one side.

        Args:
            placed: its spans in ascending order, without overlap.
            labelled: whether labels are told apart.
        """
        runs: list[PlacedSpan] = []
        for start, end, label in placed:
            code = label if labelled else 0
            if runs and runs[-1][1] == start and runs[-1][2] == code:
                runs[-1] = (runs[-1][0], end, code)
            else:
                runs.append((start, end, code))
        return self._merge_spans(span for span in map(self._build_span, runs) if span is not None)

    def _build_span(self, run: PlacedSpan) -> TokenSpan | None:
        first, after, label = run
        counted = [token for token in range(first, after) if self.counts[token]]
        if not counted:
            return None
        counted_end = max(self.lower_ends[token] for token in counted)
        bounds = self.starts[first], self.ends[after - 1], self.starts[counted[0]], counted_end
        return TokenSpan(label, *bounds, first, after)

    def _merge_spans(self, spans: Iterable[TokenSpan]) -> list[TokenSpan]:
        """Merge neighbours with one label.

        They are merged if no token that counts is between them.
        """
        merged: list[TokenSpan] = []
        for span in spans:
            last = merged[-1] if merged else None
            if last is None or last.label != span.label or any(self.separates[last.after : span.first]):
                merged.append(span)
            else:
                counted_end = max(last.counted_end, span.counted_end)
                merged[-1] = replace(last, end=span.end, counted_end=counted_end, after=span.after)
        return merged


@cache
def load_skip_words() -> frozenset[str]:
    """Load the words that the tool leaves out of comparisons."""
    return frozenset((files(__package__) / "data" / "presidio_skip_words.txt").read_text(encoding="utf-8").split())


WHITE_TOKENS = frozenset(("", *" \t\n\r\x0b\x0c", *("\n" * n for n in (2, 3, 4)), *("\t" * n for n in (2, 3, 4))))


def is_skip_word(word: str) -> bool:
    """Return whether the tool leaves a lower-case token out."""
    return word in WHITE_TOKENS or word in load_skip_words()


def match_spans(reference: Sequence[TokenSpan], predicted: Sequence[TokenSpan]) -> Iterator[Event]:
    """Compare the spans of a document, and yield the counts.

    Args:
        reference: spans in ascending order.
        predicted: spans in ascending order.
    """
    overlapped: set[TokenSpan] = set()
    low = 0
    for span in reference:
        while low < len(predicted) and predicted[low].counted_end <= span.counted_start:
            low += 1
        near = _find_overlapping(span, predicted, low)
        overlapped.update(near)
        yield "possible", span.label, None
        if not near:
            yield "missed", span.label, None
            yield "paired", span.label, None
        elif len(near) == 1:
            yield from _judge_label(span, near[0].label, _measure_overlap(span, near[0]) >= IOU_THRESHOLD, first=True)
        else:
            yield from _judge_several(span, near)
    for other in predicted:
        if other not in overlapped:
            yield "spurious", None, other.label
            yield "actual", None, other.label
            yield "paired", None, other.label


def _find_overlapping(span: TokenSpan, predicted: Sequence[TokenSpan], low: int) -> list[TokenSpan]:
    """Find the predicted spans from a position on that overlap."""
    overlapping = []
    for other in predicted[low:]:
        if other.counted_start >= span.counted_end:
            break
        if min(span.counted_end, other.counted_end) > max(span.counted_start, other.counted_start):
            overlapping.append(other)
    return overlapping


def _measure_overlap(one: TokenSpan, other: TokenSpan) -> float:
    common = min(one.counted_end, other.counted_end) - max(one.counted_start, other.counted_start)
    return common / (max(one.counted_end, other.counted_end) - min(one.counted_start, other.counted_start))


def _judge_several(span: TokenSpan, near: Sequence[TokenSpan]) -> Iterator[Event]:
    """Judge several predicted spans of a reference span, pooled by label."""
    pooled: dict[int, list[TokenSpan]] = {}
    for other in near:
        pooled.setdefault(other.label, []).append(other)
    first = True
    for label, spans in pooled.items():
        yield from _judge_label(span, label, _measure_pooled_overlap(span, spans) >= IOU_THRESHOLD, first=first)
        first = False


def _measure_pooled_overlap(span: TokenSpan, spans: Sequence[TokenSpan]) -> float:
    """Measure the overlap of a span with several spans.

    The bounds are shifted by one character as in the tool.
    """
    own = set(range(span.counted_start, span.counted_end + 1))
    others = set(range(spans[0].counted_start, spans[0].counted_end + 1))
    for each in spans[1:]:
        others.update(range(each.counted_start - 1, each.counted_end))
    return len(own & others) / len(own | others)


def _judge_label(span: TokenSpan, label: int, is_near: bool, *, first: bool) -> Iterator[Event]:  # noqa: FBT001  a fact, not an option
    """Judge a predicted label of a reference span.

    Args:
        span: the reference span.
        label: the predicted label.
        is_near: whether the overlap reaches the threshold.
        first: whether it is the first label that is judged; the reference span is missed once at most.
    """
    yield "actual", None, label
    if is_near and label == span.label:
        yield "correct", label, label
        yield "paired", label, label
        return
    if first:
        yield "missed", span.label, None
    yield "spurious", None, label
    if is_near:
        yield "paired", span.label, label
        return
    if first or label != span.label:
        yield "paired", span.label, None
    yield "paired", None, label


PROFILE = NerProfile(name="presidio", metric=PresidioSpans(), make_decoder=None, options=frozenset(("beta",)))
