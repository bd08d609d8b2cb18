"""Judges of replies: which facts were stated, contradicted, left out. Rules, or a language model."""
