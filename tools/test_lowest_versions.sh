#!/usr/bin/env bash
# Install the lowest versions that pyproject.toml declares, and run the demo and the tests that need no peer on them.
# Needs uv. Extra arguments go to pytest, such as `-k ner`.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

uv venv --quiet --seed --python 3.11 "$work/env"
# zstd and web are what tests of files and of the service need; the versions of test tools are not what is tested.
uv pip install --quiet --python "$work/env/bin/python" --resolution lowest-direct "$root[arrow,pandas,polars,store,web,zstd]"
uv pip install --quiet --python "$work/env/bin/python" pytest pytest-xdist hypothesis regex httpx
uv pip list --quiet --python "$work/env/bin/python"
cd "$work"
env/bin/isogloss demo
env/bin/pytest -p no:cacheprovider -n auto -m "not parity" \
    --ignore="$root"/tests/{properties,benchmarks,words,docs,browser,notebook} "$root/tests" "$@"
