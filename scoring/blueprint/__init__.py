"""The acoustic blueprint: what a stretch of speech sounds like, as one typed record for a judge to read."""
