from __future__ import annotations

import asyncio
from typing import Any

import pytest
from uvicorn.server import ServerState

from isogloss.service import server
from isogloss.service.app import Service
from isogloss.service.settings import Settings

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


async def said_to(pieces: list[bytes], pause: float) -> bytes:
    """What a connection answers to the pieces, with pauses between them, until it is closed."""
    config = server._config(Service(Settings(quiet=True)))
    config.load()
    state = ServerState()

    def protocol() -> Any:
        return server._Protocol(config=config, server_state=state, app_state={})

    listener = await asyncio.get_running_loop().create_server(protocol, "127.0.0.1", 0)
    async with listener:
        reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
        for piece in pieces:
            writer.write(piece)
            await asyncio.sleep(pause)
        answer = await asyncio.wait_for(reader.read(), 60)
        writer.close()
        return answer


@pytest.mark.parametrize("pieces", [[], [b"GET "], [b"G", b"E", b"T", b" "], [HEAD]])
def test_a_connection_on_which_no_head_arrives_is_closed(pieces: list[bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    assert asyncio.run(said_to(pieces, 0.05)) == b""


def test_a_head_that_arrives_in_pieces_is_answered() -> None:
    answer = asyncio.run(said_to([HEAD[:10], HEAD[10:] + b"Connection: close\r\n", b"\r\n"], 0.05))
    assert answer.startswith(b"HTTP/1.1 200 ")
