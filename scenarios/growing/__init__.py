"""Growing a pack: new scenarios after the example of old ones (S2S-Arena, self-instruction). Pure."""
