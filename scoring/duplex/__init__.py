"""Full-duplex metrics: how both sides share the line."""
