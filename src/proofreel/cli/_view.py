"""What ``view`` does once its words are read."""

import socket
import subprocess
import sys
from pathlib import Path

import typer

from proofreel.core.errors import UserError
from proofreel.runs.run_folder import RunFolder


def _logs(path: Path) -> Path:
    logs = RunFolder.open(path).path / "logs"
    if not any(logs.glob("*.eval")):
        raise UserError(f"{logs}: no log yet; run it first")
    return logs


def bundle_logs(path: Path, out: Path) -> None:
    """Writes the static viewer with the run's logs.

    Raises:
        UserError: no logs, or the folder is taken.
    """
    from inspect_ai.log import bundle_log_dir

    logs = _logs(path)
    if out.exists() and any(out.iterdir()):
        raise UserError(f"{out}: is not empty; choose another folder for --bundle")
    bundle_log_dir(str(logs), str(out), overwrite=out.exists())
    typer.echo(
        f"viewer: {out / 'index.html'} (serve the folder, such as: python -m http.server -d {out} --bind 127.0.0.1)"
    )


def serve_logs(path: Path, port: int) -> None:
    """Serves the logs on 127.0.0.1 until interrupted.

    Raises:
        UserError: no logs, or the port is taken.
    """
    logs = _logs(path)
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", port)) == 0:
            raise UserError(f"port {port} is taken; choose another with --port")
    typer.echo(f"viewer: http://127.0.0.1:{port}  (Ctrl-C ends it)")
    words = ["view", "start", "--log-dir", str(logs), "--host", "127.0.0.1", "--port", str(port)]
    raise typer.Exit(subprocess.run([sys.executable, "-m", "inspect_ai", *words], check=False).returncode)
