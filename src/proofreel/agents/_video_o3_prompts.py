"""What Video-o3 is told, in our own words (requirements: agents protocol, section 8)."""

VERSION = "1"

FIRST = """\
Observation 0 shows the whole video: {frames} frames at {fps:.3g} frames a second, {duration:.1f} seconds long. Each \
frame stands with its time.

{asked}

Find the stretches that hold the clue, look at them closely where you must, then answer. Think between <think> and \
</think>; after that do one of two things:
- Ask for a closer look at one stretch, in exactly this form, with whole seconds:
<grounding>{{"temporal_segment": [START, END], "sampling_strategy": "coarse"}}</grounding>
The strategy is "coarse", "medium" or "fine": the finer, the more detail in every frame. Stop there; the frames of \
the stretch come back as the next observation.
- Write between <answer> and </answer> {form}.
When the clue is in plain sight for long enough, answer at once."""

OBSERVATION = """\
Observation {number}: {frames} frames at {fps:.3g} frames a second, from {start:.2f} to {end:.2f} seconds."""

ON = """\
You may think on between <think> and </think> and ask for another stretch with <grounding>, or answer with <answer>."""

FAILED = """\
The last reply could not be followed: {why}. Ask again in exactly the form given, or answer between <answer> and \
</answer>."""

LAST = """\
No further look is possible: do not write <grounding> again. Answer now with what you have seen: write between \
<answer> and </answer> {form}."""

SORRY = "Sorry, I found no answer to this question within the turns I had."
"""Stands for the text the published loop gives out when the last turn brings no answer."""
