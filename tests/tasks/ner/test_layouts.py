"""What layouts print, by hand, and what they refuse. `tests/parity/test_layouts.py` asks the tools themselves."""

from __future__ import annotations

import json
from typing import Any

import pytest

import isogloss
from isogloss.errors import UsageError
from isogloss.runs.run import Run
from isogloss.tasks.ner.layouts import LAYOUTS, format_in_layout, load_layout

# Three spans of P, one of them right, and one made up; of two spans of Q both are right. 7 of 11 tags are equal.
GOLD = [["B-P", "I-P", "O", "B-P", "B-Q", "B-Q"], ["B-P", "O", "O", "O", "O"]]
FOUND = [["B-P", "O", "O", "B-P", "B-Q", "B-Q"], ["O", "B-P", "O", "O", "O"]]
PROFILES = {"conlleval": "conlleval", "seqscore": "seqscore", "sklearn": "seqeval", "spacy": "spacy"}

CONLLEVAL = """\
processed 11 tokens with 5 phrases; found: 5 phrases; correct: 3.
accuracy:  72.73%; precision:  60.00%; recall:  60.00%; FB1:  60.00
                P: precision:  33.33%; recall:  33.33%; FB1:  33.33  3
                Q: precision: 100.00%; recall: 100.00%; FB1: 100.00  2
"""
SKLEARN = """\
              precision    recall  f1-score   support

           P       0.33      0.33      0.33         3
           Q       1.00      1.00      1.00         2

   micro avg       0.60      0.60      0.60         5
   macro avg       0.67      0.67      0.67         5
weighted avg       0.60      0.60      0.60         5
"""
SEQSCORE = """\
| Type   |   Precision |   Recall |     F1 |   Reference |   Predicted |   Correct |
|--------|-------------|----------|--------|-------------|-------------|-----------|
| ALL    |       60.00 |    60.00 |  60.00 |           5 |           5 |         3 |
| P      |       33.33 |    33.33 |  33.33 |           3 |           3 |         1 |
| Q      |      100.00 |   100.00 | 100.00 |           2 |           2 |         2 |
"""
SPACY = """
================================== Results ==================================

NER P    60.00
NER R    60.00
NER F    60.00
SPAN P   60.00
SPAN R   60.00
SPAN F   60.00


=============================== NER (per type) ===============================

         P        R        F
P    33.33    33.33    33.33
Q   100.00   100.00   100.00


============================== SPANS (per type) ==============================

         P        R        F
P    33.33    33.33    33.33
Q   100.00   100.00   100.00

"""
TEXTS = {"conlleval": CONLLEVAL, "seqscore": SEQSCORE, "sklearn": SKLEARN, "spacy": SPACY}


def scored(reference: Any = GOLD, predicted: Any = FOUND, *, layout: str, **options: Any) -> Run:
    return isogloss.ner(reference, predicted, **({"profile": PROFILES[layout]} | options))


def shown(layout: str, reference: Any = GOLD, predicted: Any = FOUND, form: str = "text", **options: Any) -> str:
    return format_in_layout([scored(reference, predicted, layout=layout, **options)], layout, form)


@pytest.mark.parametrize("layout", TEXTS)
def test_a_layout_is_this_text(layout: str) -> None:
    assert shown(layout) == TEXTS[layout]


def test_registered_layouts_name_their_profiles() -> None:
    assert {name: load_layout(name).profile for name in LAYOUTS.list_names()} == PROFILES


def test_the_dictionary_of_sklearn_has_these_numbers() -> None:
    report = json.loads(shown("sklearn", form="json"))
    third, two_thirds = pytest.approx(1 / 3), pytest.approx(2 / 3)
    assert report["P"] == {"precision": third, "recall": third, "f1-score": third, "support": 3}
    assert report["Q"] == {"precision": 1, "recall": 1, "f1-score": 1, "support": 2}
    means = {"micro avg": 0.6, "macro avg": two_thirds, "weighted avg": pytest.approx(0.6)}  # (3 · 1/3 + 2 · 1) / 5
    for name, mean in means.items():
        assert report[name] == {"precision": mean, "recall": mean, "f1-score": mean, "support": 5}


