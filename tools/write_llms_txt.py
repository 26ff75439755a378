"""Write llms.txt and the Markdown of each page into the built documentation, for readers that are programs.

A hook of MkDocs, named in `mkdocs.yml`. The page `/ner.html` gets the twin `/ner.md`, so links between twins work.
`llms.txt` lists the twins by section, in the form of https://llmstxt.org.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page

_pages: list[Page] = []


def on_nav(nav: Navigation, **_: Any) -> None:
    """Remember the pages of the navigation."""
    _pages[:] = nav.pages


def on_post_build(config: MkDocsConfig, **_: Any) -> None:
    """Write all files."""
    site = Path(config.site_dir)
    for page in _pages:
        twin = site / page.file.src_uri
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(page.markdown or "", encoding="utf-8")
    (site / "llms.txt").write_text("\n".join(_format_index(config)) + "\n", encoding="utf-8")


def _format_index(config: MkDocsConfig) -> Iterator[str]:
    yield f"# {config.site_name}\n\n> {config.site_description}"
    section = None
    for page in _pages:
        title = page.ancestors[-1].title if page.ancestors else "Start"
        if title != section:
            section = title
            yield f"\n## {section}\n"
        yield f"- [{page.title}]({page.file.src_uri})"
