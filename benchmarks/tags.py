"""The tag tool beside seqscore's, on the same files in the same run.

    python benchmarks/tags.py

The corpus is that of the NER benchmark: a million tokens, and the same with a fifth of the spans beginning with I.
Prints a Markdown table. Every figure is the CPU time of a whole program, from start to end.
"""

from __future__ import annotations

import random
from pathlib import Path

from ner_corpus import TOKENS, sentences
from rows import Amount, Row
from script import ISOGLOSS, Bench, Script, installed_command, run_script

SENTENCES, TIMES = 50_000, 10
BROKEN = 0.2  # of the spans


def measure_commands(bench: Bench) -> list[Row]:
    """Each command of the tag tool, beside the same of seqscore."""
    good, broken, target = (bench.folder / name for name in ("good.conll", "broken.conll", "written"))
    number = SENTENCES // bench.share
    bench.program("write", number, good, broken)()
    commands = {
        "validate": (["validate", good], ["validate", "--labels", "BIO", good]),
        "repair": (
            ["repair", broken, "-o", target],
            ["repair", broken, target, "--labels", "BIO", "--repair-method", "conlleval", "-q"],
        ),
        "convert to BILOU": (
            ["convert", good, "--to", "bilou", "-o", target],
            ["convert", good, target, "--input-labels", "BIO", "--output-labels", "BILOU"],
        ),
        "count, with names": (["count", good, "--names", "10"], ["count", good]),
    }
    rows, amount = [], Amount(number * TOKENS, "tokens")
    for title, (ours, theirs) in commands.items():
        tools = {
            "isogloss tags": bench.command(*ISOGLOSS, "tags", *ours),
            "seqscore": bench.command(installed_command("seqscore"), *theirs, needs="seqscore"),
        }
        rows += bench.compare(f"{title}, {amount.number:,} tokens", tools, amount)
    return [*rows, *_measure_large(bench, broken, target, Amount(TIMES * amount.number, "tokens"))]


def _measure_large(bench: Bench, broken: Path, target: Path, amount: Amount) -> list[Row]:
    large = bench.folder / "large.conll"
    large.write_bytes(broken.read_bytes() * TIMES)
    tools = {"isogloss tags": bench.command(*ISOGLOSS, "tags", "repair", large, "-o", target)}
    return bench.compare(f"repair, {amount.number:,} tokens", tools, amount)


def _write(number: str, good: str, broken: str) -> None:
    chance = random.Random(13)
    with Path(good).open("w", encoding="utf-8") as one, Path(broken).open("w", encoding="utf-8") as two:
        for sentence in sentences(int(number)):
            for word, tag in zip(sentence.words, sentence.reference, strict=True):
                wrong = f"I{tag[1:]}" if tag.startswith("B") and chance.random() < BROKEN else tag
                one.write(f"{word}\t{tag}\n")
                two.write(f"{word}\t{wrong}\n")
            one.write("\n")
            two.write("\n")


if __name__ == "__main__":
    run_script(Script(Path(__file__), {"commands": measure_commands}, programs={"write": _write}), __doc__)
