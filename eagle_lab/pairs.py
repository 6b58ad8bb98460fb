"""A target, the drafter that belongs to it and their words: shipped pairs by name, others from two folders."""

from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import Tokenizer

from .checkpoints import checked, load_drafter, load_target, read_config
from .contracts import Drafter
from .inputs import check_end_ids
from .llama import Llama
from .weights import read_json

ASSETS = Path(__file__).parent / "assets"


@dataclass(frozen=True)
class Pair:
    """A target, the drafter that was trained for it, and their tokenizer (None if the folders hold none).

    The drafter is an EAGLE-3 head, an independent small model, or anything else that `contracts.Drafter` describes.

    `prompts`: openings to play with, a list for each language; shipped pairs have some. `eos_ids`: the tokens that
    end a text of this target.
    """

    target: Llama
    drafter: Drafter
    tokenizer: Tokenizer | None
    prompts: dict[str, list[str]] = field(default_factory=dict)
    eos_ids: tuple[int, ...] = ()

    def encode(self, text: str) -> list[int]:
        """The token ids of a text; `ValueError` where the folders held no tokenizer."""
        if self.tokenizer is None:
            raise ValueError("this pair has no tokenizer: give token ids instead of text")
        return self.tokenizer.encode(text).ids

    def token_text(self, token: int) -> str:
        """One token as it reads within a text, its leading space kept; a lone byte as its token's name.

        >>> pair = load_pair("stories")
        >>> [pair.token_text(token) for token in pair.encode("a big dog")[-2:]]
        [' big', ' dog']
        """
        if self.tokenizer is None:
            return str(token)
        text = _within(self.tokenizer, [token])
        return text if text and "\ufffd" not in text else str(self.tokenizer.id_to_token(token))

    def text(self, tokens) -> str:
        """Several tokens as they read within a text; bytes that make no character there as their tokens' names.

        >>> pair = load_pair("stories")
        >>> pair.text(pair.encode("a big 🐱")[-6:])
        ' big 🐱'
        """
        whole = "\ufffd" if self.tokenizer is None else _within(self.tokenizer, list(tokens))
        return whole if "\ufffd" not in whole else "".join(map(self.token_text, tokens))


def load_pair(name: str | None = None, *, target=None, drafter=None) -> Pair:
    """Load a shipped pair by name, or a Llama or Qwen3 target with a drafter from two folders.

    `name`: a folder of the package's assets ("stories"), within which `drafter` may name another drafter.
    `target`, `drafter`: folders with `config.json` and `model.safetensors` (or shards and their index); the
    target's `tokenizer.json` and `generation_config.json` are read if they are there. The drafter is an EAGLE-3
    head or an independent small model, as its `architectures` say. float32, float16 and bfloat16 weights are taken.

    Raises `ValueError` for an unknown name, missing or corrupt files, tensors that are missing, left
    over or of the wrong shape (all are named), and settings that this engine does not compute.

    >>> pair = load_pair("stories")
    >>> pair.target.taps == (2, pair.target.config.num_hidden_layers // 2, pair.target.config.num_hidden_layers - 3)
    True
    >>> [pair.tokenizer.id_to_token(token) for token in pair.eos_ids]
    ['<|end|>']
    """
    if name is not None and target is not None:
        raise ValueError("load_pair takes a name or a target=… folder, not both")
    if name is not None:
        folder = _shipped(name)
        target, drafter = folder / "target", folder / (drafter or "drafter")
    if target is None or drafter is None:
        raise ValueError("load_pair needs a name, or both folders: target=… and drafter=…")
    model = load_target(target)
    prompts = read_json(Path(target).parent / "prompts.json") if name is not None else {}
    tokenizer = _read_tokenizer(Path(target) / "tokenizer.json")
    return Pair(model, load_drafter(drafter, model), tokenizer, prompts, _read_end_ids(target, model))


def _shipped(name: str) -> Path:
    """The folder of a shipped pair."""
    known = sorted(path.parent.name for path in ASSETS.glob("*/target"))
    if name not in known:
        raise ValueError(f"name is {name!r}: the shipped pairs are {', '.join(known)}")
    return ASSETS / name


def _read_end_ids(folder, target: Llama) -> tuple[int, ...]:
    """The end tokens of config.json and of generation_config.json, one or several in each."""
    generation = Path(folder) / "generation_config.json"
    found = set[int]()
    for settings in (read_config(folder), read_json(generation) if generation.exists() else {}):
        ends = settings.get("eos_token_id"), f"{folder}: eos_token_id", target.config.vocab_size
        found |= checked(check_end_ids, *ends)
    return tuple(sorted(found))


def _read_tokenizer(path: Path) -> Tokenizer | None:
    if not path.exists():
        return None
    try:
        return Tokenizer.from_file(str(path))
    except Exception as error:  # tokenizers raises no narrower class
        raise ValueError(f"{path} is not a readable tokenizer: {error}") from None


def _within(tokenizer: Tokenizer, tokens: list[int]) -> str:
    """Tokens as they read behind others."""
    before = tokenizer.encode("a", add_special_tokens=False).ids  # decoders strip what opens a text
    opening = tokenizer.decode(before, skip_special_tokens=False)
    return tokenizer.decode([*before, *tokens], skip_special_tokens=False)[len(opening) :]
