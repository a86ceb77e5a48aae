"""Failures of writing a report."""


class ReportError(ValueError):
    """A report cannot be written; the message is one line that names the file and says what to do."""
