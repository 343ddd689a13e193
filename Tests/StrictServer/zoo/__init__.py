"""Servers that people have, played from files: the strict server judges each request, a file spells the answers."""
