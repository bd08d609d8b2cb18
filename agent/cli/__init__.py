"""The command line: the one place that sees every room, builds the parts and exits."""
