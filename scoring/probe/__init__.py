"""What one call with one question tells of an endpoint: `viva endpoint probe`."""
