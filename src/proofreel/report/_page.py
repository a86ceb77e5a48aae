"""Rendering of a page that needs nothing but itself."""

import base64
import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("proofreel.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def asset(name: str) -> str:
    """Text of a built asset, e.g. ``proof.js``."""
    return files("proofreel.report").joinpath("assets", name).read_text(encoding="utf-8").strip()


def script_json(value: Any) -> str:
    """JSON that cannot end or open an HTML element: it may stand inside a ``<script>`` block as it is."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _source(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def policy(script: str, style: str) -> str:
    """A content policy under which only this script and this style run and nothing is fetched over a network.

    ``'self'`` lets a page that somebody serves play a video served beside it; for a page on disk it means nothing.
    """
    return (
        f"default-src 'none'; script-src {_source(script)}; style-src {_source(style)}; "
        "img-src data: blob:; media-src 'self' data: blob: file:; base-uri 'none'; form-action 'none'"
    )


def render(template: str, *, bundle: str = "proof", style_extra: str = "", data: Any, **context: Any) -> str:
    """A whole page with its style, script and data inside.

    Args:
        template: file name in ``templates``.
        bundle: name of the built script and style sheet.
        style_extra: rules added to the built style sheet; trusted text of ours.
        data: JSON value for the script.
        context: variables of the template; escaped where they are printed.
    """
    style, script = asset(f"{bundle}.css") + style_extra, asset(f"{bundle}.js")
    return (
        _environment()
        .get_template(template)
        .render(style=style, script=script, policy=policy(script, style), data=script_json(data), **context)
    )


def render_plain(template: str, **context: Any) -> str:
    """A whole page with the common style and no script."""
    return _environment().get_template(template).render(style=asset("proof.css"), **context)
