"""The one error of perception; trouble with the file itself is a ``VideoError`` of the video package."""

from proofreel.core.errors import UserError


class CapabilityMissing(UserError, RuntimeError):  # noqa: N818 - the name is pinned
    """Something that was asked for cannot be done here; the one-line message says what to install or change."""

    def __init__(self, capability: str, reason: str) -> None:
        self.capability = capability
        self.reason = reason
        super().__init__(f"{capability}: {reason}")
