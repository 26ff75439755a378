"""Small examples of every task, to try isogloss offline.

All examples were written for isogloss.

`ner`: sixty sentences with names of persons, organisations and places, and two systems that found them: English,
German, Turkish, Serbian, Ukrainian, Greek, Arabic, Hebrew, Hindi, Thai, Chinese, Japanese and Korean, in ten scripts.
Persons and most organisations in them are invented, most places are real. All files are IOB2, one token and its tag a
line, with the same tokens. The first system is careful, but often takes the place in an organisation's name for all
of it. The second cuts names short, misses more of them, and now and then goes on with a name (`I-ORG`) that it never
began, as systems that tag each token by itself do.

`segmentation`: twelve sentences in scripts without spaces between words, as two tokenizers cut them.
`entity-translation`: nine questions about invented works, in three languages, as two systems translated them.
`code-switching`: ten answers in Ukrainian, in some of which an imagined model slips into English.
`classification`: scores that an imagined classifier gave to thirty texts.
"""

from __future__ import annotations

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

from isogloss.errors import UsageError


@dataclass(frozen=True)
class Scene:
    """A command, and the parts of its output to show.

    These parts show what the command is for.

    Args:
        sentence: what the command answers.
        folder: the folder of the files, a task.
        command: the words after the program's name.
        blocks: beginnings of the parts that are shown, in the order of the output; parts are separated by empty lines.
    """

    sentence: str
    folder: str
    command: str
    blocks: tuple[str, ...]

    def select_blocks(self, output: str) -> str:
        """Return the parts of an output that are shown, each once."""
        chosen, wanted = [], list(self.blocks)
        for block in output.split("\n\n"):
            if wanted and block.lstrip("\n").startswith(wanted[0]):
                chosen.append(block.strip("\n"))
                wanted.pop(0)
        return "\n\n".join(chosen)


SCENES = (
    Scene(
        "Which names did a system find, and which errors did it make?",
        "ner",
        "ner reference.conll system-b.conll --errors 1 --kind wrong_boundary",
        ("Overall", "wrong_boundary   system-b.conll:1"),
    ),
    Scene(
        "Is another system better, or was it luck?",
        "ner",
        "ner reference.conll system-b.conll system-a.conll --errors 1",
        ("Systems", "system-a.conll against", "Only system-a.conll", "system-b.conll: "),
    ),
    Scene(
        "How well does a tokenizer cut words, where no spaces do it?",
        "segmentation",
        "segmentation reference.label system-b.label --errors 1",
        ("Sums over all samples", "split"),
    ),
    Scene(
        "Do translations keep the names?",
        "entity-translation",
        "entity-translation references system-b --errors 1",
        ("Overall", "other_spelling"),
    ),
    Scene(
        "Do answers stay in their language? Names, URLs and quotations are excused.",
        "code-switching",
        "code-switching answers.jsonl --language uk --names-from prompt --errors 1",
        ("foreign",),
    ),
)
# Files and options of each task, and columns to slice by.
VIEWED: Mapping[str, tuple[tuple[str, ...], Mapping[str, object], tuple[str, ...]]] = {
    "ner": (("reference.conll", "system-a.conll", "system-b.conll"), {}, ("script",)),
    "segmentation": (("reference.label", "system-a.label", "system-b.label"), {}, ()),
    "entity-translation": (("references", "system-a", "system-b"), {}, ()),
    "code-switching": (("answers.jsonl",), {"language": "uk", "prompt_field": "prompt"}, ()),
    "classification": (("scores.jsonl",), {}, ()),
}
NEXT_STEPS = """\
Next:
  isogloss demo --write samples && cd samples  # files for these commands:
  isogloss ner gold.conll system.conll --errors 20 --sample
{runs}
  isogloss classification classification/scores.jsonl --confidence 0.95
  isogloss --install-completion                # TAB completes options and names
{browser}
"""
STORED_RUNS = """\
  isogloss ner gold.conll a.conll b.conll --save=monday
  isogloss report monday-1 monday-2 -o report.html"""
WRITTEN_RUNS = """\
  isogloss ner gold.conll a.conll b.conll --errors 99 -f json -o runs.json
  isogloss report runs.json -o report.html"""
