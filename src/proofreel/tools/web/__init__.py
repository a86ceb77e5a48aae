"""The web for agents: guarded, bounded, archived; live, replayed, or a folder of pages. Loads lazily."""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

if TYPE_CHECKING:
    from proofreel.tools.web.archive import Archive
    from proofreel.tools.web.errors import WebError
    from proofreel.tools.web.guard import Policy, check_url
    from proofreel.tools.web.page import Page
    from proofreel.tools.web.quotes import QuoteCheck, check_quote
    from proofreel.tools.web.session import Found, WebSession
    from proofreel.tools.web.settings import WebSettings
    from proofreel.tools.web.shared import close_sessions, session_of, web_counts

_HOME = {
    "Archive": "archive",
    "Found": "session",
    "Page": "page",
    "Policy": "guard",
    "QuoteCheck": "quotes",
    "WebError": "errors",
    "WebSession": "session",
    "WebSettings": "settings",
    "check_quote": "quotes",
    "check_url": "guard",
    "close_sessions": "shared",
    "session_of": "shared",
    "web_counts": "shared",
}

__all__ = [
    "Archive",
    "Found",
    "Page",
    "Policy",
    "QuoteCheck",
    "WebError",
    "WebSession",
    "WebSettings",
    "check_quote",
    "check_url",
    "close_sessions",
    "session_of",
    "web_counts",
]

__getattr__ = lazy_names(__name__, _HOME)
