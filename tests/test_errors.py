from __future__ import annotations

import copy
import inspect
import json
import pickle
import re

import pytest

from isogloss import errors
from isogloss.errors import (
    DataError,
    FormatError,
    IsoglossError,
    MismatchError,
    MissingExtraError,
    MissingModelError,
    SourceError,
    StoreError,
    TagError,
    UsageError,
    import_extra,
)


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (IsoglossError, 70),
        (UsageError, 2),
        (DataError, 3),
        (SourceError, 3),
        (FormatError, 3),
        (TagError, 3),
        (MismatchError, 3),
        (StoreError, 3),
        (MissingExtraError, 4),
        (MissingModelError, 4),
    ],
)
def test_each_kind_of_error_has_its_exit_code(kind: type[IsoglossError], code: int) -> None:
    assert kind.exit_code == code


def test_every_error_is_in_the_tree_that_is_drawn() -> None:
    names = {name for name, value in vars(errors).items() if isinstance(value, type) and name.endswith("Error")}
    assert all(issubclass(getattr(errors, name), IsoglossError) for name in names)
    assert {name for name in names if name in (errors.__doc__ or "")} == names


def test_a_data_error_reads_as_place_message_detail_and_remedy() -> None:
    error = DataError("2 tokens, not 3.", where="pred.conll:7", detail="a b\na b c", remedy="Align the files.")
    assert str(error) == "pred.conll:7: 2 tokens, not 3.\na b\na b c\nAlign the files."


def test_what_a_data_error_does_not_know_is_left_out() -> None:
    assert str(DataError("There is no document.")) == "There is no document."


def test_a_missing_extra_says_how_to_install_it() -> None:
    error = MissingExtraError("A data frame", "isogloss[pandas]")
    assert str(error).endswith("Run: pip install 'isogloss[pandas]'")


@pytest.mark.parametrize(
    "error",
    [
        UsageError("no such name"),
        TagError("Q-PER is no tag.", where="a.conll:3", detail="Q-PER", remedy="Name the scheme."),
        MissingExtraError("A data frame", "isogloss[pandas]"),
    ],
)
def test_errors_survive_the_way_between_processes(error: IsoglossError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(twin), str(twin), vars(twin)) == (type(error), str(error), vars(error))


def test_import_extra_imports_an_installed_module() -> None:
    assert import_extra("json", "reading JSON", "json") is json


def test_import_extra_names_the_command_if_a_package_is_missing() -> None:
    with pytest.raises(MissingExtraError, match=r"^reading a\.x needs .* Run: pip install 'isogloss\[x\]'$"):
        import_extra("isogloss_of_nobody", "reading a.x", "x")


def test_the_tree_of_exceptions_holds_every_exception_under_its_base() -> None:
    lines = re.findall(r"^ *([│├└─ ]*)(\w+Error)\b", (errors.__doc__ or "").split("\n\n")[1], re.MULTILINE)
    drawn: dict[str, str] = {}
    path: list[str] = []
    for branches, name in lines:
        depth = len(branches) // 4
        path[depth:] = [name]
        drawn[name] = path[depth - 1] if depth else "Exception"
    defined = {name: kind for name, kind in vars(errors).items() if inspect.isclass(kind) and "Error" in name}
    assert drawn == {name: kind.__mro__[1].__name__ for name, kind in defined.items()}
