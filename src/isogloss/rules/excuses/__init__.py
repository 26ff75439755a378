"""Why foreign letters may stand in a text: every reason by name, in the order in which they are looked for.

A token is counted under the first reason that covers it, so that the counts of reasons add up.
"""

from isogloss.rules.excuses.finder import Excuses, Finder
from isogloss.rules.excuses.reasons import BY_DEFAULT, REASONS, RULES

__all__ = ["BY_DEFAULT", "REASONS", "RULES", "Excuses", "Finder"]
