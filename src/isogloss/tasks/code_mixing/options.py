"""The options of code-mixing. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from isogloss.errors import UsageError
from isogloss.kernel.argument_checks import check_list
from isogloss.tasks.options import LOCAL, Option, check_choices, make_format_option

FORMATS = ("conll", "jsonl", "csv", "parquet", "lines")
INDEPENDENT_TAGS = ("other", "ne", "ambiguous", "mixed", "fw", "unk")  # of LinCE
LanguageSource = Literal["tags", "scripts"]
Identifier = Callable[[list[str]], Any]  # tokens of an utterance -> a language or None for each


def name_identifier(given: Any) -> str:
    """Return the spec of an identifier, or the name of a function."""
    if isinstance(given, str):
        return given
    name = getattr(given, "__name__", None) or getattr(given, "name", None)  # `name`: of a model that is loaded
    return str(name or type(given).__name__)


def _convert_tags(name: str, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        raise UsageError(f"{name} must be a list, got {value!r}: write [{value!r}].")
    tags = check_list(name, value)
    other = next((each for each in tags if not isinstance(each, str)), None)
    if other is not None:
        raise UsageError(f"{name} must be a list of strings, but it has {other!r} of type {type(other).__name__}.")
    return tuple(tags)


@dataclass(frozen=True, kw_only=True)
class CodeMixingOptions:
    """Options of code-mixing.

    They say where languages come from, and which tags are not languages.

    Raises:
        UsageError: if a value is not allowed, or options conflict.
    """

    languages_from: Annotated[
        LanguageSource,
        Option("Take languages from the tags of the data, or take the script of each token.", get_args(LanguageSource)),
    ] = "tags"
    identifier: Annotated[
        Any,
        Option(
            "Identify languages of tokens with lingua, py3langid, cld3, fasttext:PATH or python:module:function.",
            metavar="SPEC",
            body_type=str,
        ),
    ] = None
    independent: Annotated[
        tuple[str, ...] | None,
        Option(
            "Tag of tokens that belong to no language, in upper or lower case; may be repeated.",
            metavar="TAG",
            default_text=", ".join(INDEPENDENT_TAGS),
            repeats=True,
            parse=tuple,
            convert=_convert_tags,
            body_type=list[str],
        ),
    ] = None
    language_column: Annotated[
        int,
        Option("Column of the tags in CoNLL files, from 1, or from -1 for the last.", surfaces=LOCAL, group="Input"),
    ] = 2
    input_format: Annotated[str | None, make_format_option(FORMATS)] = None

    def __post_init__(self) -> None:
        check_choices(self)
        if isinstance(self.language_column, bool) or not isinstance(self.language_column, int):
            raise UsageError(f"language_column must be a whole number, got {self.language_column!r}.")
        if self.language_column in (0, 1):
            raise UsageError(
                f"language_column cannot be {self.language_column}: columns count from 1, and the first has the tokens."
            )
        if self.identifier is None:
            return
        if self.languages_from != "tags":
            raise UsageError("identifier cannot be combined with languages_from 'scripts': leave one of them out.")

    @property
    def reads_tags(self) -> bool:
        """Whether the languages are the tags of the data."""
        return self.languages_from == "tags" and self.identifier is None

    @cached_property
    def independent_tags(self) -> frozenset[str]:
        """The tags that are not languages, case-folded."""
        tags = INDEPENDENT_TAGS if self.independent is None else self.independent
        return frozenset(tag.casefold() for tag in tags)

    def list_choices(self) -> dict[str, str | int | float]:
        """Return the entries of the signature."""
        source = self.languages_from if self.identifier is None else name_identifier(self.identifier)
        tags = "default" if self.independent is None else "+".join(sorted(self.independent_tags))
        return {"languages": source, "independent": tags}
