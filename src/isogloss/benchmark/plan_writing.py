"""Writes a plan from what is installed, or the demo plan.

The corpora are bundled sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from isogloss.errors import UsageError
from isogloss.records.destinations import write_files

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
    if path.exists():
        raise UsageError(f"{path} exists already. Name another file, or remove it.")
    gold = group_by_language(samples.read_text(encoding="utf-8").splitlines())
    chosen = [each for each in TOKENIZERS if (each.requires if demo else find_spec(each.module))]
    wanted = [code for code in gold if not demo or any(code in each.languages for each in chosen)]
    parts = [HEAD.format(name=path.name), *([DEMO_LIMITS] if demo else []), *map(_format_corpus, wanted)]
    parts += [_format_system(each, demo=demo) for each in chosen]
    content = {
        path.parent / GOLD_FOLDER / f"{code}.label": "".join(f"{line}\n" for line in gold[code]) for code in wanted
    }
    content[path] = "\n".join(parts)
    write_files(content)
    return list(content)


def group_by_language(lines: Iterable[str]) -> dict[str, list[str]]:
    """Group lines by the language that their script names.

    Args:
        lines: lines of one language each. Chinese is what has Han characters and no kana.
    """
    found: dict[str, list[str]] = {}
    for line in lines:
        code = next((code for code, ranges in LANGUAGES.items() if _has_letter(line, ranges)), "")
        if code:
            found.setdefault(code, []).append(line)
    return found


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
