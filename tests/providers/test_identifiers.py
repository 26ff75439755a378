from __future__ import annotations

import re
from pathlib import Path

import pytest

from isogloss.errors import DataError, MissingModelError, UsageError
from isogloss.providers import is_same_language, open_identifier

# German and English, trained on 50 copies of "the cat sat on a mat" and "die Katze sitzt auf der Matte".
TINY = Path(__file__).parent / "two_languages.fasttext"
TEXTS = ["die Katze sitzt auf der Matte heute", "the cat sat on the mat today"]
PACKAGES = {"lingua": "lingua", "py3langid": "py3langid", "cld3": "gcld3", "fasttext": "fasttext"}


def skip_without_package(spec: str) -> None:
    kind = re.split("[:?]", spec, maxsplit=1)[0]
    pytest.importorskip(PACKAGES[kind], reason="the extra lid is not installed")


@pytest.mark.parametrize(
    "spec",
    [
        *("lingua", "lingua?languages=de,en", "lingua?languages=de,en&confidence=0.5", "py3langid"),
        *("py3langid?languages=de,en", "cld3", f"fasttext:{TINY}", f"fasttext:{TINY}?confidence=0.3"),
    ],
)
def test_each_kind_tells_german_from_english(spec: str) -> None:
    skip_without_package(spec)
    identifier = open_identifier(spec)
    assert identifier.identify(TEXTS) == ["de", "en"]
    assert identifier.identify([]) == []
    assert identifier.name == spec


@pytest.mark.parametrize("spec", ["lingua?confidence=1", f"fasttext:{TINY}?confidence=1", "cld3?confidence=1"])
def test_an_answer_of_low_probability_is_unknown(spec: str) -> None:
    skip_without_package(spec)
    assert open_identifier(spec).identify(["the cat die Katze"]) == [None]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("lingua?languages=de", "two codes or more"),
        ("lingua?languages=de,xx", "does not know the language 'xx'"),
        ("lingua?labels=A", "no option 'labels'"),
        ("fasttext", "needs PATH after a colon"),
        ("linguo", "linguo"),
        ("lingua:uk", "takes nothing after a colon. Write lingua"),
        ("python:json:decoder", "names a module, not a function"),
        ("python:json:nothing", "Name a function of json"),
    ],
)
def test_a_wrong_spec_is_refused(spec: str, message: str) -> None:
    if spec.startswith("lingua"):
        pytest.importorskip("lingua", reason="the extra lid is not installed")
    with pytest.raises(UsageError, match=message):
        open_identifier(spec)


def test_a_model_that_is_not_there_says_what_to_do(tmp_path: Path) -> None:
    pytest.importorskip("fasttext", reason="the extra lid is not installed")
    with pytest.raises(MissingModelError, match="no file") as caught:
        open_identifier(f"fasttext:{tmp_path / 'lid.176.bin'}")
    assert "Run: curl -O https://" in str(caught.value)
    (tmp_path / "text.bin").write_text("not a model")
    with pytest.raises(DataError, match="cannot be loaded"):
        open_identifier(f"fasttext:{tmp_path / 'text.bin'}").identify(["a"])


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        *(("uk", "uk-UA", True), ("zh_Hant", "zh", True), ("iw", "he", True), ("no", "nb", True)),
        *(("uk", "ru", False), (None, "uk", False), (None, None, False)),
    ],
)
def test_codes_are_compared_without_script_and_region(one: str | None, other: str | None, same: bool) -> None:  # noqa: FBT001  a parameter
    assert is_same_language(one, other) is same
