"""One payload path for every model: references in messages, plain media on the wire, every call accounted for.

Names are loaded on first use, so that importing this package costs nothing.
"""

from typing import TYPE_CHECKING

from proofreel._lazy import lazy_names

if TYPE_CHECKING:
    from proofreel.models._state import Wait, call_defaults, current_state, use_ledger
    from proofreel.models.call import CallRecord, call_model
    from proofreel.models.card import ImageRule, ModelCard, PriceBand, VideoRule
    from proofreel.models.cards import (
        CardError,
        add_card_file,
        all_cards,
        close_names,
        list_cards,
        model_card,
    )
    from proofreel.models.classify import classify_output, model_failure, output_failure
    from proofreel.models.estimate import Facts, estimate_tokens
    from proofreel.models.failure import (
        FailureKind,
        MissingKey,
        ModelFailure,
        ModelTimeout,
        ServerUnreachable,
        UnknownModel,
    )
    from proofreel.models.json_action import (
        Action,
        action_prompt,
        action_response_schema,
        action_schema,
        leaked_markup,
        observation_fields,
        parse_action,
        parse_constrained,
        tool_result_text,
    )
    from proofreel.models.media import MediaPart, is_media, media_message, media_part, media_parts
    from proofreel.models.payload import PayloadPlan, PayloadTooLarge, check_payload
    from proofreel.models.pricing import CallUsage, price
    from proofreel.models.resolve import resolve_model
    from proofreel.models.schema import ToolSchema, drop_nulls, provider_schema, tool_info

_PLACES = {
    "_state": ("Wait", "call_defaults", "current_state", "use_ledger"),
    "call": ("CallRecord", "call_model"),
    "card": ("ImageRule", "ModelCard", "PriceBand", "VideoRule"),
    "cards": ("CardError", "add_card_file", "all_cards", "close_names", "list_cards", "model_card"),
    "classify": ("classify_output", "model_failure", "output_failure"),
    "estimate": ("Facts", "estimate_tokens"),
    "failure": (
        "FailureKind",
        "MissingKey",
        "ModelFailure",
        "ModelTimeout",
        "ServerUnreachable",
        "UnknownModel",
    ),
    "json_action": (
        "Action",
        "action_prompt",
        "action_response_schema",
        "action_schema",
        "leaked_markup",
        "observation_fields",
        "parse_action",
        "parse_constrained",
        "tool_result_text",
    ),
    "media": ("MediaPart", "is_media", "media_message", "media_part", "media_parts"),
    "payload": ("PayloadPlan", "PayloadTooLarge", "check_payload"),
    "pricing": ("CallUsage", "price"),
    "resolve": ("resolve_model",),
    "schema": ("ToolSchema", "drop_nulls", "provider_schema", "tool_info"),
}
_HOME = {name: module for module, names in _PLACES.items() for name in names}

__all__ = [
    "Action",
    "CallRecord",
    "CallUsage",
    "CardError",
    "Facts",
    "FailureKind",
    "ImageRule",
    "MediaPart",
    "MissingKey",
    "ModelCard",
    "ModelFailure",
    "ModelTimeout",
    "PayloadPlan",
    "PayloadTooLarge",
    "PriceBand",
    "ServerUnreachable",
    "ToolSchema",
    "UnknownModel",
    "VideoRule",
    "Wait",
    "action_prompt",
    "action_response_schema",
    "action_schema",
    "add_card_file",
    "all_cards",
    "call_defaults",
    "call_model",
    "check_payload",
    "classify_output",
    "close_names",
    "current_state",
    "drop_nulls",
    "estimate_tokens",
    "is_media",
    "leaked_markup",
    "list_cards",
    "media_message",
    "media_part",
    "media_parts",
    "model_card",
    "model_failure",
    "observation_fields",
    "output_failure",
    "parse_action",
    "parse_constrained",
    "price",
    "provider_schema",
    "resolve_model",
    "tool_info",
    "tool_result_text",
    "use_ledger",
]


__getattr__ = lazy_names(__name__, _HOME)
