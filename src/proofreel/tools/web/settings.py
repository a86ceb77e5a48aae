"""Settings of the web tools, read from the options of an agent (``--set web=replay``)."""

import difflib
from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field, ValidationError, model_validator

from proofreel.core._base import Record
from proofreel.core.errors import UserError
from proofreel.tools.web.guard import PORTS, Policy


class WebSettings(Record):
    """How the web is reached.

    Attributes:
        web: ``live``; ``replay`` from an archive, without network; ``corpus`` from a folder of pages, without network.
        web_archive: for replay: the folder of a run, or its ``web`` folder.
        web_corpus: for corpus: the folder of pages.
        web_record: where searches and pages are archived; runs set it to their own folder.
        web_provider: ``ddgs`` (no key), ``serper``, ``tavily``, ``brave`` or ``searxng``.
        web_results: search results asked for.
        web_reader: ``local``, or ``service`` (a page reader named by PROOFREEL_READER_URL).
        web_block: more patterns for the block list, parted by commas.
        web_block_defaults: the built-in patterns as well.
        web_bytes: bytes read of one page.
        web_chars: characters of a page's text that an agent is given.
        web_seconds: what one page visit may take in all, redirects and pauses included.
        web_redirects: redirects followed.
        web_pace: seconds between two requests to one host.
        web_robots: ask robots.txt.
        web_ports: ports that may be visited, parted by commas.
        web_allow: ``address:port`` pairs, parted by commas, that may be visited although they are not public.
    """

    web: Literal["live", "replay", "corpus"] = "live"
    web_archive: str | None = None
    web_corpus: str | None = None
    web_record: str | None = None
    web_provider: Literal["ddgs", "serper", "tavily", "brave", "searxng"] = "ddgs"
    web_results: int = Field(default=10, ge=1, le=10)
    web_reader: Literal["local", "service"] = "local"
    web_block: str = ""
    web_block_defaults: bool = True
    web_bytes: int = Field(default=10_000_000, ge=1_000, le=200_000_000)
    web_chars: int = Field(default=60_000, ge=100, le=2_000_000)
    web_seconds: float = Field(default=60.0, gt=0, le=600)
    web_redirects: int = Field(default=5, ge=0, le=20)
    web_pace: float = Field(default=1.0, ge=0, le=60)
    web_robots: bool = True
    web_ports: str = ",".join(map(str, sorted(PORTS)))
    web_allow: str = ""

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """The settings among an agent's options.

        Raises:
            UserError: a setting that does not exist or cannot be, in one line.
        """
        ours = {k: v for k, v in options.items() if k == "web" or k.startswith("web_")}
        ours.pop("web_session", None)
        for name in ours:
            if name not in cls.model_fields:
                close = difflib.get_close_matches(name, cls.model_fields, n=3)
                hint = f"; did you mean {', '.join(close)}?" if close else ""
                raise UserError(f"--set {name}: the web tools have no such setting{hint}")
        for name in ("web_ports", "web_allow", "web_block", "web_archive", "web_corpus", "web_record"):
            if isinstance(ours.get(name), int | float):
                ours[name] = str(ours[name])
        try:
            settings = cls.model_validate(ours)
            settings.policy()
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"])) or "web"
            raise UserError(f"--set {place}: {first['msg'].removeprefix('Value error, ')}") from None
        return settings

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.web == "replay" and not self.web_archive:
            raise ValueError("web=replay needs the archive: --set web_archive=RUN")
        if self.web == "corpus" and not self.web_corpus:
            raise ValueError("web=corpus needs the pages: --set web_corpus=DIR")
        return self

    def policy(self) -> Policy:
        """The guard's policy.

        Raises:
            UserError: ports or pairs that cannot be read.
        """
        try:
            ports = frozenset(int(p) for p in self.web_ports.split(",") if p.strip())
        except ValueError:
            raise UserError(f"--set web_ports={self.web_ports}: give numbers parted by commas") from None
        pairs = []
        for pair in (p.strip() for p in self.web_allow.split(",") if p.strip()):
            address, _, port = pair.rpartition(":")
            if not port.isdigit() or not address:
                raise UserError(f"--set web_allow={self.web_allow}: give address:port pairs parted by commas")
            pairs.append((address.strip("[]"), int(port)))
        return Policy(ports=ports, allow=frozenset(pairs))
