"""All that flows in and out of the process, and the clock it flows by."""
