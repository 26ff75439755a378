"""Word segmentation: what is counted, what is scored, and how other tools do it.

`definition` is the default; `regions` cuts texts where both sides agree, which is what counts, indicators and findings
are read from; `rules` are the counts of other tools, and `profiles` names them.
"""
