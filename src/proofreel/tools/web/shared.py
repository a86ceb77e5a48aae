"""One session for all agents of a run, and what a run's web folder tells afterwards."""

import atexit
import json
import threading
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofreel.tools.web.session import EVENTS, WebSession
from proofreel.tools.web.settings import WebSettings

_sessions: dict[str, WebSession] = {}
_making = threading.Lock()


def session_of(options: Mapping[str, Any]) -> WebSession:
    """The session of a run, made at the first call and shared by all that have the same web settings.

    Args:
        options: of the agent; ``web_session`` may hold a session made by the caller.

    Raises:
        UserError: settings that cannot be used.
    """
    given = options.get("web_session")
    if isinstance(given, WebSession):
        return given
    settings = WebSettings.of(options)
    key = settings.model_dump_json()
    with _making:
        if key not in _sessions:
            _sessions[key] = WebSession(settings)
        return _sessions[key]


@atexit.register
def close_sessions() -> None:
    """Ends the child processes of all shared sessions."""
    with _making:
        sessions = list(_sessions.values())
        _sessions.clear()
    for session in sessions:
        session.close()


def web_counts(record: str | Path) -> dict[str, int]:
    """What went wrong on a run's web, by event (misses, blocked, refused, failed visits and searches).

    Args:
        record: the ``web`` folder of a run.
    """
    path = Path(record) / EVENTS
    if not path.is_file():
        return {}
    lines = path.read_bytes().split(b"\n")[:-1]
    return dict(sorted(Counter(json.loads(line)["event"] for line in lines).items()))
