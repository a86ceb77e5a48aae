"""Conformance: our functions under the names the published vectors use, in official and careful mode."""

from proofreel.parity.runner import Mismatch, Report, adapter, run_files

__all__ = ["Mismatch", "Report", "adapter", "run_files"]
