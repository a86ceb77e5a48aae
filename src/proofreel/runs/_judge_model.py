"""The models of the verbs that judge, with their settings checked before anything is asked or written."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from proofreel.core.errors import UserError
from proofreel.runs.setup import refuse_secrets


def judging_model(
    name: str | None, base_url: str | None, config: Mapping[str, Any], role: str = "judge"
) -> Any:
    """An engine model; None for no name.

    Raises:
        UserError: no such setting, a value of another kind, a setting that looks like a key, or no such model.
    """
    if name is None:
        return None
    refuse_secrets({"--generate": config}, base_url)
    from inspect_ai.model import GenerateConfig

    from proofreel.models import resolve_model

    for key in config:
        if key not in GenerateConfig.model_fields or key == "cache":
            raise UserError(f"--generate {key}: the engine has no such setting")
    try:
        GenerateConfig(**config)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "settings"
        raise UserError(f"--generate {where}: {first['msg']}") from None
    return resolve_model(name, base_url=base_url, role=role, **config)
