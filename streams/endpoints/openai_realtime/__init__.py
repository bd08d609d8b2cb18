"""The OpenAI Realtime protocol, GA and beta shape, and the servers that speak a dialect of it."""
