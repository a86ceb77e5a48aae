"""Hearing: the words, their seconds, and silence where nobody speaks."""

import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from proofreel.perception._spans import LATEST, MARGIN, Span, quietest, spans
from proofreel.perception.records import SpeechLine, Word
from proofreel.perception.speech import _made_up, drop_loops, find_model, hear, lines_of_words
from proofreel.video import read_audio
from speech_maker import RATE, Say, mix, word_error_rate
from support import need_shared_media

KENNEDY = "And so my fellow Americans, ask not what your country can do for you, ask what you can do for your country."


def whole(samples):
    return Span(samples, 0.0, 0.0, len(samples) / RATE)


def test_word_error_rate_by_hand():
    assert word_error_rate("a b c d", "a x c") == 0.5  # one substitution, one deletion
    assert word_error_rate("one two", "one two") == 0
    assert word_error_rate("one", "one two three") == 2


def test_real_speech_is_understood_word_for_word():
    sound = read_audio(need_shared_media() / "real_extra" / "jfk_1961.flac")
    heard = hear(whole(sound), find_model())
    assert word_error_rate(KENNEDY, " ".join(line.text for line in heard.lines)) == 0
    assert heard.language == "en" and heard.sure > 0.7
    words = [w for line in heard.lines for w in line.words]
    assert [w.text.strip(",.").lower() for w in words[:5]] == ["and", "so", "my", "fellow", "americans"]
    assert all(w.start <= w.end <= len(sound) / RATE + 0.1 for w in words)
    assert all(a.start <= b.start for a, b in itertools.pairwise(words))


def test_same_sound_same_words():
    sound = read_audio(need_shared_media() / "real_extra" / "jfk_1961.flac")
    assert hear(whole(sound), find_model()) == hear(whole(sound), find_model())


def test_synthetic_sentences_and_their_seconds():
    script = [
        Say(2.0, "Please bring your passport and a warm jacket."),
        Say(10.0, "The password for the meeting is blue elephant."),
        Say(20.0, "Turn left after the second bridge and stop at the red house."),
    ]
    sound, spoken = mix(script, 26.0)
    heard = hear(whole(sound), find_model())
    said = " ".join(s.text for s in script)
    assert word_error_rate(said, " ".join(line.text for line in heard.lines)) <= 0.15
    assert len(heard.lines) == len(spoken)
    for truth, line in zip(spoken, heard.lines, strict=True):
        assert abs(line.start - truth.start) < 0.3
        assert abs(line.end - truth.end) < 0.5


def test_a_sentence_said_three_times_is_heard_three_times():
    script = [Say(2 + 9 * k, "The password for the meeting is blue elephant.") for k in range(3)]
    sound, spoken = mix(script, 28.0)
    heard = hear(whole(sound), find_model())
    assert len(heard.lines) == 3
    assert all(abs(a.start - b.start) < 0.3 for a, b in zip(heard.lines, spoken, strict=True))


