"""Run the steps of the Dockerfile without Docker, start the service, and send it the example of the documentation.

    python tools/replay_dockerfile.py [NAME=VALUE ...]

A virtual environment stands for the base image, and a temporary folder for the root of the file system. Steps that need
root (`useradd`, `chown`, `apt-get`) are skipped, and said. NAME=VALUE sets a build argument.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("/app", "/models")  # of the image
NEEDS_ROOT = ("useradd", "chown")
COMMANDS = ("ENTRYPOINT", "CMD", "HEALTHCHECK")
PORT = "8008"
SECONDS = 900  # for a step
READY_SECONDS = 180
TEXTS = [
    "Все нормально. Мабуть.",
    "Кручу верчу метрику рахую",
    "єєєєZAZ-1103 Slavuta це є the best автомобіль in the світі",
]
FIGURES = {"codeswitch_sentences_ratio": 1 / 4, "codeswitch_texts_ratio": 1 / 3, "total_num_tokens": 21}
WORDS = {False: 6 / 21, True: 5 / 21}  # the share of broken words, if a recogniser finds the name in the third text


class Replay:
    """A build in a folder.

    Args:
        root: an empty folder.
        arguments: build arguments by name.
    """

    def __init__(self, root: Path, arguments: Mapping[str, str]) -> None:
        self._root = root
        self._arguments = dict(arguments)
        self._folder = root
        self._environment = {
            "PATH": f"{root / 'venv' / 'bin'}:/usr/bin:/bin",
            "HOME": str(root),
            **{name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_"))},
        }
        self.commands: dict[str, list[str]] = {}
        subprocess.run([sys.executable, "-m", "venv", str(root / "venv")], check=True)

    def run_step(self, name: str, text: str) -> None:
        """Run one instruction; others only describe the image."""
        handlers = {"ARG": self._set_argument, "ENV": self._set_environment, "WORKDIR": self._enter, "COPY": self._copy}
        if name in handlers:
            handlers[name](text)
        elif name == "RUN":
            self._run(text)
        elif name in COMMANDS:
            self.commands[name] = json.loads(text[text.index("[") :])

    def start(self, port: int) -> subprocess.Popen[bytes]:
        """Start the service on a port."""
        command = [*self.commands["ENTRYPOINT"], *self.commands["CMD"], "--port", str(port)]
        return subprocess.Popen(self._find(command), cwd=self._root, env=self._environment)

    def is_healthy(self, port: int) -> bool:
        """Run the health check."""
        command = [part.replace(PORT, str(port)) for part in self.commands["HEALTHCHECK"]]
        return (
            subprocess.run(self._find(command), env=self._environment, capture_output=True, check=False).returncode == 0
        )

    def _find(self, command: Sequence[str]) -> list[str]:
        return [str(shutil.which(command[0], path=self._environment["PATH"])), *command[1:]]

    def _place(self, text: str) -> str:
        for folder in FOLDERS:
            text = re.sub(rf"(?<![\w.]){folder}\b", str(self._root) + folder, text)
        return text

    def _set_argument(self, text: str) -> None:
        name, _, default = text.partition("=")
        self._arguments.setdefault(name, default.strip('"'))

    def _set_environment(self, text: str) -> None:
        expanded = re.sub(r"\$(\w+)", lambda found: self._arguments.get(found[1], ""), text)
        pairs = (pair.partition("=") for pair in shlex.split(self._place(expanded)))
        self._environment |= {name: value for name, _, value in pairs}

    def _enter(self, text: str) -> None:
        self._folder = Path(self._place(text))
        self._folder.mkdir(parents=True, exist_ok=True)

    def _copy(self, text: str) -> None:
        *sources, target = text.split()
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, self._folder / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, self._folder / target)

    def _run(self, text: str) -> None:
        needs_root = "apt-get" in text and self._arguments.get("APT_PACKAGES")
        parts = [part.strip() for part in text.split(" && ")] if not text.startswith("test ") else [text]
        skipped = [part for part in parts if needs_root or part.startswith(NEEDS_ROOT)]
        for part in skipped:
            print(f"skipped, needs root: {part}")
        command = self._place(" && ".join(part for part in parts if part not in skipped))
        print(f"RUN {command}", flush=True)
        environment = self._environment | self._arguments
        subprocess.run(["sh", "-ec", command], cwd=self._folder, env=environment, check=True, timeout=SECONDS)


def read_steps(path: Path) -> list[tuple[str, str]]:
    """Read the instructions of a Dockerfile."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = (line.strip() for line in text.splitlines())
    found = (line.partition(" ") for line in lines if line and not line.startswith("#"))
    return [(name, rest.strip()) for name, _, rest in found]


def find_free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def send_example(port: int) -> dict[str, float]:
    """Send the example to the service and return its figures."""
    body = json.dumps({"texts": TEXTS}).encode()
    url = f"http://127.0.0.1:{port}/calculate/"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        report: dict[str, float] = json.load(response)["report"]
        return report


def main() -> int:
    """Replay the build, and return 0 if the example has its figures."""
    arguments = dict(word.split("=", 1) for word in sys.argv[1:])
    with tempfile.TemporaryDirectory(prefix="isogloss-image-") as folder:
        replay = Replay(Path(folder), arguments)
        for name, text in read_steps(ROOT / "Dockerfile"):
            replay.run_step(name, text)
        port = find_free_port()
        service = replay.start(port)
        try:
            end = time.monotonic() + READY_SECONDS
            while not replay.is_healthy(port):
                if service.poll() is not None or time.monotonic() > end:
                    print("the service is not ready")
                    return 1
                time.sleep(0.5)
            report = send_example(port)
        finally:
            service.send_signal(signal.SIGTERM)
            service.wait(60)
    print(json.dumps(report, indent=2))
    expected = FIGURES | {"codeswitch_words_ratio": WORDS[bool(arguments.get("RECOGNISER"))]}
    wrong = {name: value for name, value in expected.items() if not math.isclose(report[name], value)}
    if wrong:
        print(f"expected {wrong}")
    return 1 if wrong or service.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
