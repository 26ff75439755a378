"""`isogloss serve`: the HTTP service."""

from __future__ import annotations

import gc
import os
import re
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from isogloss.cli.options import QuietOption, StoreOption
from isogloss.cli.output import print_message
from isogloss.errors import MissingExtraError, SourceError, UsageError

if TYPE_CHECKING:
    from isogloss.service.settings import ModelSettings

NEW_OBJECTS = 700  # between two searches for garbage, as Python has it: garbage of a request may hold its body
UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}


HostOption = Annotated[str, typer.Option(help="Address to bind; 0.0.0.0 for all interfaces.")]
PortOption = Annotated[int, typer.Option(help="Port; 0 for any free port.", min=0, max=65535)]
LanguageOption = Annotated[
    str, typer.Option(envvar="ISOGLOSS_LANGUAGE", help="Language of texts if the request does not name one.")
]
RecogniserOption = Annotated[
    list[str] | None,
    typer.Option(
        "--recogniser",
        metavar="SPEC",
        envvar="ISOGLOSS_RECOGNISER",
        help="Recogniser of names, such as spacy:NAME; may be repeated.",
    ),
]
SplitterOption = Annotated[
    str | None,
    typer.Option(envvar="ISOGLOSS_SPLITTER", help="Splitter of texts into sentences.", show_default="default"),
]
TokenizerOption = Annotated[
    str | None, typer.Option(envvar="ISOGLOSS_TOKENIZER", help="Tokenizer of sentences.", show_default="default")
]
IdentifierOption = Annotated[
    str | None,
    typer.Option(
        envvar="ISOGLOSS_IDENTIFIER",
        metavar="SPEC",
        help="Identifier of languages that requests may name, such as lingua.",
    ),
]
EnglishWordsOption = Annotated[
    str | None,
    typer.Option(
        envvar="ISOGLOSS_ENGLISH_WORDS",
        metavar="FILE",
        help="English words that requests may name, for the WPR of the profile language-confusion.",
    ),
]
AlphabetOption = Annotated[
    str | None,
    typer.Option(
        envvar="ISOGLOSS_ALPHABET", metavar="LETTERS", help="Letters of the language.", show_default="of the language"
    ),
]
LevelOption = Annotated[
    str | None, typer.Option(help="Letters that belong to the alphabet, as in code-switching.", show_default="main")
]
ExcuseOption = Annotated[
    list[str] | None,
    typer.Option(
        "--excuse",
        metavar="RULE",
        help="Excuse by this rule and by no other; may be repeated.",
        show_default="all rules",
    ),
]
NeutralOption = Annotated[
    bool, typer.Option("--neutral", help="Count tokens without letters as words; not in /calculate/.")
]
CheckOption = Annotated[bool, typer.Option("--check", help="Load the models, answer one request each, and exit.")]
ProfileOption = Annotated[str, typer.Option(help="Profile of /calculate/.")]
DownloadOption = Annotated[bool, typer.Option("--download", help="Allow models to be downloaded.")]
TokenFileOption = Annotated[
    Path | None,
    typer.Option(help="File with the token that clients must send; ISOGLOSS_TOKEN if left out."),
]
InsecureOption = Annotated[
    bool, typer.Option("--insecure", help="Allow an address that other machines can reach, without a token.")
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host", metavar="NAME", help="Allowed Host header besides the address; * for any; may be repeated."
    ),
]
AllowOriginOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-origin",
        metavar="ORIGIN",
        help="Origin whose pages may call the service, such as https://example.org; * for any; may be repeated.",
    ),
]
MaxBodyOption = Annotated[str, typer.Option(metavar="SIZE", help="Largest request body, such as 500kB or 10MB.")]
MaxDocumentsOption = Annotated[int, typer.Option(help="Largest number of documents in a request.", min=1)]
QueueOption = Annotated[
    int, typer.Option(help="Largest number of waiting requests, for scoring and for models each.", min=1)
]
ClientQueueOption = Annotated[
    int | None,
    typer.Option(help="Largest number of waiting requests of one client address.", min=1, show_default="all"),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(help="Number of scoring processes.", min=1, show_default="one less than CPUs, at least 2, at most 4"),
]
BodyTimeoutOption = Annotated[float, typer.Option(help="Timeout for receiving a request body, in seconds.", min=0.001)]
TimeLimitOption = Annotated[float, typer.Option(help="Timeout for scoring a request, in seconds.", min=0.001)]
GraceOption = Annotated[float, typer.Option(help="Seconds to finish running requests after SIGTERM or Ctrl-C.", min=0)]


