"""The studio: listening and labelling."""
