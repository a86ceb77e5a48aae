"""The base of every error a person can mend."""


class UserError(Exception):
    """Bad input or a missing part; the message is one line that names the file or name and says what to do.

    The command line prints the message alone, without a traceback, and ends with ``exit_code``.
    """

    exit_code = 2
