"""Named entities: what is counted, what is scored, and how other tools do it.

`definition` is the default; `events` lays out the aligned spans that it counts and that a person looks at; `chunks` and
`nervaluate` are the counts of other tools, and `profiles` names the tools that they reproduce.
"""
