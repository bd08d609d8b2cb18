"""The self-test: calls with an endpoint whose defects are known."""
