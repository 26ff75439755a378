"""URLs of the explorer that read runs: their queries, answers and handlers.

The HTTP service and static exports answer the same URLs with the same bytes. This module imports neither numpy nor
tasks' scoring, so that the service starts without them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

import msgspec

from isogloss.errors import UsageError
from isogloss.explorer import payloads
from isogloss.explorer.queries import (
    OCTETS,
    ROWS_PER_PAGE,
    SLICE_PREFIX,
    Answer,
    ComparisonQuery,
    ExportQuery,
    FindingQuery,
    Nothing,
    RunQuery,
    SearchQuery,
    SurfaceQuery,
    TestQuery,
    UnknownError,
    parse_number,
    split_ids,
)

if TYPE_CHECKING:
    from isogloss.explorer.explorer import Explorer

Handler = Callable[["Explorer", Mapping[str, str], Any], Any]


@dataclass(frozen=True)
class ExplorerRoute:
    """A URL that reads runs.

    Args:
        path: path with parameters in braces.
        name: name of the operation in the OpenAPI document.
        summary: one line for the documentation.
        query: the type of its query.
        answer: the type of its answer; bytes for columns.
        handle: (explorer, parameters of the path, query) -> the answer.
    """

    path: str
    name: str
    summary: str
    query: type[msgspec.Struct]
    answer: type
    handle: Handler

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Pattern of its paths."""
        return re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", self.path))

    @property
    def path_with_types(self) -> str:
        """The path as the service routes it.

        The name of a column may have slashes.
        """
        return self.path.replace("{column}", "{column:path}")


ROUTES = (
    ExplorerRoute(
        "/v1/runs",
        "list_runs",
        "List runs, the latest first",
        RunQuery,
        payloads.RunList,
        lambda explorer, _, query: explorer.list_runs(query),
    ),
    ExplorerRoute(
        "/v1/runs/{id}",
        "get_run",
        "A run with its tables",
        Nothing,
        payloads.RunPayload,
        lambda explorer, path, _: explorer.get_run(path["id"]),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/facets",
        "list_facets",
        "Facets of the findings of a run",
        Nothing,
        payloads.FacetList,
        lambda explorer, path, _: explorer.list_facets(path["id"]),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/columns/{column}",
        "read_column",
        "A column: one little-endian number per finding",
        Nothing,
        bytes,
        lambda explorer, path, _: explorer.read_column(path["id"], path["column"]),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/surfaces",
        "list_surfaces",
        "Surface forms, the most frequent first",
        SurfaceQuery,
        payloads.SurfaceList,
        lambda explorer, path, query: explorer.list_surfaces(path["id"], query),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/rows/{page}",
        "read_rows",
        f"A page of {ROWS_PER_PAGE} findings by position",
        Nothing,
        payloads.FindingPage,
        lambda explorer, path, _: explorer.read_rows(path["id"], parse_number(path["page"])),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/findings",
        "list_findings",
        "Findings by position, or a page of those that meet conditions",
        FindingQuery,
        payloads.FindingPage,
        lambda explorer, path, query: explorer.list_findings(path["id"], query),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/search",
        "search",
        "Positions of findings whose text or document has the words",
        SearchQuery,
        payloads.SearchResult,
        lambda explorer, path, query: explorer.search(path["id"], query.q),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/documents/{number}",
        "get_document",
        "A document with all its findings",
        Nothing,
        payloads.DocumentPayload,
        lambda explorer, path, _: explorer.get_document(path["id"], parse_number(path["number"])),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/slices",
        "test_slices",
        "Tests of the main score of each slice against the other documents of the run",
        Nothing,
        payloads.SliceTestList,
        lambda explorer, path, _: explorer.test_slices(path["id"]),
    ),
    ExplorerRoute(
        "/v1/compare",
        "compare_runs",
        "Scores of runs side by side; of two runs also tests and classes of findings",
        ComparisonQuery,
        payloads.ComparisonPayload,
        lambda explorer, _, query: explorer.compare(split_ids(query.runs)),
    ),
    ExplorerRoute(
        "/v1/compare/columns",
        "read_joined_findings",
        "Joined findings of two runs: a column of classes and two of positions",
        ComparisonQuery,
        bytes,
        lambda explorer, _, query: explorer.read_joined_findings(split_ids(query.runs)),
    ),
    ExplorerRoute(
        "/v1/compare/matrix",
        "read_matrix",
        "Documents by runs, most disagreement first",
        ComparisonQuery,
        payloads.MatrixPayload,
        lambda explorer, _, query: explorer.build_matrix(split_ids(query.runs)),
    ),
    ExplorerRoute(
        "/v1/compare/ranking",
        "rank_runs",
        "Ranks and groups of runs by tests of all pairs in the main score",
        ComparisonQuery,
        payloads.RankingPayload,
        lambda explorer, _, query: explorer.rank(split_ids(query.runs)),
    ),
    ExplorerRoute(
        "/v1/compare/tests",
        "test_runs",
        "Tests of runs against the first one in one score",
        TestQuery,
        payloads.ScoreTestList,
        lambda explorer, _, query: explorer.test_runs(split_ids(query.runs), query.score),
    ),
    ExplorerRoute(
        "/v1/runs/{id}/undisputed",
        "score_undisputed",
        "Scores of a run without documents whose gold was marked as wrong",
        Nothing,
        payloads.UndisputedPayload,
        lambda explorer, path, _: explorer.score_undisputed(path["id"]),
    ),
    ExplorerRoute(
        "/v1/notes",
        "list_notes",
        "Verdicts on findings",
        Nothing,
        payloads.NoteList,
        lambda explorer, *_: explorer.list_notes(),
    ),
    ExplorerRoute(
        "/v1/export",
        "export_findings",
        "Findings as JSON lines, as Parquet, or as tasks for Label Studio or Prodigy",
        ExportQuery,
        bytes,
        lambda explorer, _, query: explorer.export(query),
    ),
    ExplorerRoute(
        "/v1/tasks",
        "list_tasks",
        "Tasks that can score uploaded files",
        Nothing,
        payloads.TaskList,
        lambda explorer, *_: explorer.list_tasks(),
    ),
)


