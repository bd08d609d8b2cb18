"""Who looks on at a run: an event bus, spans, metrics."""
