"""The clip database of DVD: kept clip by clip, made once, counted; searched by meaning and by spelling."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.dvd_world import Play, caption, clip_start, finish, fresh, long_clip, part_of, play, text_of, tool
from proofreel.agents import Budget
from proofreel.agents._dvd_base import Asker, ClipSearch, Job, Subject, build, open_base
from proofreel.agents._dvd_base.records import Clip, ClipBase
from proofreel.agents._dvd_base.registry import BATCH_CHARACTERS, batches, unite
from proofreel.agents._dvd_base.replies import read_registry
from proofreel.agents._dvd_base.search import LocalComparer, pieces
from proofreel.core import Question, TokenUse
from proofreel.models import resolve_model
from proofreel.perception.embeddings import NgramEmbedder
from proofreel.runs.plan import make_plan
from proofreel.runs.setup import Wanted
from proofreel.testing import (
    DropMidBody,
    Empty,
    LengthStop,
    MalformedJson,
    OpenAIServer,
    Refused,
    Reply,
    Request,
    ServerError,
    Text,
)
from proofreel.testing.server import Response, as_json
from proofreel.video import Ledger

SEARCH = tool("clip_search_tool", event_description="a dog walks into the kitchen", top_k=1)


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return long_clip(tmp_path_factory.mktemp("dvd"))


@pytest.fixture(scope="module")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100 s: ten clips."""
    return long_clip(tmp_path_factory.mktemp("dvd100"), 100)


@pytest.fixture
def question(clip: Path, tmp_path: Path) -> Question:
    return Question.ask("Which?", str(fresh(clip, tmp_path)), ("a cat", "a dog"), id="q")


@pytest.fixture(autouse=True)
def _keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "test-key-not-real")


CHILD = """
import asyncio, sys
from proofreel.agents import AgentContext, Budget, run_agent
from proofreel.core import Question
from proofreel.models import resolve_model
url, video, workers = sys.argv[1:]
model = resolve_model("openai-api/local/some-vlm", base_url=url, max_retries=0, video=False)
options = {"caption_workers": int(workers), "thinking_budget": None}
question = Question.ask("Which?", video, ("a cat", "a dog"), id="q")
ctx = AgentContext(model=model, budget=Budget(), options=options)
print(asyncio.run(run_agent("dvd", question, ctx)).settings["clip_base"]["new"])
"""


def child(server: OpenAIServer, video: str, workers: int = 2) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", CHILD, server.url, video, str(workers)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )


def described(server: OpenAIServer) -> Counter[int]:
    """How often each clip was asked for."""
    return Counter(clip_start(r) for r in list(server.requests) if part_of(r) == "captioner")


def slow(delay: float) -> Callable[[Request], Reply]:
    return lambda r: Text(caption(clip_start(r)).text, delay=delay)


def test_a_killed_building_goes_on_where_it_was(hundred: Path, tmp_path: Path) -> None:
    video = str(fresh(hundred, tmp_path))
    count, killed, lock = 0, threading.Event(), threading.Lock()

    def captioner(request: Request) -> Reply:
        """Five descriptions; later ones wait until the process is dead."""
        nonlocal count
        with lock:
            count += 1
            mine = count
        if mine > 5:
            killed.wait(60)
        return caption(clip_start(request))

    with OpenAIServer(Play(lambda r: finish("B"), captioner=captioner)) as server:
        process = child(server, video, workers=2)
        until = time.monotonic() + 60
        while count < 7 and time.monotonic() < until and process.poll() is None:
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed.set()
        before = described(server)
        assert sum(before.values()) == 7
        again = child(server, video)
        out, err = again.communicate(timeout=120)
        assert again.returncode == 0, err
        total = described(server)
    # Five were finished, two were being described when the process died: these alone are asked for a second time.
    assert set(total) == set(range(0, 100, 10))
    assert sum(total.values()) == 10 + 2
    assert sorted(total.values()) == [1] * 8 + [2] * 2
    assert int(out) == 5


