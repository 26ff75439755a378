"""The settings of the service, checked when built. A new option of `isogloss serve` begins here."""

from __future__ import annotations

import ipaddress
import os
from dataclasses import dataclass, field

from isogloss.errors import UsageError

MEGABYTE = 1_000_000
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse_address(host: str) -> Address | None:
    """Parse an IP address; None if it is not an address."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


@dataclass(frozen=True)
class ModelSettings:
    """The models that the service loads once and uses for many requests.

    Args:
        language: of texts whose request names no other.
        profile: the definition that routes for clients of other tools use.
        recognisers: of names, as `--recogniser` takes them.
        splitter: of texts into sentences; None for the default.
        tokenizer: of sentences into tokens; None for the default.
        download: whether models that are not on this machine may be downloaded.
    """

    language: str = "uk"  # as the original of `--profile pnacos` serves
    profile: str = "pnacos"
    recognisers: tuple[str, ...] = ()
    splitter: str | None = None
    tokenizer: str | None = None
    download: bool = False

    @property
    def has_models(self) -> bool:
        """Whether there is a model, which is loaded once and shared by the requests that need it."""
        return bool(self.recognisers or self.splitter or self.tokenizer)


@dataclass(frozen=True)
class ServiceLimits:
    """What a request may cost, and how many wait.

    Args:
        body: bytes of a body.
        documents: documents of a body.
        queue: requests that are read, wait or are worked on at a time, for scoring and for models each.
        of_client: how many of them a single address may have; None for all.
        body_seconds: for a body to arrive.
        work_seconds: for a request to be scored, once its turn has come.
        grace_seconds: for requests to end when the service is told to stop.

    Raises:
        UsageError: if a limit is too small.
    """

    body: int = 10 * MEGABYTE
    documents: int = 200_000
    queue: int = 1024
    of_client: int | None = None
    body_seconds: float = 30.0
    work_seconds: float = 600.0
    grace_seconds: float = 30.0

    def __post_init__(self) -> None:
        for name in ("body", "documents", "queue", "of_client"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"The limit of {name.replace('_', ' ')} must be 1 or more, got {value}.")
        for name in ("body_seconds", "work_seconds", "grace_seconds"):
            if not getattr(self, name) >= 0:
                raise UsageError(f"The limit of {name.replace('_', ' ')} must be 0 or more, got {getattr(self, name)}.")

    @property
    def max_held_bytes(self) -> int:
        """Bytes of bodies that are held at a time, for scoring and for models each."""
        return 16 * self.body


@dataclass(frozen=True)
class ServiceSettings:
    """How the service runs.

    Args:
        host: the address that it binds.
        port: the port; 0 for any that is free.
        models: the models that it loads.
        limits: what a request may cost.
        token: the token that clients must send; None for no token.
        insecure: whether an address that others reach may be bound without a token.
        allowed_hosts: further names by which clients may call it; `*` for any.
        workers: processes that score.
        quiet: whether requests are not logged.

    Raises:
        UsageError: if a value is not allowed, or the service would be open to others.
    """

    host: str = "127.0.0.1"
    port: int = 8008
    models: ModelSettings = field(default_factory=ModelSettings)
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    token: str | None = field(default=None, repr=False)
    insecure: bool = False
    allowed_hosts: tuple[str, ...] = ()
    workers: int = field(default_factory=lambda: max(1, min(4, (os.cpu_count() or 1) - 1)))
    quiet: bool = False

    def __post_init__(self) -> None:
        if not self.is_local and self.token is None and not self.insecure:
            raise UsageError(
                f"{self.host} can be reached from other machines. Give a token that clients must show (--token-file, "
                "or ISOGLOSS_TOKEN in the environment), or say --insecure.",
            )
        if self.token is not None and (not self.token or not self.token.isascii() or not self.token.isprintable()):
            raise UsageError("The token must be printable ASCII, and not empty.")
        if self.workers < 1:
            raise UsageError(f"--workers must be 1 or more, got {self.workers}.")

    @property
    def address(self) -> Address | None:
        """The address that is bound; None if the host is a name."""
        return parse_address(self.host)

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        return self.host == "localhost" or (self.address is not None and self.address.is_loopback)
