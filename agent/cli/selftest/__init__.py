"""The self-test: planted defects, found again."""