def command(  # noqa: PLR0913  a command's options are its arguments
    *,
    host: HostOption = "127.0.0.1",
    port: PortOption = 8008,
    language: LanguageOption = "uk",
    recogniser: RecogniserOption = None,
    splitter: SplitterOption = None,
    tokenizer: TokenizerOption = None,
    identifier: IdentifierOption = None,
    english_words: EnglishWordsOption = None,
    alphabet: AlphabetOption = None,
    level: LevelOption = None,
    excuse: ExcuseOption = None,
    neutral: NeutralOption = False,
    profile: ProfileOption = "pnacos",
    download: DownloadOption = False,
    check: CheckOption = False,
    token_file: TokenFileOption = None,
    insecure: InsecureOption = False,
    allow_host: AllowHostOption = None,
    allow_origin: AllowOriginOption = None,
    max_body: MaxBodyOption = "10MB",
    max_documents: MaxDocumentsOption = 200_000,
    queue: QueueOption = 1024,
    client_queue: ClientQueueOption = None,
    workers: WorkersOption = None,
    body_timeout: BodyTimeoutOption = 30.0,
    time_limit: TimeLimitOption = 600.0,
    grace: GraceOption = 30.0,
    store: StoreOption = None,
    quiet: QuietOption = False,
) -> None:
    """Serve all tasks over HTTP, and /calculate/ for clients of PNaCoS.

    The page at / shows stored runs and scores uploaded files. The service binds 127.0.0.1. After SIGTERM or Ctrl-C it
    finishes running requests and stops.
    """
    try:
        from isogloss.service.server import serve
    except ImportError as error:
        raise MissingExtraError("isogloss serve", "isogloss[web]") from error
    from isogloss.service.settings import ModelSettings, ServiceLimits, ServiceSettings

    letters = {"alphabet": alphabet, "level": level, "excuses": excuse, "neutral": neutral or None}
    models = ModelSettings(
        language,
        profile,
        tuple(recogniser or ()),
        splitter,
        tokenizer,
        download,
        identifier,
        english_words,
        {name: value for name, value in letters.items() if value is not None},
    )
    if check:
        _check_models(models)
        return
    limits = ServiceLimits(parse_size(max_body), max_documents, queue, client_queue, body_timeout, time_limit, grace)
    settings = ServiceSettings(
        host=host,
        port=port,
        models=models,
        limits=limits,
        token=_read_token(token_file),
        insecure=insecure,
        allowed_hosts=tuple(allow_host or ()),
        allowed_origins=tuple(allow_origin or ()),
        quiet=quiet,
        store=store,
        **({} if workers is None else {"workers": workers}),
    )
    gc.set_threshold(NEW_OBJECTS)
    if serve(settings) == signal.SIGINT:
        raise KeyboardInterrupt


def _check_models(models: ModelSettings) -> None:
    """Load the models as the service does.

    Raises:
        IsoglossError: if a package or model is missing, or a setting is wrong.
    """
    from isogloss.service.jobs import load_annotator

    load_annotator(models)
    names = [*models.recognisers, *filter(None, (models.splitter, models.tokenizer, models.identifier))]
    print_message(f"isogloss: loaded {', '.join(names) or 'no models'} for {models.language}")


def parse_size(text: str) -> int:
    """Parse a number of bytes with its unit.

    Examples are `10MB` and `512KiB`.

    Args:
        text: the number, and a unit or none.

    Raises:
        UsageError: if the text is not a number with a unit.
    """
    match = re.fullmatch(r"(\d{1,12})\s*((?:[kmg]i?)?)b?", text.strip().lower())
    if match is None:
        raise UsageError(f"--max-body must be a size such as 500kB or 10MB, got {text!r}.")
    return int(match[1]) * UNITS[match[2]]


def _read_token(file: Path | None) -> str | None:
    if file is None:
        return os.environ.get("ISOGLOSS_TOKEN")
    try:
        return file.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(
            "cannot read the token", where=str(file), remedy="Name a UTF-8 text file with one line."
        ) from error
