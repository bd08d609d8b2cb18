"""The endpoint protocol, and one folder for each wire protocol."""
