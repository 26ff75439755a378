"""Writes a plan from what is installed, or the demo plan.

The corpora are bundled sentences.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

from isogloss.benchmark.plan import find_default_task
from isogloss.errors import UsageError
from isogloss.records.destinations import write_files
from isogloss.tasks.registry import get_task

GOLD_FOLDER = "gold"
LANGUAGES: Mapping[str, tuple[tuple[str, str], ...]] = {  # first and last letter of scripts that name a language
    "th": (("\u0e01", "\u0e5b"),),
    "ja": (("\u3041", "\u30ff"),),
    "km": (("\u1780", "\u17f9"),),
    "zh": (("\u4e00", "\u9fff"),),
}
HEAD = """\
# Plan of a benchmark: isogloss benchmark run {name} -o results
# A system runs on each corpus of its languages. Add corpora with [[corpus]] and systems with [[system]].
name = "Word segmentation"
"""
TASK_HEAD = """\
# Plan of a benchmark: isogloss benchmark run {name} -o results
# Systems get the lines of `texts`; if it is the reference itself, without what they should find.
name = {title}
"""
OWN_CORPUS = """\
[[corpus]]
name = "mine"
task = "{task}"
gold = "gold.jsonl"
texts = "gold.jsonl"
"""
OWN_SYSTEM = """\
[[system]]
name = "my function"
task = "{task}"
function = "systems:analyse"
"""
OTHER_SYSTEMS = """\
# Other kinds of systems; remove the first # of each line that you need:
# [[system]]
# name = "my program"
# task = "{task}"
# command = ["my-program", "--option"]   # all texts on standard input, a line of output for each
# protocol = "jsonl"
# [[system]]
# name = "my endpoint"
# task = "{task}"
# url = "http://127.0.0.1:8000/"         # POST of {{"text": …}}
# [[system]]
# name = "published"
# task = "{task}"
# predictions = "published/{{corpus}}.jsonl"
"""
OWN_FUNCTION = """\
def analyse(text):
    \"\"\"Return the spans (start, end, label) of a text, or a row of the task's format.\"\"\"
    return []
