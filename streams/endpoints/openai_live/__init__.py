"""OpenAI Live: full duplex, without turns, responses or interruptions on the wire."""
