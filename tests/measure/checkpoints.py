"""Mutated checkpoint folders, loaded: every one is refused by name, or is the model that it says it is.

    cd tests && python -m measure.checkpoints           # all of them, in child processes of bounded memory
    cd tests && python -m measure.checkpoints 0 40      # those numbers, in this process

A folder ends in one of three right ways. It is **refused** by a `ValueError` that names its file and the key or tensor;
it is **the same** model, with equal logits, tree and token ids; or it is **as it says**: one of the numbers below is
another one, and the model holds that number. All else is a fault.
"""

import faulthandler
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from eagle_lab import load_pair
from eagle_lab.pairs import ASSETS, Pair

from .mutations import MUTATIONS, settings_of
from models import GOLDEN, LLAMA, QWEN3

COUNT, SECONDS, BATCH, MEMORY = 2800, 20, 100, 4 * 2**30  # cases; a case's time; cases and bytes of a child
CHOSEN = ["rms_norm_eps", "rope_theta", "max_position_embeddings"]  # any number is right; the end tokens are another
MODELS = GOLDEN / "models"
SOURCES = [
    (MODELS / LLAMA[0], MODELS / LLAMA[1]),
    (MODELS / QWEN3[0], MODELS / QWEN3[1]),
    (MODELS / LLAMA[0], MODELS / "specforge_llama_a_trained"),
    (ASSETS / "stories" / "target", ASSETS / "stories" / "drafter"),
    (MODELS / LLAMA[0], MODELS / LLAMA[0]),  # an independent drafter
]
TEXT, LETTERS = f"d e f a b c {'a' * 40}b", [3, 4, 5, 0, 1, 2, 0]  # ids of the mutations' small tokenizer
RIGHT = ["refused", "the same", "as it says"]


def judge(number: int, scratch: Path) -> tuple[str, str, str]:
    """Spoil a folder by the seed `number` within `scratch` and load it: the mutation, how it ended, and the message."""
    rng = np.random.default_rng(number)
    mutation = MUTATIONS[number % len(MUTATIONS)]
    source = SOURCES[rng.integers(len(SOURCES))]
    target, drafter = scratch / "target", scratch / "drafter"
    for folder, original in zip((target, drafter), source, strict=True):
        shutil.copytree(original, folder)
    spoiled = target if rng.integers(2) else drafter
    names = mutation(spoiled, rng)
    try:
        pair = load_pair(target=target, drafter=drafter)
        found = fingerprint(pair)
    except ValueError as error:
        named = is_named(str(error), spoiled, names)
        return mutation.__name__, "refused" if named else "refused without a name", str(error)[:300]
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return mutation.__name__, f"accident: {type(error).__name__}", str(error)[:300]
    said = Said(target, drafter, source)
    if (found.computed, found.ends) == (said.once.computed, said.once.ends) and found.ids == said.ids:
        return mutation.__name__, "the same", ""
    words = found.ids == said.ids or mutation.__name__ == "damaged_words"  # any other word is as good
    return mutation.__name__, "as it says" if words and said.fits(pair, found) else "another model", ""


def is_named(said: str, spoiled: Path, names: tuple[str, ...]) -> bool:
    """Whether a refusal names what is wrong and where, in a few lines."""
    what = any(name in said for name in (*names, "has shape", "do not fit config.json"))
    where = str(spoiled) in said or said.startswith("the tokenizer")
    return what and where and len(said) < 6000


class Computed(NamedTuple):
    """What a pair makes of a prompt: logits, features and a tree; its end tokens; the ids of a text."""

    computed: tuple[bytes, ...]
    ends: tuple[int, ...]
    ids: list[int] | None


def fingerprint(pair: Pair) -> Computed:
    """Run a pair on a prompt and a text."""
    prompt = [1, 2, 3, 4, 5]
    hidden, features = pair.target.forward(prompt, pair.target.new_cache())
    tree = pair.drafter.draft(features, [*prompt[1:], 6], pair.drafter.new_cache(prompt[0]))
    arrays = pair.target.logits(hidden), features, tree.tokens, tree.parents, np.asarray(tree.log_scores)
    pair.text(prompt)
    return Computed(
        tuple(array.tobytes() for array in arrays), pair.eos_ids, pair.encode(TEXT) if pair.tokenizer else None
    )


