"""Speeds and timing of this machine; run with `make bench`."""
