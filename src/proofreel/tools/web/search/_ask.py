"""One request to a search service: retries that are told, errors without keys."""

import json
from typing import Any

import anyio
import httpx

from proofreel.tools.web.errors import WebError
from proofreel.tools.web.search.provider import OnWait

ATTEMPTS = 3
SECONDS = 20.0
LONGEST_WAIT = 10.0


async def ask(
    service: str, method: str, url: str, *, secret: str = "", on_wait: OnWait | None = None, **request: Any
) -> dict[str, Any]:
    """The JSON object a service answers with.

    Busy and failing services (429, 5xx, no answer) are asked up to three times.

    Args:
        service: name, for messages.
        method: GET or POST.
        url: address of the service.
        secret: key that must not appear in any message.
        on_wait: called with (attempt, reason, seconds) before every wait.
        request: headers, params or json, as httpx takes them.

    Raises:
        WebError: ``search``, in one line.
    """
    for attempt in range(1, ATTEMPTS + 1):
        wait = float(attempt)
        try:
            async with httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client:
                with anyio.fail_after(SECONDS):
                    answer = await client.request(method, url, **request)
        except (httpx.HTTPError, TimeoutError) as error:
            trouble = f"no answer ({type(error).__name__})"
        else:
            if answer.status_code == 200:
                return _object(service, answer)
            trouble = _trouble(answer, secret)
            if answer.status_code != 429 and answer.status_code < 500:
                break
            wait = _asked_wait(answer) or wait
        if attempt == ATTEMPTS:
            break
        if on_wait is not None:
            on_wait(attempt, f"{service}: {trouble}", wait)
        await anyio.sleep(wait)
    raise WebError("search", f"search by {service} failed: {trouble}")


def _object(service: str, answer: httpx.Response) -> dict[str, Any]:
    try:
        value = answer.json()
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise WebError("search", f"search by {service} failed: the answer is no JSON object")
    return value


def _trouble(answer: httpx.Response, secret: str) -> str:
    said = {
        401: "the key is refused",
        402: "the account has no credit left",
        403: "access is refused",
        429: "too many requests",
    }.get(answer.status_code, "")
    text = answer.text[:300]
    try:
        value = json.loads(answer.text)
        text = str(value.get("message") or value.get("detail") or value.get("error") or text)[:200]
    except (ValueError, AttributeError):
        text = "" if "<" in text else text
    text = text.replace(secret, "***") if secret else text
    return f"status {answer.status_code}" + "".join(f", {t}" for t in (said, " ".join(text.split())) if t)


def _asked_wait(answer: httpx.Response) -> float | None:
    try:
        return min(max(float(answer.headers.get("retry-after", "")), 0.0), LONGEST_WAIT)
    except ValueError:
        return None
