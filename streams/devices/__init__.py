"""Sound cards: a person's microphone and ear, on the session's clock."""
