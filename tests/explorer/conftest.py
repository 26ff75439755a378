"""Fixtures of stores in SQLite and PostgreSQL."""

from databases import kind, server, template, url

__all__ = ["kind", "server", "template", "url"]  # fixtures
