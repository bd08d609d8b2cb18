"""S3-Bench by voice: recognition, perception, knowledge, generation, dialogue. Pure."""
