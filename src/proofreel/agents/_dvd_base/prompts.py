"""What the describing model and the merging model are told, in our own words (protocol: agents, section 3)."""

import json
from collections.abc import Sequence
from typing import Any

from proofreel.agents._dvd import seconds_to_hhmmss

VERSION = "1"
"""Part of the key of kept descriptions: raise it whenever a text here changes."""

_CAPTION = """\
You are shown the frames of one clip of a longer video, in order, each with its time in seconds. The clip runs from \
{start} to {end} of the video.
{speech}
Describe the clip so that somebody who never sees it can answer questions about it:
- who and what is there, what they do and in which order, what changes, where it takes place
- text that can be read on screen, letter for letter, and numbers and counts where they are certain
- nothing that is not to be seen in the frames or heard in the words above; no guesses

Also list the subjects: each person, animal or object that matters in the clip. Name them by what is known of them.

Reply with one JSON object and nothing else:
{{
  "clip_start_time": "{start}",
  "clip_end_time": "{end}",
  "subject_registry": {{
    "subject_1": {{
      "name": "<name, or a short description such as man in red coat>",
      "appearance": ["<trait that can be seen>", ...],
      "identity": ["<role, job or relation that is shown or said>", ...],
      "first_seen": "<HH:MM:SS>"
    }}
  }},
  "clip_description": "<the description>"
}}
Use an empty object when there is no subject worth listing."""

_MERGE = """\
Different stretches of one video were described apart from each other, so the same person, animal or object may be \
listed several times. Here are the lists, earliest stretch first:

{lists}

Make one list of them. Entries that are the same subject become one: keep every trait and every identity once, keep \
the most telling name, and keep the earliest first_seen. Entries that may be different subjects stay apart. Add \
nothing and leave no subject out.

Reply with one JSON object and nothing else: {{"subject_registry": {{"subject_1": {{"name": "...", "appearance": \
["..."], "identity": ["..."], "first_seen": "HH:MM:SS"}}, ...}}}}"""


def caption_prompt(start: int, end: int, speech: Sequence[str]) -> str:
    """The instruction for one clip.

    Args:
        start: first second of the clip.
        end: last second, included.
        speech: what is said in it, one utterance each.
    """
    said = "\nWords spoken in it:\n" + "\n".join(speech) + "\n" if speech else ""
    return _CAPTION.format(start=seconds_to_hhmmss(start), end=seconds_to_hhmmss(end), speech=said)


def merge_prompt(registries: Sequence[dict[str, Any]]) -> str:
    """The instruction to unite registries."""
    lists = "\n\n".join(json.dumps(r, ensure_ascii=False) for r in registries)
    return _MERGE.format(lists=lists)


def with_speech(description: str, speech: Sequence[str]) -> str:
    """A description with what is said appended."""
    return f"{description}\nSaid in this clip: {' '.join(speech)}" if speech else description
