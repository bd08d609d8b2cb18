"""Language models behind one OpenAI-compatible client."""
