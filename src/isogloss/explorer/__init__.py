"""The explorer: runs, their findings and differences, for a browser.

A page reads payloads by their URLs. The HTTP service answers these URLs, and a static export holds the same bytes.
`payloads` defines them, `routes` lists the URLs, and `run_sources` says where runs come from.
"""
