"""Measure the explorer in Chromium on a run of many findings in a store.

    python benchmarks/explorer.py                     # 1,000,000 findings
    python benchmarks/explorer.py --findings 10000

It needs Chromium and `pip install playwright`. The runs are synthetic: findings in documents whose names are drawn from
ten million, and two documents of 25 kB with 500 spans, in Arabic and in Thai. A second run differs in a third of them;
both are joined and searched by a service that reads nothing else. The service runs in a process of its own.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
STATIC = ROOT / "src/isogloss/explorer/static"
KINDS = ("missed", "spurious", "wrong_type", "wrong_boundary", "wrong_type_and_boundary")
LABELS = ("PER", "LOC", "ORG", "DATE", "EVENT", "WORK", "LAW", "NORP")
GENRES = ("news", "web", "law", "talk", "mail")
TEXTS = {"ar": "زارت ليلى منصور مدينة الإسكندرية يوم الخميس . ", "th": "นักท่องเที่ยวไปที่กรุงเทพมหานครและน้ำตกเอราวัณ "}
BYTES, SPANS = 25_000, 500
SEARCHED = ("Nairobi", "99999", "STRASSE 7", "น้ำ", "ليلى", "d0123", "no such words")
SLOW_FRAME = 50  # milliseconds
FIRST, SECOND = "synthetic", "synthetic-b"  # names of the runs
ALL_DOCUMENTS = 10_000_000
# Times in a page are those of its own clock, from the click or the navigation to the second frame after the change.
WATCH = """
window.__first = null;
new MutationObserver(() => {
  if (window.__first === null && document.querySelector('.row .row-head'))
    requestAnimationFrame(() => requestAnimationFrame(() => { window.__first ??= performance.now(); }));
}).observe(document, {subtree: true, childList: true});
"""
FILTER = """
(name) => new Promise(done => {
  const label = [...document.querySelectorAll('.facets label')].find(one => one.textContent.includes(name));
  const count = document.querySelector('.count');
  const before = count.textContent, begin = performance.now();
  const look = () => count.textContent === before && performance.now() < begin + 10000 ? setTimeout(look, 1)
    : requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
  label.querySelector('input').click();
  look();
})
"""
SEARCH = """
(words) => new Promise(done => {
  const field = document.querySelector('input[type=search]'), count = document.querySelector('.count');
  const before = count.textContent, begin = performance.now();
  const isDone = () => /^[0-9]/.test(count.textContent) && count.textContent !== before;
  const look = () => !isDone() && performance.now() < begin + 60000 ? setTimeout(look, 1)
    : requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
  field.value = words;
  field.dispatchEvent(new Event('input', {bubbles: true}));
  look();
})
"""
SCROLL = """
([name, steps]) => new Promise(done => {
  const box = name === 'text' ? document.scrollingElement : document.querySelector('.document-list ol');
  const frames = [];
  let last = performance.now(), left = steps;
  const step = now => {
    frames.push(now - last); last = now;
    box.scrollTop += box.scrollHeight / steps;
    if (--left) requestAnimationFrame(step); else done(frames.slice(2));
  };
  requestAnimationFrame(step);
})
"""


def build_findings(number: int) -> Iterator[Any]:
    """Yield findings in the order of documents, then those of the long documents."""
    from isogloss.kernel.findings import Finding, Mark

    draw = random.Random(1)
    document, words = 0, "Amara Lindqvist flew from Nairobi to Straße 7 in 北京 with น้ำ and ليلى"
    for at in range(number - 2 * SPANS):
        document += draw.randrange(1, 2 * ALL_DOCUMENTS // number)
        start = draw.randrange(len(words) - 12)
        text = f"{words} {at}"
        kind, label = draw.choice(KINDS), draw.choice(LABELS)
        spans = [("reference", label), ("predicted", draw.choice(LABELS) if "type" in kind else label)]
        kept = spans[:1] if kind == "missed" else spans[1:] if kind == "spurious" else spans
        end = start + draw.randrange(2, 12)
        marks = tuple(Mark(side, own, start, end, start, end) for side, own in kept)
        extra = {"slices": {"genre": draw.choice(GENRES)}}
        yield Finding(kind, f"d{document:08}", f"gold.conll:{at}", marks, text, extra=extra)
    for language, sentence in TEXTS.items():
        yield from build_long_document(language, sentence)


def build_long_document(language: str, sentence: str) -> Iterator[Any]:
    """Yield the findings of a document of 25 kB with 500 spans, of which a third are nested."""
    from isogloss.kernel.findings import Finding, Mark

    text = sentence * (BYTES // len(sentence.encode()) + 1)
    distance, around = len(text) // SPANS, 20
    for at in range(SPANS):
        start = max(0, at * distance - (3 if at % 3 == 0 else 0))
        first = max(0, start - around)
        inside = (start, start + 6, start - first, start - first + 6)
        marks = tuple(Mark(side, LABELS[at % 8], *inside) for side in ("reference", "predicted"))
        extra = {"language": language, "slices": {"genre": "long"}}
        excerpt = text[first : start + 6 + around]
        more = {"before": first > 0, "after": True, "document_text": text, "text_start": first}
        yield Finding("wrong_type", f"long-{language}", f"gold.conll:{at}", marks, excerpt, extra=extra, **more)


def build_other_findings(number: int) -> Iterator[Any]:
    """Yield as many findings of another system: a fifth in other documents, and a seventh of the rest another kind."""
    import msgspec

    for at, finding in enumerate(build_findings(number)):
        if at % 5 == 0:
            yield msgspec.structs.replace(finding, document=f"{finding.document}-b")
        elif at % 7 == 0:
            yield msgspec.structs.replace(finding, kind="missed" if finding.kind == "spurious" else "spurious")
        else:
            yield finding


def save_run(number: int, store: str, name: str) -> None:
    """Save a run in a store."""
    from isogloss import ner
    from isogloss.runs.findings import Findings
    from isogloss.store import Store

    gold = [["B-PER", "O"], ["B-LOC", "O"]]
    run = ner(gold, [["B-PER", "O"], ["O", "O"]])
    findings = Findings((build_findings if name == FIRST else build_other_findings)(number), "ner")
    with Store.open(store) as opened:
        opened.save(replace(run, findings=findings, system=name, rescore=None), name=name)


@contextmanager
def start_view(store: str) -> Iterator[tuple[str, int]]:
    """Start `isogloss view` and yield its URL and process id."""
    command = [sys.executable, "-m", "isogloss", "view", "--no-browser", "--port", "0", "--store", store]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, encoding="utf-8")
    assert process.stderr is not None
    try:
        line = process.stderr.readline()
        yield re.findall(r"http://\S+/", line)[0], process.pid
    finally:
        process.terminate()
        process.wait()


def read_memory(process: int, field: str = "VmRSS") -> float:
    """Return the memory of a process in MB."""
    status = Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    return int(re.findall(rf"{field}:\s+(\d+)", status)[0]) / 1000


def read_cpu(process: int) -> float:
    """Return the CPU time of a process in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_bundle() -> float:
    """Return the size of script and style after gzip, in kB."""
    return sum(len(gzip.compress((STATIC / name).read_bytes(), 9)) for name in ("app.js", "app.css")) / 1000


