"""Client of the HTTP service, with the calls of the library.

It needs no package besides isogloss. Data are sent as JSON, paths as files.
"""

from __future__ import annotations

import inspect
import json
import os
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec
from urllib.parse import urlencode

import msgspec

from isogloss.errors import DataError, ServiceError, SourceError, UsageError
from isogloss.report.report_runs import parse_run
from isogloss.runs.run import Run
from isogloss.tasks.classification.scoring import classification
from isogloss.tasks.code_mixing.scoring import code_mixing
from isogloss.tasks.code_switching.scoring import code_switching
from isogloss.tasks.entity_translation.scoring import entity_translation
from isogloss.tasks.ner.scoring import ner
from isogloss.tasks.segmentation.scoring import segmentation

ALL_FINDINGS = 100_000  # the most that a service lists
RETRY_STATUSES = frozenset({429, 503})
MAX_WAIT_SECONDS = 60.0
DATA = ("reference", "prediction", "texts")
P = ParamSpec("P")


def _send_like(function: Callable[P, Run]) -> Callable[Concatenate[Client, P], Run]:
    """Make the method that sends a call of the library."""
    signature = inspect.signature(function)
    task = function.__name__.replace("_", "-")

    @wraps(function)
    def send(client: Client, /, *arguments: P.args, **options: P.kwargs) -> Run:
        return client.score(task, **signature.bind(*arguments, **options).arguments)

    send.__doc__ = f"Score with the service as `isogloss.{function.__name__}` does here."
    return send


@dataclass(frozen=True)
class Client:
    """Client of a running service.

    Each call takes the arguments of the function of the same name and returns the run without its single documents.
    Data go as JSON; if reference and prediction, or texts, are paths, the files go as they are.

    Args:
        url: address of the service, such as http://127.0.0.1:8008.
        token: token of the service; None to read it from `ISOGLOSS_TOKEN` in the environment.
        timeout: longest time to wait for an answer, in seconds.
        retries: how often a request is sent again if the service is busy or starts.
    """

    url: str
    token: str | None = None
    timeout: float = 600.0
    retries: int = 3

    ner = _send_like(ner)
    segmentation = _send_like(segmentation)
    entity_translation = _send_like(entity_translation)
    code_switching = _send_like(code_switching)
    classification = _send_like(classification)
    code_mixing = _send_like(code_mixing)

    def score(self, task: str, **arguments: Any) -> Run:
        """Score one system in a task of the service, by name.

        Args:
            task: name of the task, such as `ner`; also one that only the service has.
            arguments: data and options of its call.

        Raises:
            UsageError: if an argument cannot be sent, or the service refuses an option.
            DataError: if the service cannot score the data.
            ServiceError: if the service cannot be reached, or is too busy.
        """
        return self._send(f"/v1/{task}", arguments)

    def _send(self, path: str, arguments: Mapping[str, Any]) -> Run:
        given = {name: value for name, value in arguments.items() if value is not None}
        findings = given.pop("findings", False)
        query = {"detail": "findings", "errors": ALL_FINDINGS if findings is True else findings} if findings else {}
        paths = {name: given[name] for name in DATA if isinstance(given.get(name), str | os.PathLike)}
        if paths:
            mixed = [name for name in DATA if name in given and name not in paths]
            if mixed:
                raise UsageError(f"{mixed[0]} must be a path, as {next(iter(paths))} is.")
            body, content_type = _encode_form(
                paths, {name: value for name, value in given.items() if name not in paths}
            )
        else:
            body, content_type = _encode_json(given), "application/json"
        answer = self._post(f"{path}?{urlencode(query)}" if query else path, body, content_type)
        return parse_run(answer, f"{self.url}{path}")

    def _post(self, path: str, body: bytes, content_type: str) -> bytes:
        headers = {"Content-Type": content_type, "Accept": "application/json"}
        token = self.token or os.environ.get("ISOGLOSS_TOKEN")
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        where = self.url.rstrip("/") + path
        if not where.startswith(("http://", "https://")):
            raise UsageError(f"url must begin with http:// or https://, got {self.url!r}.")
        for attempt in range(self.retries + 1):
            request = urllib.request.Request(where, body, headers)  # noqa: S310  its scheme is checked
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as response:  # noqa: S310
                    content: bytes = response.read()
                    return content
            except urllib.error.HTTPError as error:
                if error.code not in RETRY_STATUSES or attempt == self.retries:
                    raise _build_error(error, where) from None
                time.sleep(_parse_wait(error.headers.get("Retry-After")))
            except (urllib.error.URLError, OSError) as error:
                reason = getattr(error, "reason", error)
                remedy = "Start it with `isogloss serve`, or check the address."
                raise ServiceError(f"the service does not answer: {reason}", where=where, remedy=remedy) from None
        raise AssertionError("unreachable")


