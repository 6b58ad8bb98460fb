"""Files that may come from anywhere: regular ones of a bound size, and JSON that says each thing once.

What is wrong with a file is a `ValueError` that names it, whatever the system or a parser calls it.
"""

import json
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

SETTINGS_LIMIT = 64 * 2**20  # bytes; the index of the largest public model has a tenth of that


def named(names: Iterable, limit: int = 20) -> str:
    """Names for a message: at most `limit` of them, none of them long, and how many more there are."""
    names = [str(name) for name in names]
    shown = [name if name.isprintable() else ascii(name) for name in names[:limit]]
    shown = [name if len(name) <= 250 else f"{name[:120]} … {name[-120:]}" for name in shown]
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(shown) or "none") + more


def checked(check: Callable, value, name: str, *limits):
    """What a check of `inputs` makes of a file's value; a wrong kind is a `ValueError` too, being the file's fault."""
    try:
        return check(value, *limits, name)
    except TypeError as error:
        raise ValueError(str(error)) from None


def check_regular(path: Path, limit: float = float("inf")) -> int:
    """The size in bytes of a regular file of at most `limit`; devices, pipes and folders are refused unopened."""
    place = named([path])
    try:
        found = os.stat(path)
    except FileNotFoundError:
        link = os.path.islink(path)
        raise ValueError(f"{place} {'is a link that leads nowhere' if link else 'is missing'}") from None
    except (OSError, ValueError) as error:  # ValueError: a path that no system takes
        raise ValueError(f"{place} is not readable: {getattr(error, 'strerror', error)}") from None
    if not stat.S_ISREG(found.st_mode):
        raise ValueError(f"{place} is no regular file")
    if found.st_size > limit:
        raise ValueError(f"{place} has {found.st_size:,} bytes: at most {limit:,.0f} are read")
    return found.st_size


def read_bytes(path: Path, limit: float) -> bytes:
    """What a regular file of at most `limit` bytes holds."""
    size = check_regular(path, limit)
    try:
        with open(path, "rb") as file:
            return file.read(size)  # no more than it said: some of a system's own files never end
    except OSError as error:
        raise ValueError(f"{named([path])} is not readable: {error.strerror}") from None


def read_json(path: Path) -> dict[str, Any]:
    """The object of settings in a JSON file; a byte order mark before it is passed over."""
    return parse_json(read_bytes(path, SETTINGS_LIMIT), named([path]))


def parse_json(data: bytes, place: str) -> dict[str, Any]:
    """The object in JSON text that stands at `place`; repeated keys, NaN and Infinity are refused."""
    try:
        settings = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} is not readable JSON: {error!s:.200}") from None
    if not isinstance(settings, dict):
        raise ValueError(f"{place} must hold an object of settings")
    return settings


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in found if keys.count(key) > 1)!a:.100} stands in it twice")
    return found


def _no_constant(word: str):
    raise ValueError(f"{word} is no number in JSON")
