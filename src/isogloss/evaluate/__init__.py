"""The use cases that score systems, one file per task, and where their input comes from."""
