"""Judges: one call, two systems, an arena, and how far they agree."""
