"""By which names the service may be called, so that no page of another site can make a browser call it.

A page can make a browser call this machine by any name whose address it controls (DNS rebinding), but not by another
name: so a name is refused that the service does not know. An address cannot be forged like that.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

from isogloss.service.problems import Problem, RefusedError
from isogloss.service.settings import Settings

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
ANY = "*"


@dataclass(frozen=True)
class Names:
    """The names that are known.

    Args:
        hosts: names and addresses.
        addresses: whether any address will do, because all are bound.
    """

    hosts: frozenset[str]
    addresses: bool = False

    @classmethod
    def of(cls, settings: Settings) -> Names:
        """The names that follow from what is bound, and those that were named."""
        named = {name.lower() for name in settings.allowed_hosts}
        everywhere = settings.host == "" or (settings.address is not None and settings.address.is_unspecified)
        return cls(LOCAL | named | {settings.host.lower()}, everywhere)

    def check(self, host: str | None, origin: str | None) -> None:
        """Refuse calls by other names, and of pages of other origins.

        Args:
            host: the header Host.
            origin: the header Origin, which browsers send.

        Raises:
            RefusedError: for these.
        """
        if host is None or not self._knows(hostname(host)):
            raise RefusedError(Problem("host-refused", "The Host header names another service.", REMEDY))
        if origin is None:
            return
        authority = urlsplit(origin).netloc if "://" in origin else ""
        same = authority.lower() == host.lower()
        if not same and (not authority or hostname(authority) not in self.hosts - LOCAL):
            raise RefusedError(Problem("origin-refused", "The Origin header names another site.", REMEDY))

    def _knows(self, name: str) -> bool:
        return name in self.hosts or ANY in self.hosts or (self.addresses and _is_address(name))


REMEDY = "Call it by the address that it binds, or start it with --allow-host and the name."


def hostname(authority: str) -> str:
    """The name of `name:port`, in lower case; empty where that is none."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0].lower()
    name, colon, port = authority.partition(":")
    return "" if colon and not port.isdigit() else name.rstrip(".").lower()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
