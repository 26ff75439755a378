"""Plan of a benchmark: `bench.toml`, read and checked.

A plan names corpora and systems. A system runs on every corpus of its task and languages. Paths are relative to the
folder of the plan. An error says which table and which key is wrong, and suggests the closest known key.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec

from isogloss.errors import FormatError, SourceError
from isogloss.tasks.registry import get_task, list_task_names

SYSTEM_KINDS = ("tokenizer", "recogniser", "command", "function", "url", "predictions")
CORPUS_FIELD = "{corpus}"
Protocol = Literal["lines", "jsonl"]


def find_default_task() -> str:
    """Return the first task whose references have the texts."""
    return next(name for name in list_task_names() if get_task(name).system_texts is not None)


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits of a benchmark.

    Args:
        seconds: time for one text, and for loading a model ten times as much.
        cell_seconds: time for all texts of a corpus.
        memory: GiB of address space of a system; for a command, of its data.
        restarts: how often a system that was killed on a corpus starts again.
        rounds: rounds in which systems are timed; 0 for no timing.
        pass_seconds: CPU seconds that a timed pass should take at least.
    """

    seconds: float = 10.0
    cell_seconds: float = 600.0
    memory: float = 4.0
    restarts: int = 5
    rounds: int = 7
    pass_seconds: float = 0.2


