"""Two sides on the same scenarios and seeds: which is better, by how much, and is it more than chance?

- `metrics`: what is compared, which way is better, and from which difference on it matters
- `pairs`: the episodes of two sides side by side
- `verdict`: the comparison of one metric, and of all
- `sides`: which sides the episodes of one run, or of two, make
- `terminal`: the table
"""
