"""Static exports of the explorer: one HTML file, or a folder.

They open from disk without network.

Both hold the bytes that the HTTP service answers, as gzip in base64, by URL. In one file they are elements with text,
and script and style stand in the file, allowed by their hashes. A folder has a script for each URL. Documents with
findings are packed, so that a folder does not have a file for each of them. Tables of scores
stand in the HTML, so that a reader without script sees them. Text of data is escaped or in base64, never markup.
"""

from __future__ import annotations

import gzip
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from itertools import combinations, groupby
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import jinja2
import msgspec
from markupsafe import escape

from isogloss.errors import IsoglossError, SourceError
from isogloss.explorer.comparisons import MAX_RUNS
from isogloss.explorer.explorer import Explorer
from isogloss.explorer.finding_source import list_facet_names
from isogloss.explorer.queries import ROWS_PER_PAGE, RunQuery
from isogloss.explorer.routes import answer_url
from isogloss.explorer.run_sources import ExplorerRun, MemoryRuns
from isogloss.records.destinations import open_text_output
from isogloss.report.export import format_ranking_title, list_ranking_tables
from isogloss.report.leaderboard import (
    ScoreBoard,
    build_corpora_board,
    build_labels_board,
    build_systems_board,
)
from isogloss.report.ranking_tables import build_pair_table
from isogloss.report.report_runs import ReportCorpus, ReportRun, group_by_corpus, list_report_runs
from isogloss.report.run_tables import build_tables, format_warning
from isogloss.runs.finding_columns import DOCUMENT, SURFACE
from isogloss.runs.main_scores import choose_main_score
from isogloss.runs.run import Run
from isogloss.runs.score_tables import ScoreTable, format_cell
from isogloss.tasks.registry import get_task
from isogloss.text.display import format_count, make_visible

STATIC = files("isogloss.explorer").joinpath("static")
MAX_FINDINGS = 20_000  # of a run in one file, unless the user says otherwise
PACK_BYTES = 2**18  # of JSON, after which a pack of documents ends
DOCUMENT_URL = re.compile(r"(/v1/runs/[^/]+/documents)/\d+")
MAX_COMPARED = 10  # runs of a corpus of which each pair is compared
STYLE_LINK = re.compile(r'<link rel="stylesheet" href="static/app\.css"\s*/?>')
SCRIPT_LINK = re.compile(r'<script defer src="static/app\.js"></script>')
DATA_ELEMENT = re.compile(r'<script id="isogloss-data" type="application/json">.*?</script>', re.DOTALL)
MAIN_ELEMENT = re.compile(r'(<main id="app"[^>]*>).*?(</main>)', re.DOTALL)
TITLE_ELEMENT = re.compile(r"<title>.*?</title>", re.DOTALL)
CHARSET = re.compile(r'<meta charset="utf-8"\s*/?>', re.IGNORECASE)
FOLDER_POLICY = "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src data:; base-uri 'none'"


@dataclass(frozen=True)
class PageOptions:
    """Options of a report.

    Args:
        title: title of the page; None for task and systems.
        score: path of the main score; None for the main score of the task.
        findings: largest number of findings of each run.
        leaderboard: whether to show the leaderboard only.
    """

    title: str | None = None
    score: str | None = None
    findings: int = MAX_FINDINGS
    leaderboard: bool = False


def read_static(name: str) -> str:
    """Read a file of the front end: `index.html`, `app.js` or `app.css`."""
    return STATIC.joinpath(name).read_text(encoding="utf-8")


def list_urls(explorer: Explorer) -> Iterator[str]:
    """List the URLs that an export holds.

    Args:
        explorer: the runs.
    """
    runs = explorer.runs.list_runs(RunQuery(limit=1000))
    yield "/v1/runs"
    yield "/v1/notes"
    yield "/v1/tasks"
    for run in runs:
        yield from _list_run_urls(run)
    groups: dict[tuple[str, str], list[str]] = {}
    for run in runs:
        groups.setdefault((run.run.task, run.corpus_key), []).append(run.id)
    for group in groups.values():
        pairs = [",".join(pair) for pair in combinations(group[:MAX_COMPARED], 2)]
        yield from (url for pair in pairs for url in (f"/v1/compare?runs={pair}", f"/v1/compare/columns?runs={pair}"))
        together = ",".join(group[:MAX_RUNS])
        if len(group) > 1:
            yield f"/v1/compare/matrix?runs={together}"
        if len(group) > 2:  # noqa: PLR2004  a pair is above
            yield f"/v1/compare?runs={together}"


