"""Our own endpoint: a voice assistant to call when there is nothing else to call."""
