"""Runs of calls: asked for, held, shown, gated, compared."""
