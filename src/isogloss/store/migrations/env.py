"""Configure alembic for the migrations of a store.

The migrations run on the connection, and in the transaction, that the store hands over.

To add a migration, put `v0005_what.py` with `down_revision = "0004"` into `versions` and name it as `LATEST_VERSION` in
`isogloss.store.database`. A migration spells out its tables, because those of the package go on changing.
"""

from __future__ import annotations

from alembic import context

from isogloss.store.database import VERSION_TABLE
from isogloss.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