def _encode_json(arguments: Mapping[str, Any]) -> bytes:
    """Encode arguments as JSON; arrays become lists.

    Raises:
        UsageError: if a value cannot be sent.
    """

    def convert(value: Any) -> Any:
        if hasattr(value, "tolist"):
            return value.tolist()
        if hasattr(value, "to_dict") and not hasattr(value, "columns"):
            return value.to_dict()
        raise UsageError(f"A {type(value).__name__} cannot be sent to a service: give lists, or paths of files.")

    return msgspec.json.encode(arguments, enc_hook=convert)


def _encode_form(paths: Mapping[str, Any], options: Mapping[str, Any]) -> tuple[bytes, str]:
    """Encode files and options as a form with its Content-Type.

    Raises:
        SourceError: if a file cannot be read.
    """
    boundary = uuid.uuid4().hex
    parts = []
    for name, path in paths.items():
        try:
            content = Path(path).read_bytes()
        except OSError as error:
            reason = error.strerror or str(error)
            raise SourceError(f"cannot be read: {reason}", where=str(path), remedy="Name a file.") from None
        shown = json.dumps(Path(path).name, ensure_ascii=False)
        parts.append((f"name={json.dumps(name)}; filename={shown}", content))
    for name, value in options.items():
        for each in value if isinstance(value, list | tuple | set | frozenset) else [value]:
            text = each.encode() if isinstance(each, str) else _encode_json(each)
            parts.append((f"name={json.dumps(name)}", text))
    lines = [
        b"--%b\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % (boundary.encode(), head.encode(), content)
        for head, content in parts
    ]
    return b"".join(lines) + b"--%b--\r\n" % boundary.encode(), f"multipart/form-data; boundary={boundary}"


def _parse_wait(header: str | None) -> float:
    """Return the seconds that Retry-After names, at most a minute."""
    seconds = 1.0
    with suppress(ValueError, TypeError):
        seconds = float(header or 1.0)
    return min(max(seconds, 0.0), MAX_WAIT_SECONDS)


def _build_error(error: urllib.error.HTTPError, where: str) -> Exception:
    """Build the error that the library would raise."""
    problem: dict[str, Any] = {}
    with suppress(ValueError, OSError):
        problem = json.loads(error.read())
    kind = str(problem.get("type", "")).rpartition(":")[2]
    detail, remedy = str(problem.get("detail", error.reason)), str(problem.get("remedy", ""))
    pointer = next((str(each.get("pointer", "")) for each in problem.get("errors", ())), "")
    if kind == "unscorable-data":
        name, *steps = pointer.strip("/").split("/")
        place = name + "".join(f"[{step}]" for step in steps)
        return DataError(detail, where=place or None, remedy=remedy)
    if kind == "invalid-request":
        return UsageError(f"{pointer.strip('/')}: {detail}" if pointer.strip("/") not in detail else detail)
    return ServiceError(f"{error.code} {detail}", where=where, remedy=remedy)
