"""The `isogloss` command."""

import sys


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        from isogloss.cli import run  # noqa: PLC0415  an interrupt while it is imported is an interrupt, too

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print("isogloss: interrupted", file=sys.stderr)  # noqa: T201  what a person reads
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