class Corpus(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A corpus of the plan.

    Args:
        name: its name, different from those of the others.
        gold: file with the reference.
        task: the task that scores it.
        texts: file whose lines systems are given; None to take the texts of the gold, for word segmentation only.
        language: language of the texts, such as `th`; empty if unknown.
        licence: licence of the corpus; empty if unknown.
        tag: a word that groups corpora in tables; empty for none.
        options: options of the task, such as `{profile = "spacy"}`.
    """

    name: str
    gold: str
    task: str = msgspec.field(default_factory=find_default_task)
    texts: str | None = None
    language: str = ""
    licence: str = ""
    tag: str = ""
    options: dict[str, Any] = {}


class System(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A system of the plan, with exactly one of the six kinds.

    Args:
        name: its name, different from those of the others.
        tokenizer: provider spec of a tokenizer, such as `pythainlp:newmm`.
        recogniser: provider spec of a recogniser of names, such as `spacy:en_core_web_sm`.
        command: program and its arguments; texts on standard input, words on standard output.
        function: `module:function`, which takes a text.
        url: address that takes a text by POST.
        predictions: file with published predictions, in which `{corpus}` stands for the name of the corpus.
        requires: packages of an environment of its own, such as `pythainlp==5.4.0`.
        protocol: what a command reads and writes: `lines`, or `jsonl`.
        separator: what a command that writes lines puts between words.
        task: the task of the system.
        languages: languages of its corpora; empty for all.
        corpora: names of its corpora; empty for all.
    """

    name: str
    tokenizer: str | None = None
    recogniser: str | None = None
    command: list[str] | None = None
    function: str | None = None
    url: str | None = None
    predictions: str | None = None
    requires: list[str] = []
    protocol: Protocol = "lines"
    separator: str = "|"
    task: str = msgspec.field(default_factory=find_default_task)
    languages: list[str] = []
    corpora: list[str] = []

    @property
    def kind(self) -> str:
        """The key that says what the system is."""
        return next(kind for kind in SYSTEM_KINDS if getattr(self, kind) is not None)

    @property
    def is_run(self) -> bool:
        """Whether the system runs; published predictions do not."""
        return self.predictions is None

    def matches(self, corpus: Corpus) -> bool:
        """Return whether the system runs on a corpus."""
        return (
            self.task == corpus.task
            and (not self.languages or corpus.language in self.languages)
            and (not self.corpora or corpus.name in self.corpora)
        )


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A plan.

    Args:
        corpus: the corpora.
        system: the systems.
        limits: time and memory, and how systems are timed.
        name: title of the leaderboard.
    """

    corpus: list[Corpus]
    system: list[System]
    limits: Limits = Limits()
    name: str = "Benchmark"

    def list_cells(self) -> list[tuple[Corpus, System]]:
        """List each system on each of its corpora."""
        return [(corpus, system) for corpus in self.corpus for system in self.system if system.matches(corpus)]


TABLES: Mapping[str, type[msgspec.Struct]] = {"corpus": Corpus, "system": System, "limits": Limits}


def load_plan(path: Path) -> Plan:
    """Load a plan.

    Args:
        path: the file.

    Raises:
        SourceError: if it cannot be read.
        FormatError: if it is not a plan; the message names the table and the key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8"
        remedy = "Write a plan with: isogloss benchmark init"
        raise SourceError(f"cannot be read: {reason}", where=str(path), remedy=remedy) from error
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FormatError(f"is not TOML: {error}", where=str(path), remedy="Fix the line.") from error
    return parse_plan(content, str(path))


def parse_plan(content: Mapping[str, Any], where: str) -> Plan:
    """Check the content of a plan.

    Args:
        content: tables by name, as TOML has them.
        where: the file, for errors.

    Raises:
        FormatError: if it is not a plan.
    """
    _check_keys(content, Plan, where)
    for name, kind in TABLES.items():
        given = content.get(name, {} if name == "limits" else [])
        for place, table in [(name, given)] if name == "limits" else _number_tables(given, name):
            if isinstance(table, Mapping):
                _check_keys(table, kind, f"{where}: {place}")
    try:
        plan = msgspec.convert(content, Plan)
    except msgspec.ValidationError as error:
        raise FormatError(_shorten_error(str(error)), where=where, remedy="See docs/benchmark-runner.md.") from error
    _check_names(plan, where)
    for at, corpus in enumerate(plan.corpus, 1):
        _check_corpus(corpus, f"{where}: corpus[{at}] ({corpus.name!r})")
    for at, system in enumerate(plan.system, 1):
        _check_system(system, plan, f"{where}: system[{at}] ({system.name!r})")
    _check_limits(plan.limits, f"{where}: limits")
    return plan


def _number_tables(given: Any, name: str) -> Iterator[tuple[str, Any]]:
    for at, table in enumerate(given if isinstance(given, list) else [], 1):
        title = f" ({table['name']!r})" if isinstance(table, Mapping) and isinstance(table.get("name"), str) else ""
        yield f"{name}[{at}]{title}", table


def _check_keys(table: Mapping[str, Any], kind: type[msgspec.Struct], where: str) -> None:
    known = [field.name for field in msgspec.structs.fields(kind)]
    for key in table:
        if key not in known:
            close = get_close_matches(key, known, n=1)
            remedy = f"Did you mean {close[0]}?" if close else f"Choose from {', '.join(known)}."
            raise FormatError(f"unknown key {key!r}", where=where, remedy=remedy)
    missing = [field.name for field in msgspec.structs.fields(kind) if field.required and field.name not in table]
    if missing:
        example = f"Add [[{missing[0]}]]." if missing[0] in TABLES else f'Add {missing[0]} = "…".'
        raise FormatError(f"{missing[0]} is missing", where=where, remedy=example)


def _shorten_error(text: str) -> str:
    """Write the error of msgspec with positions from 1: `system[2].requires`."""
    return re.sub(r" - at `\$\.?(.*)`", lambda match: f" at {_count_from_one(match[1])}", text)


def _count_from_one(path: str) -> str:
    return re.sub(r"\[(\d+)\]", lambda match: f"[{int(match[1]) + 1}]", path)


def _check_names(plan: Plan, where: str) -> None:
    for kind, names in (
        ("corpus", [each.name for each in plan.corpus]),
        ("system", [each.name for each in plan.system]),
    ):
        if not names:
            raise FormatError(f"has no {kind}", where=where, remedy=f"Add [[{kind}]].")
        for at, name in enumerate(names):
            if not name.strip() or name in names[:at]:
                fault = f"name {name!r} is used twice" if name.strip() else "name is empty"
                raise FormatError(fault, where=f"{where}: {kind}[{at + 1}]", remedy="Give each its own name.")


def _check_corpus(corpus: Corpus, where: str) -> None:
    _check_choice("task", corpus.task, list_task_names(), where)


def _check_system(system: System, plan: Plan, where: str) -> None:
    _check_choice("task", system.task, list_task_names(), where)
    for name in system.corpora:
        _check_choice("corpora", name, [each.name for each in plan.corpus], where)
    given = [kind for kind in SYSTEM_KINDS if getattr(system, kind) is not None]
    if len(given) != 1:
        kinds = "none of them" if not given else " and ".join(given)
        remedy = f"Give exactly one of {', '.join(SYSTEM_KINDS)}."
        raise FormatError(f"a system has one kind, found {kinds}", where=where, remedy=remedy)
    if system.command == []:
        raise FormatError("command is empty", where=where, remedy='Write command = ["program", "argument"].')
    if system.function is not None and not re.fullmatch(r"[\w.]+:[\w.]+", system.function):
        remedy = 'Write function = "module:function".'
        raise FormatError(f"function {system.function!r} names no function", where=where, remedy=remedy)
    if system.requires and not (system.tokenizer or system.recogniser or system.command or system.function):
        remedy = "Remove requires, or name a tokenizer, recogniser, command or function."
        raise FormatError(f"requires has no effect on {given[0]}", where=where, remedy=remedy)
    if not system.separator and system.protocol == "lines":
        raise FormatError("separator is empty", where=where, remedy='Write separator = "|".')
    several = sum(map(system.matches, plan.corpus)) > 1
    if system.predictions is not None and several and CORPUS_FIELD not in system.predictions:
        remedy = f'Write {CORPUS_FIELD} in the path, or name its corpus: corpora = ["…"].'
        raise FormatError("predictions is one file for several corpora", where=where, remedy=remedy)


def _check_choice(key: str, value: str, choices: Sequence[str], where: str) -> None:
    if value not in choices:
        close = get_close_matches(value, choices, n=1)
        remedy = f"Did you mean {close[0]}?" if close else f"Choose from {', '.join(choices)}."
        raise FormatError(f"unknown {key} {value!r}", where=where, remedy=remedy)


def _check_limits(limits: Limits, where: str) -> None:
    positive: Iterable[str] = ("seconds", "cell_seconds", "memory")
    for name in positive:
        if not getattr(limits, name) > 0:
            raise FormatError(f"{name} must be above 0, got {getattr(limits, name)}", where=where)
    for name in ("restarts", "rounds", "pass_seconds"):
        if getattr(limits, name) < 0:
            raise FormatError(f"{name} must be at least 0, got {getattr(limits, name)}", where=where)
