"""How long the video of a question is."""

from proofreel.core import Question
from proofreel.core.errors import UserError


async def known_duration(question: Question) -> float:
    """Seconds of the video: as given, else probed.

    Raises:
        UserError: it is unknown or 0; no length is ever made up.
    """
    if question.duration:
        return question.duration
    import anyio.to_thread

    from proofreel.video import probe

    length = (await anyio.to_thread.run_sync(probe, question.video)).duration
    if not length:
        raise UserError(f"{question.video}: the length of the video is unknown; give it or mend the file")
    return length
