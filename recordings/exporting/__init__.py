"""Episodes in the formats of other programs.

    cues        who spoke from when to when, and the words: what most formats hold
    sound       both sides as one stereo file, the user left
    labels      Audacity, RTTM, WebVTT
    tiers       Praat's TextGrid, ELAN
    rows        one row a turn: JSONL, Parquet, an audio folder for Hugging Face datasets
    pack        the episode itself, its finished tracks as FLAC
    formats     all of them by name

Writers of text are pure: cues in, text out.
"""
