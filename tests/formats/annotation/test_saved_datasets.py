"""Folders of `save_to_disk`: shards in the order of `state.json`, and a split of several."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from libraries import library

import isogloss
from isogloss.errors import DataError, UsageError
from isogloss.formats.detection import detect_format
from isogloss.records.sources import Source

pytestmark = pytest.mark.extra
NAMES = ["O", "B-PER", "I-PER", "B-LOC"]
ROWS = [(["Ada", "ran"], [1, 0]), (["Ada", "Lovelace"], [1, 2]), (["ไป", "เชียงใหม่"], [0, 3])]


def save(folder: str, shards: dict[str, list[tuple[list[str], list[int]]]], **state: Any) -> Path:
    """A folder as datasets writes it: Arrow streams whose metadata name the tags."""
    pa = library("pyarrow")
    features = {"ner_tags": {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "List"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    Path(folder).mkdir(parents=True)
    for name, rows in shards.items():
        table = pa.Table.from_pylist([{"tokens": words, "ner_tags": tags} for words, tags in rows])
        table = table.replace_schema_metadata(metadata)
        with pa.ipc.new_stream(Path(folder) / name, table.schema) as writer:
            writer.write_table(table)
    files = {"_data_files": [{"filename": name} for name in shards], "_split": None, **state}
    (Path(folder) / "state.json").write_text(json.dumps(files))
    (Path(folder) / "dataset_info.json").write_text(json.dumps({"features": features}))
    return Path(folder)


def save_splits(folder: str, **splits: Any) -> Path:
    for name, rows in splits.items():
        save(f"{folder}/{name}", {"data.arrow": rows})
    (Path(folder) / "dataset_dict.json").write_text(json.dumps({"splits": list(splits)}))
    return Path(folder)


def test_shards_are_read_in_the_order_of_the_state() -> None:
    folder = save("saved", {"b.arrow": ROWS[:2], "a.arrow": ROWS[2:]})
    gold = [{"tokens": words, "tags": [NAMES[tag] for tag in tags]} for words, tags in ROWS]
    Path("gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in gold))
    assert detect_format(Source(folder)) == "datasets"
    run = isogloss.ner("gold.jsonl", folder)
    assert (run.documents, run.scores["strict"].correct, run.scores["strict"].actual) == (3, 3, 3)
    assert run.scores["tokens"].correct == 6


def test_a_split_is_chosen_by_name_or_by_its_folder() -> None:
    folder = save_splits("both", train=ROWS, test=ROWS[:1])
    assert isogloss.ner(folder, folder, split="train").documents == 3
    assert isogloss.ner(folder / "test", folder, split="test").documents == 1
    with pytest.raises(DataError, match=r"It has train, test\.\nName one of them: --split test"):
        isogloss.ner(folder, folder)
    with pytest.raises(DataError, match="has no split 'dev'"):
        isogloss.ner(folder, folder, split="dev")
    with pytest.raises(UsageError, match="one dataset without splits: leave out --split"):
        isogloss.ner(folder / "test", folder / "test", split="test")


def test_one_split_needs_no_name() -> None:
    folder = save_splits("one", test=ROWS)
    assert isogloss.ner(folder, folder).documents == 3


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ({"_indices_data_files": [{"filename": "indices.arrow"}]}, "flatten_indices"),
        ({"_data_files": []}, "has no files with rows"),
        ({"_data_files": [{"filename": "absent.arrow"}]}, "no such file"),
        ({"_data_files": 3}, "is damaged"),
    ],
)
def test_a_damaged_folder_is_refused(state: dict[str, Any], says: str) -> None:
    folder = save("saved", {"data.arrow": ROWS}, **state)
    with pytest.raises(DataError, match=says):
        isogloss.ner(folder, folder)
