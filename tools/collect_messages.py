"""Collect every sentence that a user can read into one file, so that a change of tone is seen in review.

    python tools/collect_messages.py           # write tests/words/messages.txt
    python tools/collect_messages.py --check   # print what differs, exit with 1 if anything does

What is collected: arguments of exceptions, warnings of a run, help of commands, options and arguments, titles and
summaries of tasks, descriptions in the OpenAPI document, and lines written to stderr. `{expression}` stands for what is
known only when the program runs, `{…}` for a long expression, and `⏎` for the end of a line.
"""

import argparse
import ast
import builtins
import difflib
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "isogloss"
TARGET = ROOT / "tests" / "words" / "messages.txt"
LONGEST = 30  # characters of an expression that is written out
UNKNOWN = "{…}"

WARNINGS = frozenset(("Notice", "RunWarning"))
DECLARATIONS = frozenset(("Argument", "Export", "Linter", "Meta", "Option", "Query", "Request", "Task", "Typer"))
PRINTS = frozenset(("echo", "print", "secho"))
PROSE = ("message", "title", "summary", "help", "description", "detail", "remedy", "feature", "what", "command")
HELP_POSITION = {"Argument": 2, "Export": 2, "Option": 0}  # where our own declarations take help without a name
BUILTIN_ERRORS = frozenset(
    name for name, value in vars(builtins).items() if isinstance(value, type) and issubclass(value, Exception)
)
Constants = dict[str, ast.expr]


def called(node: ast.Call) -> str:
    """Return the last name of what is called: `Option` of `typer.Option(...)`."""
    name = node.func
    return name.attr if isinstance(name, ast.Attribute) else name.id if isinstance(name, ast.Name) else ""


def render(node: ast.expr, names: Constants) -> str:
    """Write a string expression as text with placeholders.

    Args:
        node: any expression.
        names: the expressions behind names, used where they are strings.
    """
    match node:
        case ast.Constant(value=value):
            text = str(value)
        case ast.JoinedStr(values=values):
            text = "".join(render(part, names) for part in values)
        case ast.FormattedValue(value=value):
            text = placeholder(value)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            text = render(left, names) + render(right, names)
        case ast.IfExp(body=body, orelse=orelse) if has_text(body) or has_text(orelse):
            text = f"[{render(body, names)}|{render(orelse, names)}]"
        case ast.Name(id=name) if name in names and has_text(names[name]):
            text = render(names[name], {other: value for other, value in names.items() if other != name})
        case _:
            text = placeholder(node)
    return text


def placeholder(node: ast.expr) -> str:
    """Write an expression whose value is not known: `{name}`."""
    text = ast.unparse(node)
    return f"{{{text}}}" if len(text) <= LONGEST else UNKNOWN


def has_text(node: ast.expr) -> bool:
    """Return whether an expression holds words."""
    return any(
        isinstance(part, ast.Constant) and isinstance(part.value, str) and any(map(str.isalpha, part.value))
        for part in ast.walk(node)
    )


