"""Why a search or a page came to nothing: one kind, one line."""

from typing import Literal, get_args

Kind = Literal[
    "address",
    "blocked",
    "robots",
    "binary",
    "unreadable",
    "too_large",
    "timeout",
    "redirects",
    "http",
    "network",
    "search",
    "miss",
]
"""``address``: refused by the guard. ``blocked``: a site of the block list. ``robots``: the site asks robots to stay
away. ``binary``: no text. ``unreadable``: broken or hostile. ``too_large``, ``timeout``, ``redirects``: a limit.
``http``: a status that is no page. ``network``: no connection. ``search``: the search service failed. ``miss``: not in
the archive or collection that stands in for the web."""

KINDS: tuple[str, ...] = get_args(Kind)


class WebError(Exception):
    """A search or page that could not be had; ``str`` is one line that names the URL or query and the reason."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(" ".join(message.split())[:600])
        self.kind: Kind = kind
