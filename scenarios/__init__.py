"""What should happen in a call: the scenario schema, its loader, and the packs we ship."""
