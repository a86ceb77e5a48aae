"""The page a person answers on, served to this machine alone under a secret path."""

import json
from importlib.resources import files
from typing import Any

import anyio.to_thread

from proofreel.agents._human.desk import Desk, NotPossible
from proofreel.core.errors import UserError

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; media-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
FRAME_ROWS = 540
MOST_BODY = 200_000


def application(desk: Desk, key: str) -> Any:
    """The application for one question; nothing is served without the key in the path."""
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import FileResponse, JSONResponse, Response
    from starlette.routing import Mount, Route

    quiet = {"content-security-policy": POLICY, "referrer-policy": "no-referrer", "cache-control": "no-store"}

    def asset(name: str, kind: str) -> Any:
        async def send(request: Request) -> Response:
            text = files("proofreel.agents").joinpath("_human", "assets", name).read_text(encoding="utf-8")
            return Response(text, media_type=kind, headers=quiet)

        return send

    async def state(request: Request) -> Response:
        return JSONResponse(desk.state(), headers=quiet)

    async def act(request: Request) -> Response:
        # Forms of other sites cannot send this type, and scripts of other sites do not know the key.
        if not request.headers.get("content-type", "").startswith("application/json"):
            return JSONResponse({"error": "send JSON"}, 415, headers=quiet)
        raw = b""
        async for part in request.stream():
            raw += part
            if len(raw) > MOST_BODY:
                return JSONResponse({"error": f"a request may have {MOST_BODY} bytes"}, 413, headers=quiet)
        try:
            body = json.loads(raw)
            return JSONResponse(await desk.act(body), headers=quiet)
        except (ValueError, RecursionError):
            return JSONResponse({"error": "the body is not JSON, or too long"}, 400, headers=quiet)
        except NotPossible as error:
            return JSONResponse({"error": str(error)}, 409 if desk.done.is_set() else 400, headers=quiet)
        except UserError as error:
            return JSONResponse({"error": " ".join(str(error).split())}, 400, headers=quiet)

    async def video(request: Request) -> Response:
        return FileResponse(desk.question.video, headers=quiet)

    async def frame(request: Request) -> Response:
        """The frame on screen at a second, for videos that the browser cannot play."""
        from proofreel.video import At, FramesRef, expand_frames

        try:
            second = float(request.query_params.get("t", ""))

            def work() -> Any:
                return expand_frames(FramesRef.of(desk.question.video, At([second]), height=FRAME_ROWS))

            shown = await anyio.to_thread.run_sync(work)
        except ValueError as error:  # VideoError too
            return JSONResponse({"error": " ".join(str(error).split())}, 400, headers=quiet)
        at = {"x-time": f"{shown.times[0]:.6f}", **quiet}
        return Response(shown.jpegs[0], media_type="image/jpeg", headers=at)

    routes = [
        Route("/", asset("page.html", "text/html")),
        Route("/human.js", asset("human.js", "text/javascript")),
        Route("/human.css", asset("human.css", "text/css")),
        Route("/state", state),
        Route("/act", act, methods=["POST"]),
        Route("/video", video),
        Route("/frame", frame),
    ]
    return Starlette(routes=[Mount(f"/{key}", routes=routes)])
