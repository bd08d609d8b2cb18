"""Endpoints that one YAML file describes: anyone's websocket, without a line of Python."""
