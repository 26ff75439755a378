"""`isogloss code-switching`: score how often texts leave the language that they should be in."""

from __future__ import annotations

from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.after_scoring import Outcome
from isogloss.cli.options import TaskOptions
from isogloss.cli.progress import Progress

if TYPE_CHECKING:
    from isogloss.tasks.code_switching.rows import Rows


class Level(StrEnum):
    """How wide the alphabet is."""

    main = "main"
    auxiliary = "main+auxiliary"
    script = "script"


class InputFormat(StrEnum):
    """Formats of input files."""

    lines = "lines"
    whole = "whole"
    jsonl = "jsonl"
    csv = "csv"
    parquet = "parquet"


def command(  # noqa: PLR0913  a command's options are its arguments
    texts: Annotated[
        list[str],
        typer.Argument(
            metavar="TEXTS...", help="Text, JSONL, CSV or Parquet, one file per system; - is standard input."
        ),
    ],
    *,
    language: Annotated[str, typer.Option(help="Code of the language that the texts should be in: uk, hi, zh.")],
    profile: Annotated[str | None, typer.Option(help="Reproduce another tool: pnacos.", show_default=False)] = None,
    level: Annotated[Level, typer.Option(help="How wide the alphabet is.")] = Level.main,
    alphabet: Annotated[
        str | None, typer.Option(metavar="LETTERS", help="The alphabet itself.", show_default="of the language")
    ] = None,
    recogniser: Annotated[
        list[str] | None,
        typer.Option(metavar="SPEC", help="Finds names, such as spacy:uk_core_news_sm or names:FILE; several times."),
    ] = None,
    excuse: Annotated[
        list[str] | None,
        typer.Option(metavar="RULE", help="Excuse by this rule only; several times.", show_default="all rules"),
    ] = None,
    excuse_capitalised: Annotated[
        bool, typer.Option("--excuse-capitalised", help="Take foreign words with a capital for names.")
    ] = False,
    pattern: Annotated[
        list[str] | None,
        typer.Option(metavar="REGEX", help="Excuse what matches; several times.", show_default=False),
    ] = None,
    names_from: Annotated[
        str | None,
        typer.Option(metavar="FIELD", help="Excuse names that stand in this field, such as a prompt."),
    ] = None,
    neutral: Annotated[bool, typer.Option("--neutral", help="Count tokens without letters among the words.")] = False,
    splitter: Annotated[
        str | None, typer.Option(metavar="SPEC", help="Finds sentences.", show_default="sentencex")
    ] = None,
    tokenizer: Annotated[str | None, typer.Option(metavar="SPEC", help="Finds tokens.", show_default="words")] = None,
    identifier: Annotated[
        str | None,
        typer.Option(metavar="SPEC", help="Tells the language of lines: python:module:function; adds pass_rate."),
    ] = None,
    download: Annotated[bool, typer.Option("--download", help="Download models that are not here.")] = False,
    batch_size: Annotated[int, typer.Option(help="Sentences that a model is given at once.", min=1)] = 32,
    jobs: Annotated[int, typer.Option(help="Processes of recognisers that can use several.", min=1)] = 1,
    input_format: Annotated[InputFormat | None, typer.Option(help="Format of the files; else recognised.")] = None,
    whole: Annotated[bool, typer.Option("--whole", help="A file is one text, not one in each line.")] = False,
    text_field: Annotated[str, typer.Option(help="Key or column of the text.")] = "text",
    id_field: Annotated[str, typer.Option(help="Key or column of the id, where there is one.")] = "id",
    options: TaskOptions,
) -> Outcome:
    """Score how often texts leave the language that they should be in, with names and the like excused.

    Words, sentences and texts with foreign letters: strict, and excused by names, addresses, quotations and so on.
    """
    from isogloss.providers import Settings  # noqa: PLC0415
    from isogloss.tasks.code_switching.reading import opened  # noqa: PLC0415
    from isogloss.tasks.code_switching.scoring import (  # noqa: PLC0415  --help is quick
        Definition,
        Equipment,
        score,
    )

    definition = Definition(
        names_from=names_from,
        language=language,
        profile=profile,
        level=level.value,
        letters=alphabet,
        excuses=_rules(excuse, capitalised=excuse_capitalised),
        patterns=tuple(pattern or ()),
        neutral=neutral,
    )
    equipment = Equipment.of(
        Settings(definition.alphabet.language, download, batch_size, jobs),
        splitter=splitter,
        tokenizer=tokenizer,
        recognisers=recogniser or (),
        identify=identifier,
    )
    wanted = options.wanted()
    opening = partial(
        opened,
        input_format=None if input_format is None else input_format.value,
        text_field=text_field,
        id_field=id_field,
        prompt_field=names_from,
        whole=whole,
        attributes=wanted.attributes,
    )
    with Progress(texts[0], quiet=options.quiet) as progress:
        systems = [opening(name) for name in texts]
        runs = [score(rows, definition, equipment, wanted, partial(_told, progress, rows)) for rows in systems]
    return Outcome(runs, options)


def _told(progress: Progress, rows: Rows, done: int) -> None:
    """Tell how many texts are done, and, where it is known, of how many."""
    source = rows.sources[0]
    progress.texts(done, source.bytes_read / source.size if source.size else None)


def _rules(excuse: list[str] | None, *, capitalised: bool) -> frozenset[str] | None:
    """The rules that were asked for, None for the usual ones."""
    if not excuse and not capitalised:
        return None
    from isogloss.tasks.code_switching.excuses import BY_DEFAULT  # noqa: PLC0415

    return frozenset(excuse or BY_DEFAULT) | (frozenset({"capitalised"}) if capitalised else frozenset())
