"""The tag tool beside seqscore's, on the same files in the same run.

    python benchmarks/tags.py

The corpus is that of the NER benchmark: a million tokens, and the same with a fifth of the spans beginning with I.
Prints a Markdown table. Every figure is the CPU time of a whole program, from start to end.
"""

from __future__ import annotations

import random
import sys
import tempfile
from pathlib import Path

from measure import of_command, table
from ner_corpus import TOKENS, sentences

SENTENCES, TIMES = 50_000, 10
BROKEN = 0.2  # of the spans


def main() -> None:
    """Measure each command."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        good, broken, target = folder / "good.conll", folder / "broken.conll", folder / "written"
        _write(good, broken)
        large = folder / "large.conll"
        large.write_bytes(broken.read_bytes() * TIMES)
        peer, own = str(Path(sys.executable).parent / "seqscore"), [sys.executable, "-m", "isogloss", "tags"]
        repair = ["--labels", "BIO", "--repair-method", "conlleval", "-q"]
        convert = ["--input-labels", "BIO", "--output-labels", "BILOU"]
        commands = {
            "validate": (["validate", str(good)], ["validate", "--labels", "BIO", str(good)]),
            "repair": (["repair", str(broken), "-o", str(target)], ["repair", str(broken), str(target), *repair]),
            "convert": (
                ["convert", str(good), "--to", "bilou", "-o", str(target)],
                ["convert", str(good), str(target), *convert],
            ),
            "count": (["count", str(good), "--names", "10"], ["count", str(good)]),
        }
        rows = [_line(title, [*own, *ours], [peer, *theirs]) for title, (ours, theirs) in commands.items()]
        ten = of_command([*own, "repair", str(large), "-o", str(target)])
        rows.append(("repair, 10 M tokens", f"{ten.seconds:.2f}", f"{ten.megabytes:.0f} MB", "", "", ""))
        head = ("command", "isogloss: CPU s", "peak memory", "seqscore: CPU s", "peak memory", "isogloss is faster by")
        print(f"{SENTENCES * TOKENS:,} tokens, {good.stat().st_size / 1e6:.0f} MB.\n\n{table(head, rows)}")


def _write(good: Path, broken: Path) -> None:
    chance = random.Random(13)
    with good.open("w", encoding="utf-8") as one, broken.open("w", encoding="utf-8") as two:
        for sentence in sentences(SENTENCES):
            for word, tag in zip(sentence.words, sentence.reference, strict=True):
                wrong = f"I{tag[1:]}" if tag.startswith("B") and chance.random() < BROKEN else tag
                one.write(f"{word}\t{tag}\n")
                two.write(f"{word}\t{wrong}\n")
            one.write("\n")
            two.write("\n")


def _line(title: str, own: list[str], peer: list[str]) -> tuple[str, ...]:
    ours, theirs = of_command(own, repeats=3), of_command(peer)
    return (
        title,
        f"{ours.seconds:.2f}",
        f"{ours.megabytes:.0f} MB",
        f"{theirs.seconds:.2f}",
        f"{theirs.megabytes:.0f} MB",
        f"{theirs.seconds / ours.seconds:.1f}x",
    )


if __name__ == "__main__":
    main()
