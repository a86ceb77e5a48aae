"""The growing conversation of Video-o3: everything shown stays in it."""

from dataclasses import dataclass, field
from typing import Any


@dataclass
class Thread:
    """Messages so far.

    Attributes:
        messages: engine messages, media as references.
        images: pictures in the messages that were sent.
        pending: pictures in the message that is sent next.
    """

    messages: list[Any] = field(default_factory=list)
    images: int = 0
    pending: int = 0

    def show(self, message: Any, frames: int) -> None:
        """Adds a user message with frames."""
        self.messages.append(message)
        self.pending = frames

    def sent(self) -> None:
        """What was pending has been sent."""
        self.images, self.pending = self.images + self.pending, 0

    def heard(self, text: str) -> None:
        """Adds the model's turn; providers refuse empty ones, so those leave no trace."""
        from inspect_ai.model import ChatMessageAssistant

        if text.strip():
            self.messages.append(ChatMessageAssistant(content=text))

    def say(self, text: str) -> None:
        """Adds words to the user message that is sent next."""
        from inspect_ai.model import ChatMessageUser, ContentText

        last = self.messages[-1] if self.messages else None
        if last is None or last.role != "user":
            self.messages.append(ChatMessageUser(content=text))
            return
        parts = last.content if isinstance(last.content, list) else [ContentText(text=last.content)]
        self.messages[-1] = last.model_copy(update={"content": [*parts, ContentText(text=text)]})
