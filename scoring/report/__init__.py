"""Scores for people: tables in the terminal, and one HTML file."""
