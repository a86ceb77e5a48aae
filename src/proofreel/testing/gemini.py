"""Gemini generateContent and the resumable Files upload on a loopback port."""

import json
import uuid
from typing import Any

from proofreel.testing.replies import Empty, Filtered, LengthStop, Reply, Text, ToolCalls, Usage
from proofreel.testing.server import Request, Response, Script, ScriptedServer, as_json


class GeminiServer(ScriptedServer):
    """Speaks ``:generateContent`` and ``/upload/v1beta/files`` (start, chunks, finalize, then polling).

    Args:
        script: replies to model calls.
        key: the only accepted API key, None for any.
        processing_polls: how often a new file is still ``PROCESSING`` when asked for.

    Attributes:
        uploads: the bytes of every finished upload, by file name (``files/...``).
        file_requests: every request to the Files routes.
    """

    def __init__(self, script: Script = (), *, key: str | None = None, processing_polls: int = 1) -> None:
        super().__init__(script, key=key)
        self.processing_polls = processing_polls
        self.uploads: dict[str, bytes] = {}
        self.file_requests: list[Request] = []
        self._mime: dict[str, str] = {}
        self._polls: dict[str, int] = {}

    def key_of(self, request: Request) -> str | None:
        """The ``x-goog-api-key`` header."""
        return request.headers.get("x-goog-api-key")

    def error(self, status: int, message: str, code: str | None = None) -> Response:
        """A Google error object."""
        names = {
            400: "INVALID_ARGUMENT",
            401: "UNAUTHENTICATED",
            429: "RESOURCE_EXHAUSTED",
            503: "UNAVAILABLE",
        }
        status_name = names.get(status, "INTERNAL")
        return as_json(status, {"error": {"code": status, "message": message, "status": status_name}})

    def overflow(self) -> Response:
        """The 400 of a prompt that does not fit."""
        return self.error(
            400, "The input token count (9999999) exceeds the maximum number of tokens allowed (1048576)."
        )

    def side_route(self, request: Request) -> Response | None:
        """The Files API: resumable upload and state polling."""
        path = request.path.split("?")[0]
        if path.startswith("/upload/"):
            self.file_requests.append(request)
            return self._upload(request, path)
        if request.method == "GET" and "/files/" in path:
            self.file_requests.append(request)
            name = "files/" + path.rsplit("/", 1)[1]
            self._polls[name] = self._polls.get(name, 0) + 1
            ready = self._polls[name] > self.processing_polls
            return as_json(200, self._file(name, "ACTIVE" if ready else "PROCESSING"))
        return None

    def _upload(self, request: Request, path: str) -> Response:
        command = request.headers.get("x-goog-upload-command", "")
        if command == "start":
            name = f"files/{uuid.uuid4().hex[:10]}"
            wanted = json.loads(request.raw or b"{}").get("file", {})
            mime = request.headers.get("x-goog-upload-header-content-type") or wanted.get("mimeType", "")
            self.uploads[name], self._mime[name] = b"", mime
            session = f"{self.root}/upload/session/{name}"
            return as_json(200, {}, x_goog_upload_url=session, x_goog_upload_status="active")
        name = path.removeprefix("/upload/session/")
        if name not in self.uploads:
            return self.error(404, "no such upload session")
        if int(request.headers.get("x-goog-upload-offset", "0")) != len(self.uploads[name]):
            return self.error(400, "the upload offset does not match the bytes received")
        self.uploads[name] += request.raw
        if "finalize" not in command:
            return as_json(200, {}, x_goog_upload_status="active")
        state = "PROCESSING" if self.processing_polls else "ACTIVE"
        return as_json(200, {"file": self._file(name, state)}, x_goog_upload_status="final")

    def _file(self, name: str, state: str) -> dict[str, Any]:
        return {
            "name": name,
            "uri": f"{self.root}/v1beta/{name}",
            "mimeType": self._mime.get(name, ""),
            "sizeBytes": str(len(self.uploads.get(name, b""))),
            "state": state,
        }

    def render(self, reply: Reply, request: Request) -> Response:
        """A generateContent response."""
        parts: list[dict[str, Any]] = []
        finish, usage = "STOP", Usage()
        match reply:
            case Text(text=text, usage=usage):
                parts = [{"text": text}]
            case ToolCalls(calls=calls, text=text, usage=usage):
                parts = [{"text": text}] if text else []
                parts += [{"functionCall": {"name": c.name, "args": c.arguments}} for c in calls]
            case LengthStop(text=text, usage=usage):
                parts, finish = [{"text": text}], "MAX_TOKENS"
            case Filtered(usage=usage):
                finish = "SAFETY"
            case Empty(usage=usage):
                pass
        details = [{"modality": k, "tokenCount": v} for k, v in usage.modalities.items()]
        counts: dict[str, Any] = {
            "promptTokenCount": usage.prompt,
            "candidatesTokenCount": usage.completion - usage.reasoning,
            "thoughtsTokenCount": usage.reasoning,
            "cachedContentTokenCount": usage.cached,
            "totalTokenCount": usage.prompt + usage.completion,
        }
        if details:
            counts["promptTokensDetails"] = details
        return as_json(
            200,
            {
                "candidates": [
                    {"content": {"role": "model", "parts": parts}, "finishReason": finish, "index": 0}
                ],
                "usageMetadata": counts,
                "modelVersion": request.path.rsplit("/", 1)[1].split(":")[0],
                "responseId": uuid.uuid4().hex[:12],
            },
        )
