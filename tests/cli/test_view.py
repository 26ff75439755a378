"""`isogloss view`: folders, and a page on this machine."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.demo import write_samples

Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a folder with the bundled files."""
    monkeypatch.chdir(tmp_path)
    write_samples(Path())


def list_files(folder: str) -> dict[str, str]:
    """The files of a folder by their URL."""
    page = (Path(folder) / "index.html").read_text(encoding="utf-8")
    found = re.search(r'<script id="isogloss-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    files: dict[str, str] = json.loads(found[1])["files"]
    return files


def test_files_are_scored_into_a_folder(capsys: Streams) -> None:
    assert run(["view", "gold.conll", "a.conll", "b.conll", "--task", "ner", "--bundle", "out"]) == 0
    urls = list_files("out")
    assert {"/v1/runs", "/v1/runs/run-2/rows/0", "/v1/compare?runs=run-1,run-2"} <= urls.keys()
    assert all((Path("out") / name).is_file() for name in urls.values())
    assert "open out/index.html" in capsys.readouterr().err


def test_json_files_and_stored_runs_are_shown_together() -> None:
    assert run(["ner", "gold.conll", "a.conll", "-f", "json", "-o", "a.json", "--errors", "9"]) == 0
    assert run(["ner", "gold.conll", "b.conll", "--save=monday", "-q"]) == 0
    assert run(["view", "a.json", "monday", "--bundle", "out"]) == 0
    assert len([url for url in list_files("out") if re.fullmatch("/v1/runs/[^/]+", url)]) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["gold.conll", "a.conll"], "add --task TASK"),
        (["gold.conll", "a.conll", "--task", "nre"], "did you mean ner"),
        (["--task", "segmentation", "gold.conll"], "needs the files REFERENCE"),
        (["--task", "code-switching", "answers.jsonl"], "run `isogloss code-switching answers.jsonl … --view`"),
    ],
)
def test_wrong_calls_say_what_to_do(words: list[str], message: str, capsys: Streams) -> None:
    assert run(["view", *words]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_unknown_run_is_named(capsys: Streams) -> None:
    assert run(["ner", "gold.conll", "b.conll", "--save=monday", "-q"]) == 0
    assert run(["view", "tuesday", "--bundle", "out"]) != 0
    assert "'tuesday'" in capsys.readouterr().err


def test_scoring_imports_nothing_of_the_explorer() -> None:
    code = (
        "import sys; from isogloss.cli import run; run(['ner', 'gold.conll', 'a.conll', '-q', '-o', 'out.txt']); "
        "sys.exit(any(name.startswith(('isogloss.explorer', 'isogloss.service', 'jinja2')) for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@contextmanager
def start(*words: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    command = [sys.executable, "-m", "isogloss", *words]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stderr is not None
        try:
            line = next(line for line in process.stderr if "http://" in line)
            yield re.findall(r"http://[^ ]+/", line)[0], process
        finally:
            process.kill()


@pytest.mark.extra
@pytest.mark.skipif(find_spec("uvicorn") is None or find_spec("httpx") is None, reason="needs isogloss[web] and httpx")
def test_page_is_on_this_machine_until_interrupted() -> None:
    import httpx  # noqa: PLC0415  an extra

    assert run(["ner", "gold.conll", "b.conll", "--save=monday", "-q"]) == 0
    with start("view", "--no-browser", "--port", "0") as (url, process):
        assert url.startswith("http://127.0.0.1:")
        with httpx.Client(trust_env=False, timeout=60) as client:
            assert client.get(url).text.startswith("<!doctype html>")
            (found,) = client.get(f"{url}v1/runs").json()["runs"]
            note = f"{url}v1/notes/{found['corpus_key']}/{'0' * 16}"
            assert client.put(note, json={"verdict": "ambiguous"}).status_code == 200
            assert client.get(url, headers={"host": "example.org"}).status_code == 403
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
    assert run(["ner", "gold.conll", "a.conll", "--save=tuesday", "-q"]) == 0
    with start("view", "--no-browser", "--port", "0") as (url, _), httpx.Client(trust_env=False, timeout=60) as client:
        (kept,) = client.get(f"{url}v1/notes").json()["notes"]
        runs = client.get(f"{url}v1/runs").json()["runs"]
    assert kept["verdict"] == "ambiguous"
    assert {one["corpus_key"] for one in runs} == {kept["corpus_key"]}
