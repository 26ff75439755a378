"""The reasons, and their order."""

ADDRESSES = ("email", "url", "mention", "hashtag", "file_name", "encoding")
NOTATIONS = ("roman_numeral", "unit", "symbol")
ENCLOSED = ("code", "quotation")
RULES = (*ADDRESSES, *NOTATIONS, "latin_phrase", *ENCLOSED)
GIVEN = ("pattern", "prompt", "name")
REASONS = (*RULES, *GIVEN, "capitalised")
BY_DEFAULT = frozenset(RULES)
