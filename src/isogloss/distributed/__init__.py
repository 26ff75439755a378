"""Count parts of a corpus in any process, and merge the counts.

`partials` writes and reads the counts of a part, `counting` makes and merges them, `accumulator` does both with
batches, `parts` divides a corpus, `jobs` counts the parts in several processes, `ray` on a cluster.
"""
