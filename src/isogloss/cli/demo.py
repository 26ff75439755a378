"""`isogloss demo`: every task on bundled examples, and what to try next."""

from __future__ import annotations

from contextlib import chdir

from isogloss.cli import classification, code_switching, entity_translation, ner, segmentation
from isogloss.cli.ending import finish
from isogloss.cli.output import standard_output

NEXT = """\
Next:
  isogloss ner REFERENCE PREDICTION              score your own CoNLL or JSONL files
  isogloss ner REFERENCE A B --confidence 0.95   two systems, with bootstrap intervals
  isogloss ner REFERENCE PREDICTION --errors 20  twenty errors in their context
  isogloss ner REFERENCE PREDICTION -f json      everything, for programs
  isogloss --help                                all tasks

The bundled files, to try these on, are in:
  {folder}
"""


def command() -> None:
    """Score bundled examples of every task, and show what to try."""
    from isogloss.demo import files  # noqa: PLC0415  --help need not wait for it

    with chdir(files().folder):
        _show("ner ner/reference.conll ner/system-b.conll --confidence 0.95 --errors 6")
        finish(ner.command("ner/reference.conll", ["ner/system-b.conll"], confidence=0.95, errors=6))
        _show("ner ner/reference.conll ner/system-a.conll ner/system-b.conll --confidence 0.95 -q")
        finish(
            ner.command(
                "ner/reference.conll", ["ner/system-a.conll", "ner/system-b.conll"], confidence=0.95, quiet=True
            )
        )
        _show("segmentation segmentation/reference.label segmentation/system-b.label --errors 3")
        finish(segmentation.command("segmentation/reference.label", ["segmentation/system-b.label"], errors=3))
        _show("entity-translation entity-translation/references entity-translation/system-b --errors 2")
        finish(entity_translation.command("entity-translation/references", ["entity-translation/system-b"], errors=2))
        _show("code-switching code-switching/answers.jsonl --language uk --names-from prompt --errors 5")
        finish(code_switching.command(["code-switching/answers.jsonl"], language="uk", names_from="prompt", errors=5))
        _show("classification classification/scores.jsonl")
        finish(classification.command("classification/scores.jsonl"))
    with standard_output() as stream:
        stream.write("\n" + NEXT.format(folder=files().folder))


def _show(line: str) -> None:
    """A command as a person would type it."""
    with standard_output() as stream:
        stream.write(f"\n$ isogloss {line}\n\n")
