"""The event bus: what goes on in a run, as versioned JSON over MQTT, and commands back.

- `messages`: every message, as a model; `coding`: as JSON and back
- `topics`: where each kind is published, with which QoS, retained or not
- `address`: `mqtt://HOST:PORT/PREFIX`
- `buffer`: what waits to be sent; bounded, and it counts what it drops
- `commands`: which commands are obeyed, and each once
- `connection`: the one MQTT connection: it comes back, and subscribes again
- `bus`: publishes from a thread of its own, so that no broker can delay a call
- `watching`: runs as they are seen from the broker alone
- `document`: the tables of docs/events.md, made of the models
"""
