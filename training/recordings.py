"""Recordings of a model that need not be there: rounds as data, which a player shows and nobody goes on with."""

import gzip
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

from eagle_lab.decode import Decoding, Round
from eagle_lab.files import SETTINGS_LIMIT, named, parse_json, read_bytes
from eagle_lab.pairs import ASSETS, Pair
from eagle_lab.tokenizer import parse_tokenizer
from eagle_lab.tree import CandidateTree
from eagle_lab.trials import Recording
from eagle_lab.verification import Verdict


@dataclass(frozen=True)
class Stored(Recording):
    """A recording as it was read from a file.

    `model`: whose text it is; `title`: domain, number and drafter; `odds`: for each round the target's log-probability
    of every node after its parent.
    """

    model: str
    title: str
    drafter: str
    domain: str
    odds: list[list[float]]


def read_recordings(path=ASSETS / "smollm2" / "recordings.json.gz") -> list[Stored]:
    """The recordings of a file that `training.record` wrote, in its order; `ValueError` for what is no such file."""
    place = named([path])
    try:
        data = parse_json(gzip.decompress(read_bytes(Path(path), SETTINGS_LIMIT)), place)
        size = data["vocab_size"]
        target = SimpleNamespace(config=SimpleNamespace(vocab_size=size, max_position_embeddings=None))
        tokenizer = parse_tokenizer(data["tokenizer"].encode(), place, size)
        pair = Pair(target, None, tokenizer)  # type: ignore[arg-type]  # neither target nor drafter: only words
        return [_stored(pair, data["model"], entry) for entry in data["recordings"]]
    except (OSError, EOFError, LookupError, TypeError, AttributeError) as error:
        raise ValueError(f"{place} holds no recordings: {error!s:.200}") from None


def _stored(pair: Pair, model: str, entry: dict) -> Stored:
    title = f"{entry['domain']} {entry['number']} · {entry['drafter']}"
    rounds = [_round(round_) for round_ in entry["rounds"]]
    odds = [round_["odds"] for round_ in entry["rounds"]]
    decoding = Decoding(entry["tokens"], rounds, entry["stop_reason"])
    stored = Stored(pair, entry["prompt"], decoding, model, title, entry["drafter"], entry["domain"], odds)
    stored.__dict__["choices"] = entry["choices"]  # which else the target would be asked for
    return stored


def _round(entry: dict) -> Round:
    tree = CandidateTree(*entry["tree"]) if entry["tree"][0] else None
    accepted, rejected = map(tuple, entry["verdict"])
    verdict = Verdict(accepted, rejected, entry["tokens"][-1])
    return Round(entry["root"], entry["start"], tree, verdict, tuple(entry["tokens"]))
