"""Send many HTTP requests at a time over loopback, without an HTTP library."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Answer(NamedTuple):
    """An answer."""

    status: int
    body: bytes


def build_request(method: str, path: str, body: bytes = b"", kind: str = "application/json") -> bytes:
    """A request as it is sent."""
    head = f"{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


async def send_requests(port: int, requests: Iterable[bytes], connections: int) -> list[Answer]:
    """The answers to requests, which so many connections share among them; in no order."""
    waiting = iter(requests)
    lists = await asyncio.gather(*(_of_connection(port, waiting) for _ in range(connections)))
    return [answered for answereds in lists for answered in answereds]


async def _of_connection(port: int, waiting: Iterator[bytes]) -> list[Answer]:
    found: list[Answer] = []
    reader = writer = None
    for sent in waiting:
        if reader is None or writer is None:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
        body = await reader.readexactly(length)
        found.append(Answer(int(head.split()[1]), body))
        if "\r\nconnection: close" in head:
            writer.close()
            reader = writer = None
    if writer is not None:
        writer.close()
    return found
