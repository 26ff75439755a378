"""How hypothesis runs here: the same examples for everyone; `--hypothesis-profile=explore` looks for new ones."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("suite")
