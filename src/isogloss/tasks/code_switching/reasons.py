"""The reasons that excuse a foreign token, in order.

A token counts for the first reason that covers it.
"""

CAPITALISED = "capitalised"
RULE_REASONS = (
    *("email", "url", "mention", "hashtag", "file_name", "encoding", "roman_numeral", "unit", "symbol"),
    *("latin_phrase", "code", "quotation"),
)
REASONS = (*RULE_REASONS, "pattern", "prompt", "name", CAPITALISED)
DEFAULT_REASONS = frozenset(RULE_REASONS)
EXCUSE_RULES = (*RULE_REASONS, CAPITALISED)