def test_two_processes_describe_a_video_once(hundred: Path, tmp_path: Path) -> None:
    video = str(fresh(hundred, tmp_path))
    with OpenAIServer(Play(lambda r: finish("B"), captioner=slow(0.03))) as server:
        both = [child(server, video), child(server, video)]
        done = [p.communicate(timeout=120) for p in both]
        assert [p.returncode for p in both] == [0, 0], [err for _, err in done]
        assert described(server) == Counter(dict.fromkeys(range(0, 100, 10), 1))
        assert sum(part_of(r) == "merger" for r in server.requests) == 1
    assert sorted(int(out) for out, _ in done) == [0, 10]


def test_questions_at_once_in_one_process_share_the_work(question: Question) -> None:
    with OpenAIServer(Play(lambda r: finish("B"), captioner=slow(0.05))) as server:
        model = resolve_model("openai-api/local/some-vlm", base_url=server.url, max_retries=0, video=False)

        async def both() -> list[ClipBase]:
            found: list[ClipBase] = []

            async def one() -> None:
                found.append(await open_base(Job(question.video, 25.0, model, model)))

            async with asyncio.TaskGroup() as group:
                group.create_task(one())
                group.create_task(one())
            return found

        bases = asyncio.run(both())
        assert sum(described(server).values()) == 3
    assert sorted(b.made for b in bases) == [0, 3]
    assert bases[0].clips == bases[1].clips
    assert bases[0].subjects == bases[1].subjects


def test_a_torn_line_costs_one_clip(question: Question) -> None:
    play(question, [finish("B")])
    (journal,) = _kept(question)
    lines = journal.read_bytes().splitlines(keepends=True)
    torn = lines.pop(next(i for i, line in enumerate(lines) if b'"number":2' in line))
    journal.write_bytes(b"".join(lines) + torn[:40])
    ran = play(question, [finish("B")])
    assert [clip_start(r) for r in ran.asked("captioner")] == [20]
    assert ran.base["described"] == 3


def _kept(question: Question) -> list[Path]:
    from proofreel.video import cache_dir, file_hash

    return sorted((cache_dir() / "clips" / file_hash(question.video)).glob("*.jsonl"))


BAD = [
    Text("There is a dog."),
    Text('{"clip_description": "  "}'),
    Text('["clip_description"]'),
    Text('{"clip_description": ["a", "b"]}'),
    Empty(),
    LengthStop('{"clip_description": "cut'),
]


@pytest.mark.parametrize("reply", BAD, ids=["prose", "blank", "list", "not-text", "empty", "cut"])
def test_three_tries_then_the_clip_is_skipped_counted_and_left_alone(
    question: Question, reply: Reply
) -> None:
    def captioner(request: Request) -> Reply:
        return reply if clip_start(request) == 10 else caption(clip_start(request))

    ran = play(question, [finish("B")], others={"captioner": captioner})
    assert described(ran.server) == Counter({0: 1, 10: 3, 20: 1})
    assert (ran.base["described"], ran.base["failed"], ran.base["clips"]) == (2, 1, 3)
    assert any("1 clips could not be described (clip 1" in s.text for s in ran.trajectory.steps)
    assert "Described are 2 of its 3 clips" in ran.asked("main")[0].raw.decode()
    # 20 + 10 frames, and 20 in each of three replies
    assert ran.trajectory.frames_seen == 90
    again = play(question, [finish("B")], others={"captioner": captioner})
    assert len(again.asked("captioner")) == 0
    assert again.base["failed"] == 1


def test_a_clip_whose_tries_the_budget_cut_is_not_given_up(question: Question) -> None:
    # 30 frames: the first clip shows 20, and 20 more for another try are not there
    bad = {"captioner": lambda r: Text("{")}
    ran = play(question, [Text("B")], others=bad, budget=Budget.of(frames=30), caption_workers=1)
    assert (ran.trajectory.frames_seen, len(ran.asked("captioner"))) == (20, 1)
    assert play(question, [finish("B")]).base["described"] == 3


