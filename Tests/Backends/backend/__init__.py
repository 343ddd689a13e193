"""Backends of apps, as tests need them: strict about what they are sent."""
