"""Endpoints: checked, probed, served."""
