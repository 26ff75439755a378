from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from email.message import Message
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss import __version__
from isogloss.cli import run

GOLD = "Ada\tB-PER\nLovelace\tI-PER\n\nran\tO\n"
SYSTEM = "Ada\tB-PER\nLovelace\tO\n\nran\tO\n"
BUFFERED = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
Streams = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold").write_text(GOLD, encoding="utf-8")
    Path("system").write_text(SYSTEM, encoding="utf-8")


@pytest.fixture
def scoring_raises(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    def replace(error: BaseException) -> None:
        def score(*_: Any) -> None:
            raise error

        monkeypatch.setattr("isogloss.tasks.ner.scoring.count", score)

    return replace


def program(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "isogloss", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=BUFFERED, check=False, **options)


def through_the_shell(redirection: str) -> subprocess.CompletedProcess[str]:
    script = f'"{sys.executable}" -m isogloss ner gold system {redirection}'
    return subprocess.run(script, shell=True, capture_output=True, encoding="utf-8", env=BUFFERED, check=False)


def test_version_is_printed(capsys: Streams) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr() == (f"isogloss {__version__}\n", "")


def test_help_lists_the_commands_on_standard_output(capsys: Streams) -> None:
    assert run(["--help"]) == 0
    out, err = capsys.readouterr()
    assert {"ner", "demo"} <= {line.split()[0] for line in out.splitlines() if line.strip()}
    assert err == ""


@pytest.mark.parametrize("arguments", [["--help"], ["ner", "--help"], ["code-switching", "--help"], ["--version"]])
def test_help_waits_for_no_package_that_only_scoring_needs(arguments: list[str]) -> None:
    code = f"import sys; from isogloss.cli import run; run({arguments}); sys.stderr.write(' '.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert {"numpy", "rich", "msgspec"}.isdisjoint(done.stderr.split())


def test_scoring_one_system_waits_for_no_test_of_systems_and_no_other_package() -> None:
    scoring = "run(['ner', 'gold', 'system'])"
    code = f"import sys; from isogloss.cli import run; {scoring}; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert "isogloss.runs.evidence" in done.stderr.split()
    late = {"isogloss.runs.comparison", "isogloss.runs.pair_comparison", "importlib.metadata"}
    late |= set() if np.__version__.startswith("1.") else {"numpy.random"}  # numpy 1 imports it itself
    assert late.isdisjoint(done.stderr.split())


@pytest.mark.parametrize("form", ["text", "json"])
def test_results_go_to_standard_output_and_nothing_else_anywhere(capsys: Streams, form: str) -> None:
    assert run(["ner", "gold", "system", "-f", form]) == 0
    out, err = capsys.readouterr()
    assert "strict" in out
    assert err == ""


WRONG_CALLS = {
    "no command": [],
    "unknown command": ["nre", "gold", "system"],
    "no file": ["ner"],
    "no number": ["ner", "gold", "system", "--beta", "two"],
    "columns without numbers": ["ner", "gold", "system", "--columns", "token,tag"],
    "too few columns": ["ner", "gold", "system", "--columns", "1"],
}


@pytest.mark.parametrize("arguments", WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_a_wrong_call_ends_with_2_and_a_message(capsys: Streams, arguments: list[str]) -> None:
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.strip()
    assert "Traceback" not in err


def test_a_misspelt_command_is_answered_with_the_closest_one(capsys: Streams) -> None:
    assert run(["segmentaton", "gold", "system"]) == 2
    assert "did you mean segmentation?" in capsys.readouterr().err


def test_bad_data_leaves_with_3_and_says_where_and_what_to_do(capsys: Streams) -> None:
    assert run(["ner", "gold", "sistem"]) == 3
    out, err = capsys.readouterr()
    assert (out, err) == ("", "isogloss: sistem: no such file\nDid you mean system?\n")


def test_a_missing_package_ends_with_4_and_its_install_command(
    capsys: Streams,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "zstandard", None)
    Path("system").write_bytes(b"\x28\xb5\x2f\xfd and so on")
    assert run(["ner", "gold", "system"]) == 4
    out, err = capsys.readouterr()
    assert out == ""
    assert "pip install 'isogloss[zstd]'" in err
    assert "Traceback" not in err


def test_a_bug_leaves_with_70_and_says_how_to_report_it(
    capsys: Streams,
    scoring_raises: Callable[[BaseException], None],
) -> None:
    scoring_raises(RuntimeError("the moon is made of cheese"))
    assert run(["ner", "gold", "system"]) == 70
    out, err = capsys.readouterr()
    assert out == ""
    assert "RuntimeError: the moon is made of cheese" in err
    assert "bug of isogloss" in err
    assert f"isogloss {__version__}" in err
    assert "ner gold system" in err


def test_a_bug_report_names_the_issue_tracker_of_the_package(
    capsys: Streams, scoring_raises: Callable[[BaseException], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    package = Message()
    package["Project-URL"] = "Documentation, https://docs.example"
    package["Project-URL"] = "Issues, https://bugs.example"
    monkeypatch.setattr("importlib.metadata.metadata", lambda _: package)
    scoring_raises(RuntimeError())
    assert run(["ner", "gold", "system"]) == 70
    assert "Please report it at https://bugs.example with the lines above" in capsys.readouterr().err


def test_an_interrupt_leaves_with_130_and_without_traceback(
    capsys: Streams,
    scoring_raises: Callable[[BaseException], None],
) -> None:
    scoring_raises(KeyboardInterrupt())
    assert run(["ner", "gold", "system"]) == 130
    assert capsys.readouterr() == ("", "isogloss: interrupted\n")


def interrupted(child: subprocess.Popen[str]) -> tuple[str, str]:
    """Interrupt the child until it ends, and return its output and errors.

    An interrupt just before the child waits for a read has no effect: send another one, 30 at most.
    """
    for _ in range(30):
        child.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=2)
    child.kill()
    pytest.fail("the child does not end when it is interrupted")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_signal_while_a_file_is_read_is_an_interrupt() -> None:
    os.mkfifo("pipe")
    command = [sys.executable, "-m", "isogloss", "ner", "pipe", "system"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as child,
        Path("pipe").open("wb") as pipe,
    ):
        pipe.write(b"w\tO\n" * 50_000)  # more than a pipe holds: it goes on when the child reads and does nothing else
        pipe.flush()
        out, err = interrupted(child)
    assert (child.returncode, out, err) == (130, "", "isogloss: interrupted\n")


@pytest.mark.parametrize("arguments", [["ner", "gold", "system"], ["ner", "gold", "system", "-f", "csv"], ["demo"]])
def test_a_reader_that_has_seen_enough_is_no_error(arguments: list[str]) -> None:
    command = [sys.executable, "-m", "isogloss", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=BUFFERED) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        said = child.stderr.read().decode()
    assert child.returncode == 141
    assert "Traceback" not in said
    assert "BrokenPipe" not in said


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_closed_standard_output_leaves_with_3() -> None:
    done = through_the_shell(">&-")
    assert done.returncode == 3
    assert done.stderr == "isogloss: <stdout>: is closed: the results have nowhere to go\nName a file with -o.\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_output_leaves_with_3() -> None:
    done = through_the_shell("> /dev/full")
    assert done.returncode == 3
    assert (
        done.stderr
        == "isogloss: <stdout>: cannot be written: No space left on device\nName a file that can be written, with -o.\n"
    )


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_with_closed_stderr_errors_do_not_reach_stdout() -> None:
    done = through_the_shell("absent 2>&-")
    assert (done.returncode, done.stdout) == (3, "")


def test_stdin_is_read_and_stdout_is_json_in_utf_8() -> None:
    done = program("ner", "gold", "-", "-f", "json", input=SYSTEM)
    assert done.returncode == 0
    assert json.loads(done.stdout)["system"] == "<stdin>"
    assert done.stderr == ""


SECRET_URLS = ("postgresql://ada:secret@127.0.0.1:1/runs", "postgresql://ada:se@ secret@127.0.0.1:1/runs")


@pytest.mark.parametrize("url", [*SECRET_URLS, "postgresql://127.0.0.1:1/runs?password=secret"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["ner", "gold", "system", "--save", "--store"],
        ["runs", "list", "--store"],
        ["runs", "list"],
        ["ner", "gold"],
        ["report"],
        ["runs", "show"],
        ["runs", "import"],
        ["runs", "export", "x", "-o", "x.jsonl", "--stroe"],
        ["--store"],
    ],
)
def test_no_error_message_has_the_password_of_a_store(capsys: Streams, arguments: list[str], url: str) -> None:
    assert run([*arguments, url]) > 0
    out, err = capsys.readouterr()
    assert "secret" not in out + err


@pytest.mark.extra
@pytest.mark.parametrize("url", SECRET_URLS)
def test_a_bug_report_has_no_password_of_a_store(
    scoring_raises: Callable[[BaseException], None],
    capsys: Streams,
    monkeypatch: pytest.MonkeyPatch,
    url: str,
) -> None:
    monkeypatch.setenv("ISOGLOSS_STORE", "postgresql://eve:hidden@db/runs")
    scoring_raises(RuntimeError(f"{url} and {'postgresql://eve:hidden@db/runs'!r}"))
    assert run(["ner", "gold", "system", f"--store={url}"]) == 70
    err = capsys.readouterr().err
    assert "arguments: ner gold system --store=postgresql://" in err
    assert "'postgresql://eve:***@db/runs'" in err
    assert "secret" not in err
    assert "hidden" not in err


def test_an_error_without_the_store_package_shows_no_lines_with_a_password(
    capsys: Streams, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "isogloss.store.location", None)
    assert run(["ner", "gold", SECRET_URLS[0]]) == 3
    assert capsys.readouterr().err.startswith("isogloss: an error. Its lines are not shown")


SEARCHES = """
import gc, sys
from isogloss.__main__ import main
searches = []
gc.callbacks.append(lambda *search: searches.append(search))
try:
    main()
finally:
    print(searches, len(gc.get_objects()), file=sys.stderr)
"""


def test_a_short_command_never_searches_for_garbage() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES, "ner", "gold", "system", "-q"], capture_output=True, text=True, check=True
    )
    searches, left_for_exit = done.stderr.split()
    assert searches == "[]"
    assert int(left_for_exit) < 1000
