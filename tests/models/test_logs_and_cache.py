"""Messages, logs and cache hold references only; a cached answer still accounts for its frames."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from tests.models.wire import ask

from proofreel.models import media_message, resolve_model, use_ledger
from proofreel.models._scrub import scrubbed
from proofreel.testing import AnthropicServer, GeminiServer, OpenAIServer, Refused, Text
from proofreel.video import Ledger, Uniform

ROUTES = {
    "openai-api/local/m": OpenAIServer,
    "openai/gpt-5": OpenAIServer,
    "anthropic/claude-opus-4-7": AnthropicServer,
    "google/gemini-2.5-flash": GeminiServer,
    "vllm/Qwen/Qwen3-VL-8B": OpenAIServer,
    "mockllm/model": None,
}


def log_bytes(folder: Path) -> bytes:
    (log,) = folder.glob("*.eval")
    with zipfile.ZipFile(log) as packed:
        return b"".join(packed.read(n) for n in packed.namelist())


def run_eval(model, messages, folder: Path):
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.solver import generate

    (log,) = eval(
        Task(dataset=[Sample(input=messages)], solver=generate()),
        model=model,
        log_dir=str(folder),
        log_format="eval",
        display="none",
        log_model_api=True,
        log_realtime=False,
        fail_on_error=False,
    )
    return log


@pytest.mark.parametrize("name", list(ROUTES))
def test_an_engine_log_holds_references_and_no_media(name, frames, piece, ledger, tmp_path):
    refs = [frames(Uniform(6), height=240), piece(0.0, 3.0, fps=2.0)]
    messages = [media_message("Which?", refs)]
    kind = ROUTES[name]
    with (kind or OpenAIServer)([Text("B")]) as server:
        base = {"base_url": server.url} if kind else {}
        model = resolve_model(name, ledger=ledger, max_tokens=500, **base)
        log = run_eval(model, messages, tmp_path)
    assert log.status == "success", log.error
    assert log.samples[0].output.completion
    packed = log_bytes(tmp_path)
    assert refs[0].sha256.encode() in packed
    assert b"/9j/" not in packed  # how a JPEG begins in base64
    assert b"ftyp" not in packed
    assert b"AAAAIGZ0eXB" not in packed  # how an mp4 begins in base64
    assert len(packed) < 60_000
    assert len(ledger.entries) == 2


def test_a_failed_call_logs_no_media_either(frames, tmp_path):
    with OpenAIServer([Refused()]) as server:
        model = resolve_model("openai-api/local/m", base_url=server.url)
        log = run_eval(model, [media_message("Which?", [frames(Uniform(6), height=240)])], tmp_path)
    assert log.samples[0].error is not None
    assert b"/9j/" not in log_bytes(tmp_path)


def test_cached_answers_send_nothing_and_account_for_the_same_frames(frames, tmp_path, monkeypatch):
    from inspect_ai.model import CachePolicy

    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    message = [media_message("Which?", [frames(Uniform(4))])]
    with OpenAIServer([Text("B")]) as server:
        first, second = Ledger(), Ledger()
        one = ask(
            resolve_model("openai-api/local/m", base_url=server.url, ledger=first),
            message,
            cache=CachePolicy(expiry=None),
        )
        two = ask(
            resolve_model("openai-api/local/m", base_url=server.url, ledger=second),
            message,
            cache=CachePolicy(expiry=None),
        )
        assert server.count == 1
    assert (one.cached, two.cached) == (False, True)
    assert two.text == "B"
    assert two.tokens.prompt == one.tokens.prompt == 10
    assert [f.sha256 for f in second.entries[0].frames] == [f.sha256 for f in first.entries[0].frames]
    assert second.entries[0].call_id != first.entries[0].call_id
    pickles = list((tmp_path / "cache").rglob("*"))
    assert sum(p.stat().st_size for p in pickles if p.is_file()) < 20_000


def test_ambient_ledger_and_names(frames):
    ours = Ledger()
    with OpenAIServer([Text("B")]) as server, use_ledger(ours):
        model = resolve_model("openai-api/local/m", base_url=server.url, role="perceiver")
        assert str(model) == "proofreel/openai-api/local/m"
        ask(model, [media_message("Which?", [frames(Uniform(1))])])
    assert [(e.model, e.role) for e in ours.entries] == [("openai-api/local/m", "perceiver")]


def test_the_engine_finds_the_provider_by_name(frames):
    from inspect_ai.model import get_model

    with OpenAIServer([Text("B")]) as server:
        model = get_model(
            "proofreel/openai-api/local/m", base_url=server.url, api_key="k", memoize=False, on_limit="fit"
        )
        ours = Ledger()
        record = ask(model, [media_message("Which?", [frames(Uniform(2))])], ledger=ours)
    assert record.text == "B"
    assert len(ours.entries[0].frames) == 2


def test_the_engine_finds_us_in_a_fresh_process():
    code = (
        "from inspect_ai.model import get_model; m = get_model('proofreel/mockllm/model');"
        "print(type(m.api).__module__)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.strip() == "proofreel.models.provider", done.stderr


def test_importing_the_package_loads_no_engine_and_no_decoder():
    code = (
        "import sys, proofreel.models, proofreel.testing;"
        "print([m for m in ('inspect_ai', 'av', 'numpy', 'openai', 'httpx') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_scrubbing_takes_base64_and_leaves_words():
    from inspect_ai.model import ModelCall

    picture, chinese = "data:image/jpeg;base64," + "Ab+/" * 900, "看" * 3000
    call = scrubbed(
        ModelCall(request={"a": [{"url": picture}], "b": chinese, "c": "Ab+/" * 900, "d": "x y " * 900})
    )
    assert call.request["a"] == [{"url": f"<media removed: {len(picture)} characters>"}]
    assert call.request["c"].startswith("<media removed")
    assert (call.request["b"], call.request["d"]) == (chinese, "x y " * 900)


def test_concurrent_calls_keep_their_ledgers_apart(frames, ledger):
    import anyio

    from proofreel.models import call_model

    with OpenAIServer(lambda _: Text("B", delay=0.1)) as server:
        model = resolve_model("openai-api/local/m", base_url=server.url)
        ledgers = [Ledger() for _ in range(6)]

        async def run():
            async with anyio.create_task_group() as group:
                for i, own in enumerate(ledgers):
                    message = [media_message(str(i), [frames(Uniform(i + 1))])]

                    async def one(message=message, own=own):
                        await call_model(model, message, ledger=own)

                    group.start_soon(one)

        anyio.run(run)
        assert server.count == 6
    assert [len(x.entries[0].frames) for x in ledgers] == [1, 2, 3, 4, 5, 6]