def assigned(body: Sequence[ast.stmt]) -> Constants:
    """Return the expressions that names stand for in a module or function, where a name has one."""
    found: dict[str, list[ast.expr]] = {}
    for statement in body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found.setdefault(node.targets[0].id, []).append(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                found.setdefault(node.target.id, []).append(node.value)
    return {name: values[0] for name, values in found.items() if len(values) == 1}


class Collector(ast.NodeVisitor):
    """The messages of one module, in the order of its source.

    Args:
        constants: strings of all modules, by the name of the constant.
        errors: names of the exceptions that isogloss defines.
    """

    def __init__(self, constants: Constants, errors: frozenset[str]) -> None:
        self.lines: list[str] = []
        self.scopes = [constants]
        self.errors = errors
        self.raising = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Take the help of a command; look into the function with the names that it assigns."""
        decorators = {called(each) for each in node.decorator_list if isinstance(each, ast.Call)}
        if decorators & {"command", "callback"}:
            self.add("help", ast.get_docstring(node) or "")
        self.scopes.append(self.scopes[-1] | assigned(node.body))
        self.generic_visit(node)
        self.scopes.pop()

    def visit_Raise(self, node: ast.Raise) -> None:
        """Take what is raised, also where a function makes the exception."""
        before, self.raising = self.raising, True
        if node.exc is not None:
            self.visit(node.exc)
        self.raising = before

    def visit_Call(self, node: ast.Call) -> None:
        """Take the prose among the arguments of a call."""
        name = called(node)
        for kind, argument in prose(node, name, is_error=name in self.errors, is_raised=self.raising):
            self.add(kind, render(argument, self.scopes[-1]))
        before, self.raising = self.raising, False
        self.generic_visit(node)
        self.raising = before

    def add(self, kind: str, text: str) -> None:
        """Add one line, unless it has no word of its own."""
        if not any(map(str.isalpha, re.sub(r"\{[^{}]*\}", "", text))):
            return
        self.lines.append(f"{kind}: " + inspect.cleandoc(text).replace("\n", " ⏎ "))


def prose(node: ast.Call, name: str, *, is_error: bool, is_raised: bool) -> Iterator[tuple[str, ast.expr]]:
    """Yield the arguments of a call that people read, and what each is."""
    named = [(each.arg, each.value) for each in node.keywords if each.arg in PROSE]
    if name in WARNINGS:
        yield from ((name, each) for each in node.args[1:2])
        yield from ((name, value) for key, value in named if key == "message")
    elif is_error:
        yield from ((name, each) for each in node.args)
        yield from ((f"{name} {key}", value) for key, value in named)
    elif name in DECLARATIONS:
        if name in HELP_POSITION and isinstance(node.func, ast.Name):
            at = HELP_POSITION[name]
            yield from ((name, each) for each in node.args[at : at + 1])
        yield from ((f"{name} {key}", value) for key, value in named)
    elif name in PRINTS and any(each.arg in ("file", "err") for each in node.keywords):
        yield from (("stderr", each) for each in node.args)
    elif is_raised:
        yield from ((f"{name}()", each) for each in node.args if has_text(each))
        yield from ((f"{name}() {key}", value) for key, value in named if has_text(value))
    else:
        yield from ((f"{name}() {key}", value) for key, value in named if key == "remedy")


def collect(source: Path = SOURCE) -> str:
    """Return the text of the reviewed file."""
    trees = {path.relative_to(source): ast.parse(path.read_text(encoding="utf-8")) for path in source.rglob("*.py")}
    constants: Constants = {}
    errors = set(BUILTIN_ERRORS) | {"BadParameter"}
    for tree in trees.values():
        constants |= {name: value for name, value in assigned(tree.body).items() if name.isupper() and has_text(value)}
        errors |= {each.name for each in tree.body if isinstance(each, ast.ClassDef) and each.name.endswith("Error")}
    parts = []
    for path in sorted(trees):
        tree = trees[path]
        own = [each for each in tree.body if isinstance(each, ast.Assign | ast.AnnAssign)]
        collector = Collector(constants | assigned(own), frozenset(errors))
        collector.visit(tree)
        if collector.lines:
            parts.append("\n".join([f"# {path.with_suffix('').as_posix()}", *collector.lines]))
    return "\n\n".join(parts) + "\n"


def difference() -> list[str]:
    """Return the lines in which the reviewed file and the source differ."""
    reviewed = TARGET.read_text(encoding="utf-8") if TARGET.exists() else ""
    lines = difflib.unified_diff(reviewed.splitlines(), collect().splitlines(), "reviewed", "source", n=0, lineterm="")
    return list(lines)


def main() -> None:
    """Write the file, or say what differs."""
    parser = argparse.ArgumentParser(description="Collect the sentences that users read.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if the file is out of date")
    if not parser.parse_args().check:
        TARGET.parent.mkdir(parents=True, exist_ok=True)
        TARGET.write_text(collect(), encoding="utf-8", newline="\n")
    elif lines := difference():
        print("\n".join(lines))  # noqa: T201  a script prints
        sys.exit(1)


if __name__ == "__main__":
    main()
