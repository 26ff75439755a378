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
