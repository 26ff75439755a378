from __future__ import annotations

import pytest

from isogloss.errors import UsageError
from isogloss.service.settings import ModelSettings, ServiceLimits, ServiceSettings


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "example.org", ""])
def test_an_address_that_others_reach_needs_a_token(host: str) -> None:
    with pytest.raises(UsageError, match="--token-file"):
        ServiceSettings(host=host)
    assert ServiceSettings(host=host, token="secret").host == host


def test_it_can_be_bound_without_a_token_only_by_saying_so() -> None:
    assert ServiceSettings(host="0.0.0.0", insecure=True).token is None


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_an_address_of_this_machine_alone_needs_none(host: str) -> None:
    assert ServiceSettings(host=host).is_local


@pytest.mark.parametrize("token", ["", "naïve", "two\nlines"])
def test_a_token_that_no_header_can_hold_is_refused(token: str) -> None:
    with pytest.raises(UsageError, match="The token"):
        ServiceSettings(token=token)


def test_a_token_is_not_shown() -> None:
    assert "hush" not in repr(ServiceSettings(token="hush"))


def test_limits_below_one_are_refused() -> None:
    with pytest.raises(UsageError, match="limit of queue must be 1 or more, got 0"):
        ServiceLimits(queue=0)
    with pytest.raises(UsageError, match="limit of grace seconds must be 0 or more, got nan"):
        ServiceLimits(grace_seconds=float("nan"))
    with pytest.raises(UsageError, match="--workers must be 1 or more"):
        ServiceSettings(workers=0)


def test_models_are_loaded_apart_only_where_there_are_some() -> None:
    assert not ModelSettings().has_models
    assert ModelSettings(recognisers=("names:list.txt",)).has_models
    assert ModelSettings(splitter="stanza:uk").has_models
