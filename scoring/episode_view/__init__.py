"""All that the studio and the static export show of a call, as one model.

- `model`, `spans`: the model, which is its own JSON Schema
- `build`: from an episode's folder; `outline`: the part that needs no listening
- `axis`, `lanes`, `event_lanes`, `unheard`, `turns`, `words`, `verdicts`, `values`: its parts; pure
- `curves`: pitch and loudness, of the stored blueprint
"""
