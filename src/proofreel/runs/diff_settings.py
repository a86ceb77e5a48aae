"""Settings of two runs side by side, in the order in which a difference matters."""

import json
from collections.abc import Iterator
from typing import Any

from proofreel.runs.diff_records import SettingDiff
from proofreel.runs.settings import OPERATIONAL, RunSettings

# What comes first explains what comes after it.
ORDER = (
    "benchmark",
    "fingerprint",
    "items",
    "videos",
    "agent",
    "mode",
    "model",
    "perceiver",
    "judge",
    "base_url",
    "prompts",
    "frames",
    "options",
    "generate",
    "limits",
    "epochs",
    "proofreel",
    "engine",
)
NAMES = {
    "fingerprint": "questions (hash)",
    "prompts": "prompt texts (hash)",
    "frames": "frame setting",
    "options": "setting of the agent",
    "generate": "generation setting",
    "limits": "budget",
    "proofreel": "version of proofreel",
    "engine": "version of the engine",
}
FOLLOW = frozenset({"prompt_modules", "rows", "usable", "left_out", "ids", "limit"})
"""Fields whose effect shows in another one (the items, the prompt hash)."""


def setting_differences(a: RunSettings, b: RunSettings) -> tuple[list[SettingDiff], list[SettingDiff]]:
    """(those that may change a number, those that may not), each in order of weight."""
    left, right = a.model_dump(mode="json"), b.model_dump(mode="json")
    # A frame setting is one of the agent's options: it is named once, by its weightier name.
    for side in (left, right):
        side["options"] = {k: v for k, v in side["options"].items() if k not in side["frames"]}
        side["videos"] = {k: {"bytes": v["size"], "content": v["edges"]} for k, v in side["videos"].items()}
    names = [*ORDER, *(n for n in left if n not in ORDER)]
    weighty: list[SettingDiff] = []
    place: list[SettingDiff] = []
    for name in names:
        if name == "format_version" or name in FOLLOW:
            continue
        for diff in _unlike(NAMES.get(name, name), left[name], right[name]):
            (place if name in OPERATIONAL else weighty).append(diff)
    return weighty, place


def _unlike(name: str, a: Any, b: Any) -> Iterator[SettingDiff]:
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(a.keys() | b.keys()):
            yield from _unlike(f"{name} {key}", a.get(key, _ABSENT), b.get(key, _ABSENT))
    elif a != b:
        yield SettingDiff(name=name, a=_shown(a, b), b=_shown(b, a))


_ABSENT = "not set"


def _shown(value: Any, other: Any) -> str:
    if isinstance(value, list) and isinstance(other, list):
        extra = [v for v in value if v not in other]
        named = ", ".join(map(str, extra[:3])) + (", ..." if len(extra) > 3 else "")
        return f"{len(value)} entries" + (f" (only here: {named})" if extra else "")
    if isinstance(value, str):
        return value[:16] + "..." if len(value) == 64 else value
    return "none" if value is None else json.dumps(value)
