"""What people and programs read: drawings, tables, pages and exchange formats of a run."""
