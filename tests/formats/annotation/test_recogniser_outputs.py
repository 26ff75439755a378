"""Results of recognisers: what is refused, left out and counted, and how results belong to texts."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import isogloss
from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.formats.detection import detect_format
from isogloss.formats.offset_units import QuotedSpan, place_quoted_spans
from isogloss.formats.registry import OFFSET_UNITS
from isogloss.records.sources import Source

ADA = {"entity_group": "PER", "score": 0.9, "word": "Ada", "start": 0, "end": 3}
OSLO = {**ADA, "entity_group": "LOC", "word": "Oslo", "start": 4, "end": 8}
GOLD = [
    {"id": "a", "text": "Ada Oslo", "entities": [[0, 3, "PER"], [4, 8, "LOC"]]},
    {"id": "b", "text": "😀 Ada", "entities": [[2, 5, "PER"]]},
]


def put(name: str, content: Any) -> Path:
    """A file with text, with JSON lines of a list, or with the JSON of a dict."""
    if isinstance(content, list):
        content = "".join(json.dumps(each) + "\n" for each in content)
    elif isinstance(content, dict):
        content = json.dumps(content, indent=2)
    Path(name).write_text(content, encoding="utf-8")
    return Path(name)


def score(content: Any, gold: Any = GOLD, **options: Any) -> isogloss.Run:
    return isogloss.ner(put("gold.jsonl", gold), put("results.json", content), **options)


def count_spans(run: Any) -> list[int]:
    return [run.scores["strict"].correct, run.scores["strict"].actual, run.scores["strict"].possible]


def count_warnings(run: isogloss.Run) -> dict[str, int]:
    return {warning.code: warning.count for warning in run.warnings}


def azure(*spans: tuple[str, int, int], text_id: str = "1") -> dict[str, Any]:
    entities = [
        {"text": text, "category": "PER", "offset": offset, "length": length, "confidenceScore": 0.5}
        for text, offset, length in spans
    ]
    return {"id": text_id, "entities": entities}


def job(**tasks: list[dict[str, Any]]) -> dict[str, Any]:
    """A finished job of Azure with the documents of its tasks."""
    items = [{"kind": kind, "results": {"documents": documents, "errors": []}} for kind, documents in tasks.items()]
    return {"jobId": "1", "status": "succeeded", "errors": [], "tasks": {"total": len(items), "items": items}}


OLD_TASKS = ("entityRecognitionTasks", "entityRecognitionPiiTasks")  # of Azure's version 3.1


@pytest.mark.parametrize(
    "bad",
    [
        {**ADA, "start": "0"},
        {**ADA, "end": 0},
        {**ADA, "entity_group": None},
        {**ADA, "entity_group": ""},
        {**ADA, "start": -3},
        {"word": "Ada"},
        "Ada",
        7,
    ],
)
def test_a_malformed_item_is_left_out_counted_and_located(bad: Any) -> None:
    run = score([[bad, ADA, OSLO], []])
    assert count_spans(run) == [2, 2, 3]
    (warning,) = (each for each in run.warnings if each.code == "unusable-items")
    assert (warning.count, warning.where) == (1, "results.json:1")


def test_one_malformed_mention_does_not_lose_the_others() -> None:
    sound, broken = {"text": {"content": "Ada", "beginOffset": 0}}, {"text": {"beginOffset": 4}}
    entity = {"name": "Ada", "type": "PER", "mentions": [broken, sound]}
    run = score([{"entities": [entity], "language": "en"}, {"language": "en"}])
    assert (count_spans(run), count_warnings(run)["unusable-items"]) == ([1, 1, 3], 1)


REFUSED = {
    "a slow tokenizer": ([[{**ADA, "start": None, "end": None}], []], "fast tokenizer"),
    "tokens without offsets": ([[{"entity": "B-PER", "score": 0.9, "index": 1, "word": "Ada"}], []], "fast tokenizer"),
    "tokens with null as offsets": (
        [[{"entity": "B-PER", "index": 1, "word": "Ada", "start": None, "end": None}]],
        "fast",
    ),
    "a pipeline of Stanza without recogniser": (
        [
            [[{"id": 1, "text": "Ada", "start_char": 0, "end_char": 3}]],
            [[{"id": 1, "text": "Ada", "start_char": 2, "end_char": 5}]],
        ],
        "A result of stanza looks",
    ),
    "no encodingType": (
        [{"entities": [{"name": "A", "type": "PER", "mentions": [{"text": {"content": "Ada", "beginOffset": -1}}]}]}],
        "encodingType UTF32",
    ),
    "an object without a list": (
        [{"text": "Ada Oslo", "output": [ADA]}, {"text": "😀 Ada"}],
        "A result of transformers looks",
    ),
    "tokens and spans": ([[{**ADA, "entity": "B-PER", "index": 1}], [ADA]], None),
    "a token without a tag": ([[{**ADA, "entity": "B-PER"}, {**ADA, "entity": ""}], []], "A token has a tag"),
    "broken JSON": ("[[" + json.dumps(ADA) + "],\n[", "A result of transformers looks"),
    "numbers for lists": ([[ADA], 3], "A result of transformers looks"),
    "one item a line": ([ADA, OSLO], "A result of transformers looks"),
    "one item a line, with a list of its own": (
        [{**azure(("Ada", 0, 3))["entities"][0], "resolutions": []}] * 2,
        "A result of azure looks",
    ),
    "an entity of Comprehend Medical, with traits": (
        [{"BeginOffset": 0, "EndOffset": 3, "Category": "MEDICATION", "Type": "BRAND_NAME", "Traits": []}] * 2,
        "A result of comprehend looks",
    ),
    "a job of two tasks with entities": (
        job(EntityRecognitionLROResults=[azure(("Ada", 0, 3))], PiiEntityRecognitionLROResults=[azure()]),
        "Save the `results` of one task in a file of its own.",
    ),
    "a job of version 3.1 with two tasks": (
        {"tasks": {name: [{"results": {"documents": [azure(("Ada", 0, 3))]}}] for name in OLD_TASKS}},
        "Save the `results` of one task in a file of its own.",
    ),
    "linked entities, which have no category": (
        {
            "documents": [
                {"id": "1", "entities": [{"name": "Ada", "type": None, "matches": [{"offset": 0, "length": 3}]}]}
            ]
        },
        "A result of azure looks",
    ),
}


@pytest.mark.parametrize("which", REFUSED)
def test_what_cannot_be_read_is_refused_with_what_to_do(which: str) -> None:
    content, remedy = REFUSED[which]
    if remedy is None:  # grouped spans among tokens are read as spans, so the tokens are counted
        content = [[ADA], [{"entity": "B-PER", "start": 0, "end": 3}]]
        assert count_warnings(score(content))["unusable-items"] == 1
        return
    with pytest.raises(DataError) as error:
        score(content)
    assert remedy in str(error.value)
    assert str(error.value).startswith("results.json:")


def test_file_without_one_usable_item_is_refused_at_the_end() -> None:
    unlabelled = {"entity_type": None, "start": 0, "end": 3}
    with pytest.raises(DataError, match=r"^results.json:1: no item of the file is a span with a label and offsets"):
        score([[unlabelled], [unlabelled]])
    assert count_warnings(score([[unlabelled], [{**unlabelled, "entity_type": "PER"}]])) == {"unusable-items": 1}


def test_job_without_entity_recognition_is_refused_with_its_tasks() -> None:
    phrases = job(KeyPhraseExtractionLROResults=[{"id": "1", "keyPhrases": ["Ada"]}])
    for content, tasks in ((phrases, "KeyPhraseExtractionLROResults"), (job(), "none")):
        with pytest.raises(DataError, match=f"its tasks: {tasks}"):
            isogloss.convert(put("results.json", content), to="jsonl", output="out.jsonl", input_format="azure")


def test_one_task_of_an_older_job_is_read_whatever_its_place() -> None:
    documents = [azure(("Ada", 0, 3)), azure(text_id="2")]
    for name in OLD_TASKS:
        tasks = {
            "total": 2,
            "keyPhraseExtractionTasks": [{"results": {}}],
            name: [{"results": {"documents": documents}}],
        }
        assert count_spans(score({"jobId": "1", "tasks": tasks})) == [1, 1, 3]


def test_words_that_differ_from_the_text_give_a_warning() -> None:
    run = score([[{**ADA, "word": "oslo"}], [{**ADA, "word": "ada", "start": 2, "end": 5}]])
    assert count_warnings(run)["other-words"] == 1
    uncased = [{**ADA, "word": "a ##da"}, {**OSLO, "word": "[UNK]"}]
    assert "other-words" not in count_warnings(score([uncased, []]))


def test_results_of_other_texts_are_refused_unless_offsets_are_repaired() -> None:
    text = "Ada, Bo, Cy, Dan, Eve, Fay"  # the tokens of the reference are joined by spaces: "Ada , Bo , ..."
    words = text.split(", ")
    results = [{**ADA, "word": word, "start": text.index(word), "end": text.index(word) + len(word)} for word in words]
    gold = "".join(f"{word} B-PER\n, O\n" for word in words)
    with pytest.raises(DataError, match=r"5 of 6 words so far differ(.|\n)*word  'Bo'(.|\n)*joined by spaces"):
        isogloss.ner(put("gold.conll", gold), put("results.json", [results]))
    run = isogloss.ner(Path("gold.conll"), Path("results.json"), repair_offsets=True)
    assert count_warnings(run)["other-words"] == 5


def test_results_for_other_texts_are_refused() -> None:
    with pytest.raises(MismatchError, match="the reference has 2 documents, the prediction 1"):
        score([[ADA]])
    with pytest.raises(DataError, match="its own text is 'Bob'"):
        score([azure(("Bob", 0, 3)), azure(text_id="2")])
    with pytest.raises(DataError, match="reaches beyond its text"):
        score([[{**ADA, "end": 30}], []])


def test_ids_pair_results_with_texts_in_any_order() -> None:
    rows = [{"id": "b", "output": [{**ADA, "start": 2, "end": 5}]}, {"id": "a", "output": [ADA]}]
    assert count_spans(score(rows)) == [2, 2, 3]


def test_ids_that_begin_anew_in_each_response_are_not_ids() -> None:
    responses = [{"documents": [azure(("Ada", 0, 3))], "errors": []}, {"documents": [azure(("Ada", 2, 3))]}]
    assert count_spans(score(responses)) == [2, 2, 3]


def test_text_that_the_service_failed_on_has_no_prediction_and_keeps_its_place() -> None:
    failed = {"id": "1", "error": {"code": "InvalidArgument"}}
    run = score({"documents": [azure(("Ada", 2, 3), text_id="2")], "errors": [failed]})
    assert (count_spans(run), count_warnings(run)["documents-unpredicted"]) == ([1, 1, 3], 1)
    entity = {"BeginOffset": 2, "EndOffset": 5, "Type": "PER", "Text": "Ada"}
    error = {"Index": 0, "ErrorCode": "INTERNAL_SERVER_ERROR"}
    run = score({"ResultList": [{"Index": 1, "Entities": [entity]}], "ErrorList": [error]})
    assert count_spans(run) == [1, 1, 3]
    run = isogloss.ner("results.json", "gold.jsonl")  # as a reference it is left out
    assert (run.documents, count_spans(run), count_warnings(run)["documents-left-out"]) == (1, [1, 1, 1], 1)


def test_lines_of_a_job_are_put_in_the_order_of_the_texts() -> None:
    line = {"File": "x", "Line": 1, "Entities": [{"BeginOffset": 2, "EndOffset": 5, "Type": "PER", "Text": "Ada"}]}
    assert count_spans(score([line, {"File": "x", "Line": 0, "Entities": []}])) == [1, 1, 3]


def test_offsets_that_two_units_explain_need_the_option() -> None:
    text = "😀 aaa"
    gold = [{"id": "x", "text": text, "entities": [[3, 4, "PER"]]}]
    with pytest.raises(DataError, match=r"Name the unit: --offset-unit code-points or utf-16"):
        score([azure(("a", 3, 1))], gold)
    found = {unit: count_spans(score([azure(("a", 3, 1))], gold, offset_unit=unit)) for unit in OFFSET_UNITS[:2]}
    assert found == {"code-points": [1, 1, 1], "utf-16": [0, 1, 1]}
    with pytest.raises(DataError, match="Leave out --offset-unit"):
        score([azure(("a", 3, 1))], gold, offset_unit="utf-8")


def test_text_elements_differ_from_graphemes_and_code_points() -> None:
    text = "\U0001f469\U0001f3fd n\u0303 น้ำ Ada"  # 2 elements, a space, 1, a space, 2 (น้ and ำ), a space
    gold = [{"id": "x", "text": text, "entities": [[text.index("Ada"), len(text), "PER"]]}]
    run = score([azure(("Ada", 8, 3))], gold)
    assert (count_spans(run), count_warnings(run)["offsets-converted"]) == ([1, 1, 1], 1)
    assert count_spans(score([azure(("Ada", 8, 3))], gold, offset_unit="text-elements")) == [1, 1, 1]


def test_offsets_of_formats_that_count_code_points_need_no_option() -> None:
    entity = {"BeginOffset": 3, "EndOffset": 4, "Type": "PER", "Text": "a"}
    gold = [{"id": "x", "text": "😀 aaa", "entities": [[3, 4, "PER"]]}]
    assert count_spans(score([{"Entities": [entity]}], gold)) == [1, 1, 1]


def test_an_unknown_unit_and_a_format_without_units_are_refused() -> None:
    with pytest.raises(UsageError, match="Choose from code-points, utf-16, utf-8, graphemes, text-elements"):
        score([[ADA], []], offset_unit="bytes")
    with pytest.raises(UsageError, match="has no --offset-unit"):
        isogloss.ner("gold.jsonl", put("other.jsonl", GOLD), offset_unit="utf-8")


def test_spans_without_texts_on_either_side_are_compared_if_they_count_code_points() -> None:
    gold = [{"id": "a", "entities": [[0, 3, "PER"]]}, {"id": "b", "entities": []}]
    assert count_spans(score([[ADA], []], gold)) == [1, 1, 1]
    results = [azure(("Ada", 0, 3)), azure(text_id="2")]
    with pytest.raises(
        DataError, match=r"what the offsets of the document count is unknown(.|\n)*--offset-unit code-points"
    ):
        score(results, gold)
    assert count_spans(score(results, gold, offset_unit="code-points")) == [1, 1, 1]


def test_the_list_of_spans_is_chosen_by_its_field() -> None:
    rows = [{"text": "Ada Oslo", "small": [ADA], "large": [ADA, OSLO]}, {"text": "😀 Ada", "small": [], "large": []}]
    with pytest.raises(DataError, match="has several lists of spans: small, large"):
        score(rows)
    assert count_spans(score(rows, columns=["small"])) == [1, 1, 3]
    assert count_spans(score(rows, columns=["large"])) == [2, 2, 3]
    with pytest.raises(DataError, match="has no list 'huge'"):
        score(rows, columns=["huge"])


def test_tokens_apart_are_not_joined_and_tags_inside_begin_spans() -> None:
    tokens = [{"entity": "I-PER", "index": at, "start": 4 * at, "end": 4 * at + 3, "word": "x"} for at in (1, 2, 4)]
    gold = [{"text": "xxx Ada Eve and Bob", "entities": [[4, 11, "PER"], [16, 19, "PER"]]}]
    assert count_spans(score([tokens], gold)) == [2, 2, 2]


def test_tokens_of_older_stanza_have_their_offsets_in_misc() -> None:
    token = {"id": 1, "text": "Ada", "ner": "S-PER", "misc": "start_char=0|end_char=3"}
    words = [{"id": [1, 2], **token, "text": "Ada"}, {"id": 1, "text": "A"}, {"id": 2, "text": "da"}]
    assert count_spans(score([[words], []])) == [1, 1, 3]


def test_row_of_stanza_with_entities_under_ner_is_not_an_item() -> None:
    entity = {"text": "Ada", "type": "PER", "start_char": 0, "end_char": 3}
    rows = [{"id": "a", "text": "Ada Oslo", "ner": [entity]}, {"id": "b", "text": "😀 Ada", "ner": []}]
    assert count_spans(score(rows)) == [1, 1, 3]


@pytest.mark.parametrize("layout", ["lines", "array", "indented", "objects"])
def test_layouts_of_json_are_the_same(layout: str) -> None:
    rows: list[Any] = [{"output": [ADA, OSLO]}, {"output": []}]
    text = {
        "lines": "\n".join(map(json.dumps, rows)),
        "array": json.dumps(rows),
        "indented": json.dumps(rows, indent=4),
        "objects": "\n".join(json.dumps(row, indent=1) for row in rows),
    }[layout]
    run = score(text)
    assert count_spans(run) == [2, 2, 3]
    assert detect_format(Source("results.json")) == "transformers"


def test_a_list_without_spans_first_is_recognised() -> None:
    assert detect_format(Source(put("results.json", [[], [ADA]]))) == "transformers"


MEASURES: dict[str, Callable[[str], int]] = {
    "code-points": len,
    "utf-16": lambda text: len(text.encode("utf-16-le")) // 2,
    "utf-8": lambda text: len(text.encode()),
}


@pytest.mark.parametrize("unit", MEASURES)
def test_quoted_spans_are_placed_where_their_prefix_is_measured(unit: str) -> None:
    chance, measure = random.Random(unit), MEASURES[unit]
    for _ in range(300):
        text = "".join(chance.choice("aé€😀 ไล") for _ in range(chance.randint(2, 12)))
        start = chance.randrange(len(text))
        end = chance.randint(start + 1, len(text))
        span = QuotedSpan(measure(text[:start]), measure(text[:end]), "X", text[start:end])
        placed, _ = place_quoted_spans(text, [span], "x", unit=unit, default=None, offsets="checked")
        assert placed == [(start, end, "X")]
        try:
            placed, _ = place_quoted_spans(text, [span], "x", unit=None, default=None, offsets="checked")
        except DataError as error:
            assert "--offset-unit" in str(error)  # noqa: PT017  one of two outcomes
            assert text.count(text[start:end]) > 1
        else:
            assert placed == [(start, end, "X")]


def test_text_elements_are_found_like_with_a_plain_pattern() -> None:
    regex = pytest.importorskip("regex")
    element = regex.compile(r"[^\p{M}\p{Cc}\p{Cf}\p{Cn}\p{Cs}]\p{M}*|.", regex.DOTALL)
    chance = random.Random(7)
    for _ in range(300):
        text = "".join(chance.choice("aé😀น\u0e33\u0301\u0301\u200d\n") for _ in range(12))
        bounds = [0, *(match.end() for match in element.finditer(text))]
        first, last = sorted(chance.sample(range(len(bounds)), 2))
        start, end = bounds[first], bounds[last]
        span = QuotedSpan(first, last, "X", text[start:end])
        placed, _ = place_quoted_spans(text, [span], "x", unit="text-elements", default=None, offsets="checked")
        assert placed == [(start, end, "X")]


RESPONSES: dict[str, list[dict[str, Any]]] = {
    "azure": [azure(("Ada", 0, 3)), azure(("Ada", 3, 3), text_id="2")],
    "comprehend": [
        {"Entities": [{"Type": "PER", "Text": "Ada", "BeginOffset": at, "EndOffset": at + 3}]} for at in (0, 2)
    ],
    "google-nl": [
        {"entities": [{"name": "Ada", "type": "PER", "mentions": [{"text": {"content": "Ada", "beginOffset": at}}]}]}
        for at in (0, 3)
    ],
}


@pytest.mark.parametrize("name", RESPONSES)
def test_responses_from_python_are_placed_in_given_texts(name: str) -> None:
    texts = [row["text"] for row in GOLD]
    gold = [[(0, 3, "PER")], [(2, 5, "PER")]]
    assert count_spans(isogloss.ner(gold, RESPONSES[name], texts=texts)) == [2, 2, 2]
    assert count_spans(isogloss.ner(GOLD, RESPONSES[name])) == [2, 2, 3]
    if name == "comprehend":  # whose offsets count code points
        assert count_spans(isogloss.ner(gold, RESPONSES[name])) == [2, 2, 2]
        return
    with pytest.raises(UsageError, match=r"prediction\[0\] needs its text to be read"):
        isogloss.ner(gold, RESPONSES[name])


def test_response_without_its_list_needs_the_text() -> None:
    gold = [[(0, 3, "PER")], [(2, 5, "PER")]]
    with pytest.raises(UsageError, match=r"prediction\[1\] needs its text to be read"):
        isogloss.ner(gold, [RESPONSES["comprehend"][0], {"ErrorCode": "INTERNAL"}])
