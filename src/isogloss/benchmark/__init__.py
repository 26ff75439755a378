"""Run many systems on many corpora: outcomes, time, scores, ranks.

    plan ──▶ environments ──▶ cells (a system on a corpus) ──▶ measurements ──▶ scores and ranks ──▶ leaderboard

`plan` reads bench.toml. `environments` builds what a system requires. `worker` is the program that runs a system, and
`worker_process` talks to it. `cells` and `measurements` fill the matrix, `results` is what is written, `ranking` scores
it, `leaderboard` shows it.
"""
