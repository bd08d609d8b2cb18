"""The live examination: session engine, suites, configuration and the command line."""
