"""The arena: battles between systems, and what they say about who is better.

Pure, but for `battles` and `importers`, which read and write files.
"""