def parse_query(route: ExplorerRoute, pairs: list[tuple[str, str]]) -> Any:
    """Parse the query of a URL.

    Args:
        route: route of the URL.
        pairs: names and values, decoded.

    Raises:
        UsageError: if a name is unknown or a value is not allowed.
    """
    hints = {field.encode_name: field.type for field in msgspec.structs.fields(route.query)}
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name.startswith(SLICE_PREFIX) and "slices" in hints:
            values.setdefault("slices", {}).setdefault(name.removeprefix(SLICE_PREFIX), []).append(value)
        elif "list[" in str(hints.get(name)):
            values.setdefault(name, []).append(value)
        else:
            values[name] = value
    try:
        return msgspec.convert(values, route.query, strict=False)
    except msgspec.ValidationError as error:
        what, _, place = str(error).partition(" - at `$.")
        raise UsageError(f"The query's {place.rstrip('`')}: {what}." if place else f"The query: {what}.") from None


def find_route(path: str) -> tuple[ExplorerRoute, dict[str, str]] | None:
    """Find the route of a path and its decoded parameters.

    The result is None without a route.
    """
    for route in ROUTES:
        match = route.pattern.fullmatch(path)
        if match is not None:
            return route, {name: unquote(value) for name, value in match.groupdict().items()}
    return None


def answer_url(explorer: Explorer, url: str) -> Answer:
    """Answer a URL: the bytes that HTTP and static exports share.

    Args:
        explorer: the runs.
        url: path and query.

    Raises:
        UnknownError: if there is nothing at the path.
        UsageError: if the query is not allowed.
    """
    path, _, query = url.partition("?")
    routed = find_route(path)
    if routed is None:
        raise UnknownError(f"there is nothing at {path}")
    route, parameters = routed
    pairs = parse_qsl(query, keep_blank_values=True)
    return answer_route(explorer, route, parameters, pairs)


def answer_route(
    explorer: Explorer, route: ExplorerRoute, parameters: Mapping[str, str], pairs: list[tuple[str, str]]
) -> Answer:
    """Answer a route.

    Args:
        explorer: the runs.
        route: the route.
        parameters: parameters of the path, decoded.
        pairs: names and values of the query, decoded.

    Raises:
        UnknownError: if a parameter names nothing.
        UsageError: if the query is not allowed.
    """
    answer = route.handle(explorer, parameters, parse_query(route, pairs))
    if isinstance(answer, Answer):
        return answer
    return Answer(answer, OCTETS) if isinstance(answer, bytes) else Answer(msgspec.json.encode(answer))