def test_the_json_of_spacy_has_ten_decimals_and_two_spaces() -> None:
    text = shown("spacy", [["B-P", "B-P", "B-P"]], [["B-P", "O", "O"]], "json")
    of_key = """\
  "{0}_p":1.0,
  "{0}_r":0.3333333333,
  "{0}_f":0.5,
  "{0}_per_type":{{
    "P":{{
      "p":1.0,
      "r":0.3333333333,
      "f":0.5
    }}
  }}"""
    assert text == "{\n" + ",\n".join(map(of_key.format, ("ents", "spans_sc"))) + "\n}\n"


def test_spacy_json_has_ascii_letters_and_full_small_ratios() -> None:
    spans = [(k, k + 1, "é") for k in range(30_000)]
    text = shown("spacy", [spans], [spans[:1]], "json")
    assert '"ents_r":0.0000333333,' in text
    assert '"\\u00e9":{' in text


# Where tools differ in form.


def test_conlleval_pads_labels_by_bytes_others_by_characters() -> None:
    tags = [["B-人"]]
    assert "              人: " in shown("conlleval", tags, tags)
    assert "| 人      |" in shown("seqscore", tags, tags)
    assert "\n           人 " in shown("sklearn", tags, tags)


def test_long_labels_widen_their_column() -> None:
    tags = [["B-" + "L" * 40]]
    assert shown("sklearn", tags, tags).startswith(" " * 40 + "  precision")
    assert f"\n{'L' * 40}: precision" in shown("conlleval", tags, tags)
    table = shown("spacy", tags, tags).splitlines()
    assert f"{' ' * 30}        P        R        F" in table  # not wider
    assert f"{'L' * 40}   100.00   100.00   100.00" in table


def test_seqscore_rounds_half_up_and_the_others_to_even() -> None:
    gold, found = [["B-P"] * 32], [["B-P"] + ["O"] * 31]  # a recall of 3.125%
    assert " 3.13 |" in shown("seqscore", gold, found)
    assert "recall:   3.12%" in shown("conlleval", gold, found)


def test_without_a_chunk_there_are_no_labels() -> None:
    nothing = [["O", "O"]]
    text = {layout: shown(layout, nothing, nothing) for layout in TEXTS}
    assert text["conlleval"].splitlines() == [
        "processed 2 tokens with 0 phrases; found: 0 phrases; correct: 0.",
        "accuracy: 100.00%; precision:   0.00%; recall:   0.00%; FB1:   0.00",
    ]
    assert "macro avg        nan       nan       nan         0" in text["sklearn"]
    assert text["seqscore"].count("\n") == 3
    assert text["spacy"].split("\n\n")[1].splitlines()[0] == "NER P    -"
    assert "per type" not in text["spacy"]


def test_without_a_token_conlleval_has_one_line() -> None:
    assert shown("conlleval", [[]], [[]]) == ("processed 0 tokens with 0 phrases; found: 0 phrases; correct: 0.\n")


def test_undefined_means_are_null_in_json() -> None:
    report = json.loads(shown("sklearn", [["O"]], [["O"]], "json"))
    assert report["macro avg"] == {"precision": None, "recall": None, "f1-score": None, "support": 0}
    assert json.loads(shown("spacy", [["O"]], [["O"]], "json"))["ents_per_type"] is None


def test_the_value_of_0_by_0_is_that_of_the_run() -> None:
    report = shown("sklearn", [["B-P", "O"]], [["O", "O"]], zero_division=1)
    assert report.splitlines()[2] == "           P       1.00      0.00      0.00         1"


# Several systems.


@pytest.mark.parametrize("layout", ["conlleval", "sklearn", "spacy"])
def test_several_systems_are_each_under_its_name(layout: str) -> None:
    run = scored(layout=layout)
    assert format_in_layout([run, run], layout) == f"prediction\n{TEXTS[layout]}\nprediction\n{TEXTS[layout]}"