@cache
def expected(target: Path, drafter: Path) -> Computed:
    """What the folders compute before they are spoiled."""
    return fingerprint(load_pair(target=target, drafter=drafter))


class Said:
    """What spoiled folders say, read without the loader, beside what they said before."""

    def __init__(self, target: Path, drafter: Path, source: tuple[Path, Path]):
        self.once = expected(*source)
        self.numbers = [{key: numbers_of(folder, key) for key in CHOSEN} for folder in (target, drafter)]
        self.changed = self.numbers != [{key: numbers_of(folder, key) for key in CHOSEN} for folder in source]
        generation = target / "generation_config.json"
        ends = [
            settings_of(target),
            json.loads(generation.read_bytes().decode("utf-8-sig")) if generation.exists() else {},
        ]
        self.ends = {
            end for at in ends if at.get("eos_token_id") is not None for end in np.atleast_1d(at["eos_token_id"])
        }
        self.ids = (self.once.ids or LETTERS) if (target / "tokenizer.json").exists() else None

    def fits(self, pair: Pair, found: Computed) -> bool:
        """Whether the pair holds the numbers and end tokens that are said, and only they make the difference."""
        for config, numbers in zip((pair.target.config, pair.drafter.config), self.numbers, strict=True):
            if any(values and values != {getattr(config, key)} for key, values in numbers.items()):
                return False
        ends = set(found.ends) == self.ends - {-1}
        return ends and (self.changed or found.computed == self.once.computed)


def numbers_of(folder: Path, key: str) -> set[float]:
    """What a folder's config.json says of a number, in each place where it may stand."""
    settings = settings_of(folder)
    places = [settings, *(settings.get(rope) or {} for rope in ("rope_scaling", "rope_parameters"))]
    return {at[key] for at in places if at.get(key) is not None}


def limit_memory() -> None:
    """Bound this process's memory, where the system can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run_here(first: int, last: int) -> None:
    """Judge some cases in this process; a line for each, written before it starts and after it has ended."""
    warnings.simplefilter("error")
    limit_memory()
    for number in range(first, last):
        print(f"start\t{number}", flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        with tempfile.TemporaryDirectory() as scratch:
            mutation, end, said = judge(number, Path(scratch))
        faulthandler.cancel_dump_traceback_later()
        print(f"end\t{number}\t{mutation}\t{end}\t{said!a}", flush=True)


def run_all() -> dict[int, tuple[str, str, str]]:
    """Judge all cases in child processes; where one does not end, its case is a hang, or else it died."""
    found: dict[int, tuple[str, str, str]] = {}
    number = 0
    while number < COUNT:
        last = min(number + BATCH, COUNT)
        command = [sys.executable, "-m", "measure.checkpoints", str(number), str(last)]
        ran = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace")
        for line in ran.stdout.splitlines():
            word, place, *rest = line.split("\t")
            number = int(place) + 1
            if word == "end":
                found[number - 1] = (rest[0], rest[1], rest[2])
        if number - 1 not in found:
            how = "hang" if "Timeout" in ran.stderr else f"died ({ran.returncode})"
            mutation = MUTATIONS[(number - 1) % len(MUTATIONS)].__name__
            found[number - 1] = (mutation, how, ran.stderr[-300:])
    return found


def main() -> None:
    """Print how many of each kind of mutation ended how, and every fault."""
    found = run_all()
    faults = {number: case for number, case in found.items() if case[1] not in RIGHT}
    print(f"{'mutation':<18}{''.join(f'{end:>12}' for end in RIGHT)}{'faults':>12}")
    for mutation in dict.fromkeys(function.__name__ for function in MUTATIONS):
        ends = Counter(end if end in RIGHT else "faults" for name, end, _ in found.values() if name == mutation)
        print(f"{mutation:<18}{''.join(f'{ends[end]:>12}' for end in (*RIGHT, 'faults'))}")
    for number, case in faults.items():
        print(number, *case)
    ends = Counter(end for _, end, _ in found.values())
    print(f"{len(found):,} mutated folders: {', '.join(f'{ends[end]:,} {end}' for end in RIGHT)}, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        run_here(int(sys.argv[1]), int(sys.argv[2]))
    else:
        main()
