"""Planted defects: what a good endpoint does not do, each with a dose."""
