"""What a reply is before anything is read from it; agents read replies so too, hence the code is theirs."""

from proofreel.agents._reply_text import Mode, first_answer, last_answer, strip_any_fence, strip_fence

__all__ = ["Mode", "first_answer", "last_answer", "strip_any_fence", "strip_fence"]
