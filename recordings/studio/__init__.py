"""The listening studio: a local web app over recorded episodes.

- `library`: which episodes there are, and that no path leaves its folder
- `tracks`, `peaks`, `sound`, `spectrogram`, `png`: the audio, a stretch at a time, never a whole file
- `guard`: who may ask; `answers`: what is sent back
- `app` and the modules of its routes; `server`: the socket
- `parts`: what comes from other rooms, as protocols
- `static`, `page`: the page's own files, and how they are sent
"""
