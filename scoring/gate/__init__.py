"""May it be merged? A run against what its scenarios expect, against thresholds, against an earlier run.

- `checks`: one thing that was looked at, and what came of it
- `expectations`, `thresholds`, `regression`: the three kinds of checks
- `plan`: was all held that was planned
- `gate`: all of them
- `junit`, `annotations`, `markdown`: for the programs and people of a continuous integration
"""
