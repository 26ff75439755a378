"""Help of commands, in at most 80 columns.

It has options under headings, whole sentences, and examples.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from typer.core import TyperCommand, TyperGroup, TyperOption

OPTIONS, OTHER = "Options", "Other"
HEADINGS = (  # in order
    "Arguments",
    OPTIONS,
    "Input",
    "Models",
    "Definition",
    "Evidence",
    "Comparison",
    "Output",
    "Store",
    "Gates",
    OTHER,
)
NAME_WIDTH = 26  # cells of the column of names; a longer name has its own line
BOUNDS = r"; x[<>]=?[\d.]+|\[x[<>]=?[\d.]+\]|\s*\[required\]|[\d.]+<=x<=[\d.]+"
DEFAULT = r"\[default: .*\]"
NO_BREAK = "\N{NO-BREAK SPACE}"
DEFAULT_IN_WORDS = r"\[default: \((.*)\)\]"

EXAMPLES: dict[str, tuple[str, ...]] = {  # of commands that are not tasks
    "": (
        "isogloss demo",
        "isogloss ner gold.conll system.conll --errors 10",
        "isogloss --install-completion",
    ),
    "benchmark": (
        "isogloss benchmark init --demo",
        "isogloss benchmark run -o results --download",
        "isogloss benchmark report results",
    ),
    "benchmark init": (
        "isogloss benchmark init",
        "isogloss benchmark init --demo",
        "isogloss benchmark init thai.toml",
    ),
    "benchmark check": (
        "isogloss benchmark check",
        "isogloss benchmark check thai.toml",
        "isogloss benchmark check -o results",
    ),
    "benchmark run": (
        "isogloss benchmark run",
        "isogloss benchmark run -o results --download",
        "isogloss benchmark run thai.toml -o thai -q",
    ),
    "benchmark merge": (
        "isogloss benchmark merge ada bob -o both",
        "isogloss benchmark merge ada bob -o both && isogloss benchmark report both",
        "isogloss benchmark merge ada bob -o both && isogloss benchmark verify both",
    ),
    "benchmark verify": (
        "isogloss benchmark verify results",
        "isogloss benchmark verify results > differences.txt",
        "isogloss benchmark verify results && isogloss benchmark report results",
    ),
    "benchmark report": (
        "isogloss benchmark report results",
        "isogloss benchmark report thai",
        "isogloss benchmark report results && cat results/leaderboard.md",
    ),
    "compare": (
        "isogloss compare monday tuesday",
        "isogloss compare monday tuesday wednesday --unit genre",
        "isogloss compare monday tuesday --fail-if-worse-than monday",
    ),
    "convert": (
        "isogloss convert gold.conllu --to jsonl -o gold.jsonl",
        "isogloss convert export.json --to conll -o gold.conll",
        "isogloss convert gold.conll --to conll --to-scheme bilou",
    ),
    "count": (
        "isogloss count ner gold-1.conll system-1.conll -o part-1.iso",
        "isogloss count ner gold/ system/ --part 1/10 -o part-1.iso",
        "isogloss count ner gold/ system/ --part 1/10 --by genre -o part-1.iso",
    ),
    "merge": (
        "isogloss merge part-*.iso",
        "isogloss merge part-*.iso -f json -o run.json",
        "isogloss merge part-*.iso --manifest gold.txt --fail-under strict.f1=0.8",
    ),
    "demo": ("isogloss demo", "isogloss demo --view", "isogloss demo --write samples"),
    "report": (
        "isogloss report runs.json -o report.html",
        "isogloss report monday tuesday -o report.html",
        "isogloss report runs.json --leaderboard -f markdown",
    ),
    "view": (
        "isogloss view",
        "isogloss view monday tuesday",
        "isogloss view gold.conll a.conll b.conll --task ner",
    ),
    "serve": (
        "isogloss serve",
        "isogloss serve --port 9000 --language hi",
        "isogloss serve --host 0.0.0.0 --token-file token.txt",
    ),
    "tags": (
        "isogloss tags validate gold.conll",
        "isogloss tags repair gold.conll -o repaired.conll",
        "isogloss tags convert gold.conll --to bilou -o bilou.conll",
    ),
    "tags validate": (
        "isogloss tags validate gold.conll",
        "isogloss tags validate *.conll --max 5",
        "isogloss tags validate gold.conll --scheme iob2 -f json",
    ),
    "tags repair": (
        "isogloss tags repair gold.conll -o repaired.conll",
        "isogloss tags repair *.conll --in-place",
        "isogloss tags repair gold.conll --repair discard > repaired.conll",
    ),
    "tags convert": (
        "isogloss tags convert gold.conll --to bilou -o bilou.conll",
        "isogloss tags convert *.conll --to iob2 --in-place",
        "isogloss tags convert gold.conll --from iob1 --to io --notation bare",
    ),
    "tags count": (
        "isogloss tags count gold.conll",
        "isogloss tags count gold.conll --names 20",
        "isogloss tags count train.conll test.conll -f csv -o counts.csv",
    ),
    "lint": (
        "isogloss lint ner gold.conll",
        "isogloss lint ner gold.conll --fail-on all",
        "isogloss lint entity-translation references",
    ),
    "runs": (
        "isogloss runs list",
        "isogloss runs show monday",
        "isogloss runs export monday tuesday -o runs.jsonl.gz",
    ),
    "runs list": (
        "isogloss runs list",
        "isogloss runs list --task ner --score strict.f1 -n 10",
        "isogloss runs list --reference gold.conll --since 2026-11-01",
    ),
    "runs show": (
        "isogloss runs show monday",
        "isogloss runs show 3f9a --errors 20",
        "isogloss runs show monday -f json -o monday.json",
    ),
    "runs tag": (
        "isogloss runs tag monday released",
        "isogloss runs tag monday crf released",
        "isogloss runs tag monday released --remove",
    ),
    "runs delete": (
        "isogloss runs delete monday",
        "isogloss runs delete monday tuesday",
        "isogloss runs delete 3f9a --yes",
    ),
    "runs export": (
        "isogloss runs export monday -o monday.jsonl",
        "isogloss runs export monday tuesday -o runs.jsonl.gz",
        "isogloss runs export monday -o - | isogloss runs import - --store all.db",
    ),
    "runs import": (
        "isogloss runs import runs.jsonl.gz",
        "isogloss runs import runs.jsonl --store all.db",
        "isogloss runs import - < runs.jsonl",
    ),
}


def format_examples(examples: Iterable[str]) -> str:
    """Format examples for the end of the help of a command."""
    return "\n".join(examples)


class HelpCommand(TyperCommand):
    """A command whose help has headings and examples.

    `slow_help` formats the help of some options, by name: only when it is written.
    """

    slow_help: Mapping[str, Callable[[], str]] = MappingProxyType({})

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of a command.

        While a shell completes the value of the last option, only the words before it are parsed.
        """
        if ctx.resilient_parsing and args and args[-1].startswith("-"):
            args = args[:-1]  # an option without value would end the parsing, and the other words would be lost
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage; `...` stands for several values."""
        arguments = [each for each in self.get_params(ctx) if each.param_type_name == "argument"]
        return ["[OPTIONS]", *map(_format_argument, arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments and options under their headings."""
        for each in self.get_params(ctx):
            if isinstance(each, TyperOption) and each.name is not None and each.name in self.slow_help:
                each.help = self.slow_help[each.name]()
        write_options(self, ctx, formatter)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        del ctx
        write_examples(self, formatter)