@pytest.mark.parametrize("kind", ["silence", "noise", "chord", "melody"])
def test_nobody_speaks_nothing_is_heard(kind):
    rng = np.random.default_rng(7)
    t = np.arange(20 * RATE) / RATE
    sound = {
        "silence": np.zeros_like(t),
        "noise": 0.05 * rng.standard_normal(len(t)),
        "chord": 0.1
        * sum(np.sin(2 * np.pi * f * t) for f in (220, 277, 330))
        * (1 + np.sin(4 * np.pi * t))
        / 2,
        "melody": 0.4 * np.sin(2 * np.pi * 262 * 2 ** (rng.integers(0, 12, 40).repeat(RATE // 2) / 12) * t),
    }[kind].astype(np.float32)
    heard = hear(whole(sound), find_model())
    assert heard.lines == () and heard.language is None


def w(text, start, end):
    return Word(text=text, start=start, end=end, probability=0.5)


def test_lines_end_with_sentences_and_pauses():
    said = [
        w(" Go", 0, 0.4),
        w(" on.", 0.4, 0.8),
        w(" It", 0.9, 1.0),
        w(" costs", 1.0, 1.4),
        w(" 3", 1.4, 1.6),
    ]
    said += [w(".5", 1.6, 2.0), w(" and", 3.0, 3.2), w(" more", 3.2, 3.6)]
    lines = lines_of_words(said)
    assert [x.text for x in lines] == ["Go on.", "It costs 3.5", "and more"]
    assert [(x.start, x.end) for x in lines] == [(0, 0.8), (0.9, 2.0), (3.0, 3.6)]
    assert lines[1].words[0].text == "It"


def test_loops_are_left_out():
    def line(text, k):
        return SpeechLine(text=text, start=k, end=k + 1)

    lines = [
        line(t, k) for k, t in enumerate(["Yes.", "Yes.", "No.", "Thank you.", "thank you", "Thank you!"])
    ]
    kept, gone = drop_loops(lines)
    assert [x.text for x in kept] == ["Yes.", "Yes.", "No.", "Thank you."]
    assert gone == 2


def segment(text, seconds, probability=0.9, no_speech=0.1, log_probability=-0.3):
    parts = text.split()
    step = seconds / len(parts)
    said = [w(f" {p}", k * step, (k + 1) * step) for k, p in enumerate(parts)]
    said = [x.model_copy(update={"probability": probability}) for x in said]
    return SimpleNamespace(text=text, words=said, no_speech_prob=no_speech, avg_logprob=log_probability)


def test_what_a_decoder_makes_up_is_known_by_its_marks():
    assert not _made_up(segment("The exam is on Friday in room four.", 3))
    assert _made_up(segment("la la la " * 12, 20))  # repeats itself
    assert _made_up(segment("Thanks for watching!", 2, no_speech=0.9, log_probability=-1.4))  # nobody speaks
    assert _made_up(segment("so and the of it", 2, probability=0.1))  # guesses
    assert _made_up(segment("nobody can say that many words in half a second", 0.5))


def test_a_sentence_said_again_later_stays():
    lines = [SpeechLine(text="Next question.", start=30 * k, end=30 * k + 1) for k in range(5)]
    assert drop_loops(lines) == (lines, 0)


def pieces(sound, start, seconds=10):
    step = seconds * RATE
    first = max(0, round((start - MARGIN) * RATE))
    return (sound[k : k + step] for k in range(first, len(sound), step))


def test_spans_own_every_second_once_and_fit_in_memory():
    hour = 3600 * RATE
    blocks = (np.zeros(10 * RATE, dtype=np.float32) for _ in range(hour // (10 * RATE)))
    owned = []
    for span in spans(blocks, 0.0):
        owned.append((span.start, span.end))
        assert len(span.samples) <= (LATEST + 2 * MARGIN) * RATE
    assert owned[0][0] == 0 and owned[-1][1] == 3600
    assert all(a[1] == b[0] for a, b in itertools.pairwise(owned))


def test_spans_are_cut_where_it_is_quiet_and_resume_alike():
    rng = np.random.default_rng(3)
    sound = (0.2 * rng.standard_normal(300 * RATE)).astype(np.float32)
    for quiet in (100.0, 222.0):
        sound[round(quiet * RATE) : round((quiet + 1) * RATE)] *= 0.01
    all_spans = list(spans(pieces(sound, 0.0), 0.0))
    assert 100 < all_spans[0].end < 101 and 222 < all_spans[1].end < 223
    resumed = list(spans(pieces(sound, all_spans[0].end), all_spans[0].end))
    assert len(resumed) == len(all_spans) - 1
    for a, b in zip(resumed, all_spans[1:], strict=True):
        assert (a.origin, a.start, a.end) == (b.origin, b.start, b.end)
        assert np.array_equal(a.samples, b.samples)


def test_quietest_place_of_a_hand_made_sound():
    sound = np.ones(10 * RATE, dtype=np.float32)
    sound[6 * RATE : 7 * RATE] = 0
    assert 6 * RATE < quietest(sound) < 7 * RATE
