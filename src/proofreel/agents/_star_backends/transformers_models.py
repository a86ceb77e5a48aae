"""Open detectors and image-text models through the package transformers, which is loaded when one is chosen."""

from collections.abc import Sequence
from typing import Any

from proofreel.agents._star_backends.backend import Found
from proofreel.core import Box, Window
from proofreel.core.errors import UserError

LEAST_SCORE = 0.3
FRAMES = 128
"""Most frames a grounder scores over the whole video, at most one a second."""
ROWS = 224
OTHER = "something else"


def _pipeline(task: str, model: str, role: str) -> Any:
    try:
        from transformers import pipeline  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise UserError(
            f"{role}=transformers:{model} needs the package transformers with a backend (pip install transformers "
            f"torch): {error}"
        ) from error
    try:
        return pipeline(task, model=model)
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        said = " ".join(str(error).split())[:200]
        raise UserError(f"{role}=transformers:{model} cannot be loaded as {task}: {said}") from error


class ObjectDetector:
    """A zero-shot object detector, such as OWLv2 or Grounding DINO.

    Raises:
        UserError: the package or the model is not here.
    """

    def __init__(self, model: str) -> None:
        self.name = f"transformers:{model}"
        self._run = _pipeline("zero-shot-object-detection", model, "detector")

    def find(self, images: Sequence[Any], label: str) -> list[list[Found]]:
        """Objects with a score of at least 0.3."""
        from PIL import Image

        return [self._found(self._run(Image.fromarray(i), candidate_labels=[label]), i.shape) for i in images]

    def _found(self, rows: Any, shape: Sequence[int]) -> list[Found]:
        height, width = shape[:2]
        out = []
        for row in rows:
            if row["score"] < LEAST_SCORE:
                continue
            place = row["box"]
            x0, x1 = (min(max(place[k] / width, 0.0), 1.0) for k in ("xmin", "xmax"))
            y0, y1 = (min(max(place[k] / height, 0.0), 1.0) for k in ("ymin", "ymax"))
            if x0 < x1 and y0 < y1:
                out.append(Found(Box(x0=x0, y0=y0, x1=x1, y1=y1), float(row["score"]), str(row["label"])))
        return out


class FrameGrounder:
    """An image-text model, such as CLIP or SigLIP: frames over the video are scored against the text.

    Raises:
        UserError: the package or the model is not here.
    """

    def __init__(self, model: str) -> None:
        self.name = f"transformers:{model}"
        self._run = _pipeline("zero-shot-image-classification", model, "grounder")

    def span(self, text: str, video: str, duration: float) -> Window | None:
        """The stretch around the best frame in which the score stays at least half way up."""
        from PIL import Image

        from proofreel.video import Rate, read_frames

        frames = read_frames(video, Rate(1.0, cap=FRAMES), height=ROWS)
        scores = [self._score(Image.fromarray(i), text) for i in frames.images]
        return span_of_scores(frames.times.tolist(), scores, duration)

    def _score(self, image: Any, text: str) -> float:
        rows = self._run(image, candidate_labels=[text, OTHER])
        return float(next(r["score"] for r in rows if r["label"] == text))


def span_of_scores(times: Sequence[float], scores: Sequence[float], duration: float) -> Window | None:
    """The run of frames around the highest score in which no score falls below the middle of lowest and highest.

    None when all scores are the same. A frame stands until the next one.

    Args:
        times: of the frames, ascending, in seconds.
        scores: one for each.
        duration: end of the last frame.
    """
    if not scores or max(scores) == min(scores):
        return None
    level = (max(scores) + min(scores)) / 2
    first = last = max(range(len(scores)), key=scores.__getitem__)
    while first > 0 and scores[first - 1] >= level:
        first -= 1
    while last < len(scores) - 1 and scores[last + 1] >= level:
        last += 1
    end = times[last + 1] if last + 1 < len(times) else duration
    return Window(start=times[first], end=max(end, times[first]))
