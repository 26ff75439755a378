"""Find words that have an agreed other one: in the names of functions, classes and modules, and in messages.

    python tools/check_words.py              # print words that are not in the allow list, exit with 1
    python tools/check_words.py --update     # remove from the allow list what is gone
    python tools/check_words.py --rebuild    # write the allow list anew, after many names have moved

The allow list `tests/words/allowed.txt` holds what the code has now, and only shrinks. The words are those of
`docs/glossary.md`; the messages are those of `tests/words/messages.txt`.
"""

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "isogloss"
MESSAGES = ROOT / "tests" / "words" / "messages.txt"
ALLOWED = ROOT / "tests" / "words" / "allowed.txt"

AGREED = {  # words in names
    "again": "rescore",
    "asked": "options",
    "damaged": "corrupt",
    "described": "description",
    "duel": "document comparison",
    "duels": "document comparisons",
    "ending": "after scoring",
    "equipment": "tools",
    "every": "document counts",
    "front": "middleware",
    "gathered": "collect",
    "gold": "reference",
    "golden": "reference",
    "hyp": "prediction",
    "hypotheses": "predictions",
    "hypothesis": "prediction",
    "knot": "node",
    "knots": "nodes",
    "lettered": "letters",
    "loose": "lenient",
    "manuscript": "export",
    "mend": "repair",
    "mended": "repair",
    "mending": "repair",
    "misfit": "invalid tag",
    "misfits": "invalid tags",
    "notice": "warning",
    "notices": "warnings",
    "origin": "provenance",
    "origins": "provenance",
    "partners": "pair",
    "passage": "text excerpt",
    "passages": "text excerpts",
    "recipe": "metric spec",
    "recipes": "metric specs",
    "said": "message",
    "say": "print",
    "says": "message",
    "sheet": "label matrix",
    "slip": "offset error",
    "sought": "filter",
    "stretch": "char span",
    "stretches": "char spans",
    "tell": "report",
    "told": "report",
    "truth": "reference",
    "wanted": "scoring options",
    "wishes": "options",
    "yardstick": "baseline",
}
EXCEPTIONS = {  # modules where the word is the right one
    "ending": ("records/",),  # of a file's name
    "gold": ("tasks/classification/",),  # the field says so
    "tell": ("records/",),  # of a file object
}
PHRASES = {  # words in messages, help and descriptions
    "has its own way": "does not support",
    "hypothesis": "prediction",
    "is no": "is not a",
    "is none": "is not a",
    "labelled as": "has the label",
    "likewise": "the words that it stands for",
    "misfit": "invalid tag",
    "notice": "warning",
    "nothing of": "no",
    "put right": "fix",
    "told": "reported",
    "what becomes of": "how … is handled",
}
PARTICIPLE = re.compile(r"[a-z]+(ed|en|wn|ld|nt|ught|ound|ept|ade)")
PREPOSITION = re.compile(
    "about|after|against|among|apart|around|at|before|beside|between|by|for|from|in|into|of|on|over|to|under|with|"
    "within|without"
)
NOUN = re.compile(  # names that look like a participle and are a noun or a verb
    "argument|build|child|children|content|count|current|different|document|element|endpoint|event|field|flatten|hold|"
    "increment|indent|markdown|open|parent|percent|print|seed|segment|sentence|shorten|token|undefined|upgrade"
)
A_VERB = "a verb, or a noun for a property"


@dataclass(frozen=True)
class Offence:
    """A word that has an agreed other one.

    Args:
        place: file and line.
        owner: module and name that have the word, without the line: it survives edits above.
        word: the word.
        agreed: what to say instead.
    """

    place: str
    owner: str
    word: str
    agreed: str

    @property
    def key(self) -> str:
        """The line of the allow list."""
        return f"{self.owner}: {self.word} -> {self.agreed}"


def split_words(name: str) -> list[str]:
    """Split a name into lower-case words: `_MisfitLine` into misfit, line."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)]


def named(tree: ast.AST, prefix: str = "") -> Iterator[tuple[str, ast.stmt]]:
    """Yield every function and class with its qualified name."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield prefix + node.name, node
            yield from named(node, f"{prefix}{node.name}.")
        else:
            yield from named(node, prefix)


