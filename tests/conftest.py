"""How hypothesis runs here: the same examples for everyone; `--hypothesis-profile=explore` looks for new ones.

Text is as wide as in the docs. Without `COLUMNS`, output that goes to no terminal has lines of any length.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile("suite")

os.environ["COLUMNS"] = "80"
