"""Run one system on texts, in a process of its own.

This file needs only the standard library: it runs under the Python of any environment, as `python -s -P worker.py`.
(`-I` would ignore PYTHONHASHSEED, which the check of determinism sets.)

The worker reads JSON lines from its standard input and answers on its standard output. Both are moved to other
descriptors first, so what a library prints goes to standard error, and what it reads is empty.

    ← {"kind": "tokenizer", "spec": "pythainlp:newmm", "memory": 4294967296, …}       settings, once
    → {"ready": true, "versions": {…}, "cpu": 0.4, "wall": 0.5, "peak": 91000000}     or {"error": "…"}
    ← {"texts": ["…", "…"]}
    → {"answer": ["…"]} or {"error": "…"} or {"late": true}                           one line a text, in their order
    → {"done": true, "cpu": 0.1, "wall": 0.1, "peak": 92000000}
    ← {"texts": ["…"], "seconds": 0.2}                                                timing: passes for so long
    → {"passes": 3, "cpu": 0.21, "wall": 0.21, "calibration": 0.015, "peak": 92000000}

Times are seconds, sizes are bytes. `cpu` includes child processes. A worker is never given the reference.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from typing import Any

MEGABYTE = 1 << 20
CALIBRATION_STEPS = 20_000  # words, and characters of the text
CALIBRATION_PAUSE = 0.03  # seconds between two loops while a system is timed
MAX_ERROR = 300  # characters
MAX_LINE = 1 << 24  # bytes of a line of a command
Analyser = Callable[[str], Any]


@cache
def build_calibration_text() -> tuple[dict[str, int], str]:
    """Build the words and the text of the calibration loop."""
    words = {str(number * 7919 % 100_000): number for number in range(CALIBRATION_STEPS)}
    return words, "".join(words)[:CALIBRATION_STEPS]


def calibrate() -> float:
    """Return the CPU seconds of a fixed loop.

    It looks up pieces of a text among 20,000 words, as tokenizers do: what slows their memory slows the loop. A loop
    that only counts is slowed less, and is slower in some processes than in others.
    """
    words, text = build_calibration_text()
    begin = time.thread_time()
    found = 0
    for at in range(len(text)):
        if words.get(text[at : at + 4]) is not None:
            found += 1
        if text[at] == "5":
            found += 1
        text.startswith("12", at)
    return time.thread_time() - begin


@contextmanager
def calibrate_beside(loops: list[float]) -> Iterator[None]:
    """Run the calibration loop every `CALIBRATION_PAUSE` seconds beside a command.

    Args:
        loops: takes the CPU seconds of each loop.
    """
    ended = threading.Event()

    def calibrate_until_end() -> None:
        while not ended.wait(CALIBRATION_PAUSE):
            loops.append(calibrate())

    thread = threading.Thread(target=calibrate_until_end)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def measure_cpu() -> float:
    """Return the CPU seconds of this process and ended children."""
    own = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in own)


def measure_peak() -> int:
    """Return the peak memory of this process or children, in bytes."""
    scale = 1 if sys.platform == "darwin" else 1024
    return scale * max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


# Tokenizers that are called directly. Their words may differ from the text: the benchmark reports that.


def load_pythainlp(engine: str) -> Analyser:
    """Load an engine of PyThaiNLP."""
    word_tokenize = import_module("pythainlp.tokenize").word_tokenize
    return lambda text: word_tokenize(text, engine=engine or "newmm")


def load_nlpo3(dictionary: str) -> Analyser:
    """Load nlpo3 with a dictionary, by default the words of PyThaiNLP."""
    library = import_module("nlpo3")
    if not dictionary:
        dictionary = os.path.join(os.path.dirname(import_module("pythainlp").__file__ or ""), "corpus", "words_th.txt")  # noqa: PTH118, PTH120  a string is what nlpo3 takes
    library.load_dict(dictionary, "words")
    return lambda text: library.segment(text, "words")


def load_budoux(language: str) -> Analyser:
    """Load a parser of BudouX: th, ja, zh-hans or zh-hant."""
    names = {"th": "thai", "ja": "japanese", "zh-hans": "simplified_chinese", "zh-hant": "traditional_chinese"}
    make = getattr(import_module("budoux"), f"load_default_{names.get(language, language)}_parser")
    parse: Analyser = make().parse
    return parse


def load_jieba(_argument: str) -> Analyser:
    """Load jieba with its default dictionary."""
    library = import_module("jieba")
    library.initialize()
    cut: Analyser = library.lcut
    return cut


def load_janome(_argument: str) -> Analyser:
    """Load Janome with its dictionary."""
    tokenizer = import_module("janome.tokenizer").Tokenizer(wakati=True)
    return lambda text: list(tokenizer.tokenize(text))


def load_sudachipy(mode: str) -> Analyser:
    """Load SudachiPy: mode A, B or C."""
    library = import_module("sudachipy")
    tokenizer = library.Dictionary().create()
    split = getattr(library.SplitMode, mode or "C")
    return lambda text: [token.surface() for token in tokenizer.tokenize(text, split)]


TOKENIZERS: dict[str, Callable[[str], Analyser]] = {
    "budoux": load_budoux,
    "jieba": load_jieba,
    "janome": load_janome,
    "nlpo3": load_nlpo3,
    "pythainlp": load_pythainlp,
    "sudachipy": load_sudachipy,
}


def load_tokenizer(settings: dict[str, Any]) -> Analyser:
    """Load a tokenizer from its spec.

    Kinds that are not here come from isogloss.
    """
    kind, _, argument = settings["spec"].partition(":")
    if kind == "python":
        return load_function(argument)
    if kind in TOKENIZERS and "?" not in argument:
        return TOKENIZERS[kind](argument)
    provider = import_module("isogloss.providers").open_tokenizer(settings["spec"], language=settings["language"])
    provider.load()

    def cut(text: str) -> list[str]:
        ends = sorted(
            {0, len(text), *(edge for start, end, _ in provider.annotate([text])[0] for edge in (start, end))}
        )
        return [text[start:end] for start, end in pairwise(ends)]

    return cut


def load_recogniser(settings: dict[str, Any]) -> Analyser:
    """Load a recogniser of names by isogloss."""
    provider = import_module("isogloss.providers").open_recogniser(settings["spec"], language=settings["language"])
    provider.load()
    return lambda text: [list(span) for span in provider.annotate([text])[0]]


def load_function(spec: str) -> Analyser:
    """Load a function from `module:function`."""
    module, _, name = spec.partition(":")
    loaded: Any = import_module(module)
    for part in name.split("."):
        loaded = getattr(loaded, part)
    analyse: Analyser = loaded
    return lambda text: _to_plain(analyse(text))


def _to_plain(value: Any) -> Any:
    if isinstance(value, (str, int, float, bool, dict)) or value is None:
        return value
    return [_to_plain(each) for each in value]


def load_url(settings: dict[str, Any]) -> Analyser:
    """Prepare an HTTP endpoint.

    It takes {"text": …} and answers {"words": …} or {"spans": …}.
    """

    def ask(text: str) -> Any:
        body = json.dumps({"text": text}).encode()
        request = urllib.request.Request(settings["spec"], body, {"Content-Type": "application/json"})  # noqa: S310  the plan names the address
        with urllib.request.urlopen(request, timeout=settings["seconds"]) as response:  # noqa: S310  see above
            answer = json.load(response)
        return answer.get("words", answer.get("spans", answer)) if isinstance(answer, dict) else answer

    return ask


LOADERS: dict[str, Callable[[dict[str, Any]], Analyser]] = {
    "tokenizer": load_tokenizer,
    "recogniser": load_recogniser,
    "function": lambda settings: load_function(settings["spec"]),
    "url": load_url,
}


# Commands: a program that takes all texts at once.


def split_line(line: str, text: str, separator: str) -> list[str]:
    """Split a line into words.

    The separator may also be a character of the text.

    Args:
        line: what the command wrote.
        text: the text it was given.
        separator: what the command puts between words.

    Returns:
        The words, without empty ones. If they do not spell the text, each separator ends a word.
    """
    if separator not in text:
        return [word for word in line.split(separator) if word]
    words, word, place, at = [], "", 0, 0
    while place < len(line):
        if at < len(text) and line[place] == text[at]:
            word, place, at = word + line[place], place + 1, at + 1
        elif line.startswith(separator, place):
            words.append(word)
            word, place = "", place + len(separator)
        else:
            return [each for each in line.split(separator) if each]
    return [each for each in (*words, word) if each]


def run_command(settings: dict[str, Any], texts: list[str]) -> list[dict[str, Any]]:
    """Run a command on texts and return an answer for each."""
    as_json = settings["protocol"] == "jsonl"
    if not as_json and any("\n" in text or "\r" in text for text in texts):
        return [{"error": 'a text has several lines; use protocol = "jsonl"'}] * len(texts)
    given = [json.dumps({"text": text}, ensure_ascii=False) if as_json else text for text in texts]
    if settings["raw"]:
        given = texts
    output, fault, late = _call_command(settings, "".join(f"{line}\n" for line in given))
    lines = output.split("\n")
    whole, rest = lines[:-1], lines[-1]
    if rest and not late:
        whole.append(rest)
    if len(whole) > len(texts):
        return [{"error": f"the command wrote {len(whole)} lines for {len(texts)} texts"}] * len(texts)
    answers = [_parse_line(settings, line, text) for line, text in zip(whole, texts, strict=False)]
    missing: dict[str, Any] = (
        {"late": True} if late else {"error": fault or f"the command wrote {len(whole)} lines only"}
    )
    return answers + [missing] * (len(texts) - len(answers))


def _parse_line(settings: dict[str, Any], line: str, text: str) -> dict[str, Any]:
    if settings["protocol"] == "lines":
        return {"answer": split_line(line.removesuffix("\r"), text, settings["separator"])}
    try:
        row = json.loads(line)
    except ValueError:
        return {"error": f"the command wrote a line that is not JSON: {line[:60]!r}"}
    if settings["raw"]:
        return {"answer": row}
    words = row.get("words", row) if isinstance(row, dict) else row
    return {"answer": words}


def _call_command(settings: dict[str, Any], given: str) -> tuple[str, str, bool]:
    """Return the output of a command, its fault and its lateness.

    The fault is empty for none. A command is late if it was stopped for its time.
    """
    command, pipe = settings["spec"], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=settings["folder"]) as run:  # noqa: S603  of the plan
        try:
            output, _ = run.communicate(given.encode("utf-8", "replace"), timeout=settings["cell_seconds"])
            late = False
        except subprocess.TimeoutExpired:
            run.kill()
            output, _ = run.communicate()
            late = True
    fault = "" if late or run.returncode == 0 else _name_exit(run.returncode)
    return output.decode("utf-8", "replace"), fault, late


def _name_exit(code: int) -> str:
    return f"the command was killed by signal {-code}" if code < 0 else f"the command ended with exit code {code}"


# The conversation.


class Worker:
    """Answers requests about one system.

    Args:
        settings: what to load, and its limits.
    """

    def __init__(self, settings: dict[str, Any]) -> None:
        self.settings = settings
        self.analyse = None if settings["kind"] == "command" else LOADERS[settings["kind"]](settings)

    def answer_texts(self, texts: list[str]) -> Iterator[dict[str, Any]]:
        """Yield an answer for each text."""
        if self.analyse is None:
            yield from run_command(self.settings, texts)
            return
        for text in texts:
            try:
                yield {"answer": self.analyse(text)}
            except TimeoutError:
                yield {"late": True}
            except BaseException as error:  # noqa: BLE001  a panic of a Rust library, or exit(), fails this text only
                yield {"error": describe_error(error)}

    def time_passes(self, texts: list[str], seconds: float) -> dict[str, Any]:
        """Analyse texts again and again for at least so many CPU seconds.

        The calibration loop runs before, after, and every `CALIBRATION_PAUSE` seconds between texts, or beside a
        command, so that it sees the same moments of the machine as the system. Its CPU time is not in that of the
        system.
        """
        loops, total_cpu, total_wall, passes = [calibrate()], 0.0, 0.0, 0
        last_loop = time.perf_counter()
        while passes == 0 or total_cpu < seconds > total_wall:
            cpu, wall, beside = measure_cpu(), time.perf_counter(), list[float]()
            with calibrate_beside(beside) if self.analyse is None else nullcontext():
                for _ in self.answer_texts(texts):
                    if self.analyse is not None and time.perf_counter() - last_loop >= CALIBRATION_PAUSE:
                        total_cpu, total_wall = total_cpu + measure_cpu() - cpu, total_wall + time.perf_counter() - wall
                        loops.append(calibrate())
                        cpu, wall = measure_cpu(), time.perf_counter()
                        last_loop = wall
            total_cpu += measure_cpu() - cpu - sum(beside)
            total_wall += time.perf_counter() - wall
            loops += beside
            passes += 1
        loops.append(calibrate())
        return {"passes": passes, "cpu": total_cpu, "wall": total_wall, "calibration": sum(loops) / len(loops)}


def describe_error(error: BaseException) -> str:
    """Write an exception in one line."""
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= MAX_ERROR else f"{text[:MAX_ERROR]}…"


def list_versions(packages: list[str]) -> dict[str, str]:
    """List the installed versions of packages, and of Python."""
    versions = {"python": sys.version.split()[0]}
    for name in packages:
        with suppress(PackageNotFoundError):
            versions[name] = version(name)
    return versions


def apply_limits(settings: dict[str, Any]) -> None:
    """Limit memory, and pin this process to one core."""
    # Programs such as node reserve far more addresses than they use: a command is limited in its data.
    which = resource.RLIMIT_DATA if settings["kind"] == "command" else resource.RLIMIT_AS
    size = int(settings["memory"])
    with suppress(ValueError, OSError):
        resource.setrlimit(which, (size, size))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    core = settings.get("core")
    if core is not None and hasattr(os, "sched_setaffinity"):
        with suppress(OSError):
            os.sched_setaffinity(0, {core})


def take_pipes() -> tuple[Any, Any]:
    """Move standard input and output to other descriptors.

    They are returned as files.
    """
    requests = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.dup2(2, 1)
    os.close(empty)
    return requests, answers


def main() -> None:
    """Load the system and answer requests until the input ends."""
    requests, answers = take_pipes()
    settings = json.loads(requests.readline())
    apply_limits(settings)
    sys.path[:0] = settings["path"]

    def send(row: dict[str, Any]) -> None:
        try:
            line = json.dumps(row, ensure_ascii=False)
            line.encode()
        except (TypeError, ValueError) as error:
            line = json.dumps({"error": f"the answer is not JSON: {describe_error(error)}"})
        answers.write(line + "\n")
        answers.flush()

    cpu, wall = measure_cpu(), time.perf_counter()

    def measure() -> dict[str, Any]:
        return {"cpu": measure_cpu() - cpu, "wall": time.perf_counter() - wall, "peak": measure_peak()}

    try:
        worker = Worker(settings)
    except BaseException as error:  # noqa: BLE001  whatever a library does when it loads is the reason of the row
        send({"error": describe_error(error)})
        return
    # The CPU time of the start of Python belongs to the start-up.
    send({"ready": True, "versions": list_versions(settings["packages"]), **measure(), "cpu": measure_cpu()})
    for line in requests:
        request = json.loads(line)
        cpu, wall = measure_cpu(), time.perf_counter()
        if "seconds" in request:
            send({**worker.time_passes(request["texts"], request["seconds"]), "peak": measure_peak()})
            continue
        for row in worker.answer_texts(request["texts"]):
            send(row)
        send({"done": True, **measure()})


if __name__ == "__main__":
    main()
