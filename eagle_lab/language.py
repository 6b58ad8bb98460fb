"""The words that panels, figures and hints say, in 中文 and English, and what the console can print of them."""

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import NamedTuple


class Text(NamedTuple):
    """A word or a sentence in both languages; `str()` gives the one in use.

    >>> str(Text("根", "root"))
    '根'
    """

    zh: str
    en: str

    def __str__(self) -> str:
        return getattr(self, current_language())


_PAGE = Path(__file__).with_name("words.toml")
WORDS = {key: Text(*texts) for key, texts in tomllib.loads(_PAGE.read_text(encoding="utf-8")).items()}
_chosen = "zh"
_speaking: ContextVar[str | None] = ContextVar("language", default=None)  # of the thread that is at work


def use_language(name: str) -> None:
    """Choose what panels and figures speak from now on: "zh" or "en".

    Raises `ValueError` for any other name.

    >>> use_language("en"); word("root")
    'root'
    >>> use_language("zh"); word("root")
    '根'
    """
    global _chosen
    if not isinstance(name, str) or name not in Text._fields:
        raise ValueError(f"name must be one of the languages: {', '.join(Text._fields)}")
    _chosen = name


def current_language() -> str:
    """The language in use: "zh" or "en"."""
    return _speaking.get() or _chosen


@contextmanager
def speaking(name: str) -> Iterator[None]:
    """Speak one language within the block, whatever is chosen meanwhile: so a panel keeps to that of its labels.

    >>> with speaking("en"): word("root")
    'root'
    """
    before = _speaking.get()
    try:
        _speaking.set(name)
        yield
    finally:
        _speaking.set(before)


def word(key: str, **fields) -> str:
    """The word or sentence `key` in the language in use, its `{fields}` filled in."""
    return str(WORDS[key]).format(**fields)


def console_encoding() -> str:
    """The encoding that printed text is put into."""
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def console_takes(text: str) -> bool:
    """Whether the console can print every character of a text.

    >>> console_takes("plain ASCII")
    True
    """
    try:
        text.encode(console_encoding())
    except UnicodeError:
        return False
    return True
