"""Numbers and judgements from episodes; never from a live session."""
