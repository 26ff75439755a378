"""The page of a report as a browser draws it. Needs Chromium, and fonts with Arabic, Devanagari and Thai."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest
from reports import HOSTILE, by_hand, corpora, demo_runs, rank_by_hand

from isogloss.report.html.page import render_report_page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.extra,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]
TASKS = ("ner", "segmentation", "entity-translation", "code-switching", "classification")
NARROW = 360
WORDS = {  # a text, and a part of a word in it
    "Arabic, inside a word": ("كتابة", 1, 3),
    "Arabic, at the end of a word": ("كتابة", 2, 5),
    "Hindi conjunct": ("अक्षर", 1, 4),
    "Hindi vowel before its consonant": ("किताब", 0, 2),
    "Thai base and tone": ("น้ำใจดี", 0, 3),
    "Thai vowel above": ("ที่บ้าน", 0, 3),
    "Chinese": ("我爱北京", 2, 4),
}
OVERFLOW = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
WIDTHS = """
[...document.querySelectorAll("p.text")].filter(text => text.querySelector("mark, .cut")).map(text => {
  const plain = text.cloneNode(false);
  plain.textContent = text.textContent;
  text.after(plain);
  return [text, plain].map(one => {
    one.style.width = "max-content";
    const width = one.getBoundingClientRect().width;
    one.style.width = "";
    return width;
  }).concat([text.textContent, text.querySelectorAll("mark, .cut").length]);
})
"""
CONTRASTS = """
(() => {
  const channels = colour => colour.match(/[0-9.]+/g).map(Number);
  const luminance = colour => {
    const linear = c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    const [r, g, b] = channels(colour).map(c => linear(c / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let one = element; one; one = one.parentElement) {
      const [r, g, b, alpha = 1] = channels(getComputedStyle(one).backgroundColor);
      if (alpha === 1) return `rgb(${r}, ${g}, ${b})`;
    }
    return "rgb(255, 255, 255)";
  };
  const found = {};
  for (const element of document.querySelectorAll("body *")) {
    if (![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
    const style = getComputedStyle(element);
    const front = element.namespaceURI.includes("svg") ? style.fill : style.color;
    const [high, low] = [luminance(front), luminance(behind(element))].sort((a, b) => b - a);
    const ratio = (high + 0.05) / (low + 0.05);
    const name = element.tagName + "." + (element.getAttribute("class") || "");
    found[name] = Math.min(found[name] ?? 99, ratio);
  }
  return [behind(document.body), found];
})()
"""


def evaluated(html: str, expression: str, folder: Path, *, width: int = 1000, dark: bool = False) -> Any:
    """What a JavaScript expression gives in a page of so many pixels: the page stands in a frame, so runs no script."""
    wrapper = folder / "wrapper.html"
    wrapper.write_text(
        f"""<!doctype html><meta charset="utf-8"><body>
<iframe style="width:{width}px;height:900px;border:0" srcdoc="{escape(html)}"></iframe><pre id="result"></pre><script>
document.querySelector("iframe").onload = event => {{
  const evaluate = new event.target.contentWindow.parent.Function(
    "document", "getComputedStyle", "return (" + {json.dumps(expression)} + ")");
  const inside = event.target.contentWindow;
  document.querySelector("#result").textContent =
    JSON.stringify(evaluate(inside.document, inside.getComputedStyle.bind(inside)));
}};
</script>""",
        encoding="utf-8",
    )
    scheme = ["--force-dark-mode", "--blink-settings=preferredColorScheme=0"] if dark else []
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += ["--virtual-time-budget=10000", "--window-size=1200,1000", *scheme, "--dump-dom", wrapper.as_uri()]
    dumped = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=True).stdout
    found = re.search(r'<pre id="result">(.*?)</pre>', dumped, re.DOTALL)
    assert found is not None
    assert found[1], "the page was not loaded"
    return json.loads(unescape(found[1]))


def marked_words() -> dict[str, Any]:
    rows = [
        {
            "kind": "wrong_boundary",
            "document": name,
            "where": "f:1",
            "text": text,
            "reference": {"start": begin, "end": stop, "label": "X", "in_text": [begin, stop]},
            "predicted": {"start": begin, "end": stop, "label": "X", "in_text": [begin, stop]},
        }
        for name, (text, begin, stop) in WORDS.items()
    ]
    return by_hand(findings={"counts": {}, "rows": rows})


def rounding(marks: int) -> float:
    """Pixels by which a line may be wider: the browser rounds each of its parts up to a 64th of a pixel."""
    return (2 * marks + 1) / 64


@pytest.mark.parametrize("task", TASKS)
def test_a_narrow_screen_need_not_be_scrolled_sideways(task: str, tmp_path: Path) -> None:
    html = render_report_page(corpora(tmp_path / "r.json", *demo_runs(task)))
    scrolled, seen = evaluated(html, OVERFLOW, tmp_path, width=NARROW)
    assert scrolled <= seen <= NARROW


def test_long_names_do_not_widen_the_page(tmp_path: Path) -> None:
    long = "x" * 300
    labels = {long: {"strict": {"f1": 0.5, "precision": 0.5, "recall": 0.5}}}
    runs = [by_hand(f"{long}{name}{HOSTILE}", by_label=labels) for name in "ab"]
    scrolled, seen = evaluated(
        render_report_page(corpora(tmp_path / "r.json", *runs)), OVERFLOW, tmp_path, width=NARROW
    )
    assert scrolled <= seen


def test_marked_words_are_as_wide_as_they_are_without_marks(tmp_path: Path) -> None:
    found = evaluated(render_report_page(corpora(tmp_path / "r.json", marked_words())), WIDTHS, tmp_path)
    assert len(found) == 2 * len(WORDS)
    for marked, plain, text, marks in found:
        assert marked == pytest.approx(plain, abs=rounding(marks)), text
        assert plain > 10


@pytest.mark.parametrize("task", ["segmentation", "code-switching"])
def test_marks_do_not_widen_words_of_real_texts(task: str, tmp_path: Path) -> None:
    found = evaluated(
        render_report_page(corpora(tmp_path / "r.json", demo_runs(task)[-1])), WIDTHS, tmp_path, width=3000
    )
    assert found
    for marked, plain, text, marks in found:
        assert marked == pytest.approx(plain, abs=rounding(marks)), text


def test_padding_would_have_been_noticed(tmp_path: Path) -> None:
    html = render_report_page(corpora(tmp_path / "r.json", marked_words())).replace(
        "</style>", "mark { padding: 1px }</style>"
    )
    assert all(marked > plain + 1 for marked, plain, *_ in evaluated(html, WIDTHS, tmp_path))


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("task", TASKS)
def test_every_text_has_the_contrast_of_level_aa(task: str, dark: bool, tmp_path: Path) -> None:  # noqa: FBT001
    html = render_report_page(corpora(tmp_path / "r.json", *demo_runs(task)))
    behind, ratios = evaluated(html, CONTRASTS, tmp_path, dark=dark)
    assert (behind == "rgb(255, 255, 255)") is not dark
    assert len(ratios) > 10
    assert {name: ratio for name, ratio in ratios.items() if ratio < 4.5} == {}


def print_words(html: str, folder: Path) -> list[tuple[float, float, float, float]]:
    """Left and right edge of each word on paper, and width and height of its page, in points."""
    (folder / "page.html").write_text(html, encoding="utf-8")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}"]
    command += ["--no-pdf-header-footer", f"--print-to-pdf={folder / 'page.pdf'}", (folder / "page.html").as_uri()]
    subprocess.run(command, capture_output=True, timeout=120, check=True)
    listed = subprocess.run(["pdftotext", "-bbox", str(folder / "page.pdf"), "-"], capture_output=True, check=True)
    words, page = [], (0.0, 0.0)
    for name, *numbers in re.findall(
        r'<(page|word) (?:width|xMin)="([\d.-]+)" (?:height="([\d.]+)"|yMin="[\d.-]+" xMax="([\d.-]+)")',
        listed.stdout.decode(),
    ):
        if name == "page":
            page = float(numbers[0]), float(numbers[1])
        else:
            words.append((float(numbers[0]), float(numbers[2]), *page))
    return words


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="pdftotext is not installed")
def test_twenty_systems_by_many_labels_are_not_cut_on_paper(tmp_path: Path) -> None:
    score = {"strict": {"f1": 0.5, "precision": 0.5, "recall": 0.5}}
    interval = {"low": 0.25, "high": 0.75, "level": 0.95, "method": "bootstrap"}
    intervals = {f"by_label.L{at}.strict.f1": interval for at in range(38)}
    labels = {f"L{at}": score for at in range(38)}
    names = [f"d/a_system_with_quite_a_long_name_{at:02d}" for at in range(20)]
    runs = [by_hand(name, by_label=labels, intervals=intervals) for name in names]
    found = corpora(tmp_path / "r.json", *runs, ranking=rank_by_hand(runs))
    words = print_words(render_report_page(found), tmp_path)
    assert len(words) > 20 * 38
    assert all(0 <= left < right <= width for left, right, width, _ in words)
    assert sum(width > height for _, _, width, height in words) > 20 * 38  # the board of labels
