"""Twilio Media Streams: we are the telephone company, the endpoint is the server it calls."""
