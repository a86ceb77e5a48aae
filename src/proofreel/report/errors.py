"""Failures of writing a report."""

from proofreel.core.errors import UserError


class ReportError(UserError):
    """A report cannot be written; the message is one line that names the file and says what to do."""
