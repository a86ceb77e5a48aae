"""What the rounds of VideoChat-R1.5 are asked, in our own words (requirements: agents protocol, section 7)."""

VERSION = "1"

_ROUND = """\
{note}

{asked}

Think the question through between <think> and </think>. Then write between <answer> and </answer> {form}. After that, \
write between <glue> and </glue> the stretches of the video your answer rests on, in seconds from its start and as \
exact as you can, as a list of pairs:
<glue>[(start, end), (start, end), ...]</glue>"""

_LAST = """\
{note}

{asked}

Write between <answer> and </answer> {form}. Write nothing else."""


def round_prompt(note: str, asked: str, form: str, *, last: bool) -> str:
    """The words of one round; every round is put as if it were the first."""
    return (_LAST if last else _ROUND).format(note=note, asked=asked, form=form)