def measure_page(url: str, number: int) -> dict[str, Any]:
    """Measure a browser on the run."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.add_init_script(WATCH)
        run = page.request.get(f"{url}v1/runs?name={FIRST}").json()["runs"][0]
        place = f"{url}#/run/{run['id']}"
        found = measure_list(page, f"{place}/findings", number)
        documents = page.request.get(f"{url}v1/runs/{run['id']}/facets").json()["documents"]["count"]
        for at, language in enumerate(TEXTS):
            found |= measure_document(page, f"{place}/document/{documents - len(TEXTS) + at}", language)
        browser.close()
    return found


def measure_two_runs(store: str) -> dict[str, Any]:
    """Measure Diff and search of two runs, with the memory of their service."""
    with start_view(store) as (url, process):

        def get_bytes(path: str) -> bytes:
            with urllib.request.urlopen(f"{url}v1/{path}", timeout=120) as answer:
                content: bytes = answer.read()
            return content

        ids = {run["name"]: run["id"] for run in json.loads(get_bytes("runs"))["runs"]}
        pair = f"{ids[FIRST]},{ids[SECOND]}"
        found: dict[str, Any] = {"two_runs_start_MB": round(read_memory(process))}
        for name in ("compare", "compare/columns", "compare/matrix"):
            begin = time.perf_counter()
            get_bytes(f"{name}?runs={pair}")
            found[f"two_runs_{name}_ms"] = round(1000 * (time.perf_counter() - begin))
        found["two_runs_diff_MB"] = round(read_memory(process))
        for identity in ids.values():
            for words in SEARCHED:
                get_bytes(f"runs/{identity}/search?q={urllib.parse.quote(words)}")
            for path in ("facets", "columns/document", "columns/surface", "surfaces?limit=100", "rows/0"):
                get_bytes(f"runs/{identity}/{path}")
        begin = read_cpu(process)
        for words in SEARCHED:
            for identity in ids.values():
                get_bytes(f"runs/{identity}/search?q={urllib.parse.quote(words)}")
        found["two_runs_search_cpu_ms"] = round(1000 * (read_cpu(process) - begin) / len(SEARCHED) / len(ids))
        get_bytes(f"compare/columns?runs={pair}")
        return found | {
            "two_runs_MB": round(read_memory(process)),
            "two_runs_peak_MB": round(read_memory(process, "VmHWM")),
        }


def measure_list(page: Any, place: str, number: int) -> dict[str, Any]:
    """Measure the first finding, filters and the last row of a list."""
    found: dict[str, Any] = {}
    for name in ("first_finding_ms_cold", "first_finding_ms"):
        page.goto("about:blank")
        page.goto(place)
        page.wait_for_selector(".row .row-head", timeout=120_000)
        page.wait_for_timeout(500)
        found[name] = round(page.evaluate("window.__first"))
    page.wait_for_selector(".facets label")
    page.wait_for_timeout(1000)
    found["filter_ms"] = [round(page.evaluate(FILTER, name)) for name in ("missed", "PER", "news", "web")]
    page.goto("about:blank")
    page.goto(place)
    with page.expect_response(lambda answer: answer.url.endswith("/search?q="), timeout=60_000) as answered:
        begin = time.perf_counter()
        answered.value.finished()
    found["texts_read_s"] = round(time.perf_counter() - begin, 1)
    found["search_ms"] = {words: round(page.evaluate(SEARCH, words)) for words in SEARCHED}
    page.goto("about:blank")
    page.goto(place)
    page.wait_for_selector(".row .row-head")
    begin = time.perf_counter()
    page.evaluate("() => { const box = document.querySelector('.list'); box.scrollTop = box.scrollHeight; }")
    page.wait_for_selector(f"[aria-posinset='{number}'] .row-head", timeout=60_000)
    return found | {"last_row_ms": round(1000 * (time.perf_counter() - begin))}


def measure_document(page: Any, place: str, language: str) -> dict[str, Any]:
    """Measure the longest frame while a long document scrolls from top to bottom."""
    page.goto("about:blank")
    page.goto(place)
    page.wait_for_selector(".document-text p")
    page.wait_for_timeout(1500)
    found = {}
    for part in ("text", "list"):
        frames = page.evaluate(SCROLL, [part, 120])
        found[f"longest_frame_ms_{language}_{part}"] = round(max(frames), 1)
        found[f"slow_frames_{language}_{part}"] = sum(frame > SLOW_FRAME for frame in frames)
    return found


def start_saving(number: int, store: str, name: str) -> float:
    """Save a run in a process of its own, and return the seconds it took."""
    begin = time.perf_counter()
    child = multiprocessing.get_context("spawn").Process(target=save_run, args=(number, store, name))
    child.start()
    child.join()
    return round(time.perf_counter() - begin, 1)


def has_run(store: str, name: str) -> bool:
    """Return whether a store has a run with this name."""
    from isogloss.store import Store

    with Store.open(store, create=False) as opened:
        return bool(opened.list(name=name))


def main() -> None:
    """Save the run if needed, start the service and print the figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--findings", type=int, default=1_000_000)
    parser.add_argument("--store", help="keep the store in this file, and use it again")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = given.store or str(Path(folder) / "runs.db")
        found: dict[str, Any] = {"findings": given.findings, "bundle_kB_gzip": round(measure_bundle(), 1)}
        if not Path(store).exists():
            found["save_s"] = start_saving(given.findings, store, FIRST)
        found["store_MB"] = round(Path(store).stat().st_size / 1e6)
        with start_view(store) as (url, process):
            found |= measure_page(url, given.findings)
            found |= {"server_MB": round(read_memory(process)), "server_peak_MB": round(read_memory(process, "VmHWM"))}
        if not has_run(store, SECOND):
            start_saving(given.findings, store, SECOND)
        found |= measure_two_runs(store)
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
