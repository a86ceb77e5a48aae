"""Files that survive a kill: whole lines or none, whole files or the old one."""

import json
import os
from pathlib import Path
from typing import Any

from proofreel.core.errors import UserError


class RunError(UserError):
    """A run's folder cannot be used; the message names the file and says what to do."""

    exit_code = 4


def write_atomically(path: Path, text: str) -> None:
    """The whole text or the old file; after a power cut too.

    Raises:
        RunError: it cannot be written.
    """
    fresh = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with fresh.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise RunError(
            f"{path}: cannot be written ({error.strerror}); free space or choose another place"
        ) from None


def append_line(path: Path, text: str) -> None:
    """Adds one line in one step; on failure the file is as before.

    Raises:
        RunError: it cannot be written.
    """
    line = (text + "\n").encode()
    try:
        handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            before = os.fstat(handle).st_size
            try:
                rest = line
                while rest:
                    rest = rest[os.write(handle, rest) :]
            except OSError:
                os.ftruncate(handle, before)
                raise
        finally:
            os.close(handle)
    except OSError as error:
        run = (path.parent / "run.json").exists()
        then = f"then: proofreel resume {path.parent}" if run else "then give the same command again"
        raise RunError(f"{path}: cannot be written ({error.strerror}); make room, {then}") from None


def whole_lines(path: Path) -> tuple[list[str], bool]:
    """The complete lines of a file and whether a half-written last one was left out; none for an absent file.

    Raises:
        RunError: it cannot be read.
    """
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return [], False
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror})") from None
    end = data.rfind(b"\n") + 1
    # Only a line feed ends a line: answers of models hold U+2028 and its like, which ``splitlines`` would cut at.
    return data[:end].decode("utf-8", "replace").split("\n")[:-1], end != len(data)


def drop_torn_line(path: Path) -> bool:
    """Cuts off a half-written last line; True when there was one."""
    _, torn = whole_lines(path)
    if torn:
        data = path.read_bytes()
        os.truncate(path, data.rfind(b"\n") + 1)
    return torn


def read_json(path: Path) -> dict[str, Any]:
    """A JSON object from a file.

    Raises:
        RunError: absent, unreadable or no object.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise RunError(f"{path}: no such file; is {path.parent} the folder of a run?") from None
    except (OSError, ValueError, RecursionError) as error:
        raise RunError(f"{path}: cannot be read ({error}); restore the file from a copy") from None
    if not isinstance(value, dict):
        raise RunError(f"{path}: is no JSON object")
    return value
