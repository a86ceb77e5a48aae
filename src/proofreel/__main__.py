"""``python -m proofreel``."""

from proofreel.cli.main import run

run()
