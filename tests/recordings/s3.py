"""An S3 of this process behind a real socket; the environment names it, also to processes it starts."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import pytest


@contextmanager
def serving() -> Iterator[None]:
    """While it is there; skips the test if it is not installed."""
    moto = pytest.importorskip("moto.server", reason="moto is not installed")
    s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed")
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        s3fs.S3FileSystem.clear_instance_cache()  # one that another test made calls a server that has gone
        yield
    server.stop()


def bucket() -> str:
    """Make a bucket; returns its name."""
    import s3fs

    name = str(uuid.uuid4())
    s3fs.S3FileSystem().mkdir(name)
    return name
