"""Speech engines behind small interfaces: activity, end of turn, recognition, voices."""
