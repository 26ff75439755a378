"""Rehearse a release: build it twice, check it, and use it in empty environments.

    python tools/check_release.py [--tag v1.2.3] [--python python3.11] [--python python3.14] [--output dist]

Needs `pip install '.[release]'`. Each build is made of a fresh export of the last commit, in a folder of its own; both
must give the same bytes. The wheel and the source distribution are then installed without extras for each Python, where
the demo must run. The output folder receives both, their SHA-256, and a CycloneDX list of what the wheel installs.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[1]


def main() -> None:
    """Run all checks; the first that fails ends the program."""
    parser = argparse.ArgumentParser(description="Rehearse a release.")
    parser.add_argument("--tag", help="the tag of the release, which must name the version: v1.2.3")
    parser.add_argument("--python", action="append", help="an interpreter to install for; may be repeated")
    parser.add_argument("--output", type=Path, default=Path("dist"))
    options = parser.parse_args()
    version = read_version()
    check_version(version, options.tag)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        first, second = build(work / "first"), build(work / "second")
        hashes = hash_files(first)
        if hashes != hash_files(second):
            sys.exit(f"two builds differ: {hashes} and {hash_files(second)}")
        print(f"two builds of {version} are equal")
        run("twine", "check", "--strict", *map(str, sorted(first.iterdir())))
        for number, python in enumerate(options.python or [sys.executable]):
            for file in sorted(first.iterdir()):
                environment = install(python, file, work / f"{number}-{file.suffix[1:]}")
                print(f"{file.name} is installed, and its demo runs, on {describe_python(environment)}")
        options.output.mkdir(parents=True, exist_ok=True)
        for file in first.iterdir():
            shutil.copy(file, options.output)
        run("cyclonedx-py", "environment", "--output-file", str(options.output / "sbom.cdx.json"), str(environment))
    lines = [f"{digest}  {name}\n" for name, digest in hashes.items()]
    (options.output / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")
    print("".join(lines), end="")


def read_version() -> str:
    """Return the version, as the one place has it."""
    text = (ROOT / "src" / "isogloss" / "version.py").read_text(encoding="utf-8")
    found = re.search(r'^__version__ = "(.+)"$', text, re.MULTILINE)
    if not found:
        sys.exit("src/isogloss/version.py has no line __version__ = …")
    return found[1]


def check_version(version: str, tag: str | None) -> None:
    """Exit unless the tag, the citation and the changelog name this version."""
    if tag is not None and tag != f"v{version}":
        sys.exit(f"the tag is {tag}, but src/isogloss/version.py has {version}: expected v{version}")
    if f"version: {version}\n" not in (ROOT / "CITATION.cff").read_text(encoding="utf-8"):
        sys.exit(f"CITATION.cff does not name version {version}")
    if tag is not None and f"## {version}" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        sys.exit(f"CHANGELOG.md has no section {version}")


def build(folder: Path) -> Path:
    """Build wheel and source distribution of the last commit; return their folder."""
    sources, built = folder / "sources", folder / "built"
    sources.mkdir(parents=True)
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", "HEAD"], check=True, stdout=subprocess.PIPE)
    subprocess.run(["tar", "-x", "-C", str(sources)], input=archive.stdout, check=True)
    date = subprocess.run(
        ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"], check=True, stdout=subprocess.PIPE, encoding="utf-8"
    )
    run(sys.executable, "-m", "build", "--outdir", str(built), str(sources), SOURCE_DATE_EPOCH=date.stdout.strip())
    return built


def hash_files(folder: Path) -> Mapping[str, str]:
    """Return the SHA-256 of each file by name."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(folder.iterdir())}


def install(python: str, file: Path, folder: Path) -> Path:
    """Install a file into an empty environment and run the demo there; return the interpreter."""
    run(python, "-m", "venv", str(folder))
    own = folder / "bin" / "python"
    run(str(own), "-m", "pip", "install", "--quiet", str(file))
    run(str(own), "-m", "pip", "check")
    run(str(folder / "bin" / "isogloss"), "demo", cwd=folder)
    return own


def describe_python(python: Path) -> str:
    """Return the name and version of an interpreter."""
    done = subprocess.run([python, "--version"], check=True, stdout=subprocess.PIPE, encoding="utf-8")
    return done.stdout.strip()


def run(*command: str, cwd: Path | None = None, **variables: str) -> None:
    """Run a command; show its output and exit if it fails.

    Programs of this environment are found also if it is not activated.
    """
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, **variables}
    environment.pop("PYTHONPATH", None)
    name = shutil.which(command[0], path=path) or command[0]
    done = subprocess.run(
        [name, *command[1:]], check=False, cwd=cwd, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout.decode()}")


if __name__ == "__main__":
    main()
