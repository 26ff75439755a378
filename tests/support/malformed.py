"""Bodies that nobody should send: examples of every task, with a few places changed into something else."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

SPANS = [[[0, 2, "PER"], {"start": 3, "end": 4, "label": "LOC"}], []]
BASES: dict[str, list[dict[str, Any]]] = {
    "/v1/ner": [
        {
            "reference": [["B-PER", "I-PER", "O"], ["O"]],
            "prediction": [["B-PER", "O", "O"], ["B-LOC"]],
            "scheme": "iob2",
        },
        {"reference": SPANS, "prediction": [[[0, 3, "PER"]], [[0, 1, "ORG"]]], "labels": ["PER"], "zero_division": 0},
        {
            "reference": [["B-X"]],
            "prediction": [["E-X"]],
            "profile": "seqeval",
            "confidence": 0.9,
            "resamples": 5,
            "beta": 2,
        },
    ],
    "/v1/segmentation": [
        {"reference": [["ab", "c"]], "prediction": [["a", "bc"]], "vocabulary": ["ab"], "on_mismatch": "skip"},
        {"reference": [["ก", "ข"], []], "prediction": [["กข"], [""]], "profile": "thai-benchmark", "align": "nfc"},
        {
            "reference": [["a b"]],
            "prediction": [["a", "b"]],
            "whitespace": "separate",
            "confidence": 0.5,
            "resamples": 3,
        },
    ],
    "/v1/entity-translation": [
        {
            "references": [
                {"id": "Q1_0", "targets": [{"mention": "Duna", "translation": "x"}], "entity_types": ["Book"]},
            ],
            "predictions": [{"id": "Q1_0", "prediction": "Chi ha scritto Duna?"}],
            "types": ["Book"],
            "explain": True,
        },
        {
            "references": {"it_IT": [{"id": 1, "targets": [{"mention": "a"}]}]},
            "predictions": {"it_IT": ["a"]},
            "hits": True,
        },
        {"references": [{"id": "1", "targets": [{"mention": "a"}]}], "predictions": {"1": "b"}, "profile": "ea-mt"},
        {"references": [{"id": "1", "targets": [{"mention": "a"}]}], "predictions": ["b"], "normalize": "letters"},
    ],
    "/v1/classification": [
        {"gold": ["a", "b"], "scores": [{"a": 0.9, "b": 0.1}, {"a": 0.6, "b": 0.4}], "confidence": 0.9, "resamples": 5},
        {"gold": [["a"], []], "scores": [["a", "b"], ["b"]], "multi_label": True, "threshold": {"a": 0.1}},
        {"gold": [{"a": 1, "b": None}, {"a": 0, "b": 1}], "scores": [[0.1, 0.2], [0.3, 1e300]], "labels": ["a", "b"]},
        {"gold": ["a"], "scores": ["b"], "profile": "spacy", "positive_label": "a", "best_threshold": True},
    ],
    "/v1/code-switching": [
        {"texts": ["Я п'ю coffee.", "Погода today"], "language": "uk", "names": ["coffee"], "level": "main"},
        {"texts": ["Γειά hello", ""], "language": "el", "alphabet": "abc", "confidence": 0.9, "resamples": 3},
        {"texts": ["Привіт"], "profile": "pnacos", "recognisers": []},
        {
            "texts": [{"sentences": [{"text": "Я cat", "tokens": [{"start": 0, "end": 1}], "entities": []}]}],
            "context": 2,
        },
    ],
    "/v1/code-mixing": [
        {"texts": [{"tokens": ["I", "tacos"], "languages": ["en", "es"], "text": "I, tacos"}], "confidence": 0.9},
        {"texts": [{"languages": ["en", None, "es"]}, {"id": 7, "languages": []}], "independent": ["es"], "context": 1},
        {"texts": ["Я cat", {"tokens": ["日", "は"]}], "languages_from": "scripts", "resamples": 3},
    ],
    "/calculate/": [{"texts": ["Я п'ю coffee.", ""]}],
}
VALUES: list[Any] = [
    None,
    True,
    0,
    -1,
    1,
    2**31,
    2**62,
    2**63,
    -(2**63),
    2**64,
    10**30,
    0.5,
    -0.0,
    1e308,
    -1e308,
    "",
    " ",
    "\t\n",
    "O",
    "B-",
    "-",
    "I-PER",
    "B-PER",
    "\0",
    "\ufeff",
    "e\u0301" * 30,
    "\u202e\U0001f468\u200d\U0001f469",
    "(a+)+$",
    "/etc/passwd",
    "../x",
    "file:///x",
    "$.x[0]",
    "a/b~c",
    "a" * 5000,
    [],
    {},
    [[]],
    [[[]]],
    [None],
    [""],
    {"": None},
    {"start": 1},
    [0, 1, "A"],
    [5, 1, "A"],
    [-1, 1, "A"],
    [0, 2**62, "A"],
    {"start": 0, "end": 9, "label": ""},
    {"a": {"b": {"c": [1, 2, {"d": None}]}}},
    ["a"] * 300,
]


def bodies(path: str, number: int, seed: int) -> list[bytes]:
    """So many bodies for a path, the same for the same seed."""
    chance = random.Random(f"{path} {seed}")
    return [_body(chance, chance.choice(BASES[path])) for _ in range(number)]


def _body(chance: random.Random, base: dict[str, Any]) -> bytes:
    value: Any = json.loads(json.dumps(base))
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        value = _changed(chance, value)
    body = json.dumps(value, ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")
    return _torn(chance, body) if chance.random() < 0.2 else body


def _changed(chance: random.Random, value: Any) -> Any:
    """The value with one place in it changed."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        name = chance.choice(sorted(value))
        kind = chance.random()
        if kind < 0.1:
            value.pop(name)
        elif kind < 0.2:
            value[chance.choice(["findings", "comet", "x", "", "input_format", name.upper()])] = _nasty(chance)
        else:
            value[name] = _changed(chance, value[name])
        return value
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        kind = chance.random()
        if kind < 0.1:
            value.pop(at)
        elif kind < 0.2:
            value.insert(at, _nasty(chance))
        else:
            value[at] = _changed(chance, value[at])
        return value
    return _nasty(chance, type(value) if chance.random() < 0.6 else object)


def _nasty(chance: random.Random, kind: type = object) -> Any:
    return copy.deepcopy(chance.choice([value for value in VALUES if isinstance(value, kind)]))


def _torn(chance: random.Random, body: bytes) -> bytes:
    """The bytes cut, doubled, or with some of them changed."""
    at = chance.randrange(len(body))
    kinds = [
        body[:at],
        body[at:],
        body + body,
        body[:at] + chance.randbytes(3) + body[at:],
        body.replace(b"[", b"[" * 600, 1),
        body.replace(b'"', b'"\\ud800', 1),
        b"[" * chance.randint(1, 3000),
        b'{"a":' * 2000,
        body[:at] + b"1e999" + body[at:],
        body.replace(b'"', b"'"),
        b"\xef\xbb\xbf" + body,
        body.decode().encode("utf-16"),
    ]
    return chance.choice(kinds)
