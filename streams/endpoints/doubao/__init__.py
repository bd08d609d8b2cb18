"""Doubao (Volcengine realtime dialogue): binary frames with numbered events."""
