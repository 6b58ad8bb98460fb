"""Records rounds of SmolLM2 with each drafter on the first held-out prompts, to be played without the weights.

    python -m training.record [--prompts 3] [--tokens 48] --out eagle_lab/assets/smollm2/recordings.json.gz

Prompts are taken in order, one of each domain before a second one of any.
"""

import argparse
import gzip
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from eagle_lab import Pair, Round, load_pair, verify
from eagle_lab.llama import log_softmax
from eagle_lab.trials import record
from training.compare import drafters
from training.prompts import read_prompts

MODEL = "SmolLM2-135M-Instruct"


def entry(pair, name: str, domain: str, number: int, prompt, tokens: int) -> dict:
    """One generation as data: rounds, the target's own choices, and its odds on every node."""
    odds: dict[int, list[float]] = {}

    def listening(tree, logits, **settings):
        odds[id(tree)] = log_softmax(logits)[1 + tree.parents, tree.tokens].astype(float).round(3).tolist()
        return verify(tree, logits, **settings)

    found = record(pair, prompt, tokens, verify=listening)
    return {
        "drafter": name,
        "domain": domain,
        "number": number,
        "prompt": found.prompt,
        "tokens": found.decoding.tokens,
        "stop_reason": found.decoding.stop_reason,
        "choices": found.choices,
        "rounds": [round_as_data(round_, odds.get(id(round_.tree), [])) for round_ in found.decoding.rounds],
    }


def round_as_data(round_: Round, odds: list[float]) -> dict:
    """A round as `recordings` reads it; a plain pass has a tree without nodes."""
    tree, verdict = round_.tree, round_.verdict
    columns = [tree.parents.tolist(), tree.tokens.tolist(), tree.log_scores.round(4).tolist()] if tree else [[], [], []]
    taken = [verdict.accepted, verdict.rejected]
    place = {"root": round_.root, "start": round_.start, "tokens": round_.tokens}
    return place | {"tree": columns, "odds": odds, "verdict": taken}


def write_recordings(path, pair: Pair, model: str, entries: list[dict]) -> None:
    """Write what `recordings.read_recordings` reads: these entries, and the words that they use."""
    used = set[int]()
    for entry in entries:
        used.update(entry["prompt"], entry["tokens"], entry["choices"])
        used.update(token for round_ in entry["rounds"] for token in [*round_["tree"][1], *round_["tokens"]])
    words = {"vocab_size": pair.target.config.vocab_size, "tokenizer": words_alone(pair.tokenizer, used)}
    text = json.dumps({"model": model} | words | {"recordings": entries}, separators=(",", ":"))
    Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))


def words_alone(tokenizer: Tokenizer, ids: Iterable[int]) -> str:
    """What is left of a tokenizer that shall only read these tokens, as JSON."""
    opening = tokenizer.encode("a").ids[0]  # `text_within` reads it before whatever it is asked for
    words = {tokenizer.id_to_token(token): int(token) for token in sorted({opening, *ids})}
    model = {"type": "WordLevel", "vocab": words, "unk_token": tokenizer.id_to_token(opening)}
    nothing = dict.fromkeys(["truncation", "padding", "normalizer", "pre_tokenizer", "post_processor"])
    kept = {"version": "1.0", "added_tokens": [], "decoder": json.loads(tokenizer.to_str())["decoder"], "model": model}
    return json.dumps(kept | nothing)


def in_order(count: int) -> list:
    """(number within its domain, prompt): first the first held-out one of each domain; `count` in all."""
    prompts = read_prompts("held")
    places = {domain: [p for p in prompts if p.domain == domain] for domain in dict.fromkeys(p.domain for p in prompts)}
    rounds = [list(turn) for turn in zip(*places.values(), strict=True)]
    return [(number, prompt) for number, turn in enumerate(rounds, 1) for prompt in turn][:count]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prompts", type=int, default=6)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--target", help="a Hugging Face folder in place of the package")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    pair = load_pair("smollm2", target=options.target)
    entries = [
        entry(replace(pair, drafter=drafter), name, prompt.domain, number, prompt.text, options.tokens)
        for number, prompt in in_order(options.prompts)
        for name, drafter in drafters(pair).items()
    ]
    write_recordings(options.out, pair, MODEL, entries)
    print(f"{len(entries)} recordings, {np.mean([len(e['rounds']) for e in entries]):.1f} rounds each")


if __name__ == "__main__":
    main()
