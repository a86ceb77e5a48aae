"""What localize-then-answer is asked, in our own words (requirements: agents protocol, section 9)."""

VERSION = "1"

FIND = """\
Before this question is answered, find out where in the video the answer can be seen or heard.

{asked}

Name the stretches of the video that are enough to answer it: one or several, 20 at the most, no longer than needed. \
Write one sentence for each and nothing else, in this form, with times in seconds from the start of the video:
From <X seconds> to <Y seconds>."""

ANSWER = """\
{asked}

Reason first between <think> and </think>. Then write between <answer> and </answer> {form}."""


def localize_prompt(note: str, asked: str, form: str, *, last: bool, find: str | None = None) -> str:
    """The words of the first round, or of the second one; ``find`` are an exam's own words for the first."""
    words = ANSWER.format(asked=asked, form=form) if last else find or FIND.format(asked=asked)
    return f"{note}\n\n{words}"
