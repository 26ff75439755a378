"""Migrations of a store, run by alembic."""
