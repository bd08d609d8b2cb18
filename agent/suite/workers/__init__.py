"""Processes that hold the calls of a run, one event loop each; models, judges, screens stay in the first.

- `messages`: what the processes tell each other
- `pipe`: two threads that carry it
- `distant`: the models and judges of the first process, as a worker sees them
- `process`: a worker: takes orders, holds calls
- `local`, `on_ray`: where a worker is: a process beside this one, or an actor of a `cluster`
- `apart`: its recordings, if its disk is not that of the run
- `pool`: starts workers, gives out the orders, serves what they ask, replaces those that die
"""