def test_a_second_try_is_enough(question: Question) -> None:
    tries: Counter[int] = Counter()

    def captioner(request: Request) -> Reply:
        start = clip_start(request)
        tries[start] += 1
        return caption(start) if tries[start] == 2 else Text("{")

    ran = play(question, [finish("B")], others={"captioner": captioner})
    assert tries == Counter({0: 2, 10: 2, 20: 2})
    assert (ran.base["described"], ran.base["failed"]) == (3, 0)


@pytest.mark.parametrize(
    "reply", [ServerError(503), MalformedJson(), DropMidBody()], ids=["down", "broken", "dropped"]
)
def test_clips_without_any_reply_are_tried_again_by_the_next_question(
    question: Question, reply: Reply
) -> None:
    def captioner(request: Request) -> Reply:
        return reply if clip_start(request) == 10 else caption(clip_start(request))

    ran = play(question, [finish("B")], others={"captioner": captioner})
    assert described(ran.server)[10] == 3
    assert (ran.base["failed"], ran.trajectory.answer.letter) == (1, "B")
    again = play(question, [finish("B")])
    assert described(again.server) == Counter({10: 1})
    assert (again.base["described"], again.base["failed"]) == (3, 0)


def test_a_dead_server_ends_the_building_early(hundred: Path, tmp_path: Path) -> None:
    asked = Question.ask("Which?", str(fresh(hundred, tmp_path)), ("a cat", "a dog"), id="q")
    ran = play(
        asked, [finish("B")], others={"captioner": lambda r: Refused("no such model", 404)}, caption_workers=1
    )
    assert len(ran.asked("captioner")) == 3  # three clips in a row, one request each: trying again is no use
    assert len(ran.asked("main")) == 0
    answer = ran.trajectory.answer
    assert (answer.letter, answer.stop.value) == (None, "model_error")
    assert "no reply came for 3 clips in a row" in answer.reason


def test_other_prompts_models_words_and_modes_do_not_share_descriptions(
    question: Question, tmp_path: Path
) -> None:
    srt = tmp_path / "a.srt"
    srt.write_text("1\n00:00:01,000 --> 00:00:02,000\nHello.\n", "utf-8")
    ways: list[tuple[Question, dict[str, Any]]] = [
        (question, {}),
        (question, {"mode": "official"}),
        (question, {"roles": {"captioner": "openai-api/local/other"}}),
        (question.model_copy(update={"transcript": str(srt)}), {}),
    ]
    for asked, more in ways:
        assert len(play(asked, [finish("B")], **more).asked("captioner")) == 3
    for asked, more in ways:
        assert len(play(asked, [finish("B")], **more).asked("captioner")) == 0
    assert len(_kept(question)) == 4


def test_without_a_usable_cache_folder_it_works_and_says_so(
    question: Question, monkeypatch: Any, tmp_path: Path
) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "clips").write_text("a file where a folder should be")
    monkeypatch.setenv("PROOFREEL_CACHE", str(blocked))
    ran = play(question, [SEARCH, finish("B")])
    assert ran.base["described"] == 3
    assert any("descriptions are not kept" in s.text for s in ran.trajectory.steps)


def test_the_building_is_told_as_it_goes(hundred: Path, tmp_path: Path) -> None:
    asked = Question.ask("Which?", str(fresh(hundred, tmp_path)), ("a cat", "a dog"), id="q")
    ran = play(asked, [finish("B")], caption_workers=1)
    clips = [done for stage, done, total, _ in ran.told if stage == "clips" and total == 10]
    assert clips == list(range(11))
    assert [s.text for s in ran.trajectory.steps if s.phase == "observe"][:2] == [
        "1 of 10 clips described",
        "2 of 10 clips described",
    ]


