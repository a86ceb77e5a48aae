"""Every way a server can fail ends in one typed line, in bounded time, with the retries counted."""

from __future__ import annotations

import socket
import time

import pytest
from tests.models.wire import ask

from proofreel.core import StopReason
from proofreel.models import (
    FailureKind,
    MissingKey,
    ModelFailure,
    ModelTimeout,
    ServerUnreachable,
    UnknownModel,
    call_model,
    media_message,
    resolve_model,
)
from proofreel.testing import (
    AnthropicServer,
    DropMidBody,
    Empty,
    Filtered,
    GeminiServer,
    Hang,
    LengthStop,
    MalformedJson,
    OpenAIServer,
    Overflow,
    RateLimited,
    Refused,
    ServerError,
    Text,
    Usage,
)
from proofreel.video import Uniform

PROVIDERS = {
    "openai-api/local/m": OpenAIServer,
    "anthropic/claude-opus-4-7": AnthropicServer,
    "google/gemini-2.5-flash": GeminiServer,
}
each_provider = pytest.mark.parametrize("name", list(PROVIDERS))


def model_of(name: str, server, **settings):
    return resolve_model(name, base_url=server.url, **({"max_tokens": 500} | settings))


@pytest.fixture
def quick(monkeypatch):
    """Short pauses between attempts; the pauses themselves are tested with Retry-After."""
    monkeypatch.setattr("proofreel.models.provider.FIRST_WAIT", 0.02)


@each_provider
def test_rate_limit_then_answer_waits_as_told_and_counts(name, frames, ledger):
    waits = []
    script = [RateLimited(retry_after=0.4), RateLimited(retry_after=0.3), Text("B")]
    with PROVIDERS[name](script) as server:
        began = time.monotonic()
        record = ask(
            model_of(name, server, ledger=ledger),
            [media_message("Which?", [frames(Uniform(2))])],
            on_wait=lambda *told: waits.append(told),
        )
        took = time.monotonic() - began
        assert server.count == 3
    assert record.text == "B"
    assert record.tokens.retries == 2
    assert [(a, s) for a, _, s in waits] == [(1, 0.4), (2, 0.3)]
    assert all("429" in reason for _, reason, _ in waits)
    assert took >= 0.7
    assert len(ledger.entries) == 1  # one entry per call, not per attempt


@each_provider
def test_server_errors_then_answer(name, quick):
    waits = []
    with PROVIDERS[name]([ServerError(500), ServerError(503), RateLimited(), Text("B")]) as server:
        record = ask(model_of(name, server), "hi", on_wait=lambda *told: waits.append(told))
        assert server.count == 4
    assert record.tokens.retries == 3
    assert [w[1].split()[1] for w in waits] == ["500", "503", "429"]


@each_provider
@pytest.mark.parametrize(
    ("reply", "kind"),
    [(ServerError(500), FailureKind.BAD_RESPONSE), (RateLimited(), FailureKind.RATE_LIMITED)],
)
def test_exhausted_retries_name_the_cause(name, reply, kind, quick, ledger, frames):
    with PROVIDERS[name](lambda _: reply) as server:
        with pytest.raises(ModelFailure) as caught:
            ask(
                model_of(name, server, max_retries=2, ledger=ledger),
                [media_message("Which?", [frames(Uniform(2))])],
            )
        assert server.count == 3
    assert caught.value.kind is kind
    assert caught.value.attempts == 3
    assert "after 3 attempts" in str(caught.value)
    assert "RetryError" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert ledger.entries == ()  # nothing was answered, so nothing is said to have been seen


@each_provider
def test_a_server_that_never_answers_ends_at_the_deadline(name):
    with PROVIDERS[name]([Hang()]) as server:
        began = time.monotonic()
        with pytest.raises(ModelTimeout, match="within 1 s"):
            ask(model_of(name, server), "hi", deadline=1.0)
        assert time.monotonic() - began < 4
        assert server.count == 1


def test_a_deadline_during_a_long_wait_says_why_it_waited():
    with OpenAIServer([RateLimited(retry_after=60)]) as server:
        with pytest.raises(ModelTimeout, match="waiting because of HTTP 429") as caught:
            ask(model_of("openai-api/local/m", server), "hi", deadline=0.8)
        assert server.count == 1
    assert caught.value.attempts == 1


def test_attempt_timeout_then_answer(quick):
    with OpenAIServer([Hang(), Text("B")]) as server:
        waits = []
        record = ask(
            model_of("openai-api/local/m", server, attempt_timeout=1),
            "hi",
            on_wait=lambda *told: waits.append(told[1]),
        )
    assert record.text == "B"
    assert waits == ["timeout"]