class HelpGroup(TyperGroup):
    """A command with commands of its own, whose help cuts no sentence."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write commands, then options."""
        self.format_commands(ctx, formatter)
        write_options(self, ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with the first sentence of their help."""
        with formatter.section("Commands"):
            write_rows(formatter, self.list_summaries(ctx))

    def list_summaries(self, ctx: Any) -> list[tuple[str, str]]:
        """List the commands with a sentence on each."""
        names = self.list_commands(ctx)
        return [
            (name, (getattr(self.get_command(ctx, name), "help", None) or "").partition("\n\n")[0]) for name in names
        ]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the examples."""
        del ctx
        write_examples(self, formatter)


def write_options(command: Any, ctx: Any, formatter: Any) -> None:
    """Write arguments and options under their headings.

    Args:
        command: the command.
        ctx: context of the call.
        formatter: writes the help.
    """
    rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in HEADINGS}
    for each in command.get_params(ctx):
        record = each.get_help_record(ctx)
        if record is not None:
            rows[_get_heading(each)].append(_format_record(each, record))
    for heading, own in rows.items():
        if own:
            with formatter.section(heading):
                write_rows(formatter, own)


def write_examples(command: Any, formatter: Any) -> None:
    """Write the examples of a command, one in a line.

    Args:
        command: the command.
        formatter: writes the help.
    """
    if command.epilog:
        with formatter.section("Examples"):
            for line in command.epilog.splitlines():
                formatter.write(f"  {line}\n")


def write_rows(formatter: Any, rows: Iterable[tuple[str, str]]) -> None:
    """Write names and sentences in two columns, without breaking hyphenated names.

    Args:
        formatter: writes the help.
        rows: (name, sentence) pairs.
    """
    for name, text in rows:
        from textwrap import wrap  # only help needs it

        whole = re.sub(DEFAULT, lambda match: match[0].replace(" ", NO_BREAK), text)
        lines = wrap(whole, max(formatter.width - NAME_WIDTH - 2, 10), break_on_hyphens=False) or [""]
        if len(name) > NAME_WIDTH - 2:
            lines.insert(0, "")
        for number, line in enumerate(lines):
            formatter.write(
                f"  {name if number == 0 else '':{NAME_WIDTH}}{line.replace(NO_BREAK, ' ')}".rstrip() + "\n"
            )


def _get_heading(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return "Arguments"
    if parameter.name in {"help", "version", "install_completion", "show_completion"}:
        return OTHER
    return parameter.rich_help_panel or OPTIONS


def _format_record(parameter: Any, record: tuple[str, str]) -> tuple[str, str]:
    """Return name and sentence in the style of this help.

    Bounds of numbers are left out, and so are brackets around defaults in words.
    """
    name, text = record
    if parameter.param_type_name == "argument":
        name = parameter.metavar
    text = re.sub(DEFAULT_IN_WORDS, r"[default: \1]", " ".join(re.sub(BOUNDS, "", text).split()))
    return name, f"{text} [required]" if parameter.param_type_name == "option" and parameter.required else text


def _format_argument(argument: Any) -> str:
    """Format an argument for the usage: `REFERENCE`, `[PREDICTION...]`."""
    name = argument.metavar.removesuffix("...") + ("..." if argument.nargs == -1 else "")
    return str(name if argument.required else f"[{name}]")