BROWSER = "  isogloss demo --view                         # the runs of all tasks in a browser"
INSTALLATION = "  pip install 'isogloss[web]'                  # adds saved runs (--save) and a browser (--view)"
COPIES = {  # names in README and docs, and the files of the task `ner` that they are
    "gold.conll": "reference",
    "reference.conll": "reference",
    "system.conll": "system-b",
    "system-b.conll": "system-b",
    "system-a.conll": "system-a",
    "a.conll": "system-a",
    "b.conll": "system-b",
    "other.conll": "system-a",
}
CONVERSIONS = (  # (file, what it is, format)
    ("gold.jsonl", "reference", "jsonl"),
    ("system.jsonl", "system-b", "jsonl"),
    ("gold_brat", "reference", "brat"),
    ("answers.jsonl", "system-a", "mentions"),
    ("export.json", "reference", "label-studio"),
    ("gold.conllu", "reference", "conllu"),
)

LABEL_RULES = """\
drop = ["CARDINAL", "ORDINAL"]

[rename]
PERSON = "PER"

[merge]
LOC = ["GPE", "FAC"]
"""


@dataclass(frozen=True)
class DemoFiles:
    """Paths of the bundled files.

    Args:
        folder: has a folder for each task.
        reference: reference of the task `ner`.
        systems: predictions of its first and second system.
    """

    folder: Path
    reference: Path
    systems: tuple[Path, Path]


def files() -> DemoFiles:
    """Return the paths of the bundled files."""
    folder = Path(str(resources.files(__name__) / "data"))
    ner = folder / "ner"
    return DemoFiles(folder, ner / "reference.conll", (ner / "system-a.conll", ner / "system-b.conll"))


def locate_words() -> Path:
    """Return the bundled reference of word segmentation."""
    return files().folder / "segmentation" / "reference.label"


def format_next_steps() -> str:
    """Format commands to try next, which need only what is installed."""
    has_store, has_web = (all(map(find_spec, names)) for names in (("sqlalchemy", "alembic"), ("starlette", "uvicorn")))
    return NEXT_STEPS.format(
        runs=STORED_RUNS if has_store else WRITTEN_RUNS, browser=BROWSER if has_web else INSTALLATION
    )


def format_spans(task: str) -> str:
    """Return the bundled reference of a task as JSON lines.

    A line has a text and its spans.

    The text is empty for tasks other than `ner`.

    Args:
        task: name of the task.
    """
    if task != "ner":
        return ""
    from isogloss.formats.conversion import convert  # noqa: PLC0415  the scenes do not need it

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "gold.jsonl")
        convert(str(files().reference), "jsonl", str(path))
        return path.read_text(encoding="utf-8")


def write_samples(folder: Path) -> list[str]:
    """Write the bundled files under the names that the docs use.

    The files of the task `ner` are also written in other formats.

    Args:
        folder: the folder, made if it does not exist.

    Returns:
        Names of the files and folders that were written.

    Raises:
        UsageError: if one of them exists.
        SourceError: if a file cannot be written.
    """
    tasks = sorted(path.name for path in files().folder.iterdir())
    names = [*COPIES, "other.conll.gz", "labels.toml", *(name for name, _, _ in CONVERSIONS), *tasks]
    there = [name for name in names if (folder / name).exists()]
    if there:
        raise UsageError(f"{folder / there[0]} exists: name another folder, such as --write samples-2.")
    folder.mkdir(parents=True, exist_ok=True)
    for name in tasks:
        shutil.copytree(files().folder / name, folder / name)
    for name, of in COPIES.items():
        shutil.copyfile(folder / "ner" / f"{of}.conll", folder / name)
    _write_other_formats(folder)
    _write_labels(folder / "classification")
    (folder / "labels.toml").write_text(LABEL_RULES, encoding="utf-8")
    return sorted(names)


def _write_other_formats(folder: Path) -> None:
    from isogloss.formats.conversion import convert  # noqa: PLC0415  the scenes do not need it

    (folder / "other.conll.gz").write_bytes(gzip.compress((folder / "other.conll").read_bytes(), mtime=0))
    for name, of, form in CONVERSIONS:
        convert(str(folder / "ner" / f"{of}.conll"), form, str(folder / name))


def _write_labels(folder: Path) -> None:
    """Write gold and scores of classification apart.

    The labels are also written as text and as tables.
    """
    rows = [json.loads(line) for line in (folder / "scores.jsonl").read_text(encoding="utf-8").splitlines()]
    gold = [row["gold"] for row in rows]
    predicted = [max(row["scores"], key=row["scores"].__getitem__) for row in rows]
    for name, labels in (("gold", gold), ("predicted", predicted)):
        _write_lines(folder / f"{name}.txt", labels)
        table = (f"{row['id']},{label}" for row, label in zip(rows, labels, strict=True))
        _write_lines(folder / f"{name}.csv", ["id,label", *table])
    for name, field in (("gold", "gold"), ("system", "scores")):
        _write_lines(folder / f"{name}.jsonl", [json.dumps({"id": row["id"], field: row[field]}) for row in rows])


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