def test_the_models_own_deadline_holds_without_being_named():
    with OpenAIServer([Hang()]) as server:
        model = resolve_model("openai-api/local/m", base_url=server.url, deadline=0.5)
        with pytest.raises(ModelTimeout):
            ask(model, "hi")


@each_provider
def test_a_dropped_connection_is_retried(name, quick):
    with PROVIDERS[name]([DropMidBody(), Text("B")]) as server:
        assert ask(model_of(name, server), "hi").text == "B"


@each_provider
def test_a_body_that_is_no_json(name, quick):
    with PROVIDERS[name](lambda _: MalformedJson()) as server, pytest.raises(ModelFailure) as caught:
        ask(model_of(name, server, max_retries=1), "hi")
    assert caught.value.kind is FailureKind.BAD_RESPONSE


@each_provider
@pytest.mark.parametrize(
    ("reply", "stop"),
    [
        (Overflow(), StopReason.OVERFLOW),
        (LengthStop("The answer is B because"), StopReason.TRUNCATED),
        (Filtered(), StopReason.FILTERED),
        (Empty(), StopReason.EMPTY),
        (Text("   \n"), StopReason.EMPTY),
    ],
)
def test_outputs_that_are_no_answer(name, reply, stop):
    with PROVIDERS[name]([reply]) as server:
        record = ask(model_of(name, server), "hi")
    assert record.stop is stop
    with pytest.raises(ModelFailure) as caught:
        record.answered()
    assert caught.value.stop is stop


@each_provider
def test_a_wrong_key(name):
    with PROVIDERS[name]([Text("never")], key="another-key") as server:
        with pytest.raises(ModelFailure) as caught:
            ask(model_of(name, server), "hi")
        assert server.count == 1
    assert caught.value.kind is FailureKind.AUTH
    assert "loopback-key" not in str(caught.value)


@each_provider
def test_a_refused_request_is_not_retried(name):
    with PROVIDERS[name]([Refused("temperature is not supported")]) as server:
        with pytest.raises(ModelFailure, match="temperature is not supported") as caught:
            ask(model_of(name, server), "hi")
        assert server.count == 1
    assert (caught.value.kind, caught.value.status) == (FailureKind.REFUSED, 400)


@each_provider
def test_nobody_listens(name, quick):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    with pytest.raises(ServerUnreachable):
        ask(resolve_model(name, base_url=f"http://127.0.0.1:{port}", max_retries=1), "hi")


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("openai/gpt-5", "OPENAI_API_KEY"),
        ("anthropic/claude-opus-4-7", "ANTHROPIC_API_KEY"),
        ("google/gemini-2.5-pro", "GOOGLE_API_KEY"),
    ],
)
def test_a_missing_key_names_its_variable(name, variable, monkeypatch):
    monkeypatch.delenv(variable)
    with pytest.raises(MissingKey, match=variable) as caught:
        resolve_model(name)
    assert caught.value.variable == variable
    assert "\n" not in str(caught.value)


def test_a_key_from_a_named_variable(monkeypatch):
    monkeypatch.setenv("LAB_KEY", "s3cret")
    with OpenAIServer([Text("ok")], key="s3cret") as server:
        model = resolve_model("openai-api/lab/m", base_url=server.url, api_key_env="LAB_KEY")
        assert ask(model, "hi").text == "ok"
    monkeypatch.delenv("LAB_KEY")
    with pytest.raises(MissingKey, match="LAB_KEY"):
        resolve_model("openai-api/lab/m", base_url="http://127.0.0.1:1", api_key_env="LAB_KEY")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("gpt-5", "openai/gpt-5"),
        ("opnai/gpt-5", "openai/gpt-5"),
        ("gemni-2.5-pro", "google/gemini-2.5-pro"),
    ],
)
def test_an_unknown_name_suggests_close_ones(name, hint):
    with pytest.raises(UnknownModel, match=f"did you mean .*{hint}"):
        resolve_model(name)


def test_our_own_mistakes_are_not_called_model_failures():
    import anyio
    from inspect_ai.model import get_model

    def broken(*_):
        raise ZeroDivisionError("a bug")

    async def run():
        await call_model(get_model("mockllm/model", custom_outputs=broken), "hi")

    with pytest.raises(ZeroDivisionError):
        anyio.run(run)


def test_a_mock_without_usage_needs_no_internet():
    record = ask(resolve_model("mockllm/model"), "hi")
    assert record.stop is None
    assert record.tokens.cost_usd is None


def test_usage_of_zero_calls_is_priced_by_band():
    with OpenAIServer([Text("B", usage=Usage(prompt=199_000, completion=0))]) as server:
        record = ask(resolve_model("openai-api/x/gemini-2.5-pro", base_url=server.url), "hi")
    assert record.tokens.cost_usd == pytest.approx(0.199 * 1.25)
