"""Small corpora of every task in several shards, with an option for slices where the task has any."""

import json
import random
from collections.abc import Callable
from pathlib import Path

SHARDS = 3
DOCUMENTS = 40


def write_ner(folder: Path, rng: random.Random) -> tuple[list[str], list[str]]:
    for number in range(SHARDS):
        sides: list[list[str]] = [[], [], []]
        for _ in range(DOCUMENTS + number):
            tokens = rng.choices(["Ada", "met", "Bob", "in", "Rome"], k=rng.randint(1, 7))
            for side in sides:
                previous = "O"
                for token in tokens:
                    kind = rng.choice(["O", "O", "PER", "LOC"])
                    tag = kind if kind == "O" else ("I-" if previous == kind else "B-") + kind
                    side.append(f"{token}\t{tag}")
                    previous = kind
                side.append("")
        for name, lines in zip(("gold", "a", "b"), sides, strict=True):
            write(folder / name / f"{name}-{number}.conll", "\n".join(lines) + "\n")
    return ["gold", "a", "b"], []


def write_segmentation(folder: Path, rng: random.Random) -> tuple[list[str], list[str]]:
    for number in range(SHARDS):
        for name in ("gold", "a", "b"):
            text = random.Random(number)
            lines = []
            for _ in range(DOCUMENTS):
                letters = text.choices("abcd", k=text.randint(1, 9))
                words = "".join(letter + ("|" if rng.random() < 0.4 else "") for letter in letters).strip("|")
                lines.append(json.dumps({"words": words.split("|"), "genre": text.choice("xy")}))
            write(folder / name / f"{name}-{number}.jsonl", "\n".join(lines) + "\n")
    return ["gold", "a", "b"], ["--by", "genre"]


def write_translations(folder: Path, rng: random.Random) -> tuple[list[str], list[str]]:
    item = 0
    for number in range(SHARDS):
        rows: dict[str, list[str]] = {"gold": [], "a": [], "b": []}
        for _ in range(DOCUMENTS):
            item += 1
            entity = f"Q{item // 3}"
            target = {"translation": f"Wer schrieb Name {entity}?", "mention": f"Name {entity}"}
            identity = f"{entity}_{item}"
            gold = {"id": identity, "wikidata_id": entity, "entity_types": [rng.choice(["Book", "Film"])]}
            rows["gold"].append(json.dumps({**gold, "source": "Who?", "targets": [target], "target_locale": "de"}))
            for name in ("a", "b"):
                text = f"Wer schrieb {rng.choice(['Name', 'Nom'])} {entity}?"
                rows[name].append(json.dumps({"id": identity, "prediction": text}))
        for name, lines in rows.items():
            write(folder / name / f"{name}-{number}.jsonl", "\n".join(lines) + "\n")
    return ["gold", "a", "b"], ["--unit", "entity", "--by", "entity_type"]


def write_languages(folder: Path, rng: random.Random) -> None:
    """Folders with a file for each language: ids occur in all, one file is large, and `b` lacks a language."""
    for language, number in (("de_DE", 60), ("it_IT", 2), ("th_TH", 30)):
        rows: dict[str, list[str]] = {"gold": [], "a": [], "b": []}
        for item in range(number):
            entity = f"Q{item // 3}"
            target = {"translation": f"{language} {entity}?", "mention": f"{language} {entity}"}
            gold = {"id": f"{entity}_{item}", "wikidata_id": entity, "entity_types": ["Book"], "source": "Who?"}
            rows["gold"].append(json.dumps({**gold, "targets": [target]}))
            for name in ("a", "b"):
                text = f"{rng.choice(['', 'x'])}{language} {entity}"
                rows[name].append(json.dumps({"id": f"{entity}_{item}", "prediction": text}))
        for name in ("gold", "a") if language == "it_IT" else ("gold", "a", "b"):
            write(folder / name / f"{language}.jsonl", "\n".join(rows[name]) + "\n")


def write_texts(folder: Path, rng: random.Random) -> tuple[list[str], list[str]]:
    words = ["Це", "звичайний", "текст", "translate", "London", "слово", "і", "hello."]
    for name in ("a", "b"):
        for number in range(SHARDS):
            lines = [
                json.dumps({"text": " ".join(rng.choices(words, k=8)) + ".", "genre": rng.choice("xy")})
                for _ in range(DOCUMENTS)
            ]
            write(folder / name / f"{name}-{number}.jsonl", "\n".join(lines) + "\n")
    return ["a", "b"], ["--language", "uk", "--by", "genre"]


def write_mixed_texts(folder: Path, rng: random.Random) -> tuple[list[str], list[str]]:
    """Utterances whose matrix language often changes; many have a tie, as the first of each shard."""
    for name in ("a", "b"):
        for number in range(SHARDS):
            drawn = [rng.choices(["en", "es", "hi", None], k=rng.randint(1, 4)) for _ in range(DOCUMENTS)]
            lines = [json.dumps({"languages": own, "genre": rng.choice("xy")}) for own in ([], ["en", "es"], *drawn)]
            write(folder / name / f"{name}-{number}.jsonl", "\n".join(lines) + "\n")
    return ["a", "b"], ["--by", "genre"]


def write_labels(folder: Path, rng: random.Random) -> tuple[list[str], list[str]]:
    for number in range(SHARDS):
        labels = ["neg", "pos", "neutral"][: number + 1] if number else ["pos", "neg"]
        rows: dict[str, list[str]] = {"gold": [], "a": [], "b": []}
        for k in range(DOCUMENTS):
            identity = f"{number}.{k}"
            rows["gold"].append(json.dumps({"id": identity, "gold": rng.choice(labels), "genre": rng.choice("xy")}))
            for name in ("a", "b"):
                scores = {label: round(rng.random(), 2) for label in labels}
                rows[name].append(json.dumps({"id": identity, "scores": scores}))
        for name, lines in rows.items():
            write(folder / name / f"{name}-{number}.jsonl", "\n".join(lines) + "\n")
    return ["gold", "a", "b"], ["--by", "genre"]


CORPORA: dict[str, Callable[[Path, random.Random], tuple[list[str], list[str]]]] = {
    "ner": write_ner,
    "segmentation": write_segmentation,
    "entity-translation": write_translations,
    "code-switching": write_texts,
    "code-mixing": write_mixed_texts,
    "classification": write_labels,
}


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")


MODEL = """
import os
from pathlib import Path

with Path(__file__).with_name("loads.txt").open("a") as notes:
    notes.write(f"{os.getpid()} {os.environ.get('CUDA_VISIBLE_DEVICES', '')}\\n")


def find(texts):
    return [[(at, at + 6, "LOC") for at in [text.find("London")] if at >= 0] for text in texts]
"""


def write_model(folder: Path) -> tuple[str, Path]:
    """Write a recogniser that notes each process that loads it, and its GPUs; return its spec and the notes."""
    (folder / "model.py").write_text(MODEL)
    return f"python:{folder / 'model.py'}:find", folder / "loads.txt"
