"""AVP, DVD, STAR, VideoChat-R1.5 and Video-o3: their pure parts. The vectors ask the same of both modes.

What careful agents do beyond them (merge a hint, drop reversed ranges) they do before calling these functions.
"""

from typing import Any

from proofreel.agents import _dvd, _star, _video_o3, _videochat
from proofreel.agents._avp import decide, intervals, parse
from proofreel.parity.runner import adapter

Row = dict[str, Any]


@adapter("avp_round_intervals")
def _round(row: Row, mode: str) -> Any:
    return intervals.round_intervals(row["ranges"], row["duration"])


@adapter("avp_clamp_fps")
def _fps(row: Row, mode: str) -> Any:
    return intervals.clamp_fps(row["fps"], row["duration"], row["max_frames"])


@adapter("avp_parse_json")
def _json(row: Row, mode: str) -> Any:
    return parse.parse_json(row["text"])


@adapter("avp_timestamp_fallback")
def _times(row: Row, mode: str) -> Any:
    return parse.times_in_text(row["text"])


@adapter("avp_decision")
def _decision(row: Row, mode: str) -> Any:
    last, tau = row["is_last_round"], row["tau"]
    return decide.decide(row["confidence"], row["sufficient"], is_last_round=last, tau=tau)


@adapter("avp_full_video_switch")
def _full(row: Row, mode: str) -> Any:
    return intervals.effective_load_mode(row["load_mode"], row["start"], row["end"], row["duration"])


@adapter("seconds_to_hhmmss")
def _clock(row: Row, mode: str) -> Any:
    return _dvd.seconds_to_hhmmss(row["seconds"])


@adapter("hhmmss_to_seconds")
def _seconds(row: Row, mode: str) -> Any:
    return _dvd.hhmmss_to_seconds(row["text"])


@adapter("frame_inspect_indices")
def _inspect(row: Row, mode: str) -> Any:
    return _dvd.inspect_frames(row["ranges_sec"], row["video_length_sec"], row["fps"], row["max_frames"])


@adapter("clip_boundaries")
def _clips(row: Row, mode: str) -> Any:
    return _dvd.clip_boundaries(row["n_frames"], row["fps"], row["clip_secs"])


@adapter("initial_frames")
def _initial(row: Row, mode: str) -> Any:
    return _star.initial_frames(row["total_frames"], row["n"])


@adapter("unseen_segments")
def _unseen(row: Row, mode: str) -> Any:
    return _star.unseen_segments(row["visible"], row["total_frames"], row["min_interval"])


@adapter("frame_selector_indices")
def _selected(row: Row, mode: str) -> Any:
    return _star.selector_frames(row["segments"], row["selected"], row["min_interval"])


@adapter("next_tool_type")
def _turn(row: Row, mode: str) -> Any:
    return _star.next_tool_type(row["last_tool_type"])


@adapter("planner_route")
def _route(row: Row, mode: str) -> Any:
    used, most = row["iteration_count"], row["max_iterations"]
    return _star.planner_route(row["last_tool_type"], row["info_sufficient"], used, most)


@adapter("key_frame_sampling")
def _key_frames(row: Row, mode: str) -> Any:
    sizes = row["total_frames"], row["num_frames"], row["key_ratio"], row["fps"]
    return _videochat.key_frame_sampling(row["key_intervals"], *sizes)


@adapter("glue_intervals")
def _glue(row: Row, mode: str) -> Any:
    inner = _videochat.glue_text(row["text"])
    return "keep_previous" if inner is None else _videochat.parse_glue(inner)


@adapter("grounding_tag")
def _grounding(row: Row, mode: str) -> Any:
    return vars(_video_o3.read_grounding(row["text"], mode))


@adapter("grounding_strict")
def _strict(row: Row, mode: str) -> Any:
    found = _video_o3.read_grounding_strict(row["text"], row["video_length"])
    return {"segment": [found.start, found.end], "sampling_strategy": found.sampling_strategy}


@adapter("tokens_per_frame")
def _tokens(row: Row, mode: str) -> Any:
    most, least = _video_o3.tokens_per_frame(row["frames"], row["sampling_strategy"], mode=mode)
    return {"max_tokens_per_frame": most, "min_tokens_per_frame": least}
