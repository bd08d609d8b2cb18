"""Plain audio over a websocket, binary both ways: what in-house endpoints speak."""
