"""A person takes the call at the microphone."""
