"""Find faults in references of entity translation.

    code                    severe  what
    duplicate-id            yes     the id occurs before in the file
    no-targets              yes     no accepted translation: the sentence is not scored
    empty-mention           yes     an empty or blank name; the official scorer finds it in every translation
    mention-absent          yes     a name that is not in its own translation: a copy of the reference may be wrong
    empty-id                yes     an empty id
    mention-is-sentence     no      a name that is the whole translation, so only the whole sentence is correct
    mention-in-source       no      the source contains all accepted names, so an untranslated sentence is correct
    spaces-around-mention   no      a name with white space around it, which the translation must have too
    short-mention           no      a name of one letter, which other words contain by chance
    not-composed            no      a name that is not in Unicode normalisation form C
    no-entity-types         no      no entity type: `--types` drops the sentence
    no-entity               no      no entity: consistency ignores the sentence
    other-language          no      the target language differs from the language in the name of the file
    foreign-id              no      the profile ea-mt cannot read the id: it is not of the form Q1_0 to Q1_9

Letters are compared as in scoring by default: case-folded, not normalised.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from isogloss.errors import DataError
from isogloss.records.shards import Shards, open_source
from isogloss.records.sources import Source
from isogloss.records.tabular import open_rows
from isogloss.tasks.entity_translation.inputs import has_languages, list_language_files, parse_language
from isogloss.tasks.entity_translation.rows import TRANSLATION_SHAPE, Reference, Target, open_references
from isogloss.tasks.task import NoOptions

SEVERE_FAULTS = frozenset(("duplicate-id", "no-targets", "empty-mention", "mention-absent", "empty-id"))
OFFICIAL_ID = re.compile("Q[0-9]+_[0-9]")


@dataclass(frozen=True)
class ReferenceFault:
    """A fault of a row.

    Args:
        code: code of the fault, see the table of this module.
        where: file and line.
        id: id of the row.
        message: one sentence about what is wrong.
    """

    code: str
    where: str
    id: str
    message: str

    @property
    def is_severe(self) -> bool:
        """Whether the fault makes scores wrong or unfair."""
        return self.code in SEVERE_FAULTS


def find_faults(path: str, options: NoOptions, form: str) -> tuple[str, int]:
    """Find the faults of references, as `isogloss lint entity-translation` does.

    Args:
        path: JSON lines, or a folder with one file per language.
        options: without effect.
        form: `text` or `json`.

    Returns:
        The report, and the exit code: 3 if a fault is severe.

    Raises:
        SourceError: if a file cannot be read, or its name is not a language.
        FormatError: if a line is malformed.
    """
    del options
    faults = lint_references(Source(path))
    text = to_faults_json(faults) if form == "json" else format_reference_faults(faults)
    return text, DataError.exit_code if any(fault.is_severe for fault in faults) else 0


def lint_references(references: Source) -> list[ReferenceFault]:
    """Return the faults of a file or folder, in order of place.

    Args:
        references: JSON lines, or a folder with one file per language.

    Raises:
        SourceError: if a file cannot be read, or its name is not a language.
        FormatError: if a line is malformed.
    """
    references = open_source(references, has_languages)
    if references.path != "-" and not isinstance(references, Shards) and Path(references.path).is_dir():
        files: list[tuple[str | None, Source]] = list(list_language_files(references).items())
    else:
        files = [(parse_language(references), references)]
    return [fault for language, source in files for fault in _check_file(source, language)]


def format_reference_faults(faults: Sequence[ReferenceFault]) -> str:
    """Format faults as text: a line each, then the numbers by code."""
    lines = [f"{fault.where}: {fault.code}: {fault.message} [{fault.id}]" for fault in faults]
    counts = Counter(fault.code for fault in faults)
    lines += ["", *(f"{count:>7,}  {code}" for code, count in counts.most_common())] if faults else ["No faults found."]
    return "\n".join(lines) + "\n"


def to_faults_json(faults: Sequence[ReferenceFault]) -> str:
    """Format faults as JSON.

    `faults` has the `code`, `severe`, `where`, `id` and `message` of each; `counts` has the number by code.
    """
    rows = [asdict(fault) | {"severe": fault.is_severe} for fault in faults]
    counts = dict(Counter(fault.code for fault in faults).most_common())
    return json.dumps({"faults": rows, "counts": counts}, ensure_ascii=False, indent=2) + "\n"


def _check_file(source: Source, language: str | None) -> Iterator[ReferenceFault]:
    rows = open_references(open_rows(source, TRANSLATION_SHAPE))
    seen: dict[str, int] = {}
    for block in rows.read_blocks():
        for place, row in zip(block.places, block.rows, strict=True):
            key = str(row.id)
            faults = [*_check_row(row), *_check_targets(row), *_check_language(row, language)]
            if key in seen:
                first = rows.where(seen[key]) if isinstance(source, Shards) else f"line {seen[key]}"
                faults.insert(0, ("duplicate-id", f"the id occurs before, in {first}"))
            seen.setdefault(key, place)
            yield from (ReferenceFault(code, rows.where(place), key, message) for code, message in faults)


FaultMessages = Iterable[tuple[str, str]]


def _check_row(row: Reference) -> FaultMessages:
    if row.id == "":
        yield "empty-id", "the id is empty"
    elif not OFFICIAL_ID.fullmatch(str(row.id)):
        yield "foreign-id", "the profile ea-mt needs an id such as Q1_0"
    if not row.entity_types:
        yield "no-entity-types", "there is no entity type"
    if not row.entity:
        yield "no-entity", "there is no entity (wikidata_id)"
    if not row.targets:
        yield "no-targets", "there is no accepted translation"


def _check_targets(row: Reference) -> FaultMessages:
    for target in dict.fromkeys((target.mention, target.translation) for target in row.targets):
        yield from _check_target(Target(*target))
    names = [target.mention.casefold() for target in row.targets if target.mention.strip()]
    if names and all(name in row.source.casefold() for name in names):
        yield (
            "mention-in-source",
            "the source contains all accepted names, so an untranslated sentence is correct",
        )


def _check_target(target: Target) -> FaultMessages:
    mention, translation = target.mention, target.translation
    if not mention.strip():
        yield "empty-mention", "a name is empty"
        return
    if translation and mention.casefold() not in translation.casefold():
        yield "mention-absent", f"the name {mention!r} is not in its translation {translation!r}"
    if _keep_letters(mention) == _keep_letters(translation):
        yield "mention-is-sentence", f"the name {mention!r} is the whole translation"
    if mention != mention.strip():
        yield "spaces-around-mention", f"the name {mention!r} has white space around it"
    if len(_keep_letters(mention)) == 1:
        yield "short-mention", f"the name {mention!r} has one letter"
    if not unicodedata.is_normalized("NFC", mention):
        yield "not-composed", f"the name {mention!r} is not in normalisation form C"


def _check_language(row: Reference, language: str | None) -> FaultMessages:
    if language and row.target_locale and re.split("[_-]", row.target_locale)[0] != re.split("[_-]", language)[0]:
        yield "other-language", f"the target language is {row.target_locale}, but the file is named {language}"


def _keep_letters(text: str) -> str:
    return "".join(character for character in text.casefold() if unicodedata.category(character)[0] in "LMN")
