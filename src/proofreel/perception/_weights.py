"""Finds model files on this machine and proves that they are the pinned ones; never downloads."""

import hashlib
import importlib.util
import shutil
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from proofreel.perception._pins import EXTRA, MINILM, WHISPER, WeightsPin
from proofreel.perception.errors import CapabilityMissing

HUB_REPOSITORIES = (
    "Systran/faster-whisper-base",
    "Systran/faster-whisper-small",
    "Systran/faster-whisper-tiny",
)
_BLOCK = 1 << 20


@dataclass(frozen=True)
class LocalModel:
    """A model that can be loaded from disk; ``name`` is its identity in cache keys."""

    name: str
    path: Path


def installed(package: str) -> bool:
    """Whether a package can be found, without importing it."""
    return importlib.util.find_spec(package) is not None


def package_file(package: str, name: str) -> Path | None:
    """A file inside an installed package, without importing the package."""
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        file = Path(folder) / name
        if file.is_file():
            return file
    return None


def sha256_of(*files: Path) -> str:
    """Hex sha256 of the files' bytes, one after the other."""
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as stream:
            while block := stream.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()


def part_files(pin: WeightsPin) -> list[Path] | None:
    """The pinned files when all of them are installed, else None. Content is not looked at."""
    wanted = [*pin.parts, *((package, name) for _, package, name, _ in pin.beside)]
    found = [package_file(package, name) for package, name in wanted]
    parts = found[: len(pin.parts)]
    return [p for p in parts if p is not None] if all(f is not None for f in found) else None


def _demand(pin: WeightsPin, what: str, got: str, expected: str) -> None:
    if got != expected:
        raise CapabilityMissing(
            pin.name,
            f"{what} has sha256 {got[:12]}..., expected {expected[:12]}...: reinstall it or name a model path",
        )


def _join(pin: WeightsPin, parts: list[Path]) -> Path:
    """Joins the parts once into the cache folder, next to the small files, and checks every hash on the way."""
    from filelock import FileLock

    from proofreel.video import cache_dir

    folder = cache_dir() / "models" / f"{pin.name}-{pin.sha256[:16]}"
    size = sum(p.stat().st_size for p in parts)
    done = folder / "model.bin"
    if done.is_file() and done.stat().st_size == size:
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):
        if done.is_file() and done.stat().st_size == size:
            return folder
        for name, package, inside, expected in pin.beside:
            source = package_file(package, inside)
            if source is None:
                raise CapabilityMissing(pin.name, f"{package}/{inside} is gone")
            _demand(pin, name, sha256_of(source), expected)
            shutil.copyfile(source, folder / name)
        draft, digest = folder / "model.bin.draft", hashlib.sha256()
        with draft.open("wb") as target:
            for part in parts:
                with part.open("rb") as stream:
                    while block := stream.read(_BLOCK):
                        digest.update(block)
                        target.write(block)
        if digest.hexdigest() != pin.sha256:
            draft.unlink()
        _demand(pin, "model.bin", digest.hexdigest(), pin.sha256)
        draft.replace(done)  # the rename is the commit point
    return folder


@lru_cache(maxsize=8)
def _verified_in_place(pin: WeightsPin, file: Path) -> Path:
    _demand(pin, file.name, sha256_of(file), pin.sha256)
    for _, package, inside, expected in pin.beside:
        small = package_file(package, inside)
        if small is not None:
            _demand(pin, small.name, sha256_of(small), expected)
    return file


def _from_hub(repository: str) -> LocalModel | None:
    """A model that already lies in the hub cache of this machine; the network is not touched."""
    if not installed("huggingface_hub"):
        return None
    from huggingface_hub import try_to_load_from_cache

    try:
        file = try_to_load_from_cache(repository, "model.bin")
    except ValueError:  # not the form of a hub name
        return None
    if not isinstance(file, str):
        return None
    folder = Path(file).parent
    return (
        LocalModel(f"{repository}@{folder.name[:12]}", folder) if (folder / "config.json").is_file() else None
    )


def speech_model(asr_model: str | Path | None = None) -> LocalModel:
    """The folder of a CTranslate2 Whisper model: a path or hub name asked for, the hub cache, a data package.

    Raises:
        CapabilityMissing: none is here, or the pinned weights are not what they should be.
    """
    if asr_model is not None:
        folder = Path(asr_model).expanduser()
        weights = folder / "model.bin"
        if weights.is_file():
            stat = weights.stat()
            return LocalModel(f"{folder.name}:{stat.st_size}:{stat.st_mtime_ns}", folder.resolve())
        name = str(asr_model)
        hub = (
            None if folder.exists() else _from_hub(name if "/" in name else f"Systran/faster-whisper-{name}")
        )
        if hub is None:
            raise CapabilityMissing(
                "speech", f"{asr_model} is no folder with a model.bin and is not in the hub cache"
            )
        return hub
    for repository in HUB_REPOSITORIES:
        hub = _from_hub(repository)
        if hub is not None:
            return hub
    for pin in WHISPER:
        parts = part_files(pin)
        if parts is None:
            continue
        folder = _join(pin, parts) if len(parts) > 1 else _verified_in_place(pin, parts[0]).parent
        return LocalModel(f"{pin.name}@{pin.sha256[:12]}", folder)
    raise CapabilityMissing(
        "speech", "no speech model is installed; name one (a Whisper folder for CTranslate2)"
    )


def embedding_model(embed_model: str | Path | None = None) -> LocalModel:
    """The ONNX file of the sentence embedder: a path asked for, or the pinned data package.

    Raises:
        CapabilityMissing: none is here, or the pinned weights are not what they should be.
    """
    if embed_model is not None:
        file = Path(embed_model).expanduser()
        if not file.is_file():
            raise CapabilityMissing("embeddings", f"{embed_model} is no ONNX file")
        return LocalModel(f"{file.name}@{sha256_of(file)[:12]}", file.resolve())
    parts = part_files(MINILM)
    if parts is None:
        raise CapabilityMissing("embeddings", f"no embedding model is installed: {EXTRA}")
    return LocalModel(f"{MINILM.name}@{MINILM.sha256[:12]}", _verified_in_place(MINILM, parts[0]))


def tokenizer_file(model: LocalModel) -> Path:
    """The ``tokenizer.json`` beside the model, or the one that comes with Proofreel."""
    beside = model.path.parent / "tokenizer.json"
    return beside if beside.is_file() else Path(__file__).parent / "data" / "minilm_tokenizer.json"
