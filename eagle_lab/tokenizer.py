"""Text and token ids: tokenizers from their files and from byte pairs; chat templates.

Whatever the tokenizer's own code raises is a `ValueError` here.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

from .files import SETTINGS_LIMIT, named, read_bytes, read_json

TOKENIZER_LIMIT = 256 * 2**20  # bytes; tokenizers of large vocabularies have a tenth of that


def read_tokenizer(path: Path, vocab_size: int) -> Tokenizer | None:
    """A folder's tokenizer, if it has one."""
    return (
        parse_tokenizer(read_bytes(path, TOKENIZER_LIMIT), named([path]), vocab_size) if os.path.lexists(path) else None
    )


def parse_tokenizer(data: bytes, place: str, vocab_size: int) -> Tokenizer:
    """A tokenizer from its JSON; it reads every text whole and each in one way: no truncation, padding or dropout."""
    with faults(f"{place} is not a readable tokenizer"):
        tokenizer = Tokenizer.from_buffer(data)
        tokenizer.no_truncation()
        tokenizer.no_padding()
        if getattr(tokenizer.model, "dropout", None) is not None:
            tokenizer.model.dropout = None
        word, last = max(tokenizer.get_vocab().items(), key=lambda entry: entry[1], default=("", -1))
    if last >= vocab_size:
        known = f"{place} knows token {last}, {word!r:.100}"
        raise ValueError(f"{known}; config.json has a vocab_size of {vocab_size}")
    return tokenizer


def byte_pairs(words: list[str], merges: list[str], special: Iterable[str]) -> Tokenizer:
    """A tokenizer of byte pairs, as GPT-2's, but with every digit on its own, as SmolLM's; `words` in order of id."""
    pairs = [(left, right) for left, right in (merge.split(" ") for merge in merges)]
    tokenizer = Tokenizer(models.BPE({word: place for place, word in enumerate(words)}, pairs))
    digits, byte_level = pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([digits, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in special])
    return tokenizer


def text_within(tokenizer, tokens: list[int]) -> str:
    """Tokens as they read behind others."""
    with faults("the tokenizer cannot decode these tokens"):
        before = tokenizer.encode("a", add_special_tokens=False).ids  # decoders strip what opens a text
        opening = tokenizer.decode(before, skip_special_tokens=False)
        return tokenizer.decode([*before, *tokens], skip_special_tokens=False)[len(opening) :]


@contextmanager
def faults(what: str) -> Iterator[None]:
    """Whatever the tokenizer raises within the block, as a `ValueError`."""
    try:
        yield
    except BaseException as error:  # a panic of its Rust code is no `Exception`, and its class cannot be imported
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise ValueError(f"{what}: {error!s:.300}") from None


def read_chat_template(folder: Path) -> str | None:
    """The chat template of a folder, from a file of its own or from tokenizer_config.json."""
    file, settings = folder / "chat_template.jinja", folder / "tokenizer_config.json"
    if os.path.lexists(file):
        try:
            return read_bytes(file, SETTINGS_LIMIT).decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{named([file])} is not readable text: {error}") from None
    found = read_json(settings).get("chat_template") if os.path.lexists(settings) else None
    return found if isinstance(found, str) else None


def conversation(template: str, text: str) -> str:
    """One message of a user's as a chat template has it, in Hugging Face's terms."""
    from jinja2 import TemplateError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    try:
        filled = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True).from_string(template)
        return filled.render(messages=[{"role": "user", "content": text}], add_generation_prompt=True)
    except (TemplateError, TypeError) as error:
        raise ValueError(f"the chat template cannot be filled in: {error!s:.200}") from None
