"""Calls made elsewhere come in; calls held here go out."""
