"""The registry of tasks.

A package adds a task by an entry point in `isogloss.tasks`, a program by `register_task`.
"""

from __future__ import annotations

from isogloss.kernel.registry import Registry
from isogloss.tasks.task import Task

TASKS = Registry(
    kind="task",
    group="isogloss.tasks",
    builtin={
        "ner": "isogloss.tasks.ner.task:TASK",
        "segmentation": "isogloss.tasks.segmentation.task:TASK",
        "entity-translation": "isogloss.tasks.entity_translation.task:TASK",
        "code-switching": "isogloss.tasks.code_switching.task:TASK",
        "classification": "isogloss.tasks.classification.task:TASK",
        "code-mixing": "isogloss.tasks.code_mixing.task:TASK",
    },
)


def list_task_names() -> tuple[str, ...]:
    """Return the names of all tasks.

    Built-in tasks come first, in the order of the docs, then added ones.
    """
    return tuple(dict.fromkeys((*TASKS.builtin, *TASKS.list_names())))


def has_task(name: str) -> bool:
    """Check whether a task has this name.

    For a built-in task this is quicker than listing the names.
    """
    return TASKS.has(name)


def get_task(name: str) -> Task:
    """Return the task of this name.

    Args:
        name: name of the task, such as `ner`.

    Raises:
        UsageError: if no task has this name; the message suggests the closest names.
    """
    task: Task = TASKS.load(name)
    return task


def register_task(task: Task) -> None:
    """Add a task to this process.

    From then on, its command, route, tables and reports work.
    """
    TASKS.register(task.name, task)
