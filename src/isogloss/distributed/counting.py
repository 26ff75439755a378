"""Count a part of a corpus, and merge parts.

Definition
    1. Merged parts give the run of all files at once: scores, intervals, slices, findings and signature.
    2. Parts are ordered by their numbers if all have one, else by the natural order of their first files, else they
       stay in the given order.
    3. Ids of documents must be unique in the corpus. `merge` checks it where parts keep their documents.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from pathlib import Path, PurePath
from typing import Any

from isogloss.distributed.partials import Partial
from isogloss.errors import DataError, MismatchError, UsageError
from isogloss.kernel.counted_corpus import NAME_COLUMN
from isogloss.runs.evidence import ResamplingMethod
from isogloss.runs.run import Run
from isogloss.tasks.counted_system import CountedSystem, PartError, merge_systems
from isogloss.tasks.document_columns import NO_VALUE
from isogloss.tasks.registry import get_task
from isogloss.tasks.scoring import parse_call
from isogloss.tasks.scoring_options import ScoringOptions, build_resampling
from isogloss.tasks.task import Task
from isogloss.text.natural_order import to_natural_key

PartialLike = Partial | str | os.PathLike[str]
MAX_NAMED = 5  # missing parts that an error names


def count(task: str, *data: Any, **options: Any) -> Partial:
    """Count a part of a corpus.

    Args:
        task: name of the task, such as `ner`.
        data: positional arguments of the task's own call: reference and prediction, or texts.
        options: options of the task, and `by`, `confidence`, `resamples`, `unit`, `interval`, `seed`, `findings`,
            `context`, `system`; `keep_documents=True` keeps single documents for comparisons and the store.

    Returns:
        The partial: `save` writes it, `isogloss.merge` scores it with the others.

    Raises:
        UsageError: if the task or an option is unknown, a value is not allowed, or the option needs the whole corpus.
        DataError: if the input cannot be counted.

    Examples:
        >>> parts = [count("ner", [["B-PER"]], [[tag]], scheme="iob2") for tag in ("B-PER", "O")]
        >>> merge(parts).scores["strict"].recall
        0.5
    """
    found = get_task(task)
    keep_documents = bool(options.pop("keep_documents", False))
    names = [each.name for each in (found.reference, found.prediction) if each is not None]
    call = parse_call(found, dict(zip(names, data, strict=False)) | options)
    scoring = replace(call.scoring_options, keep_documents=keep_documents or call.scoring_options.keep_documents)
    partial = count_part(found, call.reference, [call.prediction], call.options, scoring)
    if call.system is None:
        return partial
    return replace(partial, systems=(replace(partial.systems[0], system=call.system),))


def count_part(
    task: Task, reference: Any, predictions: Sequence[Any], options: Any, scoring_options: ScoringOptions
) -> Partial:
    """Count all systems on a part of a corpus.

    Args:
        task: the task.
        reference: the reference of the part.
        predictions: the prediction of each system for the part.
        options: options of the task.
        scoring_options: options of all tasks.

    Raises:
        UsageError: if the task cannot count parts, or an option needs the whole corpus.
        DataError: if the input cannot be counted.
    """
    scoring_options = _prepare_options(task, scoring_options)
    systems = task.open_systems(reference, predictions, options, scoring_options)
    return count_systems(task, systems, options, scoring_options)


def count_systems(task: Task, systems: Iterable[Any], options: Any, scoring_options: ScoringOptions) -> Partial:
    """Count opened systems on a part of a corpus.

    Other arguments and errors are those of `count_part`.

    Args:
        task: the task.
        systems: the opened systems.
        options: options of the task.
        scoring_options: options of all tasks.
    """
    scoring_options = _prepare_options(task, scoring_options)
    counted = tuple(replace(task.count(system, options, scoring_options), of_input={}) for system in systems)
    return Partial(task.name, task.definition.version, counted, scoring_options)


def _prepare_options(task: Task, scoring_options: ScoringOptions) -> ScoringOptions:
    """Return options for a part, which keeps what merging needs."""
    kept = () if task.ids_within is None else (task.ids_within,)
    return replace(scoring_options, for_partial=True, kept_columns=kept)


def merge(
    partials: Iterable[PartialLike],
    *,
    confidence: float | None = None,
    resamples: int = 1000,
    seed: int = 12345,
    interval: ResamplingMethod = "auto",
    manifest: Sequence[str] | str | os.PathLike[str] | None = None,
) -> Run:
    """Score the merged parts of a corpus.

    Args:
        partials: partials, or their files.
        confidence: level of the intervals in (0, 1); None for the intervals that the parts were counted with.
        resamples: number of bootstrap resamples, 1 or more.
        seed: seed of the resamples, 0 or more.
        interval: method of the intervals: `auto`, `bootstrap` or `wilson`.
        manifest: the reference files that must be there, or a file that lists them, one a line; None to check only
            partials that know how many there are.

    Returns:
        The run, as of scoring all files at once.

    Raises:
        UsageError: if there is no partial, or partials have several systems: `merge_runs` merges these.
        DataError: if a partial is damaged, twice there, missing, or does not fit the others.
    """
    resampling = None if confidence is None else build_resampling(confidence, resamples, seed, interval)
    loaded = load_partials(partials)
    if resampling is not None:
        loaded = [
            replace(each, scoring_options=replace(each.scoring_options, resampling=resampling)) for each in loaded
        ]
    runs = merge_runs(loaded, read_manifest(manifest))
    if len(runs) > 1:
        raise UsageError(f"The partials have {len(runs)} systems: use isogloss.distributed.counting.merge_runs.")
    return runs[0]


def read_manifest(manifest: Sequence[str] | str | os.PathLike[str] | None) -> Sequence[str]:
    """Return the files that a manifest lists.

    Args:
        manifest: the files, or a file with one of them in each line; None for none.

    Raises:
        DataError: if the file cannot be read.
    """
    if manifest is None:
        return ()
    if not isinstance(manifest, str | os.PathLike):
        return [str(each) for each in manifest]
    path = Path(manifest)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DataError(f"cannot be read: {error}", where=str(path), remedy="Write one file in each line.") from error
    return [line.strip() for line in text.splitlines() if line.strip()]


def load_partials(partials: Iterable[PartialLike]) -> list[Partial]:
    """Load partials, in the order of the corpus.

    Args:
        partials: partials, or their files.

    Raises:
        UsageError: if there is none.
        DataError: if one cannot be read.
    """
    given = [each if isinstance(each, Partial) else Partial.load(each) for each in partials]
    if not given:
        raise UsageError("There is no partial to merge: name the files that isogloss count has written.")
    if all(each.part is not None for each in given):
        return sorted(given, key=lambda each: each.part or (0, 0))
    if all(_find_first_file(each) for each in given):
        return sorted(given, key=lambda each: (to_natural_key(_find_first_file(each)), each.ranges))
    return given


def _find_first_file(partial: Partial) -> str:
    files = partial.systems[0].files
    return files[0].shards[0][0] if files and files[0].shards else ""


def merge_runs(partials: Sequence[Partial], manifest: Sequence[str] = ()) -> list[Run]:
    """Score the merged parts of a corpus, one run per system.

    Args:
        partials: the partials, in the order of the corpus; at least one.
        manifest: reference files that must be there.

    Raises:
        DataError: if a partial is twice there, missing, or does not fit the others.
    """
    task = get_task(partials[0].task)
    merged = merge_partials(partials, manifest)
    scoring_options = replace(merged.scoring_options, for_partial=False)
    return [task.finish(_complete(system, scoring_options), scoring_options) for system in merged.systems]


def merge_partials(partials: Sequence[Partial], manifest: Sequence[str] = ()) -> Partial:
    """Merge the parts of a corpus to one partial.

    Arguments and errors are those of `merge_runs`.
    """
    task = get_task(partials[0].task)
    check_partials(task, partials, manifest)
    one_file = any(partial.ranges for partial in partials)
    limit, documents = partials[0].scoring_options.findings, partials[0].scoring_options.finding_documents
    systems = []
    for column in zip(*(partial.systems for partial in partials), strict=True):
        try:
            systems.append(_merge_column(task, column, (limit, documents), one_file=one_file))
        except PartError as error:
            raise PartError(
                error.message, part=error.part, remedy=error.remedy, where=partials[error.part].name
            ) from error
    return replace(partials[0], systems=tuple(systems), part=None, ranges=())


def _merge_column(
    task: Task, parts: Sequence[CountedSystem], limits: tuple[int | None, int | None], *, one_file: bool
) -> CountedSystem:
    whole = merge_systems(parts, limits, one_file=one_file)
    if len(parts) > 1 and task.merge is not None:
        whole = task.merge(parts, whole)
    _check_ids(whole, task.ids_within)
    return whole


def _complete(system: CountedSystem, options: ScoringOptions) -> CountedSystem:
    """Add what is known only when all documents are there."""
    corpus = system.corpus
    if corpus is None:
        return system
    if not corpus.tally.documents:
        raise DataError("There is no document to score.", remedy="Check that the files are the ones you mean.")
    kept = corpus.kept_documents
    attributes = {} if kept is None else kept.attributes
    for column in options.needed_columns:
        if column in attributes and {*attributes[column].values} <= {NO_VALUE}:
            raise UsageError(f"No document has a value in the column {column!r}. Name another column.")
    if kept is not None:  # without the columns that only merging needed
        extra = {*options.kept_columns}.difference(options.needed_columns)
        kept = replace(kept, attributes={name: own for name, own in attributes.items() if name not in extra})
    warnings = (*corpus.warnings, *options.find_warnings())
    return replace(system, corpus=replace(corpus, warnings=warnings, kept_documents=kept))


def _check_ids(system: CountedSystem, within: str | None) -> None:
    """Check that no id is twice there, if documents were kept.

    Args:
        system: the merged parts.
        within: column within whose values ids are unique; None if they are unique in the corpus.
    """
    kept = None if system.corpus is None else system.corpus.kept_documents
    if kept is None or NAME_COLUMN not in kept.attributes:
        return
    column = kept.attributes.get(within) if within is not None else None
    values = repeat(None) if column is None else column.look_up(kept.documents).tolist()
    names = list(zip(chain.from_iterable(names for _, names in kept.iterate_names()), values, strict=False))
    if len({*names}) < len(names):
        name = next(name for (name, _), number in Counter(names).items() if number > 1)
        raise DataError(
            f"the id {name!r} occurs in two parts",
            where=system.system,
            remedy="Give each document of the corpus an id of its own.",
        )


@dataclass(frozen=True)
class _Facet:
    """What all partials must agree about.

    Args:
        title: what it is.
        values: (partials,) its value in each.
        remedy: what to do about a difference.
    """

    title: str
    values: Sequence[Any]
    remedy: str

    def check(self, partials: Sequence[Partial]) -> None:
        """Check that all partials agree with the first."""
        for partial, value in zip(partials, self.values, strict=True):
            if value != self.values[0]:
                raise MismatchError(
                    f"has another {self.title} than {partials[0].name}",
                    where=partial.name,
                    detail=f"{partials[0].name}: {self.values[0]}\n{partial.name}: {value}",
                    remedy=self.remedy,
                )


AGAIN = "Count all parts with the same options."
NAMED = f"{AGAIN} Name what isogloss detects, such as --scheme and --input-format."


def check_partials(task: Task, partials: Sequence[Partial], manifest: Sequence[str] = ()) -> None:
    """Check that partials are the parts of one corpus, counted alike.

    Args:
        task: the task of the first partial.
        partials: the partials.
        manifest: reference files that must be there.

    Raises:
        DataError: if they do not fit; the message names the files.
    """
    _Facet("task", [each.task for each in partials], "Merge the partials of one task.").check(partials)
    definitions = [each.definition for each in partials]
    upgrade = "Count all parts with one version of isogloss."
    _Facet("version of the definition of the scores", definitions, upgrade).check(partials)
    if definitions[0] != task.definition.version:
        raise MismatchError(
            f"was counted with definition {definitions[0]} of {task.name}, but this isogloss has definition "
            f"{task.definition.version}",
            where=partials[0].name,
            remedy="Count all parts with one version of isogloss.",
        )
    _Facet("number of systems", [len(each.systems) for each in partials], AGAIN).check(partials)
    _Facet("signature", [_list_signatures(each) for each in partials], NAMED).check(partials)
    _Facet("unit, slices or findings", [_list_requests(each) for each in partials], AGAIN).check(partials)
    _check_twice(partials)
    _check_missing(partials, manifest)


def _list_signatures(partial: Partial) -> list[str]:
    intervals = partial.scoring_options.list_choices()
    return [
        "|".join(f"{name}:{value}" for name, value in {**system.choices, **intervals}.items())
        for system in partial.systems
    ]


def _list_requests(partial: Partial) -> Mapping[str, Any]:
    options = partial.scoring_options
    return {
        "by": list(options.by),
        "unit": options.unit,
        "errors": options.findings,
        "context": options.context,
        "documents": options.keep_documents,
    }


def _check_twice(partials: Sequence[Partial]) -> None:
    """Check that no part is there twice.

    Parts are equal by number, or by ranges, names and contents of their files.
    """
    seen: dict[Any, Partial] = {}
    for partial in partials:
        files = tuple(
            (file.role, PurePath(path).name, digest)
            for system in partial.systems
            for file in system.files
            for path, digest in file.shards
        )
        identity = (files, partial.ranges) if files else id(partial)
        numbered = ("part", partial.part) if partial.part is not None else identity
        first = seen.setdefault(numbered, partial)
        first = seen.setdefault(identity, partial) if first is partial else first
        if first is not partial:
            raise MismatchError(
                f"has the same part of the corpus as {first.name}",
                where=partial.name,
                remedy="Merge one of them only.",
            )


def _check_missing(partials: Sequence[Partial], manifest: Sequence[str]) -> None:
    """Check that all parts are there."""
    totals = {each.part[1] for each in partials if each.part is not None}
    if totals and (len(totals) > 1 or any(each.part is None for each in partials)):
        _Facet("number of parts", [each.part and each.part[1] for each in partials], AGAIN).check(partials)
    for total in totals:
        missing = sorted({*range(1, total + 1)} - {each.part[0] for each in partials if each.part is not None})
        if missing:
            raise MismatchError(
                f"{len(missing)} of {total} parts are missing: {_shorten([f'{k}/{total}' for k in missing])}",
                where=partials[0].name,
                remedy=f"Count them: isogloss count {partials[0].task} ... --part {missing[0]}/{total}",
            )
    if manifest:
        known = {PurePath(path).name for path in _list_reference_files(partials)}
        absent = [file for file in manifest if PurePath(file).name not in known]
        if absent:
            raise MismatchError(
                f"{len(absent)} of {len(manifest)} files of the manifest are in no partial: {_shorten(absent)}",
                where=partials[0].name,
                remedy=f"Count them: isogloss count {partials[0].task} {absent[0]} ...",
            )


def _list_reference_files(partials: Sequence[Partial]) -> Iterable[str]:
    files = chain.from_iterable(partial.systems[0].files for partial in partials)
    return (path for file in files if file.role in {"reference", "texts"} for path, _ in file.shards)


def _shorten(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
