"""Small examples of every task, to try isogloss offline. All were written for it.

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

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

COMMANDS = (
    "ner ner/reference.conll ner/system-b.conll --confidence 0.95 --errors 6",
    "ner ner/reference.conll ner/system-a.conll ner/system-b.conll --confidence 0.95 -q",
    "segmentation segmentation/reference.label segmentation/system-b.label --errors 3",
    "entity-translation entity-translation/references entity-translation/system-b --errors 2",
    "code-switching code-switching/answers.jsonl --language uk --names-from prompt --errors 5",
    "classification classification/scores.jsonl",
)
NEXT_STEPS = """\
Next:
  isogloss ner REFERENCE PREDICTION              score your own CoNLL or JSONL files
  isogloss ner REFERENCE A B --confidence 0.95   two systems, with bootstrap intervals
  isogloss ner REFERENCE PREDICTION --errors 20  twenty errors in their context
  isogloss ner REFERENCE PREDICTION -f json      everything, for programs
  isogloss --help                                all tasks

The bundled files, to try these on, are in:
  {folder}
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
