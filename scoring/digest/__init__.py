"""What tables and comparisons need of episodes, in columns: ten thousand are read and put together at once.

- `columns`: the values of all metrics of all episodes
- `make`: from scored episodes
- `store`: kept in the folder of the run, and found again if nothing has changed
- `read`: of any paths: what is kept and fresh is taken, the rest is scored
"""
