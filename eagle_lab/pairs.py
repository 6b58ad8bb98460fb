"""A target, the drafter that belongs to it and their words: shipped pairs by name, others from two folders."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tokenizers import Tokenizer

from .checkpoints import load_drafter, load_target
from .contracts import Drafter
from .files import checked, named, read_bytes, read_json
from .inputs import check_end_ids, check_kind, check_tokens
from .llama import Llama

ASSETS = Path(__file__).parent / "assets"
TOKENIZER_LIMIT = 256 * 2**20  # bytes; tokenizers of large vocabularies have a tenth of that


@dataclass(frozen=True)
class Pair:
    """A target, any drafter for it as `contracts.Drafter` describes one, and their tokenizer, if they have one.

    `prompts`: openings to play with, a list for each language; shipped pairs have some. `eos_ids`: the tokens that
    end a text.
    """

    target: Llama
    drafter: Drafter
    tokenizer: Tokenizer | None
    prompts: dict[str, list[str]] = field(default_factory=dict)
    eos_ids: tuple[int, ...] = ()

    def encode(self, text: str) -> list[int]:
        """The token ids of a text; half a surrogate pair, which is no character, is read as U+FFFD.

        Raises `TypeError` for what is no text, `ValueError` without a tokenizer that can read this text.

        >>> pair = load_pair("stories")
        >>> pair.encode("a cat \\ud83d") == pair.encode("a cat \\ufffd")
        True
        """
        check_kind(text, str, "text")
        if self.tokenizer is None:
            raise ValueError("this pair has no tokenizer: give token ids instead of text")
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        with _tokenizer_faults("the tokenizer cannot encode this text"):
            ids = self.tokenizer.encode(whole).ids
        return self._check_ids(ids, "the tokenizer's ids")

    def token_text(self, token: int) -> str:
        """One token as it reads within a text, its leading space kept; a lone byte as its token's name.

        An id that the tokenizer does not know is shown as a number. Raises `TypeError` or `ValueError` for no token id.

        >>> pair = load_pair("stories")
        >>> [pair.token_text(token) for token in pair.encode("a big dog")[-2:]]
        [' big', ' dog']
        """
        (found,) = self._check_ids([token], "token")
        name = None if self.tokenizer is None else self.tokenizer.id_to_token(found)
        text = "" if name is None else _within(self.tokenizer, [found])
        return text if text and "\ufffd" not in text else str(found if name is None else name)

    def text(self, tokens) -> str:
        """Several tokens as they read within a text; bytes that make no character there as their tokens' names.

        Raises `TypeError` or `ValueError` for what are no token ids.

        >>> pair = load_pair("stories")
        >>> pair.text(pair.encode("a big 🐱")[-6:])
        ' big 🐱'
        """
        ids = self._check_ids(tokens, "tokens")
        known = self.tokenizer is not None and None not in map(self.tokenizer.id_to_token, ids)
        whole = _within(self.tokenizer, ids) if known else "\ufffd"
        return whole if "\ufffd" not in whole else "".join(map(self.token_text, ids))

    def _check_ids(self, tokens, name: str) -> list[int]:
        return check_tokens(tokens, self.target.config.vocab_size, name, least=0).tolist()


def load_pair(name: str | None = None, *, target=None, drafter=None) -> Pair:
    """Load a shipped pair by name, or a Llama or Qwen3 target with a drafter from two folders.

    `name`: a folder of the package's assets ("stories"), within which `drafter` may name another drafter.
    `target`, `drafter`: folders with `config.json` and `model.safetensors` (or shards and their index); the
    target's `tokenizer.json` and `generation_config.json` are read if they are there. The drafter is an EAGLE-3
    head or an independent small model, as its `architectures` say. float32, float16 and bfloat16 weights are taken.

    Raises `TypeError` for names and folders of a wrong kind, and `ValueError` for an unknown name, files that are
    missing, corrupt or do not fit each other, and settings that this engine does not compute.

    >>> pair = load_pair("stories")
    >>> pair.target.taps == (2, pair.target.config.num_hidden_layers // 2, pair.target.config.num_hidden_layers - 3)
    True
    >>> [pair.tokenizer.id_to_token(token) for token in pair.eos_ids]
    ['<|end|>']
    """
    if name is not None and target is not None:
        raise ValueError("load_pair takes a name or a target=… folder, not both")
    prompts: dict[str, list[str]] = {}
    if name is not None:
        folder = _choose(name, "name", "shipped pairs", ASSETS, "target/config.json")
        wanted = "drafter" if drafter is None else drafter
        drafter = _choose(wanted, "drafter", f"drafters of {name}", folder, "config.json")
        target, prompts = folder / "target", read_json(folder / "prompts.json")
    if target is None or drafter is None:
        raise ValueError("load_pair needs a name, or both folders: target=… and drafter=…")
    target, drafter = _check_folder(target, "target"), _check_folder(drafter, "drafter")
    model = load_target(target)
    tokenizer = _read_tokenizer(target / "tokenizer.json", model.config.vocab_size)
    return Pair(model, load_drafter(drafter, model), tokenizer, prompts, _read_end_ids(target, model))


def _choose(name, argument: str, what: str, folder: Path, sign: str) -> Path:
    """The folder of that name within another, among those that hold the file `sign`."""
    check_kind(name, str, argument)
    known = sorted(path.name for path in folder.iterdir() if (path / sign).is_file())
    if name not in known:
        raise ValueError(f"{argument} is {name!r:.200}: the {what} are {named(known)}")
    return folder / name


def _check_folder(folder, argument: str) -> Path:
    if not isinstance(folder, (str, os.PathLike)):
        raise TypeError(f"{argument} must be a folder's path, not {type(folder).__name__}")
    if not os.fspath(folder):
        raise ValueError(f"{argument} is empty: give a folder's path")
    return Path(folder)


def _read_end_ids(folder: Path, target: Llama) -> tuple[int, ...]:
    """The end tokens of config.json and of generation_config.json, one or several in each."""
    found, files = set[int](), [folder / "config.json", folder / "generation_config.json"]
    for file in filter(os.path.lexists, files):
        given, place = read_json(file).get("eos_token_id"), f"{named([file])}: eos_token_id"
        found |= checked(check_end_ids, given, place, target.config.vocab_size)
    return tuple(sorted(found))


def _read_tokenizer(path: Path, vocab_size: int) -> Tokenizer | None:
    """A folder's tokenizer; it reads every text whole and each in one way: no truncation, padding or dropout."""
    if not os.path.lexists(path):
        return None
    data = read_bytes(path, TOKENIZER_LIMIT)
    with _tokenizer_faults(f"{named([path])} is not a readable tokenizer"):
        tokenizer = Tokenizer.from_buffer(data)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if getattr(tokenizer.model, "dropout", None) is not None:
            tokenizer.model.dropout = None
        word, last = max(tokenizer.get_vocab().items(), key=lambda entry: entry[1], default=("", -1))
    if last >= vocab_size:
        known = f"{named([path])} knows token {last}, {word!r:.100}"
        raise ValueError(f"{known}; config.json has a vocab_size of {vocab_size}")
    return tokenizer


def _within(tokenizer, tokens: list[int]) -> str:
    """Tokens as they read behind others."""
    with _tokenizer_faults("the tokenizer cannot decode these tokens"):
        before = tokenizer.encode("a", add_special_tokens=False).ids  # decoders strip what opens a text
        opening = tokenizer.decode(before, skip_special_tokens=False)
        return tokenizer.decode([*before, *tokens], skip_special_tokens=False)[len(opening) :]


@contextmanager
def _tokenizer_faults(what: str) -> Iterator[None]:
    """Whatever the tokenizer raises within the block, as a `ValueError`."""
    try:
        yield
    except BaseException as error:  # a panic of its Rust code is no `Exception`, and its class cannot be imported
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ValueError(f"{what}: {error!s:.300}") from None
