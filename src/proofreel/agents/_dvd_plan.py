"""The calls of DVD, foreseen: a cold clip database once for each video, then the rounds."""

from proofreel.agents import _dvd_prompts as prompts
from proofreel.agents._dvd import INSPECT_FRAMES, clip_boundaries, clip_frames
from proofreel.agents._dvd_base.build import key_of, rows_of, total_frames
from proofreel.agents._dvd_base.describe import clip_ref
from proofreel.agents._dvd_base.prompts import caption_prompt, merge_prompt
from proofreel.agents._dvd_base.registry import BATCH_CHARACTERS
from proofreel.agents._dvd_base.store import BaseKey, peek
from proofreel.agents._planned import NO_HASH, Level, PlannedCall, PlannedFile, PlanSetting
from proofreel.core import Question

CAPTION = {"low": 150, "typical": 350, "high": 800}
"""Completion tokens of a description."""
TURN = {"low": 100, "typical": 400, "high": 2500}
REPORT = {"low": 50, "typical": 200, "high": 512}
ROUNDS = {"low": (1, 1, 1), "typical": (1, 2, 3), "high": (4, 4, 6)}
"""(overviews, searches, looks) of a question; ``finish`` makes one more round."""
TOOLS_TEXT = 500
ROW = "clip database"
"""The plan's row for what a cold database costs."""
REGISTRY = 0.3
"""Share of a description that is its list of subjects."""

PLAN_ASSUMES = (
    "dvd: the clips of a video are described once in a run, by the captioner: 2 frames a second in clips of 10 s; "
    "clips that are kept from before cost nothing",
    "dvd: a description completes 150 / 350 / 800 tokens; subjects are united in requests of about 6000 tokens",
    "dvd: overviews, searches and looks of a question: 1, 1, 1 / 1, 2, 3 / 4, 4, 6; a look shows 50 frames; a turn "
    "completes 100 / 400 / 2500 tokens with thinking",
)


def plan_calls(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    """All calls of one question; those of the database carry ``once``, so that a video is priced once."""
    return [*_base_calls(question, fact, setting, level), *_rounds(question, fact, setting, level)]


def _base_calls(
    question: Question, fact: PlannedFile, setting: PlanSetting, level: Level
) -> list[PlannedCall]:
    from proofreel.models.estimate import text_tokens  # loads the decoder, so not when agents are listed

    mode = str(setting.options.get("mode", "careful"))
    captioner = setting.role("captioner")
    reader = setting.role("reader", "captioner")
    frames, rows = total_frames(fact.duration or 0.0), rows_of(fact.height, mode)
    clips = clip_boundaries(frames)
    speech = _speech(question)
    done, united = _kept(fact, setting, captioner, reader, mode, rows, speech)
    calls = []
    for number, clip in enumerate(clips):
        if number in done:
            continue
        said = [t for start, end, t in speech if end > clip[0] and start < clip[1] + 1]
        ref = clip_ref(fact.path, NO_HASH, clip_frames(clip, frames, mode=mode), rows)
        text = text_tokens(caption_prompt(*clip, said))
        calls.append(PlannedCall(captioner, text, CAPTION[level], (ref,), f"{fact.path}#{number}", ROW))
    if united or len(clips) < 2 or level == "low":
        return calls
    each = CAPTION[level] * REGISTRY
    text = text_tokens(merge_prompt([])) + min(BATCH_CHARACTERS // 4, int(each * len(clips)))
    requests = max(1, round(each * len(clips) / (BATCH_CHARACTERS / 4)))
    out = int(text * (0.5 if level == "typical" else 1.0))
    return calls + [
        PlannedCall(reader, text, out, once=f"{fact.path}#unite{n}", row=ROW) for n in range(requests)
    ]


def _speech(question: Question) -> tuple[tuple[float, float, str], ...]:
    from proofreel.video import VideoError, load_transcript

    if not question.transcript:
        return ()
    try:
        return tuple((c.start, c.end, c.text) for c in load_transcript(question.transcript))
    except VideoError:
        return ()  # the plan names the broken transcript elsewhere


def _kept(
    fact: PlannedFile,
    setting: PlanSetting,
    captioner: str,
    reader: str,
    mode: str,
    rows: int,
    speech: tuple[tuple[float, float, str], ...],
) -> tuple[set[int], bool]:
    """Clips that are described already; the file is only hashed where anything is kept at all."""
    from proofreel.video import cache_dir, file_hash

    if not (cache_dir() / "clips").is_dir():
        return set(), False
    card = setting.card(captioner)
    key: BaseKey = key_of(
        file_hash(fact.path),
        setting.name(captioner),
        setting.name(reader),
        mode,
        rows,
        card.max_images if card else None,
        speech,
        setting.options.get("perceiver_config", {}),
    )
    return peek(key)


def _rounds(question: Question, fact: PlannedFile, setting: PlanSetting, level: Level) -> list[PlannedCall]:
    from proofreel.models.estimate import text_tokens

    overviews, searches, looks = ROUNDS[level]
    frames = total_frames(fact.duration or 0.0)
    rows = rows_of(fact.height, str(setting.options.get("mode", "careful")))
    clips = len(clip_boundaries(frames))
    inspector, reader = setting.role("inspector"), setting.role("reader", "captioner")
    shown = sorted({i * frames // INSPECT_FRAMES for i in range(INSPECT_FRAMES)})
    look = clip_ref(fact.path, NO_HASH, shown, rows)
    calls: list[PlannedCall] = []
    history = (
        text_tokens(prompts.system_prompt("careful", bool(question.options)))
        + text_tokens(question.rendered())
        + TOOLS_TEXT
    )
    overview = text_tokens(prompts._BROWSE) + min(clips, 300) * CAPTION[level]
    for kind in ["browse"] * overviews + ["search"] * searches + ["look"] * looks:
        calls.append(PlannedCall("main", history, TURN[level]))
        if kind == "browse":
            calls.append(PlannedCall(reader, overview, REPORT[level], row="reader"))
        elif kind == "look":
            calls.append(PlannedCall(inspector, text_tokens(prompts._INSPECT) + 60, REPORT[level], (look,)))
        found = min(clips, 16) * CAPTION[level] if kind == "search" else REPORT[level]
        history += TURN[level] + found
    return [*calls, PlannedCall("main", history, TURN[level])]
