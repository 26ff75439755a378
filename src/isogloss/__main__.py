"""The `isogloss` command."""

import gc
import os
import signal
import sys

NEW_OBJECTS = 150_000  # between two searches for garbage; more than start-up makes, which stay until the end
THREADS_OF_MATRICES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")  # what a user sets who wants more than one


def main() -> None:
    """Run the command line and leave with its exit code.

    Searching the objects of imported modules for garbage took a quarter of a short run: at start-up, and at exit.
    Threads for matrix products took as much, waiting for work, and no command was faster by the clock for them.
    """
    gc.set_threshold(NEW_OBJECTS)
    if not any(name in os.environ for name in THREADS_OF_MATRICES):
        os.environ[THREADS_OF_MATRICES[0]] = "1"
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
