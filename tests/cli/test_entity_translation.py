from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from translations import answer, task, write

import isogloss
from isogloss.cli import run

TASKS = [
    task("Q1_0", "Duna", wikidata_id="Q1", entity_types=["Book"], source="Who wrote Dune?"),
    task("Q2_0", "Roma", wikidata_id="Q2", entity_types=["Movie", "TV series"]),
]
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(Path("r/it_IT.jsonl"), TASKS)
    write(Path("a/it_IT.jsonl"), [answer("Q1_0", "La Duna?"), answer("Q2_0", "Rooma?")])
    write(Path("b/it_IT.jsonl"), [answer("Q1_0", "Chi ha scritto Dune")])


def output(capsys: Streams, *arguments: str) -> str:
    assert run(["entity-translation", *arguments]) == 0
    return capsys.readouterr().out


def document(capsys: Streams, *arguments: str) -> Any:
    return json.loads(output(capsys, *arguments, "-f", "json"))


def test_options_reach_the_definition(capsys: Streams) -> None:
    write(Path("comet.tsv"), ["Q1_0\t0.5"])
    options = ("--types", "Book,TV series", "--normalize", "no-space", "--comet", "comet.tsv", "--comet-scale", "0-1")
    wanted = isogloss.entity_translation(
        "r",
        "a",
        types=["Book", "TV series"],
        normalize="no-space",
        comet="comet.tsv",
        comet_scale="0-1",
    )
    assert document(capsys, "r", "a", *options) == wanted.to_dict()


@pytest.mark.extra
@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv"])
def test_long_paths_of_systems_stay_distinct_when_shortened(capsys: Streams, form: str) -> None:
    tail = "gpt-4o-2024-08-06/validation/it_IT.jsonl"
    systems = [f"out/{own}/{tail}" for own in ("gpt-4o", "gpt-4o-mini")]
    for own, system in zip("ab", systems, strict=True):
        Path(system).parent.mkdir(parents=True)
        Path(system).write_bytes(Path(own, "it_IT.jsonl").read_bytes())
    assert [run["system"] for run in document(capsys, "r/it_IT.jsonl", *systems)["runs"]] == systems
    assert run(["entity-translation", "r/it_IT.jsonl", *systems, "-f", form, "--save", "x", "--store", "s.db"]) == 0
    printed = capsys.readouterr()
    rest = "/…" if form == "text" else "/gpt-4o-2024-08-06/validation/"
    assert printed.out.count(f"gpt-4o{rest}") > 1
    assert printed.out.count(f"gpt-4o-mini{rest}") > 1
    assert "…2" not in printed.out  # a tail without its beginning
    for number, system in enumerate(systems, 1):
        assert f"saved {system} as " in printed.err
        assert run(["runs", "show", f"x-{number}", "--store", "s.db"]) == 0
        assert system in capsys.readouterr().out


def test_explained_json_has_a_row_for_each_sentence(capsys: Streams) -> None:
    assert document(capsys, "r", "a", "--explain") == isogloss.entity_translation("r", "a", hits=True).to_dict()


def test_explained_text_has_counts_and_no_rows(capsys: Streams) -> None:
    shown = output(capsys, "r", "a", "--explain")
    assert "other spelling" in shown
    assert "all wrong" in shown
    assert "Errors" not in shown


def test_errors_show_the_source_and_the_accepted_names(capsys: Streams) -> None:
    lines = [line.split(maxsplit=1) for line in output(capsys, "r", "b", "--errors", "1").splitlines()]
    assert ["source", "Who wrote Dune?"] in lines
    assert ["accepted", "Duna"] in lines
    assert ["predicted", "[Chi ha scritto Dune]"] in lines


def test_comet_is_given_once_for_each_system(capsys: Streams) -> None:
    write(Path("comet.json"), ['{"it_IT": 90}'])
    options = ("--comet", "comet.json", "--comet-scale", "0-100")
    assert run(["entity-translation", "r", "a", "b", *options]) == 2
    assert "--comet is given 1 times, but there are 2 predictions" in capsys.readouterr().err
    runs = document(capsys, "r", "a", "b", "--comet", "comet.json", *options)["runs"]
    assert [each["scores"]["comet"]["score"] for each in runs] == [90.0, 90.0]


def test_bad_data_has_exit_code_3_and_its_place(capsys: Streams) -> None:
    write(Path("b/it_IT.jsonl"), ['{"id": "Q1_0"}'])
    assert run(["entity-translation", "r", "b"]) == 3
    assert "b/it_IT.jsonl:1: object missing required field `prediction`" in capsys.readouterr().err


def test_lint_prints_faults_and_fails_for_severe_ones(capsys: Streams) -> None:
    assert run(["lint", "entity-translation", "r"]) == 0
    assert capsys.readouterr().out == "No faults found.\n"
    write(Path("r/it_IT.jsonl"), [task("Q1_0")])
    assert run(["lint", "entity-translation", "r/it_IT.jsonl"]) == 3
    assert "r/it_IT.jsonl:1: no-targets" in capsys.readouterr().out
