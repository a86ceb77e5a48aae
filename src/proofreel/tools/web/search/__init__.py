"""Search services behind one interface: ``async search(query, count) -> results``; one file each."""

from proofreel.tools.web.search.provider import Provider, SearchResult, provider_named

__all__ = ["Provider", "SearchResult", "provider_named"]
