"""How other tools read tags: for each a rule, and the profile that puts it together with what the tool counts.

The docstring of each module lists, numbered, what of the tool it reproduces; `docs/profiles.md` shows the inputs.
"""
