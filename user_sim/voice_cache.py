"""Synthesised speech on disk; see `streams.speech.voice_cache`."""

from streams.speech.voice_cache import CACHE_VERSION as CACHE_VERSION
from streams.speech.voice_cache import VoiceCache as VoiceCache
from streams.speech.voice_cache import cache_key as cache_key
