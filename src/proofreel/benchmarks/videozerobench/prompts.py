"""What a model is told on each level; every sentence is ours, the required content is the protocol's."""

from collections.abc import Sequence

from proofreel.benchmarks.videozerobench.gold import prompt_key_times, spatial_hint_numbers, window_pairs
from proofreel.benchmarks.videozerobench.modes import CoordinateMode
from proofreel.benchmarks.videozerobench.text import Mode

SYSTEM = (
    "You understand videos. Base what you say on the video you are shown, and give your reply in exactly the form "
    "that is asked for."
)
DIRECT = {"en": "Reply with the final answer and nothing else.", "cn": "只回答最终答案，不要写其他内容。"}
THINK = {
    "en": "Reason first between <think> and </think>, then write only the final answer between <answer> and </answer>.",
    "cn": "先在 <think> 和 </think> 之间写出思考过程，再在 <answer> 和 </answer> 之间只写最终答案。",
}
FIND_MOMENTS = """\
Which stretches of the video matter most for answering this question? Name one or several, 20 at the most, that \
together are enough to answer it.
Write one sentence for each, in this form: From <X seconds> to <Y seconds>.
- Put a single space between the sentences and write nothing else: no explanation, and not the answer to the question.
- X and Y are seconds from the start of the video, never MM:SS; decimals are welcome (for instance 12.35).
- X must be smaller than Y.
Example: From <12.35 seconds> to <20 seconds>. From <41 seconds> to <44.5 seconds>."""
FIND_BOXES = """\
At each of these times, draw one box or several around what proves the answer to this question.
Write a JSON array with one object for each time, as many objects as there are times:
[{"time": t, "bbox_2d": [[x_min, y_min, x_max, y_max], ...]}, ...]
- Copy each time from the list as it stands there.
- Write valid JSON and nothing else: no code fence, no explanation, and not the answer to the question."""
SCALES = {
    CoordinateMode.THOUSAND: "Coordinates run from 0 to 1000, left to right and top to bottom of the frame.",
    CoordinateMode.UNIT: "Coordinates are fractions from 0 to 1 of the frame's width and height.",
}


def sampling_note(duration: float, frames: int | None, *, key_frames: bool = False) -> str:
    """Length of the video and number of frames; on level 5 also where the key frames stand.

    Args:
        duration: seconds.
        frames: how many are shown; None when the video itself is, 0 when nothing is.
        key_frames: whether the frames at the key times are shown.
    """
    if frames == 0:
        return (
            f"The video lasts {duration:.3f} seconds; it is not shown. Reply as well as you can without it."
        )
    if frames is None:
        note = f"The video lasts {duration:.3f} seconds; it is shown whole."
        return f"{note} The frames at the key times follow it, in order of time." if key_frames else note
    note = f"The video lasts {duration:.3f} seconds; {frames} frames of it are shown, in order of time."
    return f"{note} The frames at the key times are among them, each at its place." if key_frames else note


def temporal_hint(evidence_windows: object, mode: Mode = "careful") -> str | None:
    """The annotated windows in words; None when there is none to tell.

    Officially a window that ends before it starts is told as well; carefully it is left out.
    """
    pairs = [(a, b) for a, b in window_pairs(evidence_windows) if mode == "official" or b > a]
    told = "; ".join(f"From <{a:.2f} seconds> to <{b:.2f} seconds>" for a, b in pairs)
    return f"The evidence for the answer lies here: {told}." if told else None


def spatial_hint(
    evidence_boxes: object,
    coordinates: CoordinateMode,
    resized_hw: tuple[int, int] | None,
    mode: Mode = "careful",
) -> str | None:
    """The annotated boxes in the model's own coordinates; None when there is none to tell."""
    numbers = spatial_hint_numbers(evidence_boxes, coordinates, resized_hw, mode)
    if not numbers:
        return None
    told = "; ".join(f"at <{time} seconds> [{', '.join(quad)}]" for time, quad in numbers)
    scale = scale_sentence(coordinates, resized_hw)
    return f"The evidence stands in these boxes [x_min, y_min, x_max, y_max]: {told}. {scale}"


def scale_sentence(coordinates: CoordinateMode, resized_hw: tuple[int, int] | None) -> str:
    """How boxes are to be written.

    Raises:
        ValueError: ``absolute`` without the size of the frames.
    """
    if coordinates is not CoordinateMode.ABSOLUTE:
        return SCALES[coordinates]
    if resized_hw is None:
        raise ValueError("absolute coordinates need the (height, width) of the frames shown")
    height, width = resized_hw
    return f"Coordinates are pixels of the frames shown, which are {width} wide and {height} high."


def answer_prompt(
    question: str, hints: Sequence[str | None], language: str | None, *, thinking: bool = False
) -> str:
    """Levels 1 to 3: question, hints, and the closing in the question's language."""
    closing = (THINK if thinking else DIRECT)["cn" if language == "cn" else "en"]
    return "\n".join([f"Question: {question}", *(h for h in hints if h), closing])


def moments_prompt(question: str) -> str:
    """Level 4."""
    return f"Question: {question}\n{FIND_MOMENTS}"


def boxes_prompt(
    question: str,
    evidence_boxes: object,
    coordinates: CoordinateMode,
    resized_hw: tuple[int, int] | None,
    mode: Mode = "careful",
) -> str:
    """Level 5: the key times are told, the boxes are not."""
    times = ", ".join(f"<{t} seconds>" for t in prompt_key_times(evidence_boxes, mode))
    scale = scale_sentence(coordinates, resized_hw)
    return f"Question: {question}\nTimes: {times}\n{FIND_BOXES}\n- {scale}"
