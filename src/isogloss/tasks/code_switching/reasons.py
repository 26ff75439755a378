"""The reasons that excuse a foreign token, in order.

A token counts for the first reason that covers it.
"""

CAPITALISED = "capitalised"
OWN_OPTIONS = ("acronym", "original", CAPITALISED)  # rules that are used only on request
RULE_REASONS = (
    *("email", "url", "mention", "hashtag", "file_name", "encoding", "roman_numeral", "unit", "symbol"),
    *("latin_phrase", "additive", "currency", "code", "markup", "latex", "quotation"),
)
REASONS = (*RULE_REASONS, "pattern", "prompt", "name", *OWN_OPTIONS)
DEFAULT_REASONS = frozenset(RULE_REASONS)
EXCUSE_RULES = (*RULE_REASONS, *OWN_OPTIONS)
NO_REASON = 255  # stands for no reason where a reason is a position in `REASONS`
