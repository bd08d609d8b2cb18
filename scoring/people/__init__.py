"""How far the simulated user is from people: the same scenarios, called by both."""
