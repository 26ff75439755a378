"""Settings of the service, checked when built.

Add a new option of `isogloss serve` here first.
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from isogloss.errors import UsageError

MEGABYTE = 1_000_000
ANY = "*"  # any host or origin
ORIGIN = re.compile(r"https?://[^/\s?#@]+")
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def parse_address(host: str) -> Address | None:
    """Parse an IP address; None if it is not an address."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


@dataclass(frozen=True)
class ModelSettings:
    """Models that the service loads once and uses for many requests.

    Args:
        language: language of texts if the request names none.
        profile: profile of the routes for clients of other tools.
        recognisers: recognisers of names, as `--recogniser` takes them.
        splitter: splitter of texts into sentences; None for the default.
        tokenizer: tokenizer of sentences; None for the default.
        download: whether missing models may be downloaded.
        identifier: identifier of languages, which a request may name; None for none.
        english_words: file with English words, which a request may name; None for none.
        letters: options of the task that uses the models, such as `level`, for texts in the language.
    """

    language: str = "uk"  # the language of the service that the profile pnacos reproduces
    profile: str = "pnacos"
    recognisers: tuple[str, ...] = ()
    splitter: str | None = None
    tokenizer: str | None = None
    download: bool = False
    identifier: str | None = None
    english_words: str | None = None
    letters: Mapping[str, Any] = field(default_factory=dict)

    @property
    def has_models(self) -> bool:
        """Whether there is a model to load."""
        return bool(self.recognisers or self.splitter or self.tokenizer or self.identifier)


@dataclass(frozen=True)
class ServiceLimits:
    """Limits of a request, and of the number of waiting requests.

    Args:
        body: largest size of a body in bytes.
        documents: largest number of documents in a body.
        queue: largest number of requests being read, waiting or scored, for scoring and for models each.
        of_client: largest number of these requests from one address; None for all.
        body_seconds: timeout for receiving a body, in seconds.
        work_seconds: timeout for scoring a request once its turn has come, in seconds.
        grace_seconds: time for open requests to end after the service is told to stop, in seconds.

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
        """Largest number of bytes of all bodies held at a time.

        The limit holds for scoring and for models each.
        """
        return 16 * self.body


@dataclass(frozen=True)
class ServiceSettings:
    """Settings of the service.

    Args:
        host: address to bind.
        port: port; 0 for any free port.
        models: models to load.
        limits: limits of requests.
        token: token that clients must send; None for no token.
        insecure: whether an address that other machines can reach may be bound without a token.
        allowed_hosts: allowed Host headers besides the address; `*` for any.
        allowed_origins: origins whose pages may call the service, such as https://example.org; `*` for any.
        workers: number of scoring processes; with two or more, one is always free of long requests.
        quiet: whether requests are not logged.
        store: store of the runs that the explorer shows; None for the default.

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
    allowed_origins: tuple[str, ...] = ()
    workers: int = field(default_factory=lambda: max(2, min(4, (os.cpu_count() or 1) - 1)))
    quiet: bool = False
    store: str | None = None

    def __post_init__(self) -> None:
        if not self.is_local and self.token is None and not self.insecure:
            raise UsageError(
                f"{self.host} can be reached from other machines. Give a token that clients must show (--token-file, "
                "or ISOGLOSS_TOKEN in the environment), or say --insecure.",
            )
        if self.token is not None and (not self.token or not self.token.isascii() or not self.token.isprintable()):
            raise UsageError("The token must be printable ASCII, and not empty.")
        for origin in self.allowed_origins:
            if origin != ANY and not ORIGIN.fullmatch(origin):
                raise UsageError(f"--allow-origin must be like https://example.org, or *, got {origin!r}.")
        if self.workers < 1:
            raise UsageError(f"--workers must be 1 or more, got {self.workers}.")

    @property
    def address(self) -> Address | None:
        """The address to bind; None if the host is a name."""
        return parse_address(self.host)

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the service."""
        return self.host == "localhost" or (self.address is not None and self.address.is_loopback)
