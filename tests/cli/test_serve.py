from __future__ import annotations

import gc
import importlib
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss.cli import run
from isogloss.cli.serve import parse_size
from isogloss.errors import UsageError

PAGE = Path(__file__).parents[2] / "docs" / "service.md"
Streams = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("text", "number"),
    [("10MB", 10_000_000), ("500kB", 500_000), ("1 GiB", 2**30), ("12", 12), ("12b", 12), ("2m", 2_000_000)],
)
def test_a_size_is_a_number_of_bytes(text: str, number: int) -> None:
    assert parse_size(text) == number


@pytest.mark.parametrize("text", ["", "MB", "-1", "1.5MB", "10 apples", "10ib", "10TB"])
def test_something_else_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="--max-body"):
        parse_size(text)


@pytest.mark.parametrize("package", ["starlette", "uvicorn", "prometheus_client"])
def test_serve_without_its_extra_ends_with_4(
    capsys: Streams,
    monkeypatch: pytest.MonkeyPatch,
    package: str,
) -> None:
    for module in [name for name in sys.modules if name.startswith("isogloss.service")]:
        monkeypatch.delitem(sys.modules, module)
    for module in [package, *(name for name in sys.modules if name.startswith(f"{package}."))]:
        monkeypatch.setitem(sys.modules, module, None)
    assert run(["serve"]) == 4
    assert "Run: pip install 'isogloss[web]'" in capsys.readouterr().err


@pytest.mark.skipif(not PAGE.exists(), reason=f"{PAGE} is not there: the tests run without the sources")
def test_every_option_is_documented(capsys: Streams) -> None:
    assert run(["serve", "--help"]) == 0
    options = set(re.findall(r"(?<![\w-])--[a-z][\w-]*", capsys.readouterr().out)) - {"--help", "--quiet"}
    assert len(options) > 15
    documented = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", PAGE.read_text(encoding="utf-8")))
    assert options - documented == set()


WRONG = {
    "language": (["--language", "xx-none"], 2, "xx-none"),
    "profile": (["--profile", "pnacoz"], 2, "pnacoz"),
    "kind of recogniser": (["--recogniser", "spicy:uk"], 2, "spicy"),
    "model": (["--recogniser", "spacy:there_is_no_such_model"], 4, "Run: "),
}


@pytest.mark.parametrize(("arguments", "code", "said"), WRONG.values(), ids=WRONG)
def test_invalid_options_are_reported_at_the_start(arguments: list[str], code: int, said: str) -> None:
    pytest.importorskip("starlette")
    command = [sys.executable, "-m", "isogloss", "serve", "--port", "0", "--workers", "1", *arguments]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=120)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


def test_all_addresses_without_a_token_are_refused(capsys: Streams, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    monkeypatch.delenv("ISOGLOSS_TOKEN", raising=False)
    assert run(["serve", "--host", "0.0.0.0"]) == 2
    assert "--insecure" in capsys.readouterr().err


def test_a_token_file_that_is_not_there_is_an_error(capsys: Streams, tmp_path: Path) -> None:
    pytest.importorskip("starlette")
    assert run(["serve", "--token-file", str(tmp_path / "absent")]) == 3
    assert "absent" in capsys.readouterr().err


def test_a_port_that_is_taken_is_an_error(capsys: Streams) -> None:
    pytest.importorskip("starlette")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert run(["serve", "--port", str(taken.getsockname()[1])]) == 2
    assert "cannot be bound" in capsys.readouterr().err


def test_the_service_searches_for_garbage_as_often_as_python(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("starlette")
    thresholds = []
    server = importlib.import_module("isogloss.service.server")
    monkeypatch.setattr(server, "serve", lambda _: thresholds.append(gc.get_threshold()[0]))
    before = gc.get_threshold()
    gc.set_threshold(150_000)
    try:
        assert run(["serve"]) == 0
    finally:
        gc.set_threshold(*before)
    assert thresholds == [700]


def test_check_loads_the_models_and_exits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Streams) -> None:
    pytest.importorskip("starlette")
    names = tmp_path / "names.txt"
    names.write_text("Slavuta\n", encoding="utf-8")
    monkeypatch.setenv("ISOGLOSS_RECOGNISER", f"names:{names}")
    assert run(["serve", "--check"]) == 0
    assert capsys.readouterr().err == f"isogloss: loaded names:{names} for uk\n"
    names.unlink()
    assert run(["serve", "--check"]) == 3
