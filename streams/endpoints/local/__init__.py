"""Endpoints without a wire: the user's own Python code, and programs that take a WAV and give a WAV."""
