"""A run: many episodes made by one command, with one manifest.

- `plan`: which episodes, scenario x condition x user x repeat x endpoint, each with its seed
- `variants`: conditions and users that a run puts in the place of the scenarios' own
- `manifest`: the plan as run.json, and back
- `limits`: when which call may begin, and which is held again
- `budget`: money, tokens and minutes; once they are spent no more calls begin
- `hold`: one planned episode, plan entry in and result out
- `progress`, `estimate`: how long it still takes, and how long it will take
- `run`: holds them all
"""
