from __future__ import annotations

import pytest

from isogloss.service.middleware import AllowedHosts, parse_hostname
from isogloss.service.problems import RefusedError
from isogloss.service.settings import ServiceSettings

LOCAL = ServiceSettings()
EVERYWHERE = ServiceSettings(host="0.0.0.0", insecure=True, allowed_hosts=("Isogloss.example",))


@pytest.mark.parametrize("host", ["127.0.0.1:8008", "localhost:9999", "LOCALHOST", "localhost.:8008", "[::1]:8008"])
def test_the_service_is_called_by_the_names_of_this_machine(host: str) -> None:
    AllowedHosts(LOCAL).check_request(host, None)


@pytest.mark.parametrize("host", [None, "", "evil.example", "evil.example:8008", "127.0.0.1.evil.example", "192.0.2.7"])
def test_another_name_is_refused(host: str | None) -> None:
    with pytest.raises(RefusedError) as refused:
        AllowedHosts(LOCAL).check_request(host, None)
    assert refused.value.problem.kind == "host-refused"


@pytest.mark.parametrize("host", ["192.0.2.7:8008", "[2001:db8::7]", "isogloss.example:80", "localhost"])
def test_with_all_addresses_bound_any_address_is_allowed(host: str) -> None:
    AllowedHosts(EVERYWHERE).check_request(host, None)
    with pytest.raises(RefusedError):
        AllowedHosts(EVERYWHERE).check_request("evil.example", None)


def test_a_star_allows_any_name() -> None:
    AllowedHosts(ServiceSettings(allowed_hosts=("*",))).check_request("whatever.example", None)


@pytest.mark.parametrize("origin", [None, "http://localhost:8008", "https://LocalHost:8008"])
def test_a_page_of_the_service_itself_may_call_it(origin: str | None) -> None:
    AllowedHosts(LOCAL).check_request("localhost:8008", origin)


@pytest.mark.parametrize(
    "origin",
    ["null", "", "http://evil.example", "http://localhost:3000", "http://localhost", "localhost:8008"],
)
def test_pages_of_other_origins_are_refused(origin: str) -> None:
    with pytest.raises(RefusedError) as refused:
        AllowedHosts(LOCAL).check_request("localhost:8008", origin)
    assert refused.value.problem.kind == "origin-refused"


def test_a_page_of_a_name_that_was_named_may() -> None:
    AllowedHosts(EVERYWHERE).check_request("192.0.2.7:8008", "https://isogloss.example")


@pytest.mark.parametrize(
    ("authority", "name"),
    [("a.example:80", "a.example"), ("[::1]:80", "::1"), ("a:b", ""), ("a:80:80", ""), ("user@host", "user@host")],
)
def test_the_name_is_what_stands_before_the_port(authority: str, name: str) -> None:
    assert parse_hostname(authority) == name
