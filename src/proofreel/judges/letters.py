"""Letter extraction by vote, the official rule (protocol section 5.1)."""

import hashlib
import json
import string
from collections import Counter
from collections.abc import Sequence
from typing import Any

HEAD, TAIL = 1000, 4000
GAP = "\n\n... [ middle left out ] ...\n"


def parse_judge_json(text: str | None) -> tuple[dict[str, Any] | None, str | None]:
    """JSON object of a judge's reply: (object, None) or (None, ``no_json_object`` | ``json_parse_error``).

    A fence is taken off, then the text from the first ``{`` to the last ``}`` is parsed.
    """
    body = (text or "").strip()
    if body.startswith("```"):
        body = body.partition("\n")[2]
    body = body.rstrip("`").strip()
    start, end = body.find("{"), body.rfind("}")
    if start < 0 or end < start:
        return None, "no_json_object"
    try:
        parsed = json.loads(body[start : end + 1])
    except (ValueError, RecursionError):  # numbers of thousands of digits and deep nesting, too
        return None, "json_parse_error"
    return (parsed, None) if isinstance(parsed, dict) else (None, "no_json_object")


def _vote(text: str) -> str | None:
    parsed, _ = parse_judge_json(text)
    letter = (parsed or {}).get("letter")
    if not isinstance(letter, str):
        return None
    letter = letter.strip().upper()
    return letter if len(letter) == 1 and letter in string.ascii_uppercase else None


def letter_vote(
    candidates: Sequence[str], n_runs: int, *, call_failed: bool, raw_output: str
) -> dict[str, Any]:
    """Votes, majority letter, agreement (3 decimals) and null count of one extraction.

    The most frequent letter wins, ties go to the one seen first; when the nulls outnumber it there is no letter.
    A blank raw output has no votes, a failed call has null votes only.
    """
    if not raw_output.strip():
        return {"votes": [], "majority_letter": None, "agreement": 0, "n_null": 0}
    votes = [] if call_failed else [_vote(c) for c in candidates]
    votes += [None] * (n_runs - len(votes))
    valid = [v for v in votes if v is not None]
    n_null = len(votes) - len(valid)
    if not valid:
        return {"votes": votes, "majority_letter": None, "agreement": 0.0, "n_null": n_null}
    letter, count = Counter(valid).most_common(1)[0]
    if n_null > count:
        return {
            "votes": votes,
            "majority_letter": None,
            "agreement": round(n_null / n_runs, 3),
            "n_null": n_null,
        }
    return {
        "votes": votes,
        "majority_letter": letter,
        "agreement": round(count / len(valid), 3),
        "n_null": n_null,
    }


def trim_for_letter_extraction(text: str) -> str:
    """The first 1000 and last 4000 characters of a long trajectory; a short one as it is."""
    return text if len(text) <= HEAD + TAIL else text[:HEAD] + GAP + text[-TAIL:]


def raw_output_hash(text: str | None) -> str:
    """First 16 hexadecimal digits of the SHA-1 of the UTF-8 text; a fingerprint, not a safeguard."""
    return hashlib.sha1((text or "").encode(), usedforsecurity=False).hexdigest()[:16]


def score_accuracy(predicted: str | None, gold: str | None) -> dict[str, Any]:
    """Gold, prediction, and whether they are the same non-null letter."""
    return {"gold": gold, "pred": predicted, "correct": predicted is not None and predicted == gold}
