"""`isogloss demo`: what isogloss shows, on bundled examples, and what to try next."""

from __future__ import annotations

from pathlib import Path

from isogloss.cli.output import standard_output

NEXT = """\
Next:
  isogloss ner REFERENCE PREDICTION              score your own CoNLL or JSONL files
  isogloss ner REFERENCE A B --confidence 0.95   two systems, with bootstrap intervals
  isogloss ner REFERENCE PREDICTION --errors 20  twenty errors in their context
  isogloss ner REFERENCE PREDICTION -f json      everything, for programs
  isogloss ner --help                            all options

The bundled files, to try these on:
  {reference}
  {first}
  {second}
"""


def command() -> None:
    """Score two bundled systems, and show what to try."""
    from isogloss.demo import files  # noqa: PLC0415  --help need not wait for numpy
    from isogloss.evaluate.inputs import Layout, opened  # noqa: PLC0415
    from isogloss.evaluate.ner import Definition, score  # noqa: PLC0415
    from isogloss.evaluate.wanted import Wanted, resampled  # noqa: PLC0415
    from isogloss.report.text import console_of, show  # noqa: PLC0415
    from isogloss.sources import Source  # noqa: PLC0415

    bundled = files()
    sources = [Source(path) for path in (bundled.reference, *bundled.systems)]
    for source in sources:
        source.name = Path(source.path).name  # where a package is installed is of no interest
    wanted = Wanted(resampled(0.95, 1000, 12345), findings=6)
    runs = [score(opened(sources[0], source, Layout()), Definition(), wanted) for source in sources[1:]]
    names = {"reference": bundled.reference, "first": bundled.systems[0], "second": bundled.systems[1]}
    with standard_output() as stream:
        console = console_of(stream)
        stream.write("$ isogloss ner reference.conll system-b.conll --confidence 0.95 --errors 6\n\n")
        show(runs[1:], console)
        stream.write("\n$ isogloss ner reference.conll system-a.conll system-b.conll --confidence 0.95\n\n")
        show(runs, console, findings=False)
        stream.write("\n" + NEXT.format(**names))