"""
FUNCTION_FILE = "systems.py"
DEMO_LIMITS = "[limits]\nrounds = 3\n"


@dataclass(frozen=True)
class KnownTokenizer:
    """A tokenizer that `init` knows.

    Args:
        name: name of the system.
        spec: its provider spec.
        module: module that shows whether it is installed.
        languages: languages of its texts.
        requires: pinned packages of the demo; empty if the demo leaves it out.
    """

    name: str
    spec: str
    module: str
    languages: tuple[str, ...]
    requires: tuple[str, ...] = ()


TOKENIZERS = (
    KnownTokenizer("newmm", "pythainlp:newmm", "pythainlp", ("th",), ("pythainlp==5.4.0",)),
    KnownTokenizer("nlpo3", "nlpo3", "nlpo3", ("th",), ("nlpo3==1.4.0", "pythainlp==5.4.0")),
    KnownTokenizer("BudouX Thai", "budoux:th", "budoux", ("th",), ("budoux==0.10.1",)),
    KnownTokenizer("BudouX Japanese", "budoux:ja", "budoux", ("ja",), ("budoux==0.10.1",)),
    KnownTokenizer("Janome", "janome", "janome", ("ja",), ("janome==0.5.0",)),
    KnownTokenizer("BudouX Chinese", "budoux:zh-hans", "budoux", ("zh",), ("budoux==0.10.1",)),
    KnownTokenizer("jieba", "jieba", "jieba", ("zh",), ("jieba==0.42.1",)),
    KnownTokenizer("ICU", "icu", "icu", ()),
    KnownTokenizer("SudachiPy", "sudachipy:A", "sudachipy", ("ja",)),
    KnownTokenizer("whitespace", "whitespace", "isogloss", ()),
)


def write_plan(path: Path, samples: Path, *, demo: bool) -> list[Path]:
    """Write a plan and the sentences that it names.

    Args:
        path: the plan.
        samples: bundled reference, words between `|`.
        demo: whether to write the demo, whose tokenizers come from a package index, instead of those installed here.

    Returns:
        The files.

    Raises:
        UsageError: if there is a plan already.
        SourceError: if a file cannot be written.
    """
    _check_new(path)
    gold = group_by_language(samples.read_text(encoding="utf-8").splitlines())
    chosen = [each for each in TOKENIZERS if (each.requires if demo else find_spec(each.module))]
    wanted = [code for code in gold if not demo or any(code in each.languages for each in chosen)]
    parts = [HEAD.format(name=path.name), *([DEMO_LIMITS] if demo else []), *map(_format_corpus, wanted)]
    parts += [_format_system(each, demo=demo) for each in chosen]
    parts.append(OTHER_SYSTEMS.format(task=find_default_task()))
    content = {
        path.parent / GOLD_FOLDER / f"{code}.label": "".join(f"{line}\n" for line in gold[code]) for code in wanted
    }
    content[path] = "\n".join(parts)
    write_files(content)
    return list(content)


def write_task_plan(path: Path, task: str, samples: str) -> list[Path]:
    """Write a plan of a task, with a function to replace.

    Args:
        path: the plan.
        task: name of the task, whose references do not have the texts that systems get.
        samples: JSON lines of a bundled reference; empty for none: then the lines for a corpus are commented.

    Returns:
        The files.

    Raises:
        UsageError: if there is a plan or a file of functions already.
        SourceError: if a file cannot be written.
    """
    own, gold = path.parent / FUNCTION_FILE, path.parent / GOLD_FOLDER / "samples.jsonl"
    for each in (path, own):
        _check_new(each)
    corpus = OWN_CORPUS.format(task=task)
    head = TASK_HEAD.format(name=path.name, title=json.dumps(get_task(task).title, ensure_ascii=False))
    if samples:
        place = f'"{GOLD_FOLDER}/{gold.name}"'
        corpus = corpus.replace('"mine"', '"samples"').replace('"gold.jsonl"', place)
    else:
        corpus = "# Add your reference, and remove the first # of these lines:\n" + _comment(corpus)
    spans = '"spans"' in samples
    systems = [_format_pipeline(name, task) for name in (list_pipelines() if spans else ())]
    parts = [head, corpus, *systems, OWN_SYSTEM.format(task=task), OTHER_SYSTEMS.format(task=task)]
    content = {**({gold: samples} if samples else {}), own: OWN_FUNCTION, path: "\n".join(parts)}
    write_files(content)
    return list(content)


def list_pipelines() -> list[str]:
    """List the spaCy pipelines that are installed, without loading them."""
    return sorted(each.name for each in entry_points(group="spacy_models"))


def _format_pipeline(name: str, task: str) -> str:
    return f'[[system]]\nname = "{name}"\ntask = "{task}"\nrecogniser = "spacy:{name}"\n'


def _comment(text: str) -> str:
    return "".join(f"# {line}\n" for line in text.splitlines())


def _check_new(path: Path) -> None:
    if path.exists():
        raise UsageError(f"{path} exists already. Name another file, or remove it.")


def group_by_language(lines: Iterable[str]) -> dict[str, list[str]]:
    """Group lines by the language that their script names.

    Args:
        lines: lines of one language each. Chinese is what has Han characters and no kana.
    """
    lines_by_language: dict[str, list[str]] = {}
    for line in lines:
        code = next((code for code, ranges in LANGUAGES.items() if _has_letter(line, ranges)), "")
        if code:
            lines_by_language.setdefault(code, []).append(line)
    return lines_by_language


def _has_letter(line: str, ranges: tuple[tuple[str, str], ...]) -> bool:
    return any(first <= letter <= last for letter in line for first, last in ranges)


def _format_corpus(code: str) -> str:
    return (
        f'[[corpus]]\nname = "{code}"\ngold = "{GOLD_FOLDER}/{code}.label"\nlanguage = "{code}"\n'
        'licence = "Apache-2.0"\ntag = "samples"\n'
    )


def _format_system(each: KnownTokenizer, *, demo: bool) -> str:
    lines = [f'[[system]]\nname = "{each.name}"', f'tokenizer = "{each.spec}"']
    lines += [f"languages = {_format_list(each.languages)}"] if each.languages else []
    lines += [f"requires = {_format_list(each.requires)}"] if demo else []
    return "\n".join(lines) + "\n"


def _format_list(words: Iterable[str]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"[{quoted}]"
