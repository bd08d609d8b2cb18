"""What the tests use of pipecat-ai, imported without its banner and its dependencies' warnings."""

from __future__ import annotations

import warnings

from loguru import logger

logger.disable("pipecat")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pipecat.processors.frameworks.rtvi.models as rtvi
    from pipecat.audio.dtmf.types import KeypadEntry
    from pipecat.frames import frames
    from pipecat.runner.utils import parse_telephony_websocket
    from pipecat.serializers.exotel import ExotelFrameSerializer
    from pipecat.serializers.plivo import PlivoFrameSerializer
    from pipecat.serializers.protobuf import ProtobufFrameSerializer
    from pipecat.serializers.telnyx import TelnyxFrameSerializer
    from pipecat.serializers.twilio import TwilioFrameSerializer
    from pipecat.serializers.vonage import VonageFrameSerializer

__all__ = [
    "ExotelFrameSerializer",
    "KeypadEntry",
    "PlivoFrameSerializer",
    "ProtobufFrameSerializer",
    "TelnyxFrameSerializer",
    "TwilioFrameSerializer",
    "VonageFrameSerializer",
    "frames",
    "parse_telephony_websocket",
    "rtvi",
]
