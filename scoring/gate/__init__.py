"""May it be merged? A run against what its scenarios expect, against thresholds, against an earlier run.

- `checks`: one thing that was looked at, and what came of it
- `expectations`, `thresholds`, `regression`: the three kinds of checks
- `gate`: all of them
- `junit`, `annotations`, `markdown`: for the programs and people of a continuous integration
"""
