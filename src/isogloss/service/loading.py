"""What a process does before its first job: import, and load models."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from isogloss.service.batching import Batched
from isogloss.service.settings import Models
from isogloss.service.tasks import TASKS
from isogloss.service.work import Worker

if TYPE_CHECKING:
    from isogloss.providers import Guarded

WARM = tuple(f"isogloss.evaluate.{task.call}" for task in TASKS.values())


def scorer(models: Models) -> Worker:
    """A worker without models.

    Args:
        models: what was asked for; none of it is loaded.

    Raises:
        UsageError: `/calculate/` could not be answered by this worker, which has to where there are no models.
    """
    for module in WARM:
        import_module(module)
    worker = Worker(models)
    if not models.heavy:
        worker.figures([])
    return worker


def annotator(models: Models) -> Worker:
    """A worker with models.

    Args:
        models: what to load.

    Raises:
        UsageError: there is no such kind of model, or `/calculate/` could not be answered.
        MissingExtraError: a package is missing.
        MissingModelError: a model is.
    """
    from isogloss import providers  # noqa: PLC0415  only services with models need it

    how: dict[str, Any] = {"language": models.language, "download": models.download}
    recognisers = {spec: _loaded(providers.recogniser(spec, **how)) for spec in models.recognisers}
    cutters: dict[str, Any] = {}
    if models.splitter:
        cutters["splitter"] = _loaded(providers.splitter(models.splitter, **how))
    if models.tokenizer:
        cutters["tokenizer"] = _loaded(providers.tokenizer(models.tokenizer, **how))
    for module in WARM:
        import_module(module)
    worker = Worker(models, recognisers, cutters)
    worker.figures([])
    return worker


def _loaded(provider: Guarded) -> Batched:
    provider.load()
    return Batched(provider)
