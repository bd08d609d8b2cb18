"""Many live sessions in one process: ours, bare clients, and Pipecat's, against a sink in another process.

Every client does the same work: 20 ms frames out on absolute deadlines, speech in, Silero on all that is
heard, both tracks into WAV files. Each is a process of its own (`python -m benchmarks.sessions.ours`, ...)
that measures itself and prints one line of JSON; `benchmarks.sessions.compare` starts them in turn.
"""
