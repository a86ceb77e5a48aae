"""Reading requests off the wire."""

from __future__ import annotations

import base64
import hashlib
from typing import Any

import anyio

from proofreel.models import CallRecord, call_model


def ask(model: Any, messages: Any, **settings: Any) -> CallRecord:
    """One call, run to its end."""

    async def run() -> CallRecord:
        return await call_model(model, messages, **settings)

    return anyio.run(run)


def decoded(text: str) -> bytes:
    """Base64 in either alphabet, with or without a data URI in front."""
    body = text.split(",", 1)[1] if text.startswith("data:") else text
    return base64.b64decode(body.replace("-", "+").replace("_", "/"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
