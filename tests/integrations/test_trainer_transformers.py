"""`compute_metrics` in the real Trainer, on a model of a few weights that is made here."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from libraries import library
from tiny_models import token_classifier

from isogloss.integrations import compute_metrics

pytestmark = [pytest.mark.extra, pytest.mark.transformers]
torch = library("torch")
transformers = library("transformers")
library("accelerate")

PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"
TAGS = {"Ivan": "B-PER", "Franko": "I-PER", "Lviv": "B-LOC"}
# The model knows four words, and gives [UNK] the tag O: it misses Kyiv, and takes Franko alone for a name.
TEXTS = [
    (["Ivan", "Franko", "в", "Lviv"], ["B-PER", "I-PER", "O", "B-LOC"]),
    (["Kyiv"], ["B-LOC"]),
    (["слово", "Franko", "слово", "слово", "слово"], ["O", "O", "O", "O", "O"]),
]
# 3 spans are predicted in all, 2 of the 3 of the reference are right; 8 of 10 tags are equal.
EXPECTED = {"eval_precision": 2 / 3, "eval_recall": 2 / 3, "eval_f1": 2 / 3, "eval_accuracy": 0.8}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return token_classifier(tmp_path_factory.mktemp("model"), TAGS)


def data_of(folder: Path, number: dict[str, int]) -> list[dict[str, Any]]:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    rows = []
    for words, tags in TEXTS:
        row = dict(tokenizer(words, is_split_into_words=True))
        inside = [number[tag] for tag in tags]
        rows.append(row | {"labels": [-100, *inside, -100]})
    return rows


def trainer_of(folder: Path, tmp_path: Path, **arguments: Any) -> Any:
    model = transformers.AutoModelForTokenClassification.from_pretrained(folder)
    collator = transformers.DataCollatorForTokenClassification(transformers.AutoTokenizer.from_pretrained(folder))
    args = transformers.TrainingArguments(
        str(tmp_path),
        per_device_eval_batch_size=2,
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        **arguments,
    )
    return transformers.Trainer(
        model=model,
        args=args,
        eval_dataset=data_of(folder, model.config.label2id),
        data_collator=collator,
        compute_metrics=compute_metrics(model.config.id2label),
    )


def evaluated(trainer: Any) -> dict[str, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # those of torch about this machine are no matter of ours
        found: dict[str, float] = trainer.evaluate()
    return {name: found[name] for name in EXPECTED}


@pytest.mark.parametrize(
    "arguments",
    [{}, {"batch_eval_metrics": True}, {"eval_do_concat_batches": False}, {"eval_accumulation_steps": 1}],
    ids=["at once", "batch by batch", "a list of batches", "accumulated"],
)
def test_a_trainer_scores_entities(folder: Path, tmp_path: Path, arguments: dict[str, Any]) -> None:
    trainer = trainer_of(folder, tmp_path, **arguments)
    assert evaluated(trainer) == pytest.approx(EXPECTED, rel=1e-12)
    assert evaluated(trainer) == pytest.approx(EXPECTED, rel=1e-12)


@pytest.mark.parametrize("arguments", [{}, {"batch_eval_metrics": True}], ids=["at once", "batch by batch"])
def test_outputs_beside_the_logits_are_left_alone(folder: Path, tmp_path: Path, arguments: dict[str, Any]) -> None:
    trainer = trainer_of(folder, tmp_path, **arguments)
    trainer.model.config.output_hidden_states = True
    assert evaluated(trainer) == pytest.approx(EXPECTED, rel=1e-12)


def test_numbers_that_were_decided_on_before_are_taken(folder: Path, tmp_path: Path) -> None:
    trainer = trainer_of(folder, tmp_path)
    trainer.preprocess_logits_for_metrics = lambda logits, labels: logits.argmax(dim=-1)
    assert evaluated(trainer) == pytest.approx(EXPECTED, rel=1e-12)


def test_tensors_of_half_precision_are_taken() -> None:
    logits = torch.tensor([[[0.0, 1.0], [1.0, 0.0]]], dtype=torch.bfloat16, requires_grad=True)
    found = compute_metrics(["O", "B-PER"])((logits, torch.tensor([[1, -100]])))
    assert found == {"precision": 1, "recall": 1, "f1": 1, "accuracy": 1}


@pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")
def test_the_example_of_the_page_runs(folder: Path, tmp_path: Path) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if "import Trainer" in block]
    made = trainer_of(folder, tmp_path)
    names: dict[str, Any] = {"model": made.model, "args": made.args, "data": made.eval_dataset[:1]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(block, names)
    assert names["scores"]["eval_f1"] == 1
