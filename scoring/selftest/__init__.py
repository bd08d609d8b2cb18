"""The self-test: what calls with planted defects show, and how often that is right. Pure."""
