"""The clip database of DVD: every ten seconds of a video in words, made once, kept, searched."""

from proofreel.agents._dvd_base.asking import Asked, Asker, Unusable
from proofreel.agents._dvd_base.build import Job, images_of, key_of, open_base, rows_of, total_frames
from proofreel.agents._dvd_base.describe import clip_ref
from proofreel.agents._dvd_base.records import Clip, ClipBase, LostClip, Subject
from proofreel.agents._dvd_base.search import ClipSearch, Comparer, EmbeddingFailed
from proofreel.agents._dvd_base.store import peek

__all__ = [
    "Asked",
    "Asker",
    "Clip",
    "ClipBase",
    "ClipSearch",
    "Comparer",
    "EmbeddingFailed",
    "Job",
    "LostClip",
    "Subject",
    "Unusable",
    "clip_ref",
    "images_of",
    "key_of",
    "open_base",
    "peek",
    "rows_of",
    "total_frames",
]