def test_the_engine_ending_a_sample_is_not_swallowed(question: Question, monkeypatch: Any) -> None:
    class LimitExceededError(Exception):
        """By this name the engine ends a sample."""

    async def describe(*given: Any) -> Any:
        raise LimitExceededError("sample over")

    monkeypatch.setattr(build, "describe", describe)
    with pytest.raises(LimitExceededError, match="sample over"):
        play(question, [])


def test_length_comes_from_the_file_not_from_the_data(question: Question) -> None:
    ran = play(question.model_copy(update={"duration": 1000.0}), [finish("B")])
    assert ran.base["clips"] == 3
    assert "Total length of the video: 00:00:25" in ran.asked("main")[0].raw.decode()


def test_time_that_runs_out_while_waiting_for_another_process(question: Question) -> None:
    from filelock import FileLock

    play(question, [finish("B")])
    (journal,) = _kept(question)
    with FileLock(journal.with_suffix(".lock")):
        ran = play(question, [Text("B")], budget=Budget.of(seconds=0.6))
    assert ("wait" in {stage for stage, *_ in ran.told}, len(ran.asked("captioner"))) == (True, 0)
    assert ran.trajectory.answer.stop.value == "forced"


# --- subjects -----------------------------------------------------------------------------------------------


def subject(name: str, first: int = 0, looks: tuple[str, ...] = (), is_: tuple[str, ...] = ()) -> Subject:
    return Subject(name=name, appearance=looks, identity=is_, first_seen=first)


def test_merging_is_asked_once_with_the_lists_of_all_clips(question: Question) -> None:
    ran = play(question, [tool("global_browse_tool", query="who?"), finish("B")])
    (request,) = ran.asked("merger")
    said = text_of(request)
    assert said.index("thing of 0") < said.index("brown") < said.index("thing of 20")
    assert '"identity": ["pet"]' in text_of(ran.asked("reader")[0])
    assert ran.base["subjects"] == 1


def test_an_unusable_merged_list_is_replaced_by_uniting_names(question: Question) -> None:
    ran = play(question, [finish("B")], others={"merger": lambda r: Text("no")})
    assert len(ran.asked("merger")) == 3
    assert ran.base["subjects"] == 3
    assert any("united by name" in s.text for s in ran.trajectory.steps)
    assert len(play(question, [finish("B")]).asked("merger")) == 0


def test_uniting_by_name_keeps_every_trait_once_and_the_first_sight() -> None:
    first = (subject("The Dog", 12, ("brown", "wet")), subject("lamp", 3))
    second = (subject("the  dog", 5, ("wet", "old"), ("pet",)),)
    assert unite([first, second]) == (
        subject("lamp", 3),
        subject("The Dog", 5, ("brown", "wet", "old"), ("pet",)),
    )


def test_lists_too_long_for_one_request_are_united_in_steps() -> None:
    many = [(subject(f"person {n}", looks=("x" * 2000,)),) for n in range(40)]
    groups = batches(many)
    assert [s for g in groups for s in g] == many
    assert all(len(g) > 1 for g in groups[:-1])
    assert all(sum(len(repr(s)) for s in g) < BATCH_CHARACTERS * 1.2 for g in groups)
    assert batches([(), (), ()]) == []
    huge = [(subject("a", looks=("x" * 30_000,)),), (subject("b", looks=("x" * 30_000,)),)]
    assert batches(huge) == [huge]  # two at least, or nothing would ever be united


def test_only_valid_entries_of_a_registry_count() -> None:
    written = {
        "a": {"name": " Ann ", "appearance": ["tall", 3, None, "tall"], "first_seen": "00:00:14"},
        "b": {"name": ""},
        "c": "not an object",
        "d": {"name": "Bob", "appearance": "bald", "identity": {"x": 1}, "first_seen": "yesterday"},
        "e": {"name": "Cy", "first_seen": "00:09:00"},
    }
    assert read_registry(written, 10, 19) == (
        subject("Ann", 14, ("tall", "3")),
        subject("Bob", 10, ("bald",)),
        subject("Cy", 10),
    )
    assert read_registry(["x"], 0, 9) == ()


