"""Scores of recordings, texts and sounds."""
