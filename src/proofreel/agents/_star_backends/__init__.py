"""What STAR's tools can call besides a vision model: detectors and grounders, found before the first call."""

from proofreel.agents._star_backends.backend import Backends, Detector, Found, Grounder, load_backends

__all__ = ["Backends", "Detector", "Found", "Grounder", "load_backends"]
