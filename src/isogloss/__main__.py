"""The `isogloss` command."""

import gc
import signal
import sys

NEW_OBJECTS = 150_000  # between two searches for garbage; more than start-up makes, which stay until the end


def main() -> None:
    """Run the command line and leave with its exit code.

    Searching the objects of imported modules for garbage took a quarter of a short run: at start-up, and at exit.
    """
    gc.set_threshold(NEW_OBJECTS)
    try:
        from isogloss.cli import run  # noqa: PLC0415  an interrupt while it is imported is an interrupt, too

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        print("isogloss: interrupted", file=sys.stderr)  # noqa: T201  what a person reads
        code = 130
    gc.freeze()  # nothing is searched at exit
    for number, action in ((signal.SIGINT, signal.SIG_DFL), (signal.SIGTERM, signal.SIG_IGN)):
        signal.signal(number, action)  # while it ends, Ctrl-C ends it at once, and SIGTERM is late
    sys.exit(code)


if __name__ == "__main__":
    main()
