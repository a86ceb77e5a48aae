"""What turns pixels and sound into text with no key: screen text, speech, text vectors, one index per video.

It reads and hears; it does not see objects or actions. Nothing heavy is imported before it is used.
"""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

if TYPE_CHECKING:
    from proofreel.perception._capabilities import Capabilities, Capability, capabilities
    from proofreel.perception._prepare import prepare
    from proofreel.perception.embeddings import text_similarity
    from proofreel.perception.errors import CapabilityMissing
    from proofreel.perception.index import VideoIndex
    from proofreel.perception.progress import progress_bar
    from proofreel.perception.records import Line, ScreenLine, SpeechLine, Word
    from proofreel.perception.screen import Reading, read_text

_HOMES = {
    "Capabilities": "_capabilities",
    "Capability": "_capabilities",
    "CapabilityMissing": "errors",
    "Line": "records",
    "Reading": "screen",
    "ScreenLine": "records",
    "SpeechLine": "records",
    "VideoIndex": "index",
    "Word": "records",
    "capabilities": "_capabilities",
    "prepare": "_prepare",
    "progress_bar": "progress",
    "read_text": "screen",
    "text_similarity": "embeddings",
}

__all__ = [
    "Capabilities",
    "Capability",
    "CapabilityMissing",
    "Line",
    "Reading",
    "ScreenLine",
    "SpeechLine",
    "VideoIndex",
    "Word",
    "capabilities",
    "prepare",
    "progress_bar",
    "read_text",
    "text_similarity",
]

__getattr__ = lazy_names(__name__, _HOMES)
