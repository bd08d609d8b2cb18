"""Gemini Live (BidiGenerateContent), with resumption of sessions over several connections."""
