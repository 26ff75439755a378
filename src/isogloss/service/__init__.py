"""The HTTP service: bytes in, bytes out.

No text of a client is kept, logged or measured.

The server process only moves bytes: limits, tokens, queues, health. Other processes parse and score the bodies, so
that neither a large body nor a slow recogniser delays other answers.

    server → app → middleware → requests → process_pool → jobs (in worker processes) → batching

Tasks declare their routes; no module here knows a task by name.
"""
