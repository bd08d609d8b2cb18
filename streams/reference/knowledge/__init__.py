"""What the reference endpoint knows, one YAML file a field."""