def _list_run_urls(run: ExplorerRun) -> Iterator[str]:
    place, source = f"/v1/runs/{run.id}", run.source
    yield place
    yield f"{place}/facets"
    if run.run.slices:
        yield f"{place}/slices"
    yield f"{place}/surfaces"
    for name in (DOCUMENT, SURFACE, *list_facet_names(source)):
        yield f"{place}/columns/{quote(name, safe=':')}"
    for page in range(max(1, -(-source.count // ROWS_PER_PAGE))):
        yield f"{place}/rows/{page}"
    for number in range(source.count_values(DOCUMENT)):
        yield f"{place}/documents/{number}"


class PackedAnswers:
    """Answers of an export as gzip in base64, with packed documents.

    Args:
        explorer: the runs.
    """

    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self.packs: dict[str, list[int]] = {}  # first numbers of the packs of documents, by the URL above them

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Yield each URL with its packed bytes.

        URLs are not percent-encoded. Documents are packed as JSON lists, under the URL above them, `#` and the number
        of the pack.
        """
        for above, answers in groupby(_list_answers(self._explorer), lambda answer: _find_parent(answer[0])):
            if above is None:
                yield from ((unquote(url), _pack(body)) for url, body in answers)
            else:
                yield from self._pack_documents(above, (body for _, body in answers))

    def _pack_documents(self, above: str, bodies: Iterable[bytes]) -> Iterator[tuple[str, str]]:
        starts, first = self.packs.setdefault(above, []), 0
        for pack in _cut_packs(bodies):
            yield f"{above}#{len(starts)}", _pack(b"[%s]" % b",".join(pack))
            starts.append(first)
            first += len(pack)


def _cut_packs(bodies: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Cut bodies into packs that end after `PACK_BYTES` bytes."""
    pack, size = list[bytes](), 0
    for body in bodies:
        pack.append(body)
        size += len(body)
        if size >= PACK_BYTES:
            yield pack
            pack, size = [], 0
    if pack:
        yield pack


def _find_parent(url: str) -> str | None:
    """Return the URL above the documents of a run.

    The result is None for a URL of something else.
    """
    match = DOCUMENT_URL.fullmatch(url)
    return None if match is None else match[1]


def _pack(body: bytes) -> str:
    return b64encode(gzip.compress(body, mtime=0)).decode()


def _list_answers(explorer: Explorer) -> Iterator[tuple[str, bytes]]:
    """Yield each URL with its bytes.

    A comparison that is refused, such as that of two definitions, is left out.
    """
    for url in list_urls(explorer):
        try:
            body = answer_url(explorer, url).body
        except IsoglossError:
            if not url.startswith("/v1/compare"):
                raise
            continue
        yield url, body


def render_report(corpora: Sequence[ReportCorpus], options: PageOptions | None = None) -> str:
    """Render runs as one HTML file.

    Args:
        corpora: runs of one task by corpus; at least one.
        options: options of the page; None for the defaults.

    Raises:
        UsageError: if no run has the main score.
    """
    options = options or PageOptions()
    main = choose_main_score([entry.run for entry in list_report_runs(corpora)], options.score)
    findings = 0 if options.leaderboard else options.findings
    explorer = Explorer(MemoryRuns(corpora, main=main, findings=findings))
    tables = render_tables(corpora, main, options)
    return _render_file(explorer, options.title or choose_title(corpora), tables)


def write_report(run: Run, path: str | os.PathLike[str], findings: int) -> None:
    """Write a report on a run as one HTML file.

    Args:
        run: the run.
        path: the file.
        findings: largest number of findings.

    Raises:
        SourceError: if the file cannot be written.
    """
    page = render_report(group_by_corpus([ReportRun(run)]), PageOptions(findings=findings))
    with open_text_output(path) as file:
        file.write(page)


def _render_file(explorer: Explorer, title: str, tables: str) -> str:
    script, style = read_static("app.js"), read_static("app.css")
    script = script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    policy = (
        f"default-src 'none'; script-src {_hash_source(script)}; style-src {_hash_source(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    names: dict[str, str] = {}
    elements, answers = [], PackedAnswers(explorer)
    for number, (url, packed) in enumerate(answers):
        names[url] = f"d{number}"
        elements.append(f'<script type="text/plain" id="d{number}">{packed}</script>\n')
    page = _fill_page(title, tables, {"mode": "inline", "files": names, "packs": answers.packs}, policy)
    page = _replace_one(STYLE_LINK, f"<style>{style}</style>", page)
    page = _replace_one(SCRIPT_LINK, "", page)
    return page.replace("</body>", f"{''.join(elements)}<script>{script}</script>\n</body>")


def write_bundle(explorer: Explorer, folder: Path, title: str = "isogloss", tables: str = "") -> int:
    """Write the explorer as a folder that opens from disk.

    Args:
        explorer: the runs.
        folder: the folder, made if it does not exist.
        title: title of the page.
        tables: HTML of the tables of scores.

    Returns:
        Number of files.

    Raises:
        SourceError: if the folder cannot be written.
    """
    names, answers = dict[str, str](), PackedAnswers(explorer)
    try:
        (folder / "data").mkdir(parents=True, exist_ok=True)
        (folder / "static").mkdir(exist_ok=True)
        for number, (url, packed) in enumerate(answers):
            names[url] = f"data/d{number}.js"
            call = f"isoglossData({_encode_script(url)}, {_encode_script(packed)});\n"
            (folder / names[url]).write_text(call, encoding="utf-8")
        for name in ("app.js", "app.css"):
            (folder / "static" / name).write_text(read_static(name), encoding="utf-8")
        page = _fill_page(title, tables, {"mode": "folder", "files": names, "packs": answers.packs}, FOLDER_POLICY)
        (folder / "index.html").write_text(page, encoding="utf-8")
    except OSError as error:
        remedy = "Name a folder that can be written, with --bundle."
        raise SourceError(f"cannot be written: {error.strerror}", where=str(folder), remedy=remedy) from error
    return len(names) + 3


def _fill_page(title: str, tables: str, data: Mapping[str, Any], policy: str) -> str:
    """Fill the page of the front end."""
    page = read_static("index.html")
    meta = f'<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="{policy}">'
    page = _replace_one(CHARSET, meta, page)
    page = _replace_one(TITLE_ELEMENT, f"<title>{escape(make_visible(title))}</title>", page)
    element = f'<script id="isogloss-data" type="application/json">{_encode_script(data)}</script>'
    page = _replace_one(DATA_ELEMENT, element, page)
    return _replace_one(MAIN_ELEMENT, lambda match: f"{match[1]}{tables}{match[2]}", page)


def _replace_one(pattern: re.Pattern[str], text: str | Callable[[re.Match[str]], str], page: str) -> str:
    filled, number = pattern.subn(text if callable(text) else lambda _: text, page)
    if number != 1:
        raise ValueError(f"the page of the front end has {number} times {pattern.pattern}, not once")
    return filled


def _encode_script(value: Any) -> str:
    """Encode a value as JSON for a script element.

    It cannot end or begin an element of HTML.
    """
    return msgspec.json.encode(value).decode().replace("<", "\\u003c").replace("\u2028", "\\u2028")


def _hash_source(text: str) -> str:
    """Return the source of a policy that allows exactly this text."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def choose_title(corpora: Sequence[ReportCorpus]) -> str:
    """Choose the title of a report from its task and systems."""
    entries = list_report_runs(corpora)
    task = get_task(entries[0].run.task).title
    if len(entries) == 1:
        return f"{task}: {entries[0].name}"
    if len(corpora) > 1:
        return f"{task}: {format_count(len({entry.name for entry in entries}), 'system')} on {len(corpora)} corpora"
    return f"{task}: {format_count(len(entries), 'system')}"


def render_tables(corpora: Sequence[ReportCorpus], main: str, options: PageOptions) -> str:
    """Render the tables of scores as HTML.

    Args:
        corpora: the runs.
        main: path of the main score.
        options: options of the page.
    """
    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("isogloss.explorer", ""),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=lambda value: make_visible(value) if type(value) is str else value,
    )
    environment.filters["cell"] = format_cell
    runs = [] if options.leaderboard else list(_list_sections(list_report_runs(corpora)))
    return environment.get_template("static_tables.html").render(
        title=options.title or choose_title(corpora),
        boards=_list_boards(corpora, main, leaderboard=options.leaderboard),
        rankings=[] if options.leaderboard else [*list_ranking_tables(corpora), *_list_pair_tables(corpora)],
        runs=runs,
    )


def _list_pair_tables(corpora: Sequence[ReportCorpus]) -> list[ScoreTable]:
    return [
        build_pair_table(corpus.ranking, format_ranking_title(corpus), corpus.list_ranked_names())
        for corpus in corpora
        if corpus.ranking is not None
    ]


def _list_boards(corpora: Sequence[ReportCorpus], main: str, *, leaderboard: bool) -> list[ScoreBoard]:
    boards = [build_corpora_board(corpora, main)] if len(corpora) > 1 or leaderboard else []
    for corpus in () if leaderboard else corpora:
        if len(corpus.entries) > 1:
            labels = build_labels_board(corpus)
            boards += [build_systems_board(corpus, main), *([] if labels is None else [labels])]
    return boards


def _list_sections(entries: Iterable[ReportRun]) -> Iterator[tuple[ReportRun, Any, list[str]]]:
    for entry in entries:
        yield entry, build_tables([entry.run]), [format_warning(each) for each in entry.run.warnings]