def offences_in_names(source: Path = SOURCE) -> Iterator[Offence]:
    """Yield words in names of modules, classes and functions, and functions that are called by a bare participle."""
    for path in sorted(source.rglob("*.py")):
        module = path.relative_to(source).with_suffix("").as_posix()
        shown = path.relative_to(source.parents[1]).as_posix()
        agreed = {word: other for word, other in AGREED.items() if not module.startswith(EXCEPTIONS.get(word, ("-",)))}
        for word in split_words(path.parent.name if path.stem == "__init__" else path.stem):
            if word in agreed:
                yield Offence(f"{shown}:1", module, word, agreed[word])
        for name, node in named(ast.parse(path.read_text(encoding="utf-8"))):
            last, place = name.rpartition(".")[2], f"{shown}:{node.lineno}"
            words = [word for word in split_words(last) if word in agreed]
            yield from (Offence(place, f"{module} {name}", word, agreed[word]) for word in words)
            if not words and not isinstance(node, ast.ClassDef) and is_bare(last):
                yield Offence(place, f"{module} {name}", last, A_VERB)


def is_bare(name: str) -> bool:
    """Return whether a public name is one participle or preposition."""
    return not NOUN.fullmatch(name) and any(pattern.fullmatch(name) for pattern in (PARTICIPLE, PREPOSITION))


def offences_in_messages(messages: Path = MESSAGES) -> Iterator[Offence]:
    """Yield words in what users read."""
    module = ""
    for number, line in enumerate(messages.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("# "):
            module = line[2:]
        text = re.sub(r"\{[^{}]*\}", " ", line.partition(": ")[2].lower())
        for phrase, agreed in PHRASES.items():
            for _ in re.finditer(rf"(?<!there )\b{phrase}\b", text):
                yield Offence(f"{messages.name}:{number}", f"messages of {module}", phrase, agreed)


def offences() -> list[Offence]:
    """Return all words that have an agreed other one."""
    return [*offences_in_names(), *offences_in_messages()]


def read_allowed() -> Counter[str]:
    """Return the allow list: how often each line is allowed."""
    lines = ALLOWED.read_text(encoding="utf-8").splitlines() if ALLOWED.exists() else []
    return Counter(line for line in lines if line and not line.startswith("#"))


def compare(found: list[Offence], allowed: Counter[str]) -> tuple[list[str], list[str]]:
    """Compare the code with the allow list.

    Returns:
        Lines about words that are not allowed, and lines of the allow list that nothing has any more.
    """
    left = Counter(allowed)
    new = []
    for offence in found:
        if left[offence.key] > 0:
            left[offence.key] -= 1
        else:
            name = offence.owner.rpartition(" ")[2]
            new.append(f"{offence.place}: {offence.word!r} in {name}: say {offence.agreed}")
    return new, sorted((+left).elements())


def write_allowed(keys: Counter[str]) -> None:
    """Write the allow list in order."""
    head = "# Words that the code still has; this list only shrinks: python tools/check_words.py --update\n"
    ALLOWED.write_text(head + "".join(f"{key}\n" for key in sorted(keys.elements())), encoding="utf-8", newline="\n")


def main() -> None:
    """Check the words, or write the allow list."""
    parser = argparse.ArgumentParser(description="Check words that have an agreed other one.")
    parser.add_argument("--update", action="store_true", help="remove from the allow list what is gone")
    parser.add_argument("--rebuild", action="store_true", help="write the allow list anew")
    options = parser.parse_args()
    found = offences()
    present = Counter(offence.key for offence in found)
    if options.rebuild or options.update:
        write_allowed(present if options.rebuild else present & read_allowed())
    new, _ = compare(found, read_allowed())
    if new:
        print("\n".join(new))  # noqa: T201  a script prints
        sys.exit(1)


if __name__ == "__main__":
    main()
