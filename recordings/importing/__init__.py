"""Recordings made elsewhere become episodes.

    sound       audio files of others, refused where they lie
    tracks      two sides on one timeline
    words       transcripts in many formats, one line each (`lines`)
    sides       whose voice a speaker's name is
    speech      what is audible and what is written, put together
    mix         a recording of both sides in one channel, taken apart by its words
    found       what there is to import in a folder
    tau2        what tau2-bench writes
    pipecat     what pipecat's evals write
    episode     the folder that a call becomes

What nobody observed is absent in them and said so, never invented.
"""