# --- search -------------------------------------------------------------------------------------------------


def base_of(*captions: str) -> ClipBase:
    clips = tuple(Clip(number=n, start=10 * n, end=10 * n + 9, caption=c) for n, c in enumerate(captions))
    return ClipBase("v.mp4", "0" * 64, 10.0 * len(captions), clips, (), 0, (), "m", 2.0, 360, "key")


def best(search: ClipSearch, query: str, top: int = 1) -> list[int]:
    return [c.number for c in asyncio.run(search.best(query, top))[0]]


class Spelling:
    """A comparer that needs no model."""

    name, whole = NgramEmbedder.name, False

    async def vectors(self, texts: Any) -> tuple[Any, TokenUse]:
        return NgramEmbedder().embed(texts), TokenUse()


def test_meaning_finds_other_words() -> None:
    search = ClipSearch(
        base_of("a puppy runs over the lawn", "a train leaves the station", "soup boils"), LocalComparer()
    )
    assert best(search, "a dog is in the garden") == [0]
    assert best(search, "railway") == [1]
    assert best(search, "cooking", 2)[-1] == 2


def test_chinese_is_found_by_its_characters() -> None:
    search = ClipSearch(
        base_of("一个男人在厨房里做饭", "两个孩子在公园踢足球", "a train leaves"), LocalComparer()
    )
    assert best(search, "踢足球的孩子") == [1]
    assert best(search, "男人做饭") == [0]


def test_hits_come_in_order_of_time() -> None:
    search = ClipSearch(base_of("red lamp", "green lamp", "blue chair", "a lamp"), Spelling())
    assert best(search, "lamp", 3) == [0, 1, 3]
    assert best(search, "lamp", 99) == [0, 1, 2, 3]
    assert best(search, "lamp", 0) == []


def test_the_end_of_a_long_description_is_found_too() -> None:
    long = "Nothing happens in the grey room. " * 40
    search = ClipSearch(base_of(long, long + "At last a parrot lands on the piano.", long), LocalComparer())
    assert best(search, "a bird sits on a musical instrument") == [1]


def test_pieces_lose_nothing_and_stay_short() -> None:
    text = " ".join(f"Sentence number {n} says something." for n in range(60))
    cut = pieces(text, 200)
    assert " ".join(cut) == text
    assert all(len(p) <= 200 for p in cut)
    assert all(p.endswith(".") for p in cut)
    assert pieces("") == [""]
    assert "".join(pieces("x" * 450, 200)) == "x" * 450
    assert "".join(pieces("汉字。" * 100, 50)) == "汉字。" * 100


class Embeddings(OpenAIServer):
    """Also serves ``/embeddings``: a text about a dog points one way, any other the other way."""

    broken = False
    asked: list[dict[str, Any]]

    def side_route(self, request: Request) -> Response | None:
        if not request.path.endswith("/embeddings"):
            return super().side_route(request)
        if self.broken:
            return self.error(400, "no such model")
        self.__dict__.setdefault("asked", []).append(request.json)
        texts = request.json["input"]
        rows = [[3.0, 0.0] if "dog" in t else [0.0, 2.0] for t in texts]
        if request.json.get("encoding_format") == "base64":
            import base64

            rows = [base64.b64encode(np.array(r, np.float32).tobytes()).decode() for r in rows]  # type: ignore[misc]
        data = [{"object": "embedding", "index": i, "embedding": r} for i, r in enumerate(rows)]
        usage = {"prompt_tokens": 7, "total_tokens": 7}
        return as_json(200, {"object": "list", "model": "e", "data": data, "usage": usage})


