"""A real model of transformers, made here and saved to a folder; nothing is downloaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from libraries import library
from tiny_models import token_classifier

from isogloss.errors import DataError, MissingModelError, UsageError
from isogloss.providers import Span, open_recogniser

pytestmark = [pytest.mark.extra, pytest.mark.transformers]
library("torch")
library("transformers")

TAGS = {"Ivan": "B-PER", "Franko": "I-PER", "Lviv": "B-LOC", "1875": "B-DATE"}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return token_classifier(tmp_path_factory.mktemp("model"), TAGS)


def found(spec: str, *texts: str, batch_size: int = 32) -> list[list[str]]:
    spans = open_recogniser(spec, language="uk", batch_size=batch_size).annotate(texts)
    return [[f"{text[s.start : s.end]}/{s.label}" for s in of] for text, of in zip(texts, spans, strict=True)]


def test_names_have_the_offsets_and_labels_of_the_text(model: Path) -> None:
    spans = open_recogniser(f"transformers:{model}", language="uk").annotate(["Поет 🙂 Ivan Franko, Lviv."])
    assert spans == [[Span(7, 18, "PER"), Span(20, 24, "LOC")]]


def test_dates_are_not_names_unless_chosen(model: Path) -> None:
    text = "Lviv 1875"
    assert found(f"transformers:{model}", text) == [["Lviv/LOC"]]
    assert found(f"transformers:{model}?labels=DATE", text) == [["1875/DATE"]]


@pytest.mark.parametrize("stride", ["", "?stride=0", "?stride=13"])
@pytest.mark.parametrize("words", [14, 15, 500])
def test_names_at_the_end_of_a_long_text_are_found(model: Path, words: int, stride: str) -> None:
    text = "слово " * (words - 1) + "Lviv"
    assert found(f"transformers:{model}{stride}", text) == [["Lviv/LOC"]]


@pytest.mark.parametrize("before", range(8, 16))
def test_a_name_is_whole_wherever_a_window_ends(model: Path, before: int) -> None:
    text = "слово " * before + "Ivan Franko Franko" + " слово" * 9
    assert found(f"transformers:{model}", text) == [["Ivan Franko Franko/PER"]]


def test_a_tokenizer_without_a_limit_takes_that_of_the_model(tmp_path: Path) -> None:
    folder = token_classifier(tmp_path, TAGS, stated=False)
    assert found(f"transformers:{folder}", "слово " * 300 + "Lviv") == [["Lviv/LOC"]]


def test_texts_of_any_length_share_a_batch(model: Path) -> None:
    texts = ["Lviv", "", "слово " * 40 + "Ivan", " ", "Ivan Franko 1875"] * 3
    expected = [["Lviv/LOC"], [], ["Ivan/PER"], [], ["Ivan Franko/PER"]] * 3
    assert found(f"transformers:{model}", *texts, batch_size=4) == expected
    assert found(f"transformers:{model}", *texts, batch_size=1) == expected


def test_half_a_surrogate_pair_does_not_move_what_follows(model: Path) -> None:
    assert found(f"transformers:{model}", "\ud83d Lviv") == [["Lviv/LOC"]]


def test_loaded_model_annotates_without_its_files(model: Path, tmp_path: Path) -> None:
    folder = token_classifier(tmp_path / "gone", TAGS)
    provider = open_recogniser(f"transformers:{folder}", language="uk")
    provider.load()
    for file in folder.iterdir():
        file.unlink()
    assert provider.annotate(["Lviv"]) == [[Span(0, 4, "LOC")]]


def test_an_error_of_an_unknown_label_lists_the_labels(model: Path) -> None:
    with pytest.raises(UsageError, match=r"no label 'PERS'\. Is it one of: PER"):
        open_recogniser(f"transformers:{model}?labels=PERS", language="uk").load()


def test_an_error_of_a_missing_model_has_the_command() -> None:
    with pytest.raises(MissingModelError, match=r"Run: hf download some/model \(or add --download\)"):
        open_recogniser("transformers:some/model", language="uk").load()


def test_a_model_in_the_cache_is_found_by_its_name(
    model: Path,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "models--some--model"
    shutil.copytree(model, folder / "snapshots" / "abc")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("abc", encoding="utf-8")
    monkeypatch.setattr(library("huggingface_hub.constants"), "HF_HUB_CACHE", str(tmp_path))
    assert found("transformers:some/model", "Lviv") == [["Lviv/LOC"]]


def test_a_missing_folder_is_not_searched_for_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(MissingModelError, match=r"there is no model at .*/absent"):
        open_recogniser(f"transformers:{tmp_path}/absent", language="uk").load()


def test_a_folder_that_holds_no_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be loaded"):
        open_recogniser(f"transformers:{tmp_path}", language="uk").load()


def changed(model: Path, folder: Path, **values: object) -> str:
    """The spec of a copy of the model with another configuration."""
    for file in model.iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text(encoding="utf-8")) | values
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return f"transformers:{folder}"


def test_a_model_for_another_task_is_refused(model: Path, tmp_path: Path) -> None:
    spec = changed(model, tmp_path, architectures=["BertForMaskedLM"])
    with pytest.raises(DataError, match="not trained to find names: it is a BertForMaskedLM"):
        open_recogniser(spec, language="uk").load()


def test_a_tokenizer_that_gives_no_offsets_is_refused(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = SimpleNamespace(is_fast=False)
    monkeypatch.setattr(library("transformers").AutoTokenizer, "from_pretrained", lambda *_, **__: slow)
    with pytest.raises(DataError, match="gives no offsets"):
        open_recogniser(f"transformers:{model}", language="uk").load()


def test_a_local_model_prints_nothing(model: Path, capfd: pytest.CaptureFixture[str]) -> None:
    open_recogniser(f"transformers:{model}", language="uk").annotate(["Lviv"])
    assert capfd.readouterr() == ("", "")


def test_labels_without_names_must_be_chosen(model: Path, tmp_path: Path) -> None:
    tags = {f"{number}": f"LABEL_{number}" for number in range(5)}
    spec = changed(model, tmp_path, id2label=tags, label2id={tag: int(n) for n, tag in tags.items()})
    with pytest.raises(UsageError, match=r"have no names.*\?labels=LABEL_1"):
        open_recogniser(spec, language="uk").load()
    assert found(f"{spec}?labels=LABEL_3", "Ivan Lviv") != [[]]


def test_a_stride_that_leaves_no_room_is_refused(model: Path) -> None:
    with pytest.raises(UsageError, match="room for 14 tokens; stride=14 must be less"):
        open_recogniser(f"transformers:{model}?stride=14", language="uk").load()


def test_a_window_can_be_made_smaller(model: Path) -> None:
    assert found(f"transformers:{model}?max_length=6", "слово " * 9 + "Lviv") == [["Lviv/LOC"]]


def test_an_unknown_option_is_refused_before_loading(model: Path) -> None:
    with pytest.raises(UsageError, match=r"no option 'strid'\. Is it one of: stride"):
        open_recogniser(f"transformers:{model}?strid=3", language="uk")
