"""Statistics that several parts of the scoring share: numbers in, numbers with their uncertainty out.

Pure functions of numpy arrays. What has no value for some data is an `Undefined` with a cause, never NaN.
Everything random takes a seed, and gives the same numbers whatever the order of the items.
"""
