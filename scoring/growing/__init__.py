"""Growing a pack with a language model: asking, likeness, and what a person made of a sample."""