def test_an_embedding_model_takes_the_place_of_the_embedded_one(question: Question) -> None:
    roles = {"embedder": "openai-api/local/text-embedder"}
    ran = play(question, [SEARCH, finish("B")], roles=roles, server_type=Embeddings)
    assert ran.results[0].data["clips"] == [1]
    asked = ran.server.asked  # type: ignore[attr-defined]
    assert [len(a["input"]) for a in asked] == [3, 1]
    assert {a["model"] for a in asked} == {"text-embedder"}
    # 3 descriptions, 1 merging, 2 turns of 10 tokens, and 2 embedding requests of 7
    assert (ran.trajectory.tokens.prompt, ran.trajectory.tokens.calls) == (60 + 14, 6 + 2)
    again = play(question, [SEARCH, finish("B")], roles=roles, server_type=Embeddings)
    assert [len(a["input"]) for a in again.server.asked] == [1]  # type: ignore[attr-defined]  # vectors are kept


def test_a_failing_embedding_model_is_an_error_result(question: Question) -> None:
    class Broken(Embeddings):
        broken = True

    ran = play(question, [SEARCH, finish("B")], roles={"embedder": "openai-api/local/e"}, server_type=Broken)
    assert ran.results[0].failure_kind == "error"
    assert "no vectors" in ran.results[0].text
    assert ran.trajectory.answer.letter == "B"


# --- plan ---------------------------------------------------------------------------------------------------

CARD = """
[models."test/pictures"]
match = ["pictures*"]
source = "made for a test"
context_tokens = 1000000
images = true
video = false
image_tokens = { kind = "fixed", tokens = 100 }
prices = [{ input = 2.0, output = 10.0 }]
"""


def test_plan_prices_a_cold_database_once_and_a_kept_one_not(
    clip: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "cards.toml").write_text(CARD)
    monkeypatch.setenv("PROOFREEL_MODELS", str(tmp_path / "cards.toml"))
    video = fresh(clip, tmp_path)
    rows = [
        {"id": n, "video": video.name, "question": f"Question {n}?", "options": ["x", "y"], "answer": "A"}
        for n in "abc"
    ]
    (tmp_path / "questions.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))

    def planned() -> dict[tuple[str, str], Any]:
        wanted = Wanted(
            benchmark="folder",
            data=tmp_path,
            agent="dvd",
            model="openai-api/test/pictures",
            roles={"captioner": "openai-api/test/pictures-2"},
            epochs=2,
        )
        plan = make_plan(wanted)
        assert all(m.usd is not None for m in plan.money)
        return {(r.role, r.level): r for r in plan.roles}

    cold = planned()
    # three clips, once although three questions with two epochs need them, and one merging
    assert (cold["clip database", "low"].calls, cold["clip database", "typical"].calls) == (3, 4)
    assert cold["clip database", "low"].model == cold["reader", "low"].model == "openai-api/test/pictures-2"
    assert (cold["reader", "low"].calls, cold["reader", "high"].calls) == (6, 24)
    assert (cold["inspector", "low"].calls, cold["inspector", "low"].model) == (6, "openai-api/test/pictures")
    assert cold["main", "low"].calls == 6 * 4
    asked = Question.ask("Q?", str(video), ("x", "y"), id="a")
    play(
        asked,
        [finish("B")],
        name="openai-api/test/pictures",
        roles={"captioner": "openai-api/test/pictures-2"},
    )
    warm = planned()
    assert ("clip database", "high") not in warm
    assert warm["reader", "low"] == cold["reader", "low"]
    # 50 frames of 100 tokens and their time labels, and the words around them
    assert 50 * 100 < cold["clip database", "low"].prompt < 50 * 110 + 3 * 700
    assert cold["clip database", "low"].usd > 50 * 100 * 2.0 / 1e6


def test_asker_gives_the_engine_one_attempt_each(question: Question) -> None:
    ledger = Ledger()
    with OpenAIServer(Play([], captioner=lambda r: ServerError(500))) as server:
        model = resolve_model("openai-api/local/m", base_url=server.url, max_retries=6, video=False)
        job = Job(question.video, 25.0, model, model, asker=Asker(ledger=ledger, waits=(0.01,)), workers=1)
        base = asyncio.run(open_base(job))
        assert len(server.requests) == 9
    assert base.dead
    assert re.search("no reply came for 3 clips", base.stopped or "")
