"""The HTTP service: bytes in, bytes out, and nothing of a text kept, logged or measured.

The server's process only moves bytes: limits, tokens, queues, health. Bodies are parsed and scored in other processes,
so that neither a large body nor a slow recogniser delays an answer that needs none of them.
"""
