"""How alembic runs the migrations of a store: on the connection, and in the transaction, that it is handed.

A new migration is a file in `versions` beside the others: `v0003_what.py` with `down_revision = "0002"`. It spells its
tables out, because those of the package go on changing; `HEAD` in `isogloss.store.upgrading` names it.
"""

from __future__ import annotations

from alembic import context

from isogloss.store.tables import metadata
from isogloss.store.upgrading import VERSIONS

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSIONS,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
