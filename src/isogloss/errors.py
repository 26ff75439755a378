"""Everything isogloss raises on purpose, as one tree.

    IsoglossError
    ├── UsageError              the call or the options are wrong (exit code 2)
    ├── DataError               the input cannot be scored (3); the message says where, what, and what to do
    │   ├── SourceError         a file is missing, a folder, unreadable or not text
    │   ├── FormatError         a line cannot be read in its format
    │   ├── TagError            a tag does not belong to the tag scheme
    │   ├── MismatchError       reference and prediction do not belong together
    │   ├── ServiceError        the service cannot be reached, or does not serve the request
    │   └── StoreError          the run store cannot be opened, read or written, or does not have the run
    ├── MissingExtraError       an optional package is not installed (4); the message has the install command
    └── MissingModelError       a model is not on this machine (4); the message has the command that gets it

Any other exception is a bug in isogloss (exit code 70).
"""

from __future__ import annotations

from functools import partial
from importlib import import_module
from typing import Any, ClassVar


class IsoglossError(Exception):
    """Base of all errors that isogloss raises on purpose."""

    exit_code: ClassVar[int] = 70


class UsageError(IsoglossError):
    """Invalid call or options."""

    exit_code = 2


class DataError(IsoglossError):
    """Input that cannot be scored.

    Args:
        message: what is wrong, in one sentence, with the numbers that show it.
        where: file and line (`pred.conll:42`), or place in a Python argument (`prediction[3][5]`).
        detail: further lines, such as both sides at the first difference.
        remedy: what to do about it.
    """

    exit_code = 3

    def __init__(self, message: str, *, where: str | None = None, detail: str = "", remedy: str = "") -> None:
        super().__init__(message, where, detail, remedy)
        self.message = message
        self.where = where
        self.detail = detail
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """Rebuild the error from its arguments in another process.

        Pickle calls this when the error is sent there.
        """
        return partial(type(self), where=self.where, detail=self.detail, remedy=self.remedy), (self.message,)

    def __str__(self) -> str:
        place = f"{self.where}: ".replace("\n", "␊") if self.where else ""
        return "\n".join(part for part in (place + self.message, self.detail, self.remedy) if part)


class SourceError(DataError):
    """File that is missing, a folder, unreadable or not text."""


class FormatError(DataError):
    """Line that cannot be read in its format."""


class TagError(DataError):
    """Tag that does not belong to the tag scheme."""


class MismatchError(DataError):
    """Reference and prediction that do not belong together."""


class ServiceError(DataError):
    """HTTP service that cannot be reached, or does not serve the request."""


class StoreError(DataError):
    """Run store that cannot be used, or lacks the run."""


class MissingExtraError(IsoglossError):
    """Optional package that is not installed.

    Args:
        feature: the feature that needs the package, as the subject of a sentence.
        install: packages to install, as pip takes them.
    """

    exit_code = 4

    def __init__(self, feature: str, install: str) -> None:
        super().__init__(feature, install)
        self.feature = feature
        self.install = install

    def __str__(self) -> str:
        return f"{self.feature} needs a package that is not installed. Run: pip install '{self.install}'"


class MissingModelError(IsoglossError):
    """Model that is not on this machine and may not be downloaded.

    Args:
        message: which model is missing, and where isogloss looked for it.
        command: command or action that gets the model.
    """

    exit_code = 4

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message, command)
        self.message = message
        self.command = command

    def __str__(self) -> str:
        return f"{self.message}. Run: {self.command}"


def import_extra(module: str, purpose: str, extra: str) -> Any:
    """Import an optional package.

    Args:
        module: its dotted name.
        purpose: what needs it, as the subject of a sentence ("reading a.parquet").
        extra: the extra of isogloss that installs it.

    Raises:
        MissingExtraError: if the package is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingExtraError(purpose, f"isogloss[{extra}]") from error
