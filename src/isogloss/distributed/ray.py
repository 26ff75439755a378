"""Count the parts of a corpus on a cluster of Ray.

This needs the extra `ray`. Numbers of parts go through `ray.data`; each task reads its part with the readers of
isogloss and writes a partial to a folder that all nodes share. If a node is lost, Ray calls its tasks again on another.
Tasks with models run in actors, which load them once and have a GPU each if the cluster has any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.distributed.jobs import Corpus, Report, score_in_parts
from isogloss.errors import DataError, IsoglossError, import_extra
from isogloss.runs.run import Run

MODEL_OPTIONS = ("recognisers", "identifier")
ITEM, RESULT, ERROR = "item", "result", "error"  # columns of rows


def score_with_ray(
    corpus: Corpus, folder: str, address: str | None = None, report: Report | None = None, size: int | None = None
) -> list[Run]:
    """Score the systems of a corpus on a cluster.

    Args:
        corpus: the corpus; all nodes must find its files by their paths.
        folder: an existing folder for the partials that all nodes share.
        address: address of the cluster; None for the one that is connected, or else for this machine.
        report: takes the bytes that are counted, and all bytes.
        size: approximate bytes of a part; None for the default.

    Returns:
        One run per system, without a way to read the documents again.

    Raises:
        MissingExtraError: if Ray is not installed.
        CannotDivideError: if the corpus cannot be divided, or its parts cannot be merged to the same result.
        DataError: if the cluster cannot be reached, or a part cannot be counted.
    """
    ray = import_extra("ray", "--engine ray", "ray")
    if not ray.is_initialized():
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # Ray raises plain exceptions too
            raise DataError(
                f"the Ray cluster cannot be reached: {error}",
                where=address,
                remedy="Start one with `ray start --head`, or leave out --address to use this machine.",
            ) from error
    keeps_models = any(getattr(corpus.options, name, None) for name in MODEL_OPTIONS)
    return score_in_parts(corpus, RayEngine(keeps_models=keeps_models), folder, report, size)


@dataclass(frozen=True)
class RayEngine:
    """Calls functions on the nodes of a cluster.

    Args:
        keeps_models: whether calls run in actors, because they load models.
    """

    keeps_models: bool = False

    def map(
        self,
        function: Callable[..., Any],
        items: Sequence[tuple[Any, ...]],
        name: Callable[[int], str] = str,  # noqa: ARG002  Ray does not say which item was lost
    ) -> Iterator[tuple[int, Any]]:
        """Call a function with each of the arguments, as `Engine` says."""
        if not items:
            return
        ray, data = import_extra("ray", "--engine ray", "ray"), import_extra("ray.data", "--engine ray", "ray")
        data.DataContext.get_current().enable_progress_bars = False
        rows = data.from_items([{ITEM: k} for k in range(len(items))], override_num_blocks=len(items))
        shared = ray.put((function, list(items)))
        if self.keeps_models:
            resources = ray.cluster_resources()
            gpus = int(resources.get("GPU", 0))
            actors = data.ActorPoolStrategy(size=max(1, gpus or int(resources.get("CPU", 1))))
            gpu = 1 if gpus else None
            found = rows.map(CallInActor, fn_constructor_args=(shared,), compute=actors, num_gpus=gpu)
        else:
            found = rows.map(call, fn_args=(shared,))
        try:
            for row in found.iter_rows():
                if row[ERROR] is not None:
                    raise row[ERROR]
                yield int(row[ITEM]), row[RESULT]
        except ray.exceptions.RayError as error:
            raise DataError(
                f"a part was lost with its node, and again when it was tried again: {error}",
                remedy="Look for a lack of memory on the nodes. The folder of --resume keeps what is counted.",
            ) from error


def call(row: dict[str, Any], shared: Any) -> dict[str, Any]:
    """Call the shared function with the arguments of a row."""
    ray = import_extra("ray", "--engine ray", "ray")
    function, items = ray.get(shared) if isinstance(shared, ray.ObjectRef) else shared
    try:
        return {ITEM: row[ITEM], RESULT: function(*items[row[ITEM]]), ERROR: None}
    except IsoglossError as error:
        return {ITEM: row[ITEM], RESULT: None, ERROR: error}


class CallInActor:
    """Calls the shared function in a process that stays.

    Args:
        shared: reference to function and arguments.
    """

    def __init__(self, shared: Any) -> None:
        self._shared = shared

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Call the function with the arguments of a row."""
        return call(row, self._shared)
