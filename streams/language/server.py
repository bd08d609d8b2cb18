"""One OpenAI-compatible server: where it is, whose key opens it, and what its failures mean."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from streams.language.errors import KeyMissing, Malformed, Refused, TimedOut, Unreachable

if TYPE_CHECKING:
    from openai import APIStatusError, AsyncOpenAI

VENDOR = "https://api.openai.com/v1"
"""OpenAI's own address: the one that is meant if none is given."""

VENDOR_KEY = "OPENAI_API_KEY"
"""Where the key for OpenAI's own address is."""

_NO_KEY = "none"
_QUOTED = 300
_REMEDIES = {
    401: "Check the key.",
    403: "Check what the key may do.",
    404: "Check the model's name and the base URL.",
    413: "Send less.",
    429: "Wait, or raise the account's limits.",
}


def shown_url(url: str) -> str:
    """Scheme, host and path of a URL: what may be shown of it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"


def is_vendor(base_url: str) -> bool:
    """Whether it is OpenAI's own address."""
    return base_url.rstrip("/") == VENDOR


class Server:
    """Requests to one server: transient failures are retried, and nothing stays open between requests.

    Args:
        base_url: Root of the API, usually ending in `/v1`.
        key_env: Environment variable with the key; None means OPENAI_API_KEY for OpenAI's own address and
            no key elsewhere, so that a key is only sent where it was meant to go.
        timeout_s: Time for one request with all its retries, in seconds.
        retries: How often a rate limit, a server error or a lost connection is tried again.
        environ: The environment; that of the process by default.
    """

    def __init__(
        self,
        base_url: str = VENDOR,
        *,
        key_env: str | None = None,
        timeout_s: float = 60.0,
        retries: int = 2,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self.timeout_s = timeout_s
        self.retries = retries
        self.vendor = is_vendor(base_url)
        self.key_env = VENDOR_KEY if key_env is None and self.vendor else key_env
        self._base_url = base_url
        self._environ = os.environ if environ is None else environ

    @property
    def base_url(self) -> str:
        """The address to show: scheme, host and path, no user name, password or query."""
        return shown_url(self._base_url)

    def check_key(self, model: str) -> None:
        """Raise `KeyMissing` if a key is needed and the environment has none."""
        if self.key_env and not self._key:
            raise KeyMissing(self.base_url, model, self.key_env)

    def without_key(self, text: str) -> str:
        """What a server said, without our key in case it was quoted."""
        return text.replace(self._key, "***") if self._key else text

    @asynccontextmanager
    async def request(self, model: str, *, whole: bool = True) -> AsyncIterator[AsyncOpenAI]:
        """A client for one request; failures leave this block as a `LanguageError`.

        Args:
            model: Named in errors.
            whole: Whether the time limit is for the whole block; a stream limits each wait itself.

        Raises:
            LanguageError: `KeyMissing`, `Unreachable`, `TimedOut`, `Refused` or `Malformed`.
        """
        self.check_key(model)
        client = await asyncio.to_thread(
            getattr, self, "_client"
        )  # slow: imports, and certificates to load
        import openai

        # without "from None" a traceback would print the client's own error, which may quote the key
        try:
            async with asyncio.timeout(self.timeout_s if whole else None):
                yield client
        except (openai.APITimeoutError, TimeoutError):
            raise TimedOut(self.base_url, model, self.timeout_s) from None
        except openai.APIConnectionError as error:
            found = f"no connection ({self._clean(str(error.__cause__ or error))})"
            raise Unreachable(self.base_url, model, found, "Check that the server runs there.") from None
        except openai.APIStatusError as error:
            raise self._refused(model, error) from None
        except (openai.APIError, json.JSONDecodeError) as error:
            found = f"the answer can't be read ({self._clean(str(error))})"
            raise Malformed(
                self.base_url, model, found, self._clean(str(getattr(error, "doc", "")))
            ) from None

    @cached_property
    def _client(self) -> AsyncOpenAI:
        import openai

        client = openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._key or _NO_KEY,
            timeout=self.timeout_s,
            max_retries=self.retries,
            default_headers={"Connection": "close"},
        )
        _ = (client.chat.completions, client.audio.speech, client.audio.transcriptions)  # imports them here
        return client

    @property
    def _key(self) -> str:
        return self._environ.get(self.key_env, "").strip() if self.key_env else ""

    def _refused(self, model: str, error: APIStatusError) -> Refused:
        said = error.body.get("message") if isinstance(error.body, dict) else None
        found = f"HTTP {error.status_code}: {self._clean(said if isinstance(said, str) else error.message)}"
        otherwise = "The server's log may say more." if error.status_code >= 500 else ""
        remedy = _REMEDIES.get(error.status_code, otherwise)
        return Refused(self.base_url, model, error.status_code, found, remedy)

    def _clean(self, text: str) -> str:
        """What a server said, for a message: without our key, on one line, of bounded length."""
        text = " ".join(self.without_key(text).split()).rstrip(".")
        return text if len(text) <= _QUOTED else f"{text[:_QUOTED]}..."
