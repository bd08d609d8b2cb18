"""Pipecat bots behind a websocket: protobuf frames, and RTVI messages inside them."""
