"""All episodes of some folders as one table, and what differs between two runs. Reads; writes nothing.

- `measuring`: measures what nobody has, in the background
- `kept`: what is known of each episode: from kept digests where they are fresh, else from `episode.json`
- `table`: rows and columns
- `differences`: two runs side by side
"""
