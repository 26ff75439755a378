from __future__ import annotations

import pytest

from isogloss.errors import UsageError
from isogloss.service.settings import Limits, Models, Settings


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org", ""])
def test_an_address_that_others_reach_needs_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="--token-file"):
        Settings(host=host)
    assert Settings(host=host, token="secret").host == host


def test_it_can_be_bound_without_a_token_only_by_saying_so() -> None:
    assert Settings(host="0.0.0.0", insecure=True).token is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_an_address_of_this_machine_alone_needs_none(host: str) -> None:
    assert Settings(host=host).is_local


@pytest.mark.parametrize("token", ["", "naïve", "two\nlines"])
def test_a_token_that_no_header_can_hold_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="The token"):
        Settings(token=token)


def test_a_token_is_not_shown() -> None:
    assert "hush" not in repr(Settings(token="hush"))


def test_limits_below_one_are_refused() -> None:
    with pytest.raises(UsageError, match="limit of queue is 0"):
        Limits(queue=0)
    with pytest.raises(UsageError, match="grace seconds are nan"):
        Limits(grace_seconds=float("nan"))
    with pytest.raises(UsageError, match="0 workers"):
        Settings(workers=0)


def test_models_are_loaded_apart_only_where_there_are_some() -> None:
    assert not Models().heavy
    assert Models(recognisers=("names:list.txt",)).heavy
    assert Models(splitter="stanza:uk").heavy