@pytest.mark.parametrize("layout", ["sklearn", "spacy"])
def test_several_systems_are_a_list_in_json(layout: str) -> None:
    run = scored(layout=layout)
    assert json.loads(format_in_layout([run, run], layout, "json")) == {
        "runs": [{"system": "prediction", "report": _full(run, layout)}] * 2
    }


def _full(run: Run, layout: str) -> Any:
    give = load_layout(layout).to_data
    assert give
    return give(run)


def test_seqscore_of_several_systems_ends_with_their_means() -> None:
    """F of 60% and 100%: the mean is 80, the standard error 28.28 / √2 = 20. Of P: 33.33 and 100."""
    runs = [scored(layout="seqscore"), scored(GOLD, GOLD, layout="seqscore")]
    assert format_in_layout(runs, "seqscore").split("\n\n")[2] == (
        "Summary\n"
        "| Type   |   Mean F1 |     SE |   Reference |\n"
        "|--------|-----------|--------|-------------|\n"
        "| ALL    |     80.00 |  20.00 |           5 |\n"
        "| P      |     66.67 |  33.33 |           3 |\n"
        "| Q      |    100.00 |   0.00 |           2 |\n"
    )


def test_standard_error_of_one_system_is_undefined() -> None:
    runs = [scored([["O", "O"]], found, layout="seqscore") for found in ([["B-P", "O"]], [["B-Q", "O"]])]
    summary = format_in_layout(runs, "seqscore").split("Summary\n")[1]
    assert "| P      |      0.00 |    nan |           0 |" in summary


# What is refused.


def test_run_without_profile_is_refused_with_the_profile_to_use() -> None:
    for layout in TEXTS:
        with pytest.raises(UsageError, match=f"without a profile: add --profile {PROFILES[layout]} "):
            shown(layout, profile=None)


def test_numbers_that_a_profile_does_not_have_are_refused() -> None:
    for layout, profile, what in [
        ("conlleval", "nervaluate", "the accuracy of tags"),
        ("conlleval", "spacy", "the accuracy of tags"),
        ("sklearn", "conlleval", "macro and weighted averages"),
        ("sklearn", "seqscore", "macro and weighted averages"),
        ("spacy", "seqeval", "the keys of spaCy"),
    ]:
        with pytest.raises(
            UsageError, match=f"shows {what}.*with the profile {profile}: add --profile {PROFILES[layout]} "
        ):
            shown(layout, profile=profile)


def test_spans_have_no_accuracy_of_tags() -> None:
    run = scored([[(0, 1, "P")]], [[(0, 1, "P")]], layout="conlleval")
    with pytest.raises(UsageError, match="has spans and no tags"):
        format_in_layout([run], "conlleval")


@pytest.mark.parametrize("layout", ["conlleval", "seqscore", "sklearn"])
def test_another_beta_is_refused(layout: str) -> None:
    with pytest.raises(UsageError, match="shows F1, and prediction was scored with beta 2"):
        shown(layout, profile="seqeval", beta=2)


@pytest.mark.parametrize(
    ("layout", "profile"), [("conlleval", "seqeval"), ("conlleval", "seqscore"), ("seqscore", "conlleval")]
)
def test_numbers_of_another_profile_that_has_all_are_shown(layout: str, profile: str) -> None:
    assert shown(layout, profile=profile) == TEXTS[layout]


def test_forms_that_a_layout_does_not_have_are_refused() -> None:
    for layout, form in [("conlleval", "json"), ("seqscore", "json"), ("sklearn", "csv"), ("spacy", "latex")]:
        with pytest.raises(UsageError, match=f"only: leave out -f {form}"):
            shown(layout, form=form)


def test_unknown_layout_is_refused_with_the_closest_name() -> None:
    with pytest.raises(UsageError, match=r"Unknown layout 'conleval'; did you mean conlleval"):
        load_layout("conleval")


def test_digits_are_refused_where_a_layout_has_none() -> None:
    run = scored(layout="conlleval")
    with pytest.raises(UsageError, match="digits has no effect with the layout conlleval"):
        format_in_layout([run], "conlleval", digits=4)
    with pytest.raises(UsageError, match="digits must be a whole number"):
        format_in_layout([run], "sklearn", digits=-1)
