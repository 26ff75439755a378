"""Sixty sentences with names of persons, organisations and places, and two systems that found them.

The data is bundled so that isogloss can be tried offline. The sentences were written for it: English, German, Turkish,
Serbian, Ukrainian, Greek, Arabic, Hebrew, Hindi, Thai, Chinese, Japanese and Korean, in ten scripts. Persons and most
organisations in them are invented, most places are real. Thai, Chinese and Japanese are cut into words, as a tokenizer
would hand them over.

`reference.conll` holds the right tags, `system-a.conll` and `system-b.conll` what two imagined systems say. All three
are IOB2, one token and its tag a line, with the same tokens. The first system is careful, but often takes the place in
an organisation's name for all of it. The second cuts names short, misses more of them, and now and then goes on with a
name (`I-ORG`) that it never began, as systems that tag each token by itself do.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path


@dataclass(frozen=True)
class DemoFiles:
    """Where the bundled files are.

    Args:
        reference: the right tags.
        systems: what the first and the second system say.
    """

    reference: Path
    systems: tuple[Path, Path]


def files() -> DemoFiles:
    """The bundled files, as paths that the readers open like any other file."""
    data = Path(str(resources.files(__name__) / "data"))
    return DemoFiles(data / "reference.conll", (data / "system-a.conll", data / "system-b.conll"))
