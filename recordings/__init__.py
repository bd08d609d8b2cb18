"""The episode format: write, read, check, replay."""
