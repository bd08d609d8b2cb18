"""What can go wrong with a language model, or with any OpenAI-compatible server.

LanguageError
├── SpecInvalid   the name given is no language model (ours to tell, before a request)
├── KeyMissing    the environment variable for the key is not set
├── Unreachable   nobody answers at the address
├── TimedOut      no answer in time
├── Refused       the server answered with an HTTP error, after the retries it is worth
└── Malformed     the server answered, and the answer can't be used

Messages name the server, the model, what was found and what to do; never a key.
"""

from __future__ import annotations


class LanguageError(RuntimeError):
    """Base of all failures of a language model.

    Attributes:
        base_url: The server, without user names, passwords or queries.
        model: The model asked for.
        found: What happened.
        remedy: What to do.
    """

    def __init__(self, base_url: str, model: str, found: str, remedy: str = "") -> None:
        self.base_url = base_url
        self.model = model
        self.found = found
        self.remedy = remedy
        super().__init__(base_url, model, found, remedy)

    def __str__(self) -> str:
        tail = f" {self.remedy}" if self.remedy else ""
        return f"{self.model} at {self.base_url}: {self.found}.{tail}"


class SpecInvalid(LanguageError):
    """The name given is not the name of a language model."""

    def __init__(self, spec: str, found: str, remedy: str) -> None:
        self.spec = spec
        super().__init__("", "", found, remedy)

    def __str__(self) -> str:
        return f"language model {self.spec!r}: {self.found}. {self.remedy}"


class KeyMissing(LanguageError):
    """The server needs a key, and the environment has none.

    Attributes:
        key_env: The environment variable that should hold it.
    """

    def __init__(self, base_url: str, model: str, key_env: str) -> None:
        self.key_env = key_env
        super().__init__(base_url, model, f"{key_env} is not set", f"Set {key_env} to the server's key.")


class Unreachable(LanguageError):
    """Nobody answers at the address."""


class TimedOut(LanguageError):
    """No answer in time.

    Attributes:
        timeout_s: How long was waited, in seconds.
    """

    def __init__(self, base_url: str, model: str, timeout_s: float) -> None:
        self.timeout_s = timeout_s
        found = f"no answer within {timeout_s:g} s"
        remedy = "Allow more time (URL?timeout_s=120#MODEL), or take a faster server."
        super().__init__(base_url, model, found, remedy)


class Refused(LanguageError):
    """The server answered with an error.

    Attributes:
        status: The HTTP status.
    """

    def __init__(self, base_url: str, model: str, status: int, found: str, remedy: str = "") -> None:
        self.status = status
        super().__init__(base_url, model, found, remedy)


class Malformed(LanguageError):
    """The answer can't be used.

    Attributes:
        raw: The answer as it came.
    """

    def __init__(self, base_url: str, model: str, found: str, raw: str, remedy: str = "") -> None:
        self.raw = raw
        super().__init__(base_url, model, found, remedy)
